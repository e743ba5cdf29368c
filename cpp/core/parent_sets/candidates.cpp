#include "parent_sets/candidates.hpp"

namespace arcwise {

GroupFinder::GroupFinder(const Candidates& alive, const SetRanks& ranks) {
    std::size_t capacity = 16;
    while (capacity < 2 * alive.groups()) capacity *= 2;
    mask_ = capacity - 1;
    ranks_.resize(capacity);
    groups_.assign(capacity, absent);
    for (std::size_t group = 0; group < alive.groups(); ++group) {
        const Rank rank = ranks.rank(alive.tops_of(group));
        auto place = hash(rank) & mask_;
        while (groups_[place] != absent) place = (place + 1) & mask_;
        ranks_[place] = rank;
        groups_[place] = group;
    }
}

std::size_t GroupFinder::find(Rank tops) const {
    auto place = hash(tops) & mask_;
    while (groups_[place] != absent && ranks_[place] != tops) place = (place + 1) & mask_;
    return groups_[place];
}

}  // namespace arcwise
