// The states of a credible set that is put together from the sources, for components too large for 2^n
// tables.
//
// Networks are put together from their sources: a state is the set A of placed nodes, and the next node v
// takes a row with all parents in A. A network counts once if its nodes come in the order that is smallest
// word for word: whenever v is placed while a smaller node u waits, u must not have been ready, so one of u's
// parents must be v or come later. This is a condition on the row of u alone ("meets the nodes placed since
// u was passed over", `since`), which is why this direction suits bounds: rows that do not meet it are
// struck out, the others' costs add up, and a state that leads nowhere shows it at once. (Taken apart from
// the sinks, the condition would be on the rows of others, and most states would be dead without showing it.)
//
// Three things keep the layers small:
//   - The bound: reduced costs, raised in every state (row_ascent.hpp). Rows that cost too much for the state
//     are struck out.
//   - Pools: only the nodes of one strongly connected component of the rows left, one without arcs into it,
//     may come next. Parts of the network that do not touch are then placed one after the other instead of in
//     all interleavings.
//   - Conditions that all rows left meet are forgotten, so that states with the same future are the same.
//
// For equivalence classes it is enough to find one member of each. The member whose order is smallest word
// for word, of all members' orders, has no covered arc a -> b with b < a: reversed, b could take the place of
// a and the order would be smaller (covered: a and b have the same other parents, so that the reversal stays
// in the class, Chickering 1995). So with `representatives` a node a forbids to the smaller nodes b the row
// that would make a -> b covered. What is left is often one network per class; graph/least_member.hpp tells
// the rest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "credible/construction/component_pool.hpp"
#include "credible/construction/row_ascent.hpp"

namespace arcwise {

template <std::size_t W>
class SourceStates {
  public:
    static constexpr bool keeps_ways = true;
    struct Key {
        NodeSet<W> placed;
        NodeSet<W> bound;                      // the waiting nodes with a condition
        std::vector<NodeSet<W>> since;         // per node; empty without condition
        std::vector<std::uint32_t> forbidden;  // rows of waiting nodes, ascending
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct State : Key {
        double spent = 0;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t value = key.placed.hash();
            key.bound.for_each(
                [&](std::size_t u) { value = (value ^ key.since[u].hash()) * 0x100000001b3ULL + u; });
            for (const auto row : key.forbidden) value = (value ^ row) * 0x100000001b3ULL;
            return static_cast<std::size_t>(value);
        }
    };
    struct Way {
        double spent;
    };

    SourceStates(const ComponentProblem<W>& component, const CostBudget<W>& budget, bool representatives)
        : component_(component),
          ascent_(component, budget.clusters),
          budget_(budget.amount),
          all_(NodeSet<W>::first(component.nodes)),
          children_(component.nodes),
          parents_(component.nodes),
          marks_(component.rows.size(), idle) {
        if (representatives) find_covering_rows();
    }

    std::size_t fixed_bytes() const { return 0; }
    std::size_t copy_bytes() const {
        std::size_t bytes = ascent_.bytes() + marks_.size() + 2 * children_.size() * sizeof(NodeSet<W>);
        for (const auto& rows : covering_) bytes += sizeof(rows) + rows.size() * sizeof(rows[0]);
        return bytes;
    }
    std::size_t state_bytes(const Key&) const {
        return sizeof(State) + 48 + component_.nodes * sizeof(NodeSet<W>);
    }
    std::size_t key_bytes(const Key& key) const { return state_bytes(key); }

    State start() const {
        State state;
        state.since.resize(component_.nodes);
        return state;
    }
    State make(const Key& key, const Way& way) const { return {key, way.spent}; }
    bool join(State& state, const Way& way) const {
        state.spent = std::min(state.spent, way.spent);
        return true;
    }

    template <class Arrive>
    void expand(const State& state, std::size_t, Arrive&& arrive) {
        const NodeSet<W> waiting = all_ - state.placed;
        if (!analyse(state, waiting)) return;
        follow(state, waiting, arrive);
        if (covering_.empty()) return;
        waiting.for_each([&](std::size_t w) {
            for (const auto& row : ascent_.active(w)) marks_[row.row] = idle;
        });
    }

  private:
    // For each row of a: the rows of smaller nodes b that would make a -> b covered.
    void find_covering_rows() {
        std::int64_t last = -1;
        for (const auto& row : component_.rows) last = std::max(last, row.origin);
        std::vector<std::size_t> number(static_cast<std::size_t>(last + 1));
        for (std::size_t r = 0; r < component_.rows.size(); ++r)
            number[static_cast<std::size_t>(component_.rows[r].origin)] = r;
        covering_.resize(component_.rows.size());
        for (std::size_t b = 0; b < component_.nodes; ++b)
            for (auto row = component_.offsets[b]; row < component_.offsets[b + 1]; ++row)
                for (auto k = component_.partner_offsets[row]; k < component_.partner_offsets[row + 1]; ++k) {
                    const auto before = component_.partner_before[k];
                    if (component_.partner_nodes[k] < b || before < 0) continue;
                    const std::size_t of_a = number[static_cast<std::size_t>(before)];  // partners have one
                    covering_[of_a].push_back(static_cast<std::uint32_t>(row));
                }
    }

