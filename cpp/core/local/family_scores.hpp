// The scores that a local search asks for, each from the rows that tell of the family's child.
//
// A variable is scored without the rows in which an experiment set it (Cooper & Yoo, UAI 1999). Children of
// which the same rows tell form a group with neighbour scores of its own: the blocks of bytes are shared,
// only the weights differ, so that a row that is left out weighs nothing. Without experiments there is one
// group, and this class only passes the question on.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "local/neighbour_source.hpp"

namespace arcwise {

class FamilyScores {
  public:
    using Row = NeighbourSource::Row;

    // One group.
    explicit FamilyScores(NeighbourSource& scores)
        : groups_{&scores}, group_of_(scores.variables(), 0), rules_(scores.rules()) {}

    // Child c is scored by group group_of[c]. A null group has no case: its families score 0, and the rules
    // let no arc into its children but required ones.
    FamilyScores(std::vector<std::unique_ptr<NeighbourSource>> groups, std::span<const std::int32_t> group_of,
                 const ArcRules& rules)
        : owned_(std::move(groups)), group_of_(group_of.begin(), group_of.end()), rules_(rules) {
        for (const auto& group : owned_) groups_.push_back(group.get());
        unscored_ = std::make_shared<NeighbourRow>();
        unscored_->toggled.assign(group_of_.size(), NeighbourRow::not_allowed);
    }

    // See NeighbourSource.
    void listen(Ticker* ticker) {
        for (auto* group : groups_)
            if (group != nullptr) group->listen(ticker);
    }

    Row row(std::size_t child, std::span<const std::int32_t> parents) {
        NeighbourSource* group = of(child);
        return group == nullptr ? unscored_ : group->row(child, parents);
    }
    void settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents, std::size_t x) {
        if (NeighbourSource* group = of(child)) group->settle(row, child, parents, x);
    }
    void settle_all(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents) {
        if (NeighbourSource* group = of(child)) group->settle_all(row, child, parents);
    }
    double local(std::size_t child, std::span<const std::int32_t> parents) {
        NeighbourSource* group = of(child);
        return group == nullptr ? 0.0 : group->local(child, parents);
    }

    const ArcRules& rules() const { return rules_; }
    std::size_t variables() const { return group_of_.size(); }
    std::uint64_t families_scored() const { return sum_of(&NeighbourSource::families_scored); }
    std::uint64_t families_meant() const { return sum_of(&NeighbourSource::families_meant); }
    // The ends of an arc may be of different groups, and turning it needs both: all groups have one list.
    void narrow(std::size_t most) {
        std::vector<Parents> lists(variables());
        for (const auto* group : groups_)
            if (group != nullptr) group->gains().choose(most, lists);
        for (auto& list : lists) {
            std::ranges::sort(list);
            const auto rest = std::ranges::unique(list);
            list.erase(rest.begin(), rest.end());
        }
        for (auto* group : groups_)
            if (group != nullptr) group->narrow(lists);
    }
    void widen() {
        for (auto* group : groups_)
            if (group != nullptr) group->widen();
    }

  private:
    std::uint64_t sum_of(std::uint64_t (NeighbourSource::*count)() const) const {
        std::uint64_t total = 0;
        for (const auto* group : groups_)
            if (group != nullptr) total += (group->*count)();
        return total;
    }
    NeighbourSource* of(std::size_t child) const {
        return groups_[static_cast<std::size_t>(group_of_[child])];
    }

    std::vector<std::unique_ptr<NeighbourSource>> owned_;
    std::vector<NeighbourSource*> groups_;
    std::vector<std::int32_t> group_of_;
    const ArcRules& rules_;
    Row unscored_;
};

}  // namespace arcwise
