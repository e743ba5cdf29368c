// Branching on arcs.
//
// A fractional point is split by "u is a parent of v" or "it is not": both sides remove candidate sets of v,
// and the positive side removes, by acyclicity, the sets with v of all ancestors of u as well. Branching on a
// single set x(v, S), as an integer program does by itself, is lopsided: "not S" removes one set of hundreds.
// Branching on the order of nodes, as CPBayes and ELSA do, changes nothing where the point does not use both
// directions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/lp_point.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

struct FractionalArcs {
    std::vector<std::int32_t> parents;
    std::vector<std::int32_t> children;
    std::vector<double> weights;  // strictly between 0 and 1
};

// The arcs that the point takes in part, by child and then by parent.
FractionalArcs fractional_arcs(const CandidateSets& sets, const LpPoint& point, double tolerance);

// Clears the rows of `child` that do not agree with the arc parent -> child being present (or absent).
void impose_arc(const CandidateSets& sets, std::span<std::uint8_t> allowed, std::size_t parent,
                std::size_t child, bool present);

// An order that follows the point: always the node next whose sets among those placed have the largest weight
// (GOBNILP's "sink" rounding heuristic, from the other end).
std::vector<std::int32_t> order_of_point(const CandidateSets& sets, const LpPoint& point);

}  // namespace arcwise
