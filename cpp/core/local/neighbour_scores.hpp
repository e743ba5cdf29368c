// The scores of a family and of its neighbours, counted from the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "local/neighbour_row.hpp"
#include "local/neighbour_source.hpp"
#include "local/parent_additions.hpp"
#include "local/parent_gains.hpp"
#include "local/scored_sample.hpp"
#include "local/shared_counter.hpp"

namespace arcwise {

// Computes rows on demand and keeps them. A whole row costs little more than its slowest family, because all
// additions are counted in one pass over the sorted rows (state_blocks.hpp); so the searches never ask for
// less, and a search that comes back to a parent set, as tabu search, restarts and the genetic search do,
// finds its row ready. Rows are forgotten when they would fill more than `memory` bytes.
class NeighbourScores final : public NeighbourSource {
  public:
    // `tables` is for the score's set function and may outlive one data sample, as long as N is the same; it
    // is null if the score has none.
    NeighbourScores(const StateBlocks& data, std::span<const std::int64_t> weights, const LocalScore& score,
                    CellTermTables* tables, const ArcRules& rules, std::size_t memory,
                    std::size_t counts_memory = usual_counts_memory);

    // What counts of families may be kept in: enough for the families that a search comes back to, and little
    // beside a cache of the third level.
    static constexpr std::size_t usual_counts_memory = std::size_t{32} << 20;

    Row row(std::size_t child, std::span<const std::int32_t> parents) override;
    void settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                std::size_t x) override;
    void settle_all(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents) override;
    double local(std::size_t child, std::span<const std::int32_t> parents) override;

    const ParentGains& gains() const override { return gains_; }
    void narrow(std::vector<Parents> lists) override;
    void widen() override;

    // Where others search replicates of the same data: the counts of a child without parents, who counts
    // families for all from now on, and what was counted.
    void receive_marginal(std::size_t child, std::shared_ptr<const SegmentCounts> counts);
    void share(SharedCounter& shared) { shared_ = &shared; }
    void receive(std::size_t child, std::span<const std::int32_t> parents,
                 std::shared_ptr<SegmentCounts> counts);

    const ArcRules& rules() const override { return sample_.rules; }
    std::size_t variables() const override { return sample_.data.variables(); }
    std::int64_t cases() const { return sample_.weights.cases; }
    std::uint64_t families_scored() const override { return sample_.scorer.families_scored; }
    std::uint64_t families_meant() const override { return families_scored() + families_spared_; }

  private:
    const Parents& key_of(std::size_t child, std::span<const std::int32_t> parents);
    void fill_empty_rows();  // empty_rows.cpp
    Row compute(std::size_t child, std::span<const std::int32_t> parents);
    Row score_counted(std::size_t child, std::span<const std::int32_t> parents);
    void prepare_bounds();
    double keep_local(const Parents& key, double value);
    bool is_shared(std::size_t child, std::span<const std::int32_t> parents);
    Row take_waiting(const Parents& key);

    ScoredSample sample_;
    ParentAdditions additions_;
    ParentGains gains_;
    CandidateLists candidates_;
    std::size_t memory_;
    std::uint64_t families_spared_ = 0;

    Parents key_;  // scratch: a row that is known is found without asking for memory
    RowCache rows_;
    RowCache wide_rows_;   // rows of all variables, while rows are narrow
    bool filled_ = false;  // the rows without parents have been made
    std::unordered_map<Parents, double, FamilyHash> locals_;
    RowPartition partition_;  // scratch, of one family without its neighbours

    SharedCounter* shared_ = nullptr;  // who counts for several searches, if anybody
    RowCache waiting_;                 // rows that nobody has asked for yet
};

}  // namespace arcwise
