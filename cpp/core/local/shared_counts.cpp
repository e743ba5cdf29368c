// Scores of families that were counted for several searches at once.
//
// A row that was made because another search needed it is not there as long as nobody asks: how many families
// a search has scored decides when its refinement ends, and must not depend on the others.
#include <cassert>
#include <limits>
#include <utility>

#include "local/neighbour_scores.hpp"

namespace arcwise {

void NeighbourScores::receive_alone(std::size_t child, std::shared_ptr<const SegmentCounts> counts) {
    assert(weights_.cases <= std::numeric_limits<std::uint32_t>::max());
    alone_.resize(variables());
    alone_[child] = std::move(counts);
}

void NeighbourScores::receive(std::size_t child, std::span<const std::int32_t> parents,
                              std::shared_ptr<SegmentCounts> counts) {
    if (!candidates_.empty() || rows_.contains(key_of(child, parents))) return;
    const std::uint64_t scored = families_scored_;
    const bool knows = penalty_ <= 0.0 || !information_.empty();
    auto locals = knows ? decltype(locals_){} : locals_;
    know_information();
    const std::uint64_t before = families_scored_;
    counter_.take(child, parents, data_, std::move(counts));
    auto row = score_counted(child, parents);
    row->unasked = families_scored_ - before;
    families_scored_ = scored;
    if (!knows) {  // it has not come so far by itself
        information_.clear();
        locals_ = std::move(locals);
    }
    store(key_of(child, parents), std::move(row));
}

// From now on the row counts as scored.
NeighbourScores::Row NeighbourScores::asked(const Row& row) {
    families_scored_ += std::exchange(row->unasked, 0);
    return row;
}

// Null: it is not shared.
NeighbourScores::Row NeighbourScores::shared_row(std::size_t child, std::span<const std::int32_t> parents) {
    if (shared_ == nullptr || !candidates_.empty()) return nullptr;
    const Parents asked_for(parents.begin(), parents.end());  // scratch lists may change meanwhile
    if (!shared_->count(child, asked_for)) return nullptr;
    const auto found = rows_.find(key_of(child, asked_for));
    return found == rows_.end() ? nullptr : found->second;
}

// A family by itself counts as one, once, whatever its row has.
double NeighbourScores::asked_local(const Parents& key, double value) {
    ++families_scored_;
    if (locals_.size() > memory_ / 128) locals_.clear();
    locals_.emplace(key, value);
    return value;
}

}  // namespace arcwise
