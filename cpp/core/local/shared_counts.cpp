// Scores of families that were counted for several searches at once.
//
// A row that was made because another search needed it is not there as long as nobody asks: how many families
// a search has scored decides when its refinement ends, and must not depend on the others.
#include <cassert>
#include <limits>
#include <utility>

#include "local/neighbour_scores.hpp"

namespace arcwise {

namespace {

// Of one search: what it never asks for is let go.
constexpr std::size_t waiting_memory = std::size_t{16} << 20;

}  // namespace

void NeighbourScores::receive_alone(std::size_t child, std::shared_ptr<const SegmentCounts> counts) {
    assert(weights_.cases <= std::numeric_limits<std::uint32_t>::max());
    alone_.resize(variables());
    alone_[child] = std::move(counts);
}

void NeighbourScores::receive(std::size_t child, std::span<const std::int32_t> parents,
                              std::shared_ptr<SegmentCounts> counts) {
    const Parents key = key_of(child, parents);
    if (!candidates_.empty() || rows_.contains(key) || waiting_.contains(key)) return;
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
    const std::size_t bytes = bytes_of(*row);
    if (waiting_bytes_ + bytes > waiting_memory) {
        waiting_.clear();
        waiting_bytes_ = 0;
    }
    waiting_bytes_ += bytes;
    waiting_.emplace(key, std::move(row));
}

// Is the row waiting, or has it been made now?
bool NeighbourScores::is_shared(std::size_t child, std::span<const std::int32_t> parents) {
    if (shared_ == nullptr || !candidates_.empty()) return false;
    if (waiting_.contains(key_of(child, parents))) return true;
    const Parents asked_for(parents.begin(), parents.end());  // scratch lists may change meanwhile
    return shared_->count(child, asked_for);
}

// From now on the row counts as scored, as if it had been made now.
NeighbourScores::Row NeighbourScores::take_waiting(const Parents& key) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return nullptr;
    const Row row = found->second;
    const Parents own = key;
    waiting_bytes_ -= bytes_of(*row);
    waiting_.erase(found);
    know_information();
    families_scored_ += row->unasked;
    row->unasked = 0;
    store(own, row);
    return row;
}

// A family by itself counts as one, once, whatever its row has.
double NeighbourScores::asked_local(const Parents& key, double value) {
    ++families_scored_;
    if (locals_.size() > memory_ / 128) locals_.clear();
    locals_.emplace(key, value);
    return value;
}

}  // namespace arcwise
