#include "graph/cpdag.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace arcwise {

namespace {

constexpr std::int32_t unseen = -2;  // position of a node that the search has not reached
constexpr std::int32_t open = -1;    // position of a node whose ancestors are being visited

// Is every member of `part` other than `except` in `whole`? Both ascending.
bool is_covered(ParentList part, ParentList whole, std::int32_t except) {
    auto other = whole.begin();
    for (const auto member : part) {
        if (member == except) continue;
        while (other != whole.end() && *other < member) ++other;
        if (other == whole.end() || *other != member) return false;
    }
    return true;
}

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): every input bit moves every output bit.
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

}  // namespace

CpdagKernel::CpdagKernel(std::size_t nodes) : position_(nodes), source_(nodes) {
    path_.reserve(nodes);
}

// A depth-first search along the parents finishes every node after its parents: a topological order without
// child lists.
bool CpdagKernel::label(std::span<const ParentList> parents) {
    assert(parents.size() == position_.size());
    parents_ = parents;
    finished_ = 0;
    std::fill(position_.begin(), position_.end(), unseen);
    for (std::size_t root = 0; root < parents.size(); ++root) {
        if (position_[root] != unseen) continue;
        position_[root] = open;
        path_.clear();
        path_.push_back({static_cast<std::int32_t>(root), 0});
        while (!path_.empty()) {
            auto& visit = path_.back();
            const auto node = static_cast<std::size_t>(visit.node);
            if (visit.next == parents[node].size()) {
                finish(node);
                path_.pop_back();
                continue;
            }
            const auto parent = parents[node][visit.next++];
            auto& position = position_[static_cast<std::size_t>(parent)];
            if (position == open) return false;
            if (position == unseen) {
                position = open;
                path_.push_back({parent, 0});
            }
        }
    }
    return true;
}

// Chickering's labelling ("A transformational characterization of equivalent Bayesian network structures",
// UAI 1995, Figure 4), which looks at the arcs into y together: let x be the parent of y that is last in the
// topological order. If a compelled arc w -> x exists with w not a parent of y, or a parent of y other than x
// is not a parent of x, all arcs into y are compelled. Otherwise exactly the arcs w -> y are, for the
// compelled w -> x. Hence the compelled parents of a node are all of its own parents, or all parents of some
// other node, or none, and it suffices to note whose (source_): nothing is stored per arc.
void CpdagKernel::finish(std::size_t node) {
    position_[node] = finished_++;
    const auto list = parents_[node];
    source_[node] = -1;
    if (list.empty()) return;
    const auto last = *std::max_element(list.begin(), list.end(), [this](std::int32_t a, std::int32_t b) {
        return position_[static_cast<std::size_t>(a)] < position_[static_cast<std::size_t>(b)];
    });
    const auto x = static_cast<std::size_t>(last);
    const bool all = !is_covered(compelled(x), list, -1) || !is_covered(list, parents_[x], last);
    source_[node] = all ? static_cast<std::int32_t>(node) : source_[x];
}

void add_edge(ClassKey& key, std::size_t tail, std::size_t head, bool directed) {
    const std::uint64_t from = directed ? tail : std::min(tail, head);
    const std::uint64_t to = directed ? head : std::max(tail, head);
    const std::uint64_t edge = from << 32 | to << 1 | static_cast<std::uint64_t>(directed);
    key.low += mix(edge + 0x9e3779b97f4a7c15ULL);
    key.high += mix(edge + 0xd1b54a32d192ed03ULL);
}

std::vector<std::uint8_t> cpdag_of(std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents) {
    assert(!offsets.empty());
    const std::size_t nodes = offsets.size() - 1;
    std::vector<ParentList> lists(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        const auto begin = static_cast<std::size_t>(offsets[node]);
        lists[node] = parents.subspan(begin, static_cast<std::size_t>(offsets[node + 1]) - begin);
    }
    CpdagKernel kernel(nodes);
    if (!kernel.label(lists)) throw std::invalid_argument("the graph has a cycle");
    std::vector<std::uint8_t> flags;
    flags.reserve(parents.size());
    for (std::size_t node = 0; node < nodes; ++node) {
        const auto strong = kernel.compelled(node);
        for (const auto parent : lists[node])
            flags.push_back(std::binary_search(strong.begin(), strong.end(), parent) ? 1 : 0);
    }
    return flags;
}

}  // namespace arcwise
