// The states of a credible set that is made family by family: the nodes come in one fixed order, and each
// chooses a row.
//
// Every network is one path (one row for each node), so no canonical order has to be enforced; what must be
// remembered is which choices would close a cycle. Let D be the nodes that have chosen and F those that wait.
// A cycle runs through D in pieces that begin with a waiting node x, which a node of D has as a parent, and
// end in a node y of D that a waiting node may still take as a parent. So a state is a relation: for each
// such y the waiting nodes that come before it, before(y). When v chooses the parents P,
//     before(v) = (P and F) + before(p) of the p in P and D,     which must not contain v,
// and v in before(y) is replaced by before(v). (This is the frontier method for paths in graphs, Knuth's
// Simpath, for parent sets instead of edges.)
//
// What is forgotten makes the diagram small: a pair (x, y) matters only if the waiting nodes can lead from y
// back to x with rows that the state can still pay. Amounts are rounded up to levels, the multiples of
// `step`. Write B(x, y) for the least level such that rows of at most this level each lead from y to x. The
// pair is dropped if B exceeds the level of what the path has left of the slack. States with equal relations
// are one, but two paths may have different amounts left, and a row that only the richer one can pay must not
// close a cycle that the poorer one has forgotten: such a cyclic "network" could have a good score. Therefore
// each state keeps `cap`, a level below B of all pairs forgotten on the ways to it, and two states are joined
// only if neither has more left than the other's cap. The caps never have to fall: a forgotten cycle needs a
// row of level B, and below the state no row costs more than what is left.
//
// The bound (row_ascent.hpp) needs to know how often the clusters have been counted on the way, which paths
// that are joined do not agree on. What is still to come is the same for all of them, though: any one of them
// may be taken to bound it, here the one that promises most, and the best score on any way is kept beside it.
// This is why caps must hold for the bound, too: only then is what completes one path a completion of all.
//
// Against source_states.hpp: there a node waits for its parents, and states differ in the nodes that wait
// for a parent that comes late; here a late parent costs nothing once it cannot close a cycle. Where the
// relaxation is tight and there are many unrelated choices (lung-cancer) this one needs a hundredth of the
// states, with an order of the nodes that suits; where cycles are many and budgets small, it sees dead ends
// later. credible/parts.py tries both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "credible/construction/row_ascent.hpp"

namespace arcwise {

template <std::size_t W>
class FrontierStates {
  public:
    static constexpr bool keeps_ways = true;
    struct Pairs {
        std::uint32_t node;  // y, which has chosen
        NodeSet<W> before;   // the waiting nodes that come before it
        friend bool operator==(const Pairs&, const Pairs&) = default;
    };
    using Key = std::vector<Pairs>;  // the relation, ascending by node
    struct State {
        Key relation;
        double best = 0;                 // the best score on any way to the state
        double score = 0;                // of the way that bounds what is to come: its score,
        double spent = 0;                // what it has paid,
        std::vector<std::uint8_t> hits;  // and how often it has counted for each cluster, up to k
        std::size_t left = 0;            // the level of what is left for any way to the state
        std::size_t cap = 0;
    };
    struct Hash {
        std::size_t operator()(const Key& relation) const {
            std::uint64_t value = relation.size();
            for (const auto& pairs : relation)
                value = (value ^ pairs.before.hash()) * 0x100000001b3ULL + pairs.node * 0x9e3779b97f4a7c15ULL;
            return static_cast<std::size_t>(value ^ (value >> 29));
        }
    };
    // A way to a new state: the last state, the row that is chosen there, and what becomes of its sums.
    struct Way {
        const State& from;
        std::uint32_t row;
        double best, score, spent;
        std::size_t left, cap;
    };

    // Nodes choose in the order of their numbers.
    FrontierStates(const ComponentProblem<W>& component, const CostBudget<W>& budget)
        : component_(component),
          ascent_(component, budget.clusters),
          budget_(budget.amount),
          before_(component.nodes),
          ends_(component.nodes) {
        // Levels above the most expensive row would all be the same, and some tens of them tell enough.
        double highest_cost = 0;
        for (const auto& row : component.rows)
            if (row.cost <= budget_ && std::isfinite(row.cost))
                highest_cost = std::max(highest_cost, row.cost);
        step_ = std::max(least_step, highest_cost / most_levels);
        levels_ = static_cast<std::size_t>(std::ceil(highest_cost / step_)) + 1;
    }

