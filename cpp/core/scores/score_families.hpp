// Scores of given families, counted from the data one family at a time.
//
// This is not how tables are built: it shares nothing between families, and is what results are checked with.
#pragma once

#include <vector>

#include "data/columns.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// The counts of one family, with the memory that a Family points to.
struct FamilyCounts {
    std::vector<std::int64_t> counts;           // observed configurations x arity, in order of configuration
    std::vector<std::uint64_t> configurations;  // empty if q does not fit in 64 bits
    double parent_cells;                        // q
};

// Cost: rows x parents, and sorting the configurations that occur.
template <class Code>
FamilyCounts count_family(const Columns<Code>& data, std::int32_t child,
                          std::span<const std::int32_t> parents);

// Family f is children[f] with parents[offsets[f] .. offsets[f + 1]), ascending.
template <class Code>
std::vector<double> score_families(const LocalScore& score, const Columns<Code>& data,
                                   std::span<const std::int32_t> children,
                                   std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents);

// As score_families: each family's bound for all supersets of its parents.
template <class Code>
std::vector<double> bound_families(const LocalScore& score, const Columns<Code>& data,
                                   std::span<const std::int32_t> children,
                                   std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents);

}  // namespace arcwise
