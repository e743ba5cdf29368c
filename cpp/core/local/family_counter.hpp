// Counts a family together with every candidate parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "local/case_bits.hpp"
#include "local/row_partition.hpp"
#include "local/segment_counts.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// A search comes to the parents P of a child mostly by one arc: P without some p was counted shortly before.
// The rows in which p is in its most frequent state need not be counted then; what they have is what all rows
// had minus what the other rows have (Moore & Lee 1998 leave the most frequent value out of their trees of
// counts for the same reason). Of a binary variable that is 1 in a tenth of the rows, a tenth is sorted and
// counted. Counts are integers, so that a difference is the count itself, and every score the same to the
// last bit.
//
// The cost of a family is then proportional to the rows with a rare state of p, plus segments x columns for
// the difference; where nothing is known it is proportional to all rows.
class FamilyCounter {
  public:
    // `memory`: what counts may be kept in; 0 keeps none.
    FamilyCounter(const StateBlocks& data, const RowWeights& weights, std::size_t memory);

    // Turns to a family. `blocks` has the columns of the candidates; `data` or those of a narrow search.
    void look_at(std::size_t child, std::span<const std::int32_t> parents, const StateBlocks& blocks);
    // The same where somebody else has counted it, all of its blocks.
    void take(std::size_t child, std::span<const std::int32_t> parents, const StateBlocks& blocks,
              std::shared_ptr<SegmentCounts> counts);
    // Turns to a child without parents and counts all blocks, if that takes no sorting; null if it would.
    std::shared_ptr<const SegmentCounts> count_from_bits(std::size_t child, const StateBlocks& blocks);
    // Its segments, whichever way they were found ..
    const Segments& segments() const { return *segments_; }
    // .. its rows, sorted now if they were not needed yet ..
    const RowPartition& sorted();
    // .. and how often each column of a block occurs, segments x 64. Only if `counts_whole`.
    const std::uint32_t* counts(std::size_t block);
    // Do the counts of all segments fit into memory, and into 32 bits?
    bool counts_whole() const { return whole_; }
    // Keeps what was counted of this family for the next ones.
    void keep();
    // The candidates will be others from now on.
    void forget() { known_.clear(); }

    RowSorter& sorter() { return sorter_; }

  private:
    void turn_to(std::size_t child, std::span<const std::int32_t> parents, const StateBlocks& blocks);
    bool fits_whole() const;
    void start_own();
    void split();
    bool is_known(std::size_t child);  // without parents
    void count_alone(std::size_t child, const StateBlocks& blocks);
    std::shared_ptr<const SegmentCounts> find_base();
    bool is_worth_keeping() const;
    bool is_quicker(const SegmentCounts& base, std::size_t place);
    void derive();
    void find_places_in_base();
    void emit_usual(std::size_t base_config);
    void emit_rare(std::size_t config);
    void count_group(std::size_t block);
    void subtract(std::size_t first, std::size_t several);

    const StateBlocks& data_;
    const RowWeights& weights_;
    RowSorter sorter_;
    CaseBits bits_;
    KnownCounts known_;
    bool keeps_;  // whether counts are worth keeping

    // The family at hand.
    std::size_t child_ = 0;
    Parents parents_;
    const StateBlocks* blocks_ = nullptr;
    const Segments* segments_ = nullptr;
    bool whole_ = false;
    bool is_sorted_ = false;
    bool is_split_ = false;  // by bits_
    RowPartition partition_;
    std::shared_ptr<SegmentCounts> own_;
    bool has_own_ = false;  // whether it is of this family

    // How it follows from another: that one, where the parent that it lacks stands in the list, and the rows
    // with that parent's rare states.
    std::shared_ptr<const SegmentCounts> base_;
    std::size_t place_ = 0;
    std::uint32_t usual_ = 0;
    RowPartition rare_;
    std::vector<std::size_t> base_config_;   // of each configuration of rare_: the base's
    std::vector<std::size_t> base_segment_;  // of each segment of rare_: the base's
    std::vector<std::int64_t> left_;         // of each segment of the base: its weight in the usual state
    std::vector<std::uint32_t> source_;      // of each segment: twice the base's, or twice rare_'s and one
    std::vector<std::uint32_t> usual_at_;    // of each segment of the base: where its usual part stands
    std::vector<std::uint32_t> rare_counts_;
    Parents key_;
};

// Adds up the columns of a block over the rows of some segments; `counts`, segments x 64, are replaced.
template <class Count>
void count_block(const StateBlocks& data, const StateBlocks& blocks, std::size_t block,
                 const RowPartition& partition, std::size_t first, std::size_t last, Count* counts);

// The same over all segments, for several blocks of a group.
void count_blocks(const StateBlocks& data, const StateBlocks& blocks, std::size_t block, std::size_t several,
                  const RowPartition& partition, std::uint32_t* counts);

}  // namespace arcwise
