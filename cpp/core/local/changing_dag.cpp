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

// Kahn's algorithm, without a list of its own for the children of each node. False if there is a cycle.
bool ChangingDag::sort_topologically(const std::vector<Parents>& parents) {
    const std::size_t n = nodes();
    starts_.assign(n + 1, 0);
    missing_.resize(n);
    order_.clear();
    for (std::size_t v = 0; v < n; ++v) {
        missing_[v] = static_cast<std::int32_t>(parents[v].size());
        if (missing_[v] == 0) order_.push_back(static_cast<std::int32_t>(v));
        for (const auto p : parents[v]) ++starts_[static_cast<std::size_t>(p) + 1];
    }
    for (std::size_t v = 0; v < n; ++v) starts_[v + 1] += starts_[v];
    heads_.resize(static_cast<std::size_t>(starts_[n]));
    for (std::size_t v = n; v-- > 0;)  // backwards, so that starts_[p + 1] ends where it has to
        for (const auto p : parents[v])
            heads_[static_cast<std::size_t>(--starts_[static_cast<std::size_t>(p) + 1])] =
                static_cast<std::int32_t>(v);
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const auto tail = static_cast<std::size_t>(order_[i]);
        const auto end =
            tail + 2 < starts_.size() ? static_cast<std::size_t>(starts_[tail + 2]) : heads_.size();
        for (auto k = static_cast<std::size_t>(starts_[tail + 1]); k < end; ++k)
            if (--missing_[static_cast<std::size_t>(heads_[k])] == 0) order_.push_back(heads_[k]);
    }
    return order_.size() == n;
}

bool ChangingDag::assign(const std::vector<Parents>& parents) {
    assert(parents.size() == nodes());
    assert(std::ranges::all_of(parents, [](const Parents& list) { return std::ranges::is_sorted(list); }));
    if (!sort_topologically(parents)) return false;
    is_new_.assign(nodes(), 0);
    for (const auto node : order_) {
        const auto v = static_cast<std::size_t>(node);
        auto& own = parents_[v];
        const bool differs = own != parents[v];
        if (differs) {
            for (const auto p : own) {
                const auto above = static_cast<std::size_t>(p);
                hash_ ^= arc_key(above, v);
                *std::ranges::find(children_[above], node) = children_[above].back();
                children_[above].pop_back();
            }
            arcs_ += parents[v].size();
            arcs_ -= own.size();
            own = parents[v];
            for (const auto p : own) {
                hash_ ^= arc_key(static_cast<std::size_t>(p), v);
                children_[static_cast<std::size_t>(p)].push_back(node);
            }
        }
        const bool is_new = differs || std::ranges::any_of(own, [&](std::int32_t p) {
                                return is_new_[static_cast<std::size_t>(p)] != 0;
                            });
        if (!is_new) continue;
        is_new_[v] = 1;
        recompute_row(v);
    }
    return true;
}

}  // namespace arcwise
