#include "posterior/all_dags/parent_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parallel_for.hpp"
#include "posterior/all_dags/power_of_two.hpp"
#include "posterior/all_dags/subset_steps.hpp"

namespace arcwise {

bool ParentWeights::prepare(const TableView& table) {
    nodes = table.variables;
    shift.assign(nodes, 0);
    masks.assign(table.rows(), 0);
    levels.resize(table.rows());
    weights.resize(table.rows());
    double span = 0;  // of a sum of levels, in bits
    for (std::size_t v = 0; v < nodes; ++v) {
        const auto first = static_cast<std::size_t>(table.node_offsets[v]);
        const auto last = static_cast<std::size_t>(table.node_offsets[v + 1]);
        shift[v] = table.scores[first];  // rows fall
        // The least that the best row within any set can be: the empty set's score, if it is a row.
        double least = table.scores[last - 1];
        for (std::size_t row = first; row < last; ++row) {
            for (const auto p : table.parents(row)) masks[row] |= std::uint32_t{1} << p;
            if (masks[row] == 0) least = table.scores[row];
        }
        span += (shift[v] - least) * std::numbers::log2e + 1;
    }
    if (!(span < range)) return false;
    for (fraction = 0; fraction < 16 && span * std::ldexp(1.0, fraction + 1) < range;) ++fraction;
    const double unit = std::ldexp(1.0, fraction);
    for (std::size_t v = 0; v < nodes; ++v)
        for (auto row = static_cast<std::size_t>(table.node_offsets[v]);
             row < static_cast<std::size_t>(table.node_offsets[v + 1]); ++row) {
            const double y = (table.scores[row] - shift[v]) * std::numbers::log2e;
            if (!(y * unit > -static_cast<double>(range))) {  // below the empty set by far: weighs nothing
                levels[row] = impossible;
                weights[row] = 0;
                continue;
            }
            levels[row] = static_cast<std::int32_t>(std::floor(y * unit));
            weights[row] = std::exp2(y - exponent(levels[row]));
        }
    return true;
}

bool WholeWeights::find(const ParentWeights& rows, const TableView& table, std::size_t threads,
                        Ticker& ticker) {
    const std::size_t nodes = rows.nodes;
    const int fraction = rows.fraction;
    const std::size_t places = nodes == 0 ? 0 : std::size_t{1} << (nodes - 1);
    levels_.resize(nodes);
    mantissas_.resize(nodes);
    return parallel_for(
        threads, nodes,
        [&](std::size_t, std::size_t v) {
            auto& top = levels_[v];
            auto& sums = mantissas_[v];
            top.assign(places, ParentWeights::impossible);
            sums.assign(places, 0);
            const auto first = static_cast<std::size_t>(table.node_offsets[v]);
            const auto last = static_cast<std::size_t>(table.node_offsets[v + 1]);
            for (auto row = first; row < last; ++row) top[place(rows.masks[row], v)] = rows.levels[row];
            for_subset_steps(nodes - 1, [&](std::size_t lower, std::size_t upper, std::size_t count) {
                const std::int32_t* from = &top[lower];
                std::int32_t* to = &top[upper];
                for (std::size_t i = 0; i < count; ++i) to[i] = std::max(to[i], from[i]);
            });
            // Each sum is scaled by its own set's final level from the start: what this makes too small to be
            // held is too small to matter, there and in every larger set, whose level is no lower.
            for (auto row = first; row < last; ++row) {
                const auto at = place(rows.masks[row], v);
                sums[at] = rows.weights[row] *
                           clamped_power_of_two(rows.exponent(rows.levels[row]) - rows.exponent(top[at]));
            }
            for_subset_steps(nodes - 1, [&](std::size_t lower, std::size_t upper, std::size_t count) {
                const std::int32_t *below = &top[lower], *above = &top[upper];
                const double* from = &sums[lower];
                double* to = &sums[upper];
                for (std::size_t i = 0; i < count; ++i)
                    to[i] += from[i] * clamped_power_of_two((below[i] >> fraction) - (above[i] >> fraction));
            });
        },
        [&](std::size_t done) { return ticker.poll_now({done, 4 * nodes}); });
}

}  // namespace arcwise