    // The rows that are left and what they cost; false if the state leads nowhere. After the k first of its
    // nodes, every node that counts for a cluster makes the network pay its multiplier once more.
    bool analyse(const State& state, const NodeSet<W>& waiting) {
        ascent_.begin(budget_ - state.spent, [&](std::size_t c) {
            return (ascent_.clusters()[c].members & state.placed).size() >= ascent_.clusters()[c].k;
        });
        struck_ = {};
        still_forbidden_.clear();
        for (const auto row : state.forbidden) marks_[row] = banned;
        bool possible = true;
        waiting.for_each([&](std::size_t u) {
            if (!possible) return;
            auto& active = ascent_.active(u);
            active.clear();
            const bool conditional = state.bound.has(u);
            for (auto row = component_.offsets[u]; row < component_.offsets[u + 1]; ++row) {
                const auto& candidate = component_.rows[row];
                if (candidate.cost > ascent_.room()) break;
                const bool was_ready = conditional && !candidate.parents.meets(state.since[u]) &&
                                       !candidate.parents.meets(waiting);
                const double cost = candidate.cost + ascent_.paid_again(row);
                if (cost > ascent_.room()) continue;
                if (marks_[row] == banned) {
                    still_forbidden_.push_back(static_cast<std::uint32_t>(row));
                    continue;
                }
                if (was_ready) {
                    struck_.add(u);
                    continue;
                }
                active.push_back({static_cast<std::uint32_t>(row), cost, cost, candidate.parents});
            }
            possible = ascent_.settle(u);
        });
        for (const auto row : state.forbidden) marks_[row] = idle;
        if (!possible) return false;
        if (!ascent_.ascend(waiting)) return false;
        // Drop what now costs too much and note the arcs between waiting nodes.
        waiting.for_each([&](std::size_t u) { children_[u] = {}; });
        waiting.for_each([&](std::size_t w) {
            std::erase_if(ascent_.active(w), [&](const auto& row) { return row.extra > ascent_.room(); });
            if (!covering_.empty())
                for (const auto& row : ascent_.active(w)) marks_[row.row] = live;
            NodeSet<W> used;
            for (const auto& row : ascent_.active(w)) used = used | row.parents;
            parents_[w] = used & waiting;
            parents_[w].for_each([&](std::size_t u) { children_[u].add(w); });
        });
        return true;
    }

    // The rows that are forbidden once v has taken `row`: of nodes left, and not too expensive anyway.
    void forbid(std::size_t v, std::size_t row) {
        key_.forbidden.clear();
        if (covering_.empty()) return;
        const auto of_v = [&](std::uint32_t r) {
            return r >= component_.offsets[v] && r < component_.offsets[v + 1];
        };
        for (const auto r : still_forbidden_)
            if (!of_v(r)) key_.forbidden.push_back(r);
        for (const auto r : covering_[row])
            if (marks_[r] == live) key_.forbidden.push_back(r);
        std::sort(key_.forbidden.begin(), key_.forbidden.end());
    }

    template <class Arrive>
    void follow(const State& state, const NodeSet<W>& waiting, Arrive& arrive) {
        const NodeSet<W> pool = smallest_closed_component(waiting, parents_, children_);
        pool.for_each([&](std::size_t v) {
            NodeSet<W> left = waiting;
            left.remove(v);
            bool ready = false, alive = true;
            for (const auto& row : ascent_.active(v)) {
                if (row.parents.meets(waiting)) continue;
                if (!ready) {
                    ready = true;
                    alive = pass_over(state, left, pool, v);
                }
                if (!alive) return;
                forbid(v, row.row);
                arrive(key_, Way{state.spent + row.cost}, row.row);
            }
        });
    }

    // Makes key_ the state after v: smaller nodes of the pool were passed over. False if one of them has no
    // row that makes it wait.
    bool pass_over(const State& state, const NodeSet<W>& left, const NodeSet<W>& pool, std::size_t v) {
        key_.placed = all_ - left;
        key_.bound = {};
        key_.since.assign(component_.nodes, NodeSet<W>{});
        const NodeSet<W> passed = NodeSet<W>::first(v) & pool & left;
        bool alive = true;
        ((state.bound & left) | passed).for_each([&](std::size_t u) {
            if (!alive) return;
            NodeSet<W> since = passed.has(u) ? NodeSet<W>{} : state.since[u];
            since.add(v);
            NodeSet<W> relevant;
            bool all = !struck_.has(u), any = false;
            for (const auto& row : ascent_.active(u)) {
                const bool meets = row.parents.meets(since) || row.parents.meets(left);
                all = all && meets;
                any = any || meets;
                relevant = relevant | row.parents;
            }
            alive = any;
            if (all) return;
            key_.bound.add(u);
            key_.since[u] = since & relevant;
        });
        return alive;
    }

    static constexpr std::uint8_t idle = 0, live = 1, banned = 2;
    const ComponentProblem<W>& component_;
    RowAscent<W> ascent_;
    double budget_;
    NodeSet<W> all_;
    std::vector<NodeSet<W>> children_, parents_;
    std::vector<std::vector<std::uint32_t>> covering_;  // per row; empty unless representatives are sought
    std::vector<std::uint8_t> marks_;                   // per row
    std::vector<std::uint32_t> still_forbidden_;
    NodeSet<W> struck_;  // nodes that have rows which only their condition forbids
    Key key_;
};

}  // namespace arcwise
