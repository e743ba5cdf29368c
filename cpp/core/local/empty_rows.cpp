// The rows of the empty network, from where searches start: all pairs of variables, each counted once.
#include <algorithm>
#include <limits>
#include <utility>

#include "local/neighbour_scores.hpp"

namespace arcwise {

namespace {

constexpr std::size_t partition_bytes = std::size_t{32} << 20;  // sorted rows kept for the first pass
constexpr std::size_t alone_bytes = std::size_t{4} << 20;       // counts kept for it

}  // namespace

// The rows of all children without parents. The counts of (c, x) serve both families, c | x and x | c; and
// with the block outside and the child inside, the block's bytes stay in the cache for all children.
void NeighbourScores::fill_empty_rows() {
    const std::size_t n = variables();
    std::vector<std::shared_ptr<NeighbourRow>> rows(n);
    const auto narrow = [&](std::size_t v) { return data_.arity(v) - 1 <= StateBlocks::width; };
    information_.assign(n, 0.0);
    const bool is_own = alone_.empty();
    if (is_own) count_alone();
    const std::size_t each = std::max<std::size_t>(1, weights_.rows.size() * 5);
    const std::size_t batch = std::max<std::size_t>(1, partition_bytes / each);
    std::vector<RowPartition> partitions(std::min(batch, n));
    for (std::size_t first = 0; first < n; first += batch) {
        const std::size_t last = std::min(n, first + batch);
        for (std::size_t child = first; child < last; ++child) {
            auto& partition = partitions[child - first];
            const auto* counted = alone(child);
            if (counted == nullptr) counter_.sorter().sort(child, {}, partition);
            const Segments& segments = counted == nullptr ? partition : counted->segments;
            tabulate(child, segments);
            rows[child] = empty_row(child);
            rows[child]->own = score_table(child, {}, table_, segments.codes);
            rows[child]->prior = believed(child, {});
            information_[child] = -log_likelihood(child, rows[child]->own - rows[child]->prior);
        }
        for (std::size_t block = 0; block < data_.blocks(); ++block)
            for (std::size_t child = first; child < last; ++child)
                if (narrow(child)) fill_pairs(block, child, partitions[child - first], rows);
    }
    for (std::size_t child = 0; child < n; ++child) {
        if (narrow(child) || tables_ != nullptr)
            fill_wide_pairs(child, rows);
        else
            rows[child] = compute(child, {});
    }
    for (std::size_t child = 0; child < n; ++child) {
        auto& row = *rows[child];
        list_wanted(child, {});
        if (row.gaining.empty()) list_gains(child, row);
        store(key_of(child, {}), std::move(rows[child]));
    }
    if (is_own) alone_.clear();
}

// Counts the children without parents for which nothing need be sorted.
void NeighbourScores::count_alone() {
    std::size_t bytes = 0;
    for (std::size_t child = 0; child < variables() && bytes < alone_bytes; ++child) {
        auto counts = counter_.count_from_bits(child, data_);
        if (!counts) continue;
        bytes += counts->bytes();
        receive_alone(child, std::move(counts));
    }
}

// May one of the two be the parent of the other, and could either gain by it?
bool NeighbourScores::is_worth_counting(std::size_t child, std::size_t x,
                                        std::vector<std::shared_ptr<NeighbourRow>>& rows) {
    const bool into = wants(x, child, {}) && !is_hopeless(*rows[child], child, {}, x);
    const bool out = wants(child, x, {}) && !is_hopeless(*rows[x], x, {}, child);
    return into || out;
}

// The pairs of a variable with the wide ones, which are not in the blocks. If the score is a difference of
// set functions, then s(c | x) + s(x) = s(x | c) + s(c), and each pair is counted once.
void NeighbourScores::fill_wide_pairs(std::size_t child, std::vector<std::shared_ptr<NeighbourRow>>& rows) {
    if (data_.wide().empty()) return;
    const bool child_is_wide = data_.arity(child) - 1 > StateBlocks::width;
    auto& row = *rows[child];
    counter_.look_at(child, {}, data_);
    radix_.assign(1, 0);
    for (const auto wide : data_.wide()) {
        const auto x = static_cast<std::size_t>(wide);
        if (child_is_wide && x >= child) continue;
        if (!is_worth_counting(child, x, rows)) continue;
        if (tables_ != nullptr || wants(x, child, {})) score_sparse(child, {}, x, row);
        if (tables_ == nullptr) continue;
        if (wants(child, x, {})) {
            rows[x]->toggled[child] = row.toggled[x] + (rows[x]->own - row.own);
            if (prior_ != nullptr)
                rows[x]->toggled[child] += prior_->gain(x, 0, child) - prior_->gain(child, 0, x);
        }
        if (!wants(x, child, {})) row.toggled[x] = NeighbourRow::not_allowed;
    }
}

void NeighbourScores::fill_pairs(std::size_t block, std::size_t child, const RowPartition& partition,
                                 std::vector<std::shared_ptr<NeighbourRow>>& rows) {
    const auto slots = data_.slots(block);
    const auto* known = alone(child);
    const Segments& segments = known == nullptr ? partition : known->segments;
    if (segments.configurations() == 0) return;
    std::vector<StateBlocks::Slot> counted;
    for (const auto& slot : slots) {
        const auto x = static_cast<std::size_t>(slot.variable);
        if (x >= child) break;
        if (is_worth_counting(child, x, rows)) counted.push_back(slot);
    }
    if (counted.empty()) return;
    constexpr std::size_t width = StateBlocks::width;
    const bool small = weights_.cases <= std::numeric_limits<std::uint32_t>::max();
    const auto count = [&](auto& counts) {
        counts.resize(partition.count() * width);
        count_block(data_, data_, block, partition, 0, partition.count(), counts.data());
    };
    if (known == nullptr) {
        if (small)
            count(counts32_);
        else
            count(counts64_);
    }
    const std::uint32_t* counts32 = known == nullptr ? counts32_.data() : known->of(block);
    const auto at = [&](std::size_t place) {
        return small ? static_cast<std::int64_t>(counts32[place]) : counts64_[place];
    };
    const std::size_t arity = data_.arity(child);
    std::vector<std::int64_t> forward;   // [state of x][state of child]: the table of child | x
    std::vector<std::int64_t> backward;  // [state of child][state of x]: the table of x | child
    for (const auto& slot : counted) {
        const auto x = static_cast<std::size_t>(slot.variable);
        const bool into = wants(x, child, {});
        const bool out = wants(child, x, {});
        const std::size_t states = data_.arity(x);
        if (tables_ != nullptr) {
            // One sum for both directions: that g(c, x) is the same number makes the two gains equal.
            const double cells = static_cast<double>(arity) * static_cast<double>(states);
            auto& terms = tables_->of(cells);
            double joint = 0.0;
            for (std::size_t s = 0; s < segments.totals.size(); ++s) {
                std::int64_t rest = segments.totals[s];
                for (std::size_t k = 1; k < states; ++k) {
                    const std::int64_t n = at(s * width + slot.first + k - 1);
                    joint += terms(n);
                    rest -= n;
                }
                joint += terms(rest);
            }
            joint += tables_->constant(cells);
            const double empty = tables_->constant(1.0) + tables_->of(1.0)(weights_.cases);
            const auto given = [&](std::size_t target, std::size_t parent) {
                const double value = joint - (rows[parent]->own - rows[parent]->prior + empty);
                const std::int32_t one[] = {static_cast<std::int32_t>(parent)};
                rows[target]->toggled[parent] = prior_ == nullptr ? value : value + prior_->of(target, one);
            };
            if (into) given(child, x);
            if (out) given(x, child);
            families_scored_ += 2;
        } else {
            forward.assign(arity * states, 0);
            for (std::size_t s = 0; s < segments.totals.size(); ++s) {
                const std::size_t state = segments.states[s];
                std::int64_t rest = segments.totals[s];
                for (std::size_t k = 1; k < states; ++k) {
                    const std::int64_t n = at(s * width + slot.first + k - 1);
                    forward[k * arity + state] = n;
                    rest -= n;
                }
                forward[state] = rest;
            }
            backward.assign(arity * states, 0);
            for (std::size_t k = 0; k < states; ++k)
                for (std::size_t state = 0; state < arity; ++state)
                    backward[state * states + k] = forward[k * arity + state];
            const auto score_observed = [&](std::size_t target, std::size_t parent, std::size_t r,
                                            const std::vector<std::int64_t>& table) {
                std::vector<std::int64_t> observed;
                std::vector<std::uint64_t> indices;
                for (std::size_t j = 0; j * r < table.size(); ++j) {
                    const auto* begin = table.data() + j * r;
                    if (std::all_of(begin, begin + r, [](std::int64_t n) { return n == 0; })) continue;
                    observed.insert(observed.end(), begin, begin + r);
                    indices.push_back(j);
                }
                if (!score_.needs_configurations()) indices.clear();
                const std::int32_t one[] = {static_cast<std::int32_t>(parent)};
                rows[target]->toggled[parent] = score_family(target, one, observed, indices);
            };
            if (into) score_observed(child, x, arity, forward);
            if (out) score_observed(x, child, states, backward);
        }
    }
}

}  // namespace arcwise
