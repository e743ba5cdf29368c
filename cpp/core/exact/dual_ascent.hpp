// Clusters that lower the bound, found from reduced costs instead of from a point.
//
// A point of the relaxation is one of many that are as good, and cutting it off often leads to the next of
// them. Reduced costs (cut_bound.hpp) speak of all: a set of the optimal points costs nothing. If no acyclic
// choice of sets that cost nothing exists, there is a cluster none of whose nodes has such a set without a
// member in it. Its inequality (k = 1, cut_pool.hpp) can be given a multiplier: the bound falls by it, and
// the sets outside the cluster become cheaper by it, until the first of them costs nothing. Then comes the
// next cluster. (Wong 1984, "A dual ascent approach for Steiner tree problems on a directed graph"; for
// networks Troesser, de Givry and Katsirelos 2021, "Improved acyclicity reasoning for Bayesian network
// structure learning with constraint programming", section 4.) With the cuts of one ascent the linear
// program is at least as tight as the ascent's bound, and it may give them better multipliers than these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

struct Ascent {
    std::vector<Word> members;  // of the clusters, one after the other
    std::vector<double> steps;  // what the bound falls by with each
};

// At most `limit` clusters, each of which lowers the bound by more than `least`. `reduced_costs` has one
// entry per row, infinite if the row is not allowed. If it is stopped, what it has found so far.
Ascent ascend(const CandidateSets& sets, std::span<const double> reduced_costs, std::size_t limit,
              double least, Ticker& ticker);

}  // namespace arcwise
