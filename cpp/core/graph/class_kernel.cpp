#include "graph/class_kernel.hpp"

#include <cassert>

namespace arcwise {

ClassKernel::ClassKernel(std::size_t nodes, std::span<const Word> fixed) : markov_(nodes), fixed_(fixed) {
    if (fixed.empty()) return;
    assert(fixed.size() == nodes * words_for(nodes));
    free_ = BitRows(nodes, nodes);
    joined_ = BitRows(nodes, nodes);
    directed_ = BitRows(nodes, nodes);
    order_.resize(nodes);
}

bool ClassKernel::label(std::span<const ParentList> parents) {
    parents_ = parents;
    any_fixed_ = false;
    if (!markov_.label(parents)) return false;
    if (!fixed_.empty() && has_fixed_edge()) {
        any_fixed_ = true;
        close();
    }
    return true;
}

bool ClassKernel::has_fixed_edge() const {
    for (std::size_t head = 0; head < parents_.size(); ++head) {
        const auto list = parents_[head], strong = markov_.compelled(head);
        if (list.size() == strong.size()) continue;
        const SetView fixed = set_at(fixed_, parents_.size(), head);
        auto next = strong.begin();
        for (const auto tail : list) {
            if (next != strong.end() && *next == tail)
                ++next;
            else if (fixed.has(static_cast<std::size_t>(tail)))
                return true;
        }
    }
    return false;
}

// Meek's rules ("Causal inference and causal explanation with background knowledge", UAI 1995) in one sweep.
// The reversible arcs of a DAG form chordal graphs on which it makes no v-structure, and nodes of such a
// graph are joined within it alone (Andersson, Madigan and Perlman 1997): the other arcs can be left out.
// All that the rules direct points as it does in the DAG, which is a member. So the only question is which of
// its free arcs a -> b are implied, and there the rules read, P(b) being the free parents of b and D(b) those
// of them that are directed already:
//   1. some p in D(a) is not joined to b: p is not in P(b), for b comes after p;
//   2. a is in D(c) and c in D(b) for some c;
//   3. never: c -> b <- d with c and d apart would be a v-structure;
//   4. c is in D(b), some d in D(c) is joined to a but not to b (c is joined to a, both being in P(b)).
// What they ask for are arcs whose heads come before b in the order of the DAG, or are b itself: when the
// nodes are taken in that order, each has to be closed once.
void ClassKernel::close() {
    const auto nodes = parents_.size();
    free_.clear();
    joined_.clear();
    directed_.clear();
    for (std::size_t node = 0; node < nodes; ++node)
        order_[static_cast<std::size_t>(markov_.position(node))] = static_cast<std::int32_t>(node);
    for (const auto node : order_) {
        const auto head = static_cast<std::size_t>(node);
        const auto list = parents_[head], strong = markov_.compelled(head);
        if (list.size() == strong.size()) continue;
        auto next = strong.begin();
        for (const auto tail : list) {
            if (next != strong.end() && *next == tail)
                ++next;
            else
                free_[head].add(static_cast<std::size_t>(tail));
        }
        close_at(head);
        free_[head].for_each([&](std::size_t tail) {
            joined_[head].add(tail);
            joined_[tail].add(head);
        });
    }
}

void ClassKernel::close_at(std::size_t head) {
    SetSpan directed = directed_[head];
    directed |= SetView(free_[head]);
    directed &= set_at(fixed_, parents_.size(), head);
    for (bool changed = true; changed;) {
        changed = false;
        free_[head].for_each([&](std::size_t tail) {
            if (directed.has(tail) || !is_implied(tail, head)) return;
            directed.add(tail);
            changed = true;
        });
    }
}

bool ClassKernel::is_implied(std::size_t tail, std::size_t head) const {
    const SetView parents = free_[head], joined = joined_[tail];
    if (!directed_[tail].within(parents)) return true;
    bool implied = false;
    directed_[head].for_each([&](std::size_t middle) {
        if (implied) return;
        const SetView before = directed_[middle];
        implied = before.has(tail);
        before.for_each_shared(joined, [&](std::size_t far) { implied |= !parents.has(far); });
    });
    return implied;
}

ClassKey ClassKernel::key() const {
    ClassKey key;
    for_each_arc(
        [&](std::size_t tail, std::size_t head, bool directed) { add_edge(key, tail, head, directed); });
    return key;
}

}  // namespace arcwise
