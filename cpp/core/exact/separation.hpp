// Finding cuts that a fractional point violates.
//
// The inequality of cluster (C, k) (cut_pool.hpp) is violated by x if the weight of the sets of C's
// nodes that have k or more members in C exceeds |C| - k. To find the most violated one is NP-hard (GOBNILP
// solves an integer program per round: Bartlett and Cussens 2017, "Integer linear programming for the
// Bayesian network structure learning problem", section 4). We search instead: from every node, from short
// cycles of the support and from every set of it, clusters grow by the node that adds most and shrink by the
// node that adds least (with a tabu list where the greedy walk finds little), and every violated cluster on
// the way is kept. The support of an LP point has two or three sets per node, so a start costs microseconds;
// what is missed, branching settles. Clusters that are no near-cycles are minimum cuts (cluster_flow.hpp),
// and there are those that reduced costs find without a point (dual_ascent.hpp). For k = 2 all triples of a
// node and two of its parents are tried: without them (GOBNILP's set packing constraints) the bound of sparse
// instances stays percents away (barley-5000: 1.8 % without, 0.15 % with).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/lp_point.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

struct ViolatedCut {
    LongSet members;
    std::int32_t code;  // as in CutPool
    double violation;
};

// Up to `limit` different cuts violated by more than `threshold`, the most violated first. `effort` 0:
// greedy walks; 1: a tabu search where they find nothing; 2: always. `flows` looks for minimum cuts, too. If
// it is stopped, what it has found so far.
std::vector<ViolatedCut> separate_cuts(const CandidateSets& sets, const LpPoint& point, std::size_t limit,
                                       double threshold, int effort, bool flows, Ticker& ticker);

// The cuts' bitsets, one after the other.
std::vector<Word> members_of(const std::vector<ViolatedCut>& cuts);
std::vector<std::int32_t> codes_of(const std::vector<ViolatedCut>& cuts);

}  // namespace arcwise
