// How good the rest of a network can be: bounds on the best network over the nodes that are left.
//
// A bound values rows and completions on one scale: a branch is worth following while the values of the rows
// chosen so far and the completion of the nodes left reach the threshold. Rows of a node fall in value.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ensemble/component_problem.hpp"

namespace arcwise {

// Exact: best[U] of all 2^n subsets (search/subset_dp.hpp); the scale is that of the scores. best[] has the
// table's own numbers: the state keeps U in these.
class SubsetBound {
  public:
    // Whether the bound says of single rows that no good network over U has them.
    static constexpr bool local = false;
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

// From multipliers of cuts (search/cut_bound.hpp): the reduced cost of a row is what choosing it loses
// against the bound, and every node left loses at least the smallest reduced cost of its rows whose parents
// are left. The state is each node's first such row: removing v only moves the nodes whose row has v. Values
// are minus reduced costs.
template <std::size_t W>
class ReducedCostBound {
  public:
    static constexpr bool local = true;
    struct State {
        std::vector<std::uint32_t> first;
        double total = 0;
    };

    // `reference` is the bound over the whole component: no network is better.
    ReducedCostBound(const ComponentProblem<W>& problem, double reference)
        : problem_(problem), reference_(reference) {}

    double threshold(double limit) const { return limit - reference_; }
    State start() const {
        State state;
        for (std::size_t v = 0; v < problem_.nodes; ++v) {
            state.first.push_back(static_cast<std::uint32_t>(problem_.offsets[v]));
            state.total += problem_.rows[problem_.offsets[v]].cost;
        }
        return state;
    }
    double completion(const State& state, const NodeSet<W>& left, std::size_t v, State& next) const {
        next.first = state.first;
        next.total = state.total - problem_.rows[state.first[v]].cost;
        bool possible = true;
        left.for_each([&](std::size_t u) {
            auto row = state.first[u];
            if (!possible || !problem_.rows[row].parents.has(v)) return;
            next.total -= problem_.rows[row].cost;
            while (row < problem_.offsets[u + 1] && !problem_.rows[row].parents.within(left)) ++row;
            if (row == problem_.offsets[u + 1]) {
                possible = false;
                return;
            }
            next.first[u] = row;
            next.total += problem_.rows[row].cost;
        });
        return possible ? -next.total : -std::numeric_limits<double>::infinity();
    }
    double value(std::size_t row) const { return -problem_.rows[row].cost; }
    // The completion of U itself, and the first row of v whose parents are in U.
    double rest(const State& state) const { return -state.total; }
    std::size_t first_row(const State& state, std::size_t v) const { return state.first[v]; }

  private:
    const ComponentProblem<W>& problem_;
    double reference_;
};

}  // namespace arcwise