    std::size_t fixed_bytes() const { return levels_ * component_.nodes * sizeof(NodeSet<W>); }
    std::size_t copy_bytes() const { return fixed_bytes() + ascent_.bytes(); }
    std::size_t state_bytes(const State& state) const {
        return sizeof(State) + state.hits.size() + key_bytes(state.relation);
    }
    std::size_t key_bytes(const Key& relation) const { return relation.size() * sizeof(Pairs) + 48; }

    State start() {
        children_.assign(levels_, std::vector<NodeSet<W>>(component_.nodes));
        for (std::size_t v = 0; v < component_.nodes; ++v)
            for (auto row = component_.offsets[v]; row < component_.offsets[v + 1]; ++row)
                component_.rows[row].parents.for_each(
                    [&](std::size_t p) { children_[level(component_.rows[row].cost - margin)][p].add(v); });
        for (std::size_t l = 1; l < levels_; ++l)
            for (std::size_t p = 0; p < component_.nodes; ++p) children_[l][p] |= children_[l - 1][p];
        State state;
        state.hits.assign(ascent_.clusters().size(), 0);
        state.left = state.cap = levels_ - 1;
        return state;
    }
    State make(const Key& relation, const Way& way) const {
        State state;
        state.relation = relation;
        state.best = way.best;
        state.left = way.left;
        state.cap = way.cap;
        bound_by(way, state);
        return state;
    }
    bool join(State& state, const Way& way) const {
        if (std::max(way.left, state.left) > std::min(way.cap, state.cap)) return false;
        state.left = std::max(way.left, state.left);
        state.cap = std::min(way.cap, state.cap);
        state.best = std::max(way.best, state.best);
        if (way.spent + way.score > state.spent + state.score) bound_by(way, state);
        return true;
    }

    template <class Arrive>
    void expand(const State& state, std::size_t node, Arrive&& arrive) {
        NodeSet<W> waiting = NodeSet<W>::first(component_.nodes) - NodeSet<W>::first(node);
        if (!analyse(state, waiting)) return;
        waiting.remove(node);
        const double had = budget_ - state.spent + (state.best - state.score);
        for (const auto& row : ascent_.active(node)) {
            const double left = had - row.cost;
            if (row.extra > ascent_.room() || left < 0) continue;
            const double score = component_.rows[row.row].score;
            cap_ = state.cap;
            // Never more than the state had, whatever rounding says.
            const std::size_t left_level = std::min(level(left), state.left);
            relate(state.relation, node, row.parents, waiting, left_level);
            arrive(relation_,
                   Way{state, row.row, state.best + score, state.score + score, state.spent + row.cost,
                       left_level, cap_},
                   row.row);
        }
    }

  private:
    std::size_t level(double amount) const {
        const double level = std::ceil(amount / step_), last = static_cast<double>(levels_ - 1);
        return level <= 0 ? 0 : static_cast<std::size_t>(std::min(level, last));
    }

    // The rows that are left and what they cost; false if the state leads nowhere.
    bool analyse(const State& state, const NodeSet<W>& waiting) {
        ascent_.begin(budget_ - state.spent + (state.best - state.score),
                      [&](std::size_t c) { return state.hits[c] >= ascent_.clusters()[c].k; });
        NodeSet<W> related;
        for (const auto& pairs : state.relation) {
            related.add(pairs.node);
            before_[pairs.node] = pairs.before;
        }
        bool possible = true;
        waiting.for_each([&](std::size_t u) {
            if (!possible) return;
            auto& active = ascent_.active(u);
            active.clear();
            for (auto row = component_.offsets[u]; row < component_.offsets[u + 1]; ++row) {
                const auto& candidate = component_.rows[row];
                if (candidate.cost > ascent_.room()) break;
                NodeSet<W> parents = candidate.parents & waiting;
                (candidate.parents & related).for_each([&](std::size_t y) {
                    parents = parents | before_[y];
                });
                if (parents.has(u)) continue;
                const double cost = candidate.cost + ascent_.paid_again(row);
                if (cost <= ascent_.room())
                    active.push_back({static_cast<std::uint32_t>(row), cost, cost, parents});
            }
            possible = ascent_.settle(u);
        });
        return possible && ascent_.ascend(waiting);
    }

