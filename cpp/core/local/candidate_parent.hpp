// A variable that may become a parent, while its family is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/neighbour_scores.hpp"

namespace arcwise {

// A variable x that may join the parents: the counts of (P, x, c) as they come, configuration by
// configuration. A set score needs only its two sums; any other score needs the table.
struct NeighbourScores::Candidate {
    std::size_t variable;
    std::size_t first = 0;  // its first column in the block
    std::size_t arity;
    std::size_t child_arity;
    CellTermTable* joint_terms = nullptr;
    CellTermTable* margin_terms = nullptr;
    double joint = 0.0;
    double margin = 0.0;
    std::vector<std::int64_t> counts;           // observed configurations of P + x, times the child's arity
    std::vector<std::uint64_t> configurations;  // their indices, where the score asks
    std::uint64_t below = 1;                    // cells of the parents after x
};

}  // namespace arcwise
