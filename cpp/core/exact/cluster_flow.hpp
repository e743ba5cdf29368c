// Violated clusters as minimum cuts.
//
// The inequality of a cluster C (cut_pool.hpp, k = 1) says that the sets of C's nodes without a member in C
// weigh at least 1 together. Where every set has one parent that weight is the capacity of a cut: let v send
// to p what v's sets with parent p weigh, and to a sink what its empty set weighs, then the weight is what
// leaves C. So a cluster with r is violated if and only if less than 1 can flow from r to the sink, and the
// nodes that r still reaches are one. This is the separation of cut constraints of Steiner trees (Koch and
// Martin 1998, "Solving Steiner tree problems in graphs to optimality", section 3.2), from which the nested
// cuts come, too: what leaves a cluster that was found is made wide, and the flow goes on, to a cluster
// further on that shares no arc of the cut with the first.
//
// A set of several parents leaves C only if all of them are outside, which no capacity says. Its weight is
// split among the parents: the cut is then at least what it should be, so that what is found is violated.
// With the cluster at hand the weight goes to the parents inside, which makes the cut right for it, and the
// flow is computed again; it can only find something better. Where the split hides every cluster, the flow
// without such sets says which cluster to begin with, or that there is none.
//
// A violated cluster contains one within a strong component of the support, whose other arcs lead to the
// sink. Why it is needed: growing and walking (separation.hpp) find clusters that are nearly cycles. The
// fractional points of a thousand nodes have mixtures of many long cycles, whose cluster has dozens of nodes
// and is found only as a whole.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/support.hpp"
#include "monitor.hpp"

namespace arcwise {

// Clusters (k = 1) that the support's point violates by more than `threshold`, several for every node of a
// cycle; they may be the same. If all sets of the support have at most one parent there is one if any
// cluster is violated. If it is stopped, what it has found so far.
std::vector<std::vector<std::size_t>> flow_clusters(const Support& support, double threshold, Ticker& ticker);

}  // namespace arcwise
