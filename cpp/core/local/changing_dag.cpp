#include "local/changing_dag.hpp"

#include <algorithm>
#include <cassert>

#include "xoshiro.hpp"

namespace arcwise {

ChangingDag::ChangingDag(std::size_t nodes) : parents_(nodes), children_(nodes), ancestors_(nodes, nodes) {}

std::uint64_t ChangingDag::arc_key(std::size_t from, std::size_t to) {
    return Xoshiro::mix(0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(from) + 1) +
                        Xoshiro::mix(to + 1));
}

bool ChangingDag::has_arc(std::size_t from, std::size_t to) const {
    return std::ranges::binary_search(parents_[to], static_cast<std::int32_t>(from));
}

bool ChangingDag::can_reverse(std::size_t from, std::size_t to) const {
    return std::ranges::none_of(parents_[to], [&](std::int32_t other) {
        const auto node = static_cast<std::size_t>(other);
        return node != from && is_ancestor(from, node);
    });
}

void ChangingDag::insert_parent(std::size_t from, std::size_t to) {
    auto& list = parents_[to];
    const auto value = static_cast<std::int32_t>(from);
    list.insert(std::ranges::lower_bound(list, value), value);
    children_[from].push_back(static_cast<std::int32_t>(to));
    hash_ ^= arc_key(from, to);
    ++arcs_;
}

void ChangingDag::erase_parent(std::size_t from, std::size_t to) {
    auto& list = parents_[to];
    const auto place = std::ranges::lower_bound(list, static_cast<std::int32_t>(from));
    assert(place != list.end() && *place == static_cast<std::int32_t>(from));
    list.erase(place);
    auto& below = children_[from];
    *std::ranges::find(below, static_cast<std::int32_t>(to)) = below.back();
    below.pop_back();
    hash_ ^= arc_key(from, to);
    --arcs_;
}

void ChangingDag::add(std::size_t from, std::size_t to) {
    assert(can_add(from, to) && !has_arc(from, to));
    insert_parent(from, to);
    for (std::size_t node = 0; node < nodes(); ++node) {
        if (node != to && !is_ancestor(to, node)) continue;
        ancestors_[node] |= ancestors_[from];
        ancestors_[node].add(from);
    }
}

void ChangingDag::remove(std::size_t from, std::size_t to) {
    erase_parent(from, to);
    recompute_below(to);
}

void ChangingDag::reverse(std::size_t from, std::size_t to) {
    assert(can_reverse(from, to));
    remove(from, to);
    add(to, from);
}

void ChangingDag::recompute_row(std::size_t node) {
    SetSpan row = ancestors_[node];
    row.fill(false);
    for (const auto parent : parents_[node]) {
        const auto above = static_cast<std::size_t>(parent);
        row |= ancestors_[above];
        row.add(above);
    }
}

// The rows of `node` and its descendants, parents first. The old rows are supersets of the new ones, so that
// the number of old ancestors still sorts the nodes topologically.
void ChangingDag::recompute_below(std::size_t node) {
    std::vector<std::pair<std::size_t, std::size_t>> below;  // (number of ancestors, node)
    for (std::size_t v = 0; v < nodes(); ++v) {
        if (v != node && !is_ancestor(node, v)) continue;
        below.emplace_back(ancestors_[v].size(), v);
    }
    std::ranges::sort(below);
    for (const auto& [count, v] : below) recompute_row(v);
}

bool ChangingDag::assign(std::vector<Parents> parents) {
    assert(parents.size() == nodes());
    const std::size_t n = nodes();
    std::vector<Parents> children(n);
    std::vector<std::size_t> missing(n);
    std::vector<std::size_t> order;
    order.reserve(n);
    for (std::size_t v = 0; v < n; ++v) {
        std::ranges::sort(parents[v]);
        missing[v] = parents[v].size();
        if (missing[v] == 0) order.push_back(v);
        for (const auto p : parents[v])
            children[static_cast<std::size_t>(p)].push_back(static_cast<std::int32_t>(v));
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const auto child : children[order[i]])
            if (--missing[static_cast<std::size_t>(child)] == 0)
                order.push_back(static_cast<std::size_t>(child));
    if (order.size() < n) return false;
    parents_ = std::move(parents);
    children_ = std::move(children);
    arcs_ = 0;
    hash_ = 0;
    for (const auto v : order) {
        recompute_row(v);
        arcs_ += parents_[v].size();
        for (const auto p : parents_[v]) hash_ ^= arc_key(static_cast<std::size_t>(p), v);
    }
    return true;
}

}  // namespace arcwise
