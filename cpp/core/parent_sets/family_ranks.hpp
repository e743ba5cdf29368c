// The ranks of P and of P + child for the sets P of a group of candidates.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "parent_sets/set_rank.hpp"

namespace arcwise {

// P is the group's tops, a low member and the child's required parents. The ranks are sums over the members;
// all but the low member's part is the same for the whole group (where nothing is required, almost always).
class FamilyRanks {
  public:
    FamilyRanks(const SetRanks& ranks, std::size_t child, std::span<const std::int32_t> required)
        : ranks_(ranks), child_(static_cast<std::int32_t>(child)), required_(required) {}

    void set_tops(std::span<const std::int32_t> tops) {
        tops_ = tops;
        if (!required_.empty()) return;
        below_ = static_cast<std::size_t>(std::lower_bound(tops.begin(), tops.end(), child_) - tops.begin());
        parents_base_ = 0;
        family_base_ = ranks_.choose(static_cast<std::size_t>(child_), below_ + 2);
        for (std::size_t t = 0; t < tops.size(); ++t) {
            const auto top = static_cast<std::size_t>(tops[t]);
            parents_base_ += ranks_.choose(top, t + 2);
            family_base_ += ranks_.choose(top, t < below_ ? t + 2 : t + 3);
        }
    }

    // `low` is -1 for the empty set.
    void set_low(std::int32_t low) {
        if (!required_.empty()) {
            set_slowly(low);
        } else if (low < 0) {
            parents_ = 0;
            family_ = static_cast<Rank>(child_);
            place_ = 0;
        } else {
            const auto x = static_cast<std::size_t>(low);
            parents_ = parents_base_ + x;
            if (below_ == 0 && low > child_) {
                // The child is the smallest of all: it takes the first place, and the low member the second.
                const auto c = static_cast<std::size_t>(child_);
                family_ = family_base_ - ranks_.choose(c, 2) + c + ranks_.choose(x, 2);
                place_ = 0;
            } else {
                family_ = family_base_ + x;
                place_ = below_ + 1;
            }
        }
    }

    Rank parents() const { return parents_; }
    Rank family() const { return family_; }
    std::size_t place() const { return place_; }  // of the child in P + child, ascending

  private:
    void set_slowly(std::int32_t low) {
        members_.assign(tops_.begin(), tops_.end());
        members_.insert(members_.end(), required_.begin(), required_.end());
        if (low >= 0) members_.push_back(low);
        std::sort(members_.begin(), members_.end());
        parents_ = ranks_.rank(members_);
        const auto at = std::lower_bound(members_.begin(), members_.end(), child_);
        place_ = static_cast<std::size_t>(at - members_.begin());
        members_.insert(at, child_);
        family_ = ranks_.rank(members_);
    }

    const SetRanks& ranks_;
    std::int32_t child_;
    std::span<const std::int32_t> required_;
    std::span<const std::int32_t> tops_;
    std::size_t below_ = 0;  // tops below the child
    Rank parents_base_ = 0;
    Rank family_base_ = 0;
    Rank parents_ = 0;
    Rank family_ = 0;
    std::size_t place_ = 0;
    std::vector<std::int32_t> members_;
};

}  // namespace arcwise
