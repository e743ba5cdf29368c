// How good the rest of a network can be: bounds on the best network over the nodes that are left.
//
// A bound values rows and completions on one scale: a branch is worth following while the values of the rows
// chosen so far and the completion of the nodes left reach the threshold. Rows of a node fall in value.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "credible/construction/component_problem.hpp"

namespace arcwise {

// Exact: best[U] of all 2^n subsets (exact/subset_dp.hpp); the scale is that of the scores. best[] has the
// table's own numbers: the state keeps U in these.
class SubsetBound {
  public:
    struct State {
        std::uint64_t left = 0;
    };

    // Node i of the problem is node order[i] of the table.
    SubsetBound(const ComponentProblem<1>& problem, std::span<const std::int32_t> order,
                std::span<const double> best)
        : problem_(problem), order_(order), best_(best) {
        assert(best.size() == std::size_t{1} << problem.nodes);
    }

    double threshold(double limit) const { return limit; }
    State start() const { return {best_.size() - 1}; }
    // The best that the nodes in `left` = U - v can still reach.
    double completion(const State& state, const NodeSet<1>&, std::size_t v, State& next) const {
        next.left = state.left & ~(std::uint64_t{1} << order_[v]);
        return best_[next.left];
    }
    double value(std::size_t row) const { return problem_.rows[row].score; }

  private:
    const ComponentProblem<1>& problem_;
    std::span<const std::int32_t> order_;
    std::span<const double> best_;
};

}  // namespace arcwise
