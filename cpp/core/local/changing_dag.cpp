#include "local/changing_dag.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "xoshiro.hpp"

namespace arcwise {

ChangingDag::ChangingDag(std::size_t nodes)
    : parents_(nodes),
      children_(nodes),
      ancestors_(nodes, nodes),
      opened_(long_set(nodes)),
      fresh_(long_set(nodes)),
      marks_(nodes, 0),
      is_new_(nodes, 0) {}

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

// A node that has `from` above it already has all that is above `from`, and so has all below it.
void ChangingDag::add(std::size_t from, std::size_t to) {
    assert(can_add(from, to) && !has_arc(from, to));
    insert_parent(from, to);
    stack_.assign(1, static_cast<std::int32_t>(to));
    while (!stack_.empty()) {
        const auto node = static_cast<std::size_t>(stack_.back());
        stack_.pop_back();
        if (is_ancestor(from, node)) continue;
        ancestors_[node] |= ancestors_[from];
        ancestors_[node].add(from);
        stack_.insert(stack_.end(), children_[node].begin(), children_[node].end());
    }
}

void ChangingDag::remove(std::size_t from, std::size_t to) {
    erase_parent(from, to);
    [[maybe_unused]] const bool acyclic = order_below(std::span(&to, 1));
    assert(acyclic);
    recompute_below(std::span(&to, 1));
}

void ChangingDag::reverse(std::size_t from, std::size_t to) {
    assert(can_reverse(from, to));
    remove(from, to);
    add(to, from);
}

// False if the row stays as it was. In a large graph this is most of what a change costs: two parents, which
// nodes mostly have at most, are joined in one pass.
bool ChangingDag::recompute_row(std::size_t node) {
    auto& made = fresh_.words();
    const auto& own = parents_[node];
    const auto above = [&](std::size_t k) {
        return std::as_const(ancestors_)[static_cast<std::size_t>(own[k])].words();
    };
    if (own.empty()) fresh_.fill(false);
    if (own.size() == 1) std::ranges::copy(above(0), made.begin());
    if (own.size() >= 2) {
        const auto first = above(0), second = above(1);
        for (std::size_t w = 0; w < made.size(); ++w) made[w] = first[w] | second[w];
    }
    for (std::size_t k = 2; k < own.size(); ++k)
        fresh_ |= std::as_const(ancestors_)[static_cast<std::size_t>(own[k])];
    for (const auto parent : own) fresh_.add(static_cast<std::size_t>(parent));
    const auto row = ancestors_[node].words();
    if (std::ranges::equal(row, made)) return false;
    auto& opened = opened_.words();
    for (std::size_t w = 0; w < made.size(); ++w) {
        opened[w] |= row[w] & ~made[w];
        row[w] = made[w];
    }
    return true;
}

// Makes `order_` these nodes and all below them, parents first: the reverse of the order in which a search
// in depth leaves them. False if it comes to a node that it has not left: that is a cycle.
bool ChangingDag::order_below(std::span<const std::size_t> nodes) {
    constexpr std::uint8_t entered = 1, left = 2;
    order_.clear();
    bool acyclic = true;
    for (const auto start : nodes) {
        if (marks_[start] != 0) continue;
        marks_[start] = entered;
        path_.assign(1, {static_cast<std::int32_t>(start), 0});
        while (!path_.empty() && acyclic) {
            auto& [node, next] = path_.back();
            const auto& below = children_[static_cast<std::size_t>(node)];
            if (next == below.size()) {
                marks_[static_cast<std::size_t>(node)] = left;
                order_.push_back(node);
                path_.pop_back();
                continue;
            }
            const auto child = below[next++];
            auto& mark = marks_[static_cast<std::size_t>(child)];
            if (mark == entered) acyclic = false;
            if (mark != 0) continue;
            mark = entered;
            path_.push_back({child, 0});
        }
        if (acyclic) continue;
        for (const auto& visit : path_) marks_[static_cast<std::size_t>(visit.node)] = 0;
        break;
    }
    for (const auto node : order_) marks_[static_cast<std::size_t>(node)] = 0;
    std::ranges::reverse(order_);
    return acyclic;
}

// The rows of these nodes, and of those in `order_` whose parents' rows have changed.
void ChangingDag::recompute_below(std::span<const std::size_t> nodes) {
    opened_.fill(false);
    for (const auto node : nodes) is_new_[node] = 1;
    for (const auto node : order_) {
        const auto v = static_cast<std::size_t>(node);
        if (is_new_[v] == 0) continue;
        is_new_[v] = 0;
        if (!recompute_row(v)) continue;
        for (const auto child : children_[v]) is_new_[static_cast<std::size_t>(child)] = 1;
    }
}

void ChangingDag::replace_parents(std::size_t node, const Parents& parents) {
    auto& own = parents_[node];
    const auto number = static_cast<std::int32_t>(node);
    for (const auto p : own) {
        const auto above = static_cast<std::size_t>(p);
        hash_ ^= arc_key(above, node);
        *std::ranges::find(children_[above], number) = children_[above].back();
        children_[above].pop_back();
    }
    arcs_ += parents.size();
    arcs_ -= own.size();
    own = parents;
    for (const auto p : own) {
        hash_ ^= arc_key(static_cast<std::size_t>(p), node);
        children_[static_cast<std::size_t>(p)].push_back(number);
    }
}

bool ChangingDag::assign(const std::vector<Parents>& parents) {
    std::vector<std::size_t> nodes(parents_.size());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    return assign(parents, nodes);
}

bool ChangingDag::assign(const std::vector<Parents>& parents, std::span<const std::size_t> nodes) {
    assert(parents.size() == parents_.size());
    std::vector<std::size_t> changed;
    std::vector<Parents> before;
    for (const auto node : nodes) {
        assert(std::ranges::is_sorted(parents[node]));
        if (parents_[node] == parents[node]) continue;
        changed.push_back(node);
        before.push_back(parents_[node]);
        replace_parents(node, parents[node]);
    }
    // A cycle would go through one of these: without them, all is as it was.
    if (!order_below(changed)) {
        for (std::size_t i = 0; i < changed.size(); ++i) replace_parents(changed[i], before[i]);
        return false;
    }
    recompute_below(changed);
    return true;
}

}  // namespace arcwise
