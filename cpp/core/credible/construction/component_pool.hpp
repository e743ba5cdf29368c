// The part of the nodes in which a network must have a sink (or a source).
#pragma once

#include <limits>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

// What can be reached from a node along arcs, within a set.
template <std::size_t W>
NodeSet<W> closure(std::size_t from, const std::vector<NodeSet<W>>& arcs, const NodeSet<W>& within) {
    NodeSet<W> seen = NodeSet<W>::single(from), open = seen;
    while (!open.empty()) {
        const auto x = open.lowest();
        open.remove(x);
        const auto fresh = (arcs[x] & within) - seen;
        seen = seen | fresh;
        open = open | fresh;
    }
    return seen;
}

// Calls visit(component) for each strongly connected component of `nodes` that no arc leaves; `back` has the
// same arcs the other way. Stops if visit returns false.
template <std::size_t W, class Visit>
void for_each_closed_component(const NodeSet<W>& nodes, const std::vector<NodeSet<W>>& arcs,
                               const std::vector<NodeSet<W>>& back, Visit&& visit) {
    NodeSet<W> settled;
    bool going = true;
    nodes.for_each([&](std::size_t u) {
        if (!going || settled.has(u)) return;
        const NodeSet<W> reached = closure(u, arcs, nodes);
        if (reached.meets(settled)) {
            settled.add(u);
            return;
        }
        if (!reached.within(closure(u, back, reached))) return;  // another node of it will find it
        settled = settled | reached;
        going = visit(reached);
    });
}

// The smallest of them; of equal ones that with the lowest node.
template <std::size_t W>
NodeSet<W> smallest_closed_component(const NodeSet<W>& nodes, const std::vector<NodeSet<W>>& arcs,
                                     const std::vector<NodeSet<W>>& back) {
    NodeSet<W> pool;
    std::size_t best = std::numeric_limits<std::size_t>::max();
    for_each_closed_component(nodes, arcs, back, [&](const NodeSet<W>& component) {
        if (component.size() < best) {
            best = component.size();
            pool = component;
        }
        return true;
    });
    return pool;
}

}  // namespace arcwise
