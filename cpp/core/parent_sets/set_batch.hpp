// Sets of one size that are to be counted, for processes that have the data but not the builder.
//
// What is found of a set depends on the data and the set alone, so that it does not matter which process
// finds it: the builder makes one batch of all sets of a level, others are told some of them by rank
// (`ranks`) and count them (`SetTask`), and what they found is put where the builder would have put it. Each
// set is counted once, by one process, for all children and scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/set_index.hpp"
#include "parent_sets/set_scorer.hpp"

namespace arcwise {

// A rank as two numbers, the lower half first: what crosses between processes.
inline constexpr std::size_t rank_words = 2;

// Places first .. last - 1 of a batch are neighbours in colex order: whoever counts them shares their
// prefixes.
class SetBatch {
  public:
    // Sets whose set functions are wanted, except those with a nonzero entry in `known` (if not empty).
    SetBatch(const SetIndex& index, std::span<const std::uint8_t> known, SetValues& values);
    // Sets some of whose families are wanted.
    SetBatch(const SetIndex& index, std::span<FamilyValues> families);

    std::size_t size() const { return every_ ? index_.size() : slots_.size(); }
    std::size_t set_size() const { return index_.set_size(); }
    bool is_of_families() const { return values_ == nullptr; }
    std::vector<std::uint64_t> ranks(std::size_t first, std::size_t last) const;
    // Per family score, set and member: is the family wanted?
    std::vector<std::uint8_t> needed(std::size_t first, std::size_t last) const;

    // What was found of the sets from `first` on, the set functions (or family scores) one after the other.
    // False if there are not as many numbers as for whole sets within the batch.
    bool store_sums(std::size_t first, std::span<const double> sums, std::span<const std::uint32_t> occupied);
    bool store_families(std::size_t first, std::span<const double> scores, std::span<const double> bounds);

  private:
    std::size_t slot(std::size_t place) const { return every_ ? place : slots_[place]; }

    const SetIndex& index_;
    SetValues* values_ = nullptr;
    std::span<FamilyValues> families_;
    bool every_ = true;
    std::vector<std::size_t> slots_;  // unless every one
};

// Counts a batch in place of this process; nothing if this process is to do it after all.
using CountElsewhere = std::function<std::optional<Status>(SetBatch&)>;

// The other side: the data and scores of a builder.
class SetTask {
  public:
    SetTask(std::unique_ptr<CountSource> source, const std::vector<const LocalScore*>& scores);

    // The set functions one after the other, as one.
    SetValues sum_sets(std::size_t set_size, std::span<const std::uint64_t> ranks);
    // `needed` as a batch says it; scores and bounds of all family scores one after the other.
    FamilyValues score_families(std::size_t set_size, std::span<const std::uint64_t> ranks,
                                std::span<const std::uint8_t> needed);

  private:
    SetIndex index_of(std::size_t set_size, std::span<const std::uint64_t> ranks);

    std::unique_ptr<CountSource> source_;
    SetRanks ranks_;
    std::size_t set_scores_ = 0;
    std::size_t family_scores_ = 0;
    std::unique_ptr<SetScorer> scorer_;
};

}  // namespace arcwise