    void bound_by(const Way& way, State& state) const {
        state.score = way.score;
        state.spent = way.spent;
        state.hits = way.from.hits;
        ascent_.for_each_counted(way.row, [&](std::size_t c) {
            if (state.hits[c] < ascent_.clusters()[c].k) ++state.hits[c];
        });
    }

    // Makes relation_ what holds once v has chosen a row, without the pairs that can be forgotten; lowers
    // cap_ by those.
    void relate(const Key& relation, std::size_t v, const NodeSet<W>& parents, const NodeSet<W>& waiting,
                std::size_t left) {
        relation_.clear();
        const auto add = [&](std::size_t y, const NodeSet<W>& before) {
            if (!before.empty() && children_[cap_][y].meets(waiting))
                relation_.push_back({static_cast<std::uint32_t>(y), before});
        };
        for (const auto& pairs : relation) {
            NodeSet<W> before = pairs.before;
            if (before.has(v)) {
                before.remove(v);
                before = before | parents;
            }
            add(pairs.node, before);
        }
        add(v, parents);
        if (relation_.empty()) return;
        waiting.for_each([&](std::size_t x) { ends_[x] = {}; });
        for (const auto& pairs : relation_)
            pairs.before.for_each([&](std::size_t x) { ends_[x].add(pairs.node); });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < relation_.size(); ++i) {
            Pairs pairs = relation_[i];
            NodeSet<W> reached = children_[left][pairs.node] & waiting;
            reach(reached, waiting, left);
            const NodeSet<W> forgotten = pairs.before - reached;
            pairs.before = pairs.before & reached;
            if (!forgotten.empty()) lower_cap(pairs.node, forgotten, reached, waiting, left);
            if (!pairs.before.empty()) relation_[kept++] = pairs;
        }
        relation_.resize(kept);
    }

    // Adds what rows of at most a level lead to, and the relation.
    void reach(NodeSet<W>& reached, const NodeSet<W>& waiting, std::size_t l) const {
        NodeSet<W> open = reached;
        while (!open.empty()) {
            const auto x = open.lowest();
            open.remove(x);
            NodeSet<W> next = children_[l][x];
            ends_[x].for_each([&](std::size_t y) { next = next | children_[l][y]; });
            const NodeSet<W> fresh = (next & waiting) - reached;
            reached = reached | fresh;
            open = open | fresh;
        }
    }

    // cap_ stays below the first level at which a forgotten node can be reached.
    void lower_cap(std::size_t y, const NodeSet<W>& forgotten, NodeSet<W> reached, const NodeSet<W>& waiting,
                   std::size_t l) {
        while (l < cap_) {
            ++l;
            reached = reached | (children_[l][y] & waiting);
            reach(reached, waiting, l);
            if (reached.meets(forgotten)) cap_ = l - 1;
        }
    }

    static constexpr double least_step = 0.5;
    static constexpr double most_levels = 64;
    static constexpr double margin = 1e-6;  // more than rounding errors of costs
    const ComponentProblem<W>& component_;
    RowAscent<W> ascent_;
    double budget_;
    double step_ = least_step;
    std::size_t levels_ = 1;
    // Per level and node: those with a row of this level and it.
    std::vector<std::vector<NodeSet<W>>> children_;
    std::vector<NodeSet<W>> before_;  // of the state at hand, for related nodes
    std::vector<NodeSet<W>> ends_;    // per waiting node x: the y with x in before(y)
    std::size_t cap_ = 0;
    Key relation_;
};

}  // namespace arcwise
