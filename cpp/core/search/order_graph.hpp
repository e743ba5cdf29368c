// The optimum over the part of the order graph that the bound leaves.
//
// The subset DP visits all 2^n sets of first nodes. Here only those sets U are visited that a network better
// than the incumbent can begin with: the reduced costs of its sets sum to at most the gap (cut_bound.hpp), so
// a U whose cheapest order already costs more is dropped. After the root's cuts the gap is small, few nodes
// can afford to come early, and of 2^31 subsets some ten thousand remain. Two rules shrink it further: a node
// whose best allowed set lies within U comes next at once (it loses nothing and only helps the others; Karan
// and Zola 2016, "Exact structure learning of Bayesian networks by optimal path extension"), and U is dropped
// if even everybody's best set cannot lift it above the incumbent. This is what A* and breadth-first search
// over the order graph (Yuan and Malone 2013) become when the pattern database is replaced by the dual
// solution of the relaxation. It serves as a finisher for any node of branch and bound: if the sets visited
// exceed a limit, the caller branches instead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "search/candidate_sets.hpp"

namespace arcwise {

struct OrderGraphResult {
    enum class Outcome : std::int32_t { better = 0, none_better = 1, too_large = 2, stopped = 3 };
    Outcome outcome = Outcome::none_better;
    double score = 0;                // of the optimum, if better
    std::vector<std::int64_t> rows;  // per node, if better
    std::uint64_t states = 0;
};

// A valid bound over the allowed rows with its reduced costs (one per row of the sets).
struct DualView {
    std::span<const double> reduced_costs;
    double bound;
};

// Views of several, whose reduced costs lie one after the other.
std::vector<DualView> dual_views(std::span<const double> reduced_costs, std::span<const double> bounds);

// Looks for the best acyclic choice of allowed rows that scores more than `floor`. Several bounds prune
// better than the best of them: a tight one has many rows of reduced cost 0 and says little about orders,
// while an early one from few cuts still knows the differences between a node's sets.
OrderGraphResult search_order_graph(const CandidateSets& sets, std::span<const std::uint8_t> allowed,
                                    std::span<const DualView> duals, double floor, std::uint64_t most_states,
                                    Ticker& ticker);

}  // namespace arcwise
