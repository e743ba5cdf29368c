#include "graph/least_member.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace arcwise {

LeastMember::LeastMember(std::span<const std::int32_t> rank)
    : rank_(rank.begin(), rank.end()),
      kernel_(rank.size()),
      above_(rank.size()),
      local_(rank.size()),
      reached_(rank.size()) {}

std::int32_t LeastMember::root_of(std::int32_t node) {
    while (above_[static_cast<std::size_t>(node)] != node) {
        auto& above = above_[static_cast<std::size_t>(node)];
        above = above_[static_cast<std::size_t>(above)];
        node = above;
    }
    return node;
}

bool LeastMember::is_least(std::span<const ParentList> parents) {
    if (!kernel_.label(parents)) throw std::invalid_argument("a graph has a cycle");
    edges_.clear();
    for (std::size_t node = 0; node < above_.size(); ++node) above_[node] = static_cast<std::int32_t>(node);
    for (std::size_t node = 0; node < parents.size(); ++node) {
        const auto strong = kernel_.compelled(node);
        auto next = strong.begin();
        for (const auto parent : parents[node]) {
            if (next != strong.end() && *next == parent) {
                ++next;
                continue;
            }
            const auto child = static_cast<std::int32_t>(node);
            edges_.push_back({parent, child});
            above_[static_cast<std::size_t>(root_of(child))] = root_of(parent);
        }
    }
    std::sort(edges_.begin(), edges_.end(),
              [this](const Edge& a, const Edge& b) { return root_of(a.tail) < root_of(b.tail); });
    for (std::size_t from = 0; from < edges_.size();) {
        auto to = from;
        while (to < edges_.size() && root_of(edges_[to].tail) == root_of(edges_[from].tail)) ++to;
        if (!is_least_of(from, to)) return false;
        from = to;
    }
    return true;
}

// One component: the edges from .. to.
bool LeastMember::is_least_of(std::size_t from, std::size_t to) {
    nodes_.clear();
    for (auto e = from; e < to; ++e) {
        nodes_.push_back(edges_[e].tail);
        nodes_.push_back(edges_[e].head);
    }
    const auto by_rank = [this](std::int32_t a, std::int32_t b) {
        return rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)];
    };
    std::sort(nodes_.begin(), nodes_.end(), by_rank);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    const std::size_t size = nodes_.size();
    for (std::size_t i = 0; i < size; ++i)
        local_[static_cast<std::size_t>(nodes_[i])] = static_cast<std::int32_t>(i);
    // Every node may come first, so the lowest does; in a tree that settles all directions.
    for (auto e = from; e < to; ++e)
        if (local_[static_cast<std::size_t>(edges_[e].head)] == 0) return false;
    if (to - from == size - 1) return true;
    joined_.assign(size * size, 0);
    for (auto e = from; e < to; ++e) {
        const auto a = static_cast<std::size_t>(local_[static_cast<std::size_t>(edges_[e].tail)]);
        const auto b = static_cast<std::size_t>(local_[static_cast<std::size_t>(edges_[e].head)]);
        joined_[a * size + b] = joined_[b * size + a] = 1;
    }
    place_.assign(size, -1);
    const auto outdone = [&](std::size_t w, std::size_t u) {  // w has the placed neighbours of u and more
        bool more = false;
        for (std::size_t x = 0; x < size; ++x) {
            if (place_[x] < 0) continue;
            if (joined_[u * size + x] != 0 && joined_[w * size + x] == 0) return false;
            more = more || (joined_[w * size + x] != 0 && joined_[u * size + x] == 0);
        }
        return more;
    };
    const auto may_come = [&](std::size_t u) {
        std::fill_n(reached_.begin(), size, std::uint8_t{0});
        stack_.assign(1, static_cast<std::int32_t>(u));
        reached_[u] = 1;
        while (!stack_.empty()) {
            const auto x = static_cast<std::size_t>(stack_.back());
            stack_.pop_back();
            if (outdone(x, u)) return false;
            for (std::size_t y = 0; y < size; ++y)
                if (joined_[x * size + y] != 0 && place_[y] < 0 && reached_[y] == 0) {
                    reached_[y] = 1;
                    stack_.push_back(static_cast<std::int32_t>(y));
                }
        }
        return true;
    };
    for (std::int32_t position = 0; position < static_cast<std::int32_t>(size); ++position) {
        std::size_t u = 0;
        while (place_[u] >= 0 || !may_come(u)) ++u;
        assert(u < size);
        place_[u] = position;
    }
    return std::all_of(edges_.begin() + static_cast<std::ptrdiff_t>(from),
                       edges_.begin() + static_cast<std::ptrdiff_t>(to), [&](const Edge& edge) {
                           const auto tail = local_[static_cast<std::size_t>(edge.tail)];
                           const auto head = local_[static_cast<std::size_t>(edge.head)];
                           return place_[static_cast<std::size_t>(tail)] <
                                  place_[static_cast<std::size_t>(head)];
                       });
}

template <class Row>
std::vector<std::uint8_t> least_members_of_rows(std::span<const Row> rows, std::span<const std::int32_t> rank,
                                                std::span<const std::int64_t> set_offsets,
                                                std::span<const std::int32_t> members) {
    const std::size_t nodes = rank.size();
    assert(nodes > 0 && rows.size() % nodes == 0);
    std::vector<std::uint8_t> flags;
    flags.reserve(rows.size() / nodes);
    LeastMember least(rank);
    std::vector<ParentList> parents(nodes);
    for (std::size_t first = 0; first < rows.size(); first += nodes) {
        for (std::size_t node = 0; node < nodes; ++node) {
            const auto row = static_cast<std::size_t>(rows[first + node]);
            const auto begin = static_cast<std::size_t>(set_offsets[row]);
            parents[node] = members.subspan(begin, static_cast<std::size_t>(set_offsets[row + 1]) - begin);
        }
        flags.push_back(least.is_least(parents) ? 1 : 0);
    }
    return flags;
}

template std::vector<std::uint8_t> least_members_of_rows(std::span<const std::int64_t>,
                                                         std::span<const std::int32_t>,
                                                         std::span<const std::int64_t>,
                                                         std::span<const std::int32_t>);

}  // namespace arcwise
