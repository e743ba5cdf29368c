// Which of the many ways to take a network apart counts: exactly one per network, or one per class.
//
// A search takes a network apart by removing sinks: (U, v, P) says that v is a sink of the network on U with
// the parents P, and goes on with U - v. A network with k sinks can begin in k ways, so a rule decides which
// one counts. Both rules prefer the smallest number and carry what they must still forbid in a small state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "credible/construction/component_problem.hpp"

namespace arcwise {

// Every DAG once: always the *smallest* sink goes first. Then the smaller nodes of U must not be sinks of U:
// they stay blocked until one of their children is removed.
template <std::size_t W>
class DagRule {
  public:
    struct State {
        NodeSet<W> blocked;
        friend bool operator==(const State&, const State&) = default;
        std::uint64_t hash() const { return blocked.hash(); }
    };

    explicit DagRule(const ComponentProblem<W>& problem) : problem_(problem) {}

    State start() const { return {}; }
    bool may_remove(const State& state, std::size_t v) const { return !state.blocked.has(v); }
    bool may_choose(const State&, std::size_t, std::size_t) const { return true; }
    // `left` is U - v.
    void remove(const State& state, const NodeSet<W>& left, std::size_t v, std::size_t row,
                State& next) const {
        next.blocked = ((state.blocked | NodeSet<W>::first(v)) & left) - problem_.rows[row].parents;
    }

  private:
    const ComponentProblem<W>& problem_;
};

// Every class once, without listing its members: a Markov equivalence class or, with fixed pairs, the part of
// one whose members agree on their arcs (graph/class_kernel.hpp).
//
// Call v a *possible sink* of a class C on U if v is a sink of some member. All members that have v as a sink
// give it the same parents (its neighbours P, which is the same in all), and what is left of them, C', is
// again one class, for it has one skeleton and one set of v-structures; conversely C' with P -> v determines
// C. So a class is a possible sink, its neighbours, and a smaller class; it counts once if v must be the
// smallest possible sink. Which smaller u in U - v are possible sinks of C can be said in terms of C':
//   - u not in P: if and only if u is a possible sink of C' (the sinks u and v do not touch each other).
//   - u in P: u -> v must be reversible with u last, that is u and v have the same neighbours otherwise: if
//     and only if u is a possible sink of C' with the neighbours P - u exactly (then u -> v is covered), and
//     the pair is not fixed.
// Fixed pairs change nothing else: which arcs of C' all members have does not depend on the sink v, since
// Meek's rules ask for arcs with earlier heads only (graph/class_kernel.cpp), and none of them directs u -> v
// if u and v have the same other neighbours and u has no arc to them.
// So the rule carries, for each u left, nothing, "must not be a possible sink", or "must not be one with
// exactly the parents Q", and these follow the same two cases as further nodes are removed. This needs a
// score that gives the members of a class the same value, and a table that has all of them.
template <std::size_t W>
class ClassRule {
  public:
    static constexpr std::int32_t none = -1;
    struct State {
        NodeSet<W> banned;       // must not be possible sinks
        NodeSet<W> conditional;  // must not be possible sinks with the row forbidden[u]
        std::vector<std::int32_t> forbidden;
        friend bool operator==(const State&, const State&) = default;
        std::uint64_t hash() const {
            std::uint64_t value = banned.hash() ^ (conditional.hash() * 3);
            conditional.for_each([&](std::size_t u) {
                value = (value ^ static_cast<std::uint64_t>(forbidden[u])) * 0x100000001b3ULL;
            });
            return value;
        }
    };

    explicit ClassRule(const ComponentProblem<W>& problem) : problem_(problem) {
        // The partners are rows of the table: translate them into rows of the problem, which all of them are.
        std::int64_t last = -1;
        for (const auto& row : problem.rows) last = std::max(last, row.origin);
        std::vector<std::int32_t> inverse(static_cast<std::size_t>(last + 1), none);
        for (std::size_t r = 0; r < problem.rows.size(); ++r)
            inverse[static_cast<std::size_t>(problem.rows[r].origin)] = static_cast<std::int32_t>(r);
        const auto translate = [&](std::int64_t origin) {
            return origin < 0 ? none : inverse[static_cast<std::size_t>(origin)];
        };
        for (std::size_t k = 0; k < problem.partner_nodes.size(); ++k) {
            before_.push_back(translate(problem.partner_before[k]));
            after_.push_back(translate(problem.partner_after[k]));
        }
    }

    State start() const {
        State state;
        state.forbidden.assign(problem_.nodes, none);
        return state;
    }
    bool may_remove(const State& state, std::size_t v) const { return !state.banned.has(v); }
    bool may_choose(const State& state, std::size_t v, std::size_t row) const {
        return state.forbidden[v] != static_cast<std::int32_t>(row);
    }
    void remove(const State& state, const NodeSet<W>& left, std::size_t v, std::size_t row,
                State& next) const {
        const auto& parents = problem_.rows[row].parents;
        const auto smaller = NodeSet<W>::first(v);
        next.banned = ((state.banned | smaller) & left) - parents;
        next.conditional = {};
        next.forbidden.assign(problem_.nodes, none);
        // Not neighbours of v: the condition stays, unless v was part of it and so cannot hold any more.
        (((state.conditional & left) - parents) - smaller).for_each([&](std::size_t u) {
            const auto forbidden = state.forbidden[u];
            if (problem_.rows[static_cast<std::size_t>(forbidden)].parents.has(v)) return;
            next.forbidden[u] = forbidden;
            next.conditional.add(u);
        });
        for (auto k = problem_.partner_offsets[row]; k < problem_.partner_offsets[row + 1]; ++k) {
            const auto u = static_cast<std::size_t>(problem_.partner_nodes[k]);
            const bool was = state.banned.has(u) || smaller.has(u) ||
                             (state.forbidden[u] != none && state.forbidden[u] == after_[k]);
            if (!was || before_[k] == none) continue;
            next.forbidden[u] = before_[k];
            next.conditional.add(u);
        }
    }

  private:
    const ComponentProblem<W>& problem_;
    std::vector<std::int32_t> before_, after_;
};

}  // namespace arcwise
