#include "ensemble/chains/walking_dag.hpp"

#include <algorithm>
#include <cassert>

namespace arcwise {

void WalkingDag::below(std::size_t node, LongSet& set) const {
    set.fill(false);
    set.add(node);
    for (std::size_t v = 0; v < nodes(); ++v)
        if (ancestors_[v].has(node)) set.add(v);
}

void WalkingDag::set_parents(std::size_t node, SetView parents) {
    changed_.clear();
    for (std::size_t v = 0; v < nodes(); ++v)
        if (v != node && ancestors_[v].has(node)) changed_.emplace_back(ancestors_[v].size(), v);
    std::ranges::sort(changed_);
    parents_[node].fill(false);
    parents_[node] |= parents;
    const auto renew = [this](std::size_t v) {
        SetSpan row = ancestors_[v];
        row.fill(false);
        row |= parents_[v];
        parents_[v].for_each([&](std::size_t parent) { row |= ancestors_[parent]; });
    };
    renew(node);
    assert(!ancestors_[node].has(node));
    for (const auto& [count, v] : changed_) renew(v);
}

}  // namespace arcwise
