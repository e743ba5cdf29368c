// The rows of the empty network, from where searches start.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "local/neighbour_scores.hpp"

namespace arcwise {

namespace {

constexpr std::size_t partition_bytes = std::size_t{32} << 20;  // sorted rows kept for the first pass
constexpr std::size_t marginal_bytes = std::size_t{4} << 20;    // counts kept for it

// Calls visit(state of the child, state of x, count) for every segment of the child and state of x, the
// child's segments outside and the first state of x last.
template <class Count, class Visit>
void for_pairs(const Segments& segments, const Count* column, std::size_t states, Visit visit) {
    for (std::size_t s = 0; s < segments.totals.size(); ++s, column += StateBlocks::width) {
        std::int64_t rest = segments.totals[s];
        for (std::size_t k = 1; k < states; ++k) {
            const auto n = static_cast<std::int64_t>(column[k - 1]);
            visit(segments.states[s], k, n);
            rest -= n;
        }
        visit(segments.states[s], std::size_t{0}, rest);
    }
}

// All pairs of variables, each counted once.
class EmptyRows {
  public:
    // No row has a score yet.
    EmptyRows(ScoredSample& sample, ParentAdditions& additions,
              std::vector<std::shared_ptr<NeighbourRow>> rows, std::function<bool()> is_stopped)
        : sample_(sample),
          additions_(additions),
          rows_(std::move(rows)),
          is_stopped_(std::move(is_stopped)) {}

    std::shared_ptr<NeighbourRow>& row(std::size_t child) { return rows_[child]; }
    // Whether the variable is in the blocks.
    bool is_narrow(std::size_t variable) const {
        return sample_.data.arity(variable) - 1 <= StateBlocks::width;
    }
    // Scores all children without parents, and with each variable that is in the blocks.
    //
    // The counts of (c, x) serve both families, c | x and x | c; and with the block outside and the child
    // inside, the block's bytes stay in the cache for all children.
    void fill_narrow() {
        const std::size_t n = rows_.size();
        const bool is_own = sample_.marginal_counts.empty();
        if (is_own) count_marginals();
        const std::size_t each = std::max<std::size_t>(1, sample_.weights.rows.size() * 5);
        const std::size_t batch = std::max<std::size_t>(1, partition_bytes / each);
        std::vector<RowPartition> partitions(std::min(batch, n));
        for (std::size_t first = 0; first < n; first += batch) {
            const std::size_t last = std::min(n, first + batch);
            for (std::size_t child = first; child < last; ++child)
                score_marginals(child, partitions[child - first]);
            for (std::size_t block = 0; block < sample_.data.blocks(); ++block)
                for (std::size_t child = first; child < last; ++child)
                    if (is_narrow(child) && !is_stopped_())
                        fill_pairs(block, child, partitions[child - first]);
        }
        if (is_own) sample_.marginal_counts.clear();
    }
    // Scores a child with the variables that are not in the blocks, and these with the child. Not for a child
    // that is not in the blocks either, unless the score is a difference of set functions.
    // If the score is a difference of set functions, then s(c | x) + s(x) = s(x | c) + s(c), and each pair is
    // counted once.
    void fill_wide(std::size_t child) {
        if (sample_.data.wide().empty() || is_stopped_()) return;
        const bool has_sums = sample_.scorer.tables() != nullptr;
        const auto* prior = sample_.scorer.prior();
        auto& row = *rows_[child];
        sample_.counter.look_at(child, {}, sample_.data);
        additions_.begin(child, {}, row);
        for (const auto wide : sample_.data.wide()) {
            const auto x = static_cast<std::size_t>(wide);
            if (!is_narrow(child) && x >= child) continue;
            if (!is_worth_counting(child, x)) continue;
            const bool into = sample_.may_add(x, child, {});
            if (has_sums || into) additions_.score_sparse(x);
            if (!has_sums) continue;
            if (sample_.may_add(child, x, {})) {
                rows_[x]->toggled[child] = row.toggled[x] + (rows_[x]->own - row.own);
                if (prior != nullptr)
                    rows_[x]->toggled[child] += prior->gain(x, 0, child) - prior->gain(child, 0, x);
            }
            if (!into) row.toggled[x] = NeighbourRow::not_allowed;
        }
    }

  private:
    // Counts the children without parents for which nothing need be sorted.
    void count_marginals() {
        std::size_t bytes = 0;
        for (std::size_t child = 0; child < rows_.size() && bytes < marginal_bytes; ++child) {
            auto counts = sample_.counter.count_from_bits(child, sample_.data);
            if (!counts) continue;
            bytes += counts->bytes();
            sample_.marginal_counts.resize(rows_.size());
            sample_.marginal_counts[child] = std::move(counts);
        }
    }

    void score_marginals(std::size_t child, RowPartition& partition) {
        NeighbourRow& row = *rows_[child];
        row.own = sample_.scorer.score(child, {}, sample_.marginal_segments(child, partition));
        row.prior = sample_.scorer.prior(child, {});
        sample_.bounds.set(child, row.own - row.prior);
    }

    // May one of the two be the parent of the other, and could either gain by it?
    bool is_worth_counting(std::size_t child, std::size_t x) {
        const auto is_worth = [&](std::size_t target, std::size_t parent) {
            return sample_.may_add(parent, target, {}) &&
                   !sample_.bounds.is_hopeless(*rows_[target], target, {}, parent);
        };
        const bool into = is_worth(child, x), out = is_worth(x, child);
        return into || out;
    }

