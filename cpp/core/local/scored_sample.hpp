// Weighted data and a score: what counts families, what scores them, and what need not be counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "local/arc_rules.hpp"
#include "local/family_counter.hpp"
#include "local/family_scorer.hpp"
#include "local/gain_bounds.hpp"

namespace arcwise {

struct ScoredSample {
    ScoredSample(const StateBlocks& all, std::span<const std::int64_t> row_weights, const LocalScore& score,
                 CellTermTables* tables, const ArcRules& arc_rules, std::size_t counts_memory)
        : data(all),
          weights(all.rows(), row_weights),
          rules(arc_rules),
          counter(data, weights, counts_memory),
          scorer(data, weights.cases, score, tables),
          bounds(data, score) {}
    ScoredSample(const ScoredSample&) = delete;

    // Whether x may join the parents.
    bool may_add(std::size_t x, std::size_t child, std::span<const std::int32_t> parents) const {
        return x != child && rules.allowed(x, child) && parents.size() < rules.limit(child) &&
               !std::ranges::binary_search(parents, static_cast<std::int32_t>(x));
    }
    // The counts of a child without parents; null if they are not known.
    const SegmentCounts* marginal(std::size_t child) const {
        return marginal_counts.empty() ? nullptr : marginal_counts[child].get();
    }
    // Its segments; the rows are sorted if need be.
    const Segments& marginal_segments(std::size_t child, RowPartition& sorted) {
        if (const auto* counted = marginal(child)) return counted->segments;
        counter.sorter().sort(child, {}, sorted);
        return sorted;
    }

    const StateBlocks& data;
    RowWeights weights;
    const ArcRules& rules;
    FamilyCounter counter;
    FamilyScorer scorer;
    GainBounds bounds;
    std::vector<std::shared_ptr<const SegmentCounts>> marginal_counts;  // of each child, or none
};

}  // namespace arcwise
