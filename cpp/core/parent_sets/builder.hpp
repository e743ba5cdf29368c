// Builds tables of parent sets from data, one parent-set size ("level") after the other.
//
// A level goes through these steps, for all children and all scores together:
//   1. candidates: sets all of whose subsets are alive, with the best score of their subsets
//   (candidates.hpp);
//      those that a bound rules out together with their supersets are left out;
//   2. the tables of the candidate sets P themselves are counted, where the level before did not do it;
//   3. P is dropped for a child if one of its members says too little given the others;
//   4. the sets P + child that are needed by anybody are counted once each, in colex order;
//   5. each family gets its score, is kept if no subset beats it by more than the slack, and stays alive if
//      the bound leaves room for supersets.
// Where a score's bounds turn out to drop next to nothing, all its levels to come are made at once instead
// (dense_levels.cpp).
// A level that is stopped half way leaves no trace: the builder stands at the level before, and its tables
// hold for `max_parents` = that level.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/build_job.hpp"
#include "parent_sets/candidates.hpp"
#include "parent_sets/prior_gains.hpp"
#include "parent_sets/set_batch.hpp"
#include "parent_sets/set_scorer.hpp"
#include "parent_sets/table_data.hpp"

namespace arcwise {

// The states of all children in a row: numbers, members, values.
struct PackedState {
    std::vector<std::int64_t> numbers;
    std::vector<std::int32_t> members;
    std::vector<double> values;
};

struct BuildStatistics {
    std::uint64_t families = 0;  // scored
    std::uint64_t sets = 0;      // tables counted
    double peak_bytes = 0;       // of the builder's own tables, as estimated
};

class ParentSetBuilder {
  public:
    ParentSetBuilder(std::unique_ptr<CountSource> source, std::vector<const LocalScore*> scores,
                     BuildOptions options);

    // Builds one more level. Anything but `complete` means that the level was not finished. `elsewhere`, if
    // given, is asked to count its sets (set_batch.hpp).
    Status advance(Monitor& monitor, double seconds, const CountElsewhere& elsewhere = {});

    std::int32_t level() const { return level_; }  // -1 before the first
    bool finished() const;                         // no level can add anything
    const BuildStatistics& statistics() const { return statistics_; }
    TableData table(std::size_t score) const;

    // Where the builder stands after its last finished level, as flat arrays, and back: another builder of
    // the same data, scores and options goes on from there. False if the arrays cannot be such a state.
    PackedState pack() const;
    bool restore(const PackedState& packed);

  private:
    using Job = BuildJob;
    struct Level;  // what is in the making

    std::size_t set_score_of(std::size_t score) const { return set_number_[score]; }
    double bound(const Job& job, double parent_cells, double occupied_cells) const;
    bool generate(const Job& job, std::size_t size, Candidates& candidates, std::atomic<double>& bytes) const;
    bool waits(const Job& job) const;
    bool count_elsewhere(const Level& level, SetBatch batch, Ticker& ticker, bool& done) const;
    bool count(Level& level, const SetIndex& index, std::span<const std::uint8_t> known, SetValues& values,
               Ticker& ticker);
    void measure_parents(Level& level, std::size_t first, std::size_t last) const;
    void select(Job& job, Level& level, Candidates& candidates) const;
    bool evaluate(Job& job, Level& level, const Candidates& candidates, ChildState& next,
                  std::uint64_t& families) const;
    Status build(Level& level, Ticker& ticker);
    // dense_levels.cpp:
    std::vector<std::int32_t> dense_positions() const;
    bool pays_dense(const Level& level, std::size_t score) const;
    bool finish_densely(Level& level, std::size_t score, Ticker& ticker);
    void keep_densely(const Job& job, Level& level, std::span<const double> sums,
                      std::span<const std::size_t> bit, std::vector<double>& best, ChildState& next) const;

    std::unique_ptr<CountSource> source_;
    std::vector<const LocalScore*> scores_;
    BuildOptions options_;
    SetRanks ranks_;
    std::vector<std::size_t> set_number_;  // score -> its number among the set scores, or the family scores
    std::vector<const SetScore*> set_scores_;
    std::vector<const LocalScore*> family_scores_;
    std::vector<std::size_t> set_owner_;               // set score -> score
    std::vector<std::optional<PriorGains>> gains_;     // of each score; none without a prior
    std::vector<std::unique_ptr<SetScorer>> scorers_;  // one per thread
    std::vector<Job> jobs_;                            // score-major
    std::vector<std::int32_t> position_;               // variable -> position
    std::int32_t level_ = -1;
    BuildStatistics statistics_;
    // Sets of the last finished level: its parent sets, and parent sets with a child.
    SetIndex parent_index_;
    SetValues parent_values_;
    SetIndex family_index_;
    SetValues family_values_;
};

}  // namespace arcwise