    void fill_pairs(std::size_t block, std::size_t child, const RowPartition& partition) {
        const auto* known = sample_.marginal(child);
        const Segments& segments = known == nullptr ? partition : known->segments;
        if (segments.configurations() == 0) return;
        std::vector<StateBlocks::Slot> slots;
        for (const auto& slot : sample_.data.slots(block)) {
            const auto x = static_cast<std::size_t>(slot.variable);
            if (x >= child) break;
            if (is_worth_counting(child, x)) slots.push_back(slot);
        }
        if (slots.empty()) return;
        const auto count = [&](auto& counts) {
            counts.resize(partition.count() * StateBlocks::width);
            count_block(sample_.data, sample_.data, block, partition, 0, partition.count(), counts.data());
            fill_pairs(slots, child, segments, std::as_const(counts).data());
        };
        if (known != nullptr)
            fill_pairs(slots, child, segments, known->of(block));
        else if (sample_.weights.cases <= std::numeric_limits<std::uint32_t>::max())
            count(counts32_);
        else
            count(counts64_);
    }

    template <class Count>
    void fill_pairs(std::span<const StateBlocks::Slot> slots, std::size_t child, const Segments& segments,
                    const Count* counts) {
        for (const auto& slot : slots) {
            if (sample_.scorer.tables() != nullptr)
                score_sums(child, slot, segments, counts);
            else
                score_tables(child, slot, segments, counts);
        }
    }

    // One sum for both directions: that g(c, x) is the same number makes the two gains equal.
    template <class Count>
    void score_sums(std::size_t child, const StateBlocks::Slot& slot, const Segments& segments,
                    const Count* counts) {
        const auto x = static_cast<std::size_t>(slot.variable);
        const std::size_t states = sample_.data.arity(x);
        auto& tables = *sample_.scorer.tables();
        const double cells = static_cast<double>(sample_.data.arity(child)) * static_cast<double>(states);
        auto& terms = tables.of(cells);
        double joint = 0.0;
        for_pairs(segments, counts + slot.first, states,
                  [&](std::size_t, std::size_t, std::int64_t n) { joint += terms(n); });
        joint += tables.constant(cells);
        const double empty = tables.constant(1.0) + tables.of(1.0)(sample_.weights.cases);
        const auto* prior = sample_.scorer.prior();
        const auto score = [&](std::size_t target, std::size_t parent) {
            if (!sample_.may_add(parent, target, {})) return;
            const double value = joint - (rows_[parent]->own - rows_[parent]->prior + empty);
            const std::int32_t one[] = {static_cast<std::int32_t>(parent)};
            rows_[target]->toggled[parent] = prior == nullptr ? value : value + prior->of(target, one);
        };
        score(child, x);
        score(x, child);
        sample_.scorer.families_scored += 2;
    }

    template <class Count>
    void score_tables(std::size_t child, const StateBlocks::Slot& slot, const Segments& segments,
                      const Count* counts) {
        const auto x = static_cast<std::size_t>(slot.variable);
        const std::size_t arity = sample_.data.arity(child), states = sample_.data.arity(x);
        forward_.assign(arity * states, 0);
        backward_.assign(arity * states, 0);
        for_pairs(segments, counts + slot.first, states,
                  [&](std::size_t state, std::size_t k, std::int64_t n) {
                      forward_[k * arity + state] = backward_[state * states + k] = n;
                  });
        if (sample_.may_add(x, child, {})) score_observed(child, x, forward_);
        if (sample_.may_add(child, x, {})) score_observed(x, child, backward_);
    }

    void score_observed(std::size_t child, std::size_t parent, std::span<const std::int64_t> table) {
        const std::size_t arity = sample_.data.arity(child);
        std::vector<std::int64_t> observed;
        std::vector<std::uint64_t> indices;
        for (std::size_t j = 0; j * arity < table.size(); ++j) {
            const auto counts = table.subspan(j * arity, arity);
            if (std::ranges::all_of(counts, [](std::int64_t n) { return n == 0; })) continue;
            observed.insert(observed.end(), counts.begin(), counts.end());
            if (sample_.scorer.needs_configurations()) indices.push_back(j);
        }
        const std::int32_t one[] = {static_cast<std::int32_t>(parent)};
        rows_[child]->toggled[parent] = sample_.scorer.score_counts(child, one, observed, indices);
    }

    ScoredSample& sample_;
    ParentAdditions& additions_;
    std::vector<std::shared_ptr<NeighbourRow>> rows_;
    std::function<bool()> is_stopped_;
    std::vector<std::uint32_t> counts32_;  // segments x 64
    std::vector<std::int64_t> counts64_;   // the same where N needs more than 32 bits
    std::vector<std::int64_t> forward_;    // [state of x][state of child]: the table of child | x
    std::vector<std::int64_t> backward_;   // [state of child][state of x]: the table of x | child
};

}  // namespace

void NeighbourScores::fill_empty_rows() {
    std::vector<Row> rows(variables());
    for (std::size_t child = 0; child < variables(); ++child)
        rows[child] = is_stopped() ? bare_row(0.0) : candidates_.empty_row(child);
    EmptyRows empty(sample_, additions_, std::move(rows), [this] { return is_stopped(); });
    empty.fill_narrow();
    for (std::size_t child = 0; child < variables(); ++child) {
        if (empty.is_narrow(child) || sample_.scorer.tables() != nullptr)
            empty.fill_wide(child);
        else if (!is_stopped())
            empty.row(child) = compute(child, {});
    }
    for (std::size_t child = 0; child < variables(); ++child) {
        auto& row = *empty.row(child);
        if (row.gaining.empty() && !is_stopped()) {
            row.rank_additions({});
            gains_.add_gains(child, row);
        }
        rows_.store(key_of(child, {}), empty.row(child));
    }
}

}  // namespace arcwise
