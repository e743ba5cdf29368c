#include "posterior/all_dags/block_weights.hpp"

#include <type_traits>
#include <utility>

#include "posterior/all_dags/clones.hpp"

namespace arcwise {

namespace {
// Blocks have so many first nodes at most: their weights, 48 kilobytes for each node, then fit into the
// second cache. (With 14, two threads waited for the third one, which they share.)
constexpr std::size_t most_first_nodes = 12;
// There are four blocks at least.
constexpr std::size_t least_last_nodes = 2;

// Calls combine(lower, upper, count) for all pairs of sets of a block that differ in one node alone, other
// than v: the `count` sets from `lower` on lack it, those from `upper` on have it. The first nodes have
// counts that the compiler knows.
template <class Combine>
[[gnu::always_inline]] inline void for_pairs(std::size_t length, std::size_t v, Combine combine) {
    const auto pass = [&](auto step) __attribute__((always_inline)) {
        if (step != std::size_t{1} << v)
            for (std::size_t at = 0; at < length; at += 2 * step) combine(at, at + step, step);
    };
    if (length >= 16) {
        pass(std::integral_constant<std::size_t, 1>{});
        pass(std::integral_constant<std::size_t, 2>{});
        pass(std::integral_constant<std::size_t, 4>{});
        pass(std::integral_constant<std::size_t, 8>{});
    }
    for (std::size_t step = length >= 16 ? 16 : 1; step < length; step *= 2) pass(step);
}

ARCWISE_CLONES void raise_levels(std::int32_t* top, std::size_t length, std::size_t v) {
    for_pairs(length, v, [&](std::size_t lower, std::size_t upper, auto count) {
        for (std::size_t i = 0; i < count; ++i) top[upper + i] = std::max(top[upper + i], top[lower + i]);
    });
}

ARCWISE_CLONES void sum_up(double* sums, const std::int32_t* top, int fraction, std::size_t length,
                           std::size_t v) {
    for_pairs(length, v, [&](std::size_t lower, std::size_t upper, auto count) {
        for (std::size_t i = 0; i < count; ++i)
            sums[upper + i] += sums[lower + i] * clamped_power_of_two((top[lower + i] >> fraction) -
                                                                      (top[upper + i] >> fraction));
    });
}

ARCWISE_CLONES void sum_down(double* slopes, const std::int32_t* top, int fraction, std::size_t length,
                             std::size_t v) {
    for_pairs(length, v, [&](std::size_t lower, std::size_t upper, auto count) {
        for (std::size_t i = 0; i < count; ++i)
            slopes[lower + i] += slopes[upper + i] * clamped_power_of_two((top[lower + i] >> fraction) -
                                                                          (top[upper + i] >> fraction));
    });
}
}  // namespace

BlockRows::BlockRows(const ParentWeights& rows, const TableView& table)
    : rows_(rows),
      first_nodes_(std::min(most_first_nodes, rows.nodes - std::min(least_last_nodes, rows.nodes / 2))),
      order_(table.rows()),
      sorted_(table.rows()),
      groups_(rows.nodes) {
    // A counting sort, node by node: there may be half a million rows and four groups.
    std::vector<std::size_t> ends(blocks());
    for (std::size_t v = 0; v < rows.nodes; ++v) {
        const auto begin = static_cast<std::size_t>(table.node_offsets[v]);
        const auto end = static_cast<std::size_t>(table.node_offsets[v + 1]);
        const auto last_nodes = [&](std::size_t row) {
            return static_cast<std::size_t>(rows.masks[row] >> first_nodes_);
        };
        std::ranges::fill(ends, std::size_t{0});
        for (std::size_t row = begin; row < end; ++row) ++ends[last_nodes(row)];
        std::size_t place = begin;
        for (std::size_t block = 0; block < blocks(); ++block) {
            if (ends[block] == 0) continue;
            groups_[v].push_back({block, place, place + ends[block]});
            place += std::exchange(ends[block], place);
        }
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t to = ends[last_nodes(row)]++;
            order_[to] = static_cast<std::uint32_t>(row);
            sorted_[to] = {static_cast<std::uint32_t>(rows.masks[row] & (length() - 1)), rows.levels[row],
                           rows.weights[row]};
        }
    }
}

void BlockWeights::find_levels(std::size_t v, std::size_t block) {
    std::int32_t* top = &levels_[v * rows_.length()];
    std::fill_n(top, rows_.length(), ParentWeights::impossible);
    rows_.for_rows(v, block, [&](std::size_t, const BlockRows::Row& row) {
        top[row.set] = std::max(top[row.set], row.level);
    });
    raise_levels(top, rows_.length(), v);
}

void BlockWeights::find_sums(std::size_t v, std::size_t block) {
    const auto& rows = rows_.rows();
    const std::int32_t* top = levels(v);
    double* sums = &mantissas_[v * rows_.length()];
    std::fill_n(sums, rows_.length(), 0.0);
    // Each sum is scaled by its own set's final level from the start: what this makes too small to be held is
    // too small to matter, there and in every larger set, whose level is no lower.
    rows_.for_rows(v, block, [&](std::size_t, const BlockRows::Row& row) {
        sums[row.set] +=
            row.weight * clamped_power_of_two(rows.exponent(row.level) - rows.exponent(top[row.set]));
    });
    sum_up(sums, top, rows.fraction, rows_.length(), v);
}

void BlockWeights::add_shares(std::size_t v, std::size_t block, double* shares) {
    if (rows_.in_block(v, block)) return;
    const auto& rows = rows_.rows();
    const std::int32_t* top = levels(v);
    double* slopes = &slopes_[v * rows_.length()];
    sum_down(slopes, top, rows.fraction, rows_.length(), v);
    rows_.for_rows(v, block, [&](std::size_t place, const BlockRows::Row& row) {
        shares[place] += slopes[row.set] * row.weight *
                         clamped_power_of_two(rows.exponent(row.level) - rows.exponent(top[row.set]));
    });
}

}  // namespace arcwise
