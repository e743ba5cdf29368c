// The bound that cuts and their multipliers prove, and the reduced costs that go with it.
//
// For any multipliers y >= 0 of cuts "sum of a(v, S) x(v, S) <= b",
//
//     score(G) <= sum_v max_S [ s_v(S) - sum_cuts y a(v, S) ] + sum_cuts y b
//
// (Lagrange.) This file evaluates it over all candidate sets. It holds for every y >= 0, wherever the
// multipliers come from: an LP solver's rounding errors can make the bound looser, never wrong, so the proof
// does not rest on the solver. The difference between a set's value in the bracket and its node's maximum is
// its reduced cost: forcing that set lowers the bound by at least this much, so sets whose reduced cost
// exceeds the gap are in no better network and can be dropped (reduced-cost fixing, as old as branch and
// bound; GOBNILP does it too).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/cut_pool.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

struct BoundResult {
    double bound;                       // an upper bound on the score of every acyclic choice
    std::vector<double> reduced_costs;  // per row, >= 0
};

// `allowed` has one entry per row, or is empty if all rows are allowed; rows that are not get an infinite
// reduced cost, and the bound is minus infinity if some node has none left.
BoundResult cut_bound(const CandidateSets& sets, const CutPool& pool,
                      std::span<const std::uint8_t> allowed = {});

}  // namespace arcwise
