// Counts a family in many replicates of the data at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "local/packed_sums.hpp"
#include "local/parent_list.hpp"
#include "local/rare_columns.hpp"
#include "local/segment_counts.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// Replicates of a bootstrap are weights of the same rows, and with many cases their searches ask for much the
// same families. So a family is counted once for all of them: the weights of a row in 32 replicates lie side
// by side, a byte each, and are added with one instruction to every column that the row has
// (rare_columns.hpp), in the cells of the segment that it belongs to. Rows are read in their order, so that
// nothing is sorted, and what is added to stays in the cache.
//
// What is counted is a set of variables, whichever of them is the child, and it is kept: another family of
// the same variables finds it, and a set with one more variable p needs only the rows in which p is not in
// its usual state (family_counter.hpp does the same for one replicate).
//
// What was drawn and counted does not depend on the score: a search by another one that begins with the same
// counts finds most of its sets.
//
// The cost of a set is proportional to these rows times the columns that a row has, plus combinations x
// columns x replicates; a replicate for itself takes time proportional to its rows, which are sorted before.
class ReplicateCounts {
  public:
    static constexpr std::size_t lanes = 32;

    static constexpr std::size_t usual_memory = std::size_t{128} << 20;

    // At most `lanes` replicates; data and columns are kept by reference. `memory`: what counted sets may be
    // kept in.
    ReplicateCounts(const StateBlocks& data, const RareColumns& rare,
                    std::span<const std::span<const std::int64_t>> weights,
                    std::size_t memory = usual_memory);

    const StateBlocks& data() const { return data_; }
    std::size_t replicates() const { return replicates_; }
    // Calls visit(weights) for each replicate, in their order; the weights are valid during the call.
    template <class Visit>
    void for_weights(Visit visit) const;
    // What it takes, and letting go of all counted sets.
    std::size_t bytes() const;
    void forget();

    // Counts a family in all replicates; false if it has too many combinations of states for that.
    bool count(std::size_t child, std::span<const std::int32_t> parents);
    // What was counted last, in one of them. Segments that do not occur there are left out.
    std::shared_ptr<SegmentCounts> of(std::size_t replicate) const;

  private:
    // What one row counts beyond a byte.
    struct Heavy {
        std::uint32_t row;
        std::uint32_t lane;
        std::int64_t more;
    };
    using Sums = std::vector<std::uint32_t>;  // combinations x columns x lanes

    static constexpr std::size_t unpacked = 8;  // lanes at once

    void unpack(std::size_t lane, std::span<std::vector<std::int64_t>> weights) const;
    std::size_t combinations(const Parents& set) const;
    void keep(const Parents& set, const Sums& sums);
    Sums sums_of(const Parents& set);
    void find_keys(const Parents& set);
    void add_rows(std::span<const std::uint32_t> some, bool all, Sums& sums);
    void add_heavies(const Parents& set, std::size_t place, Sums& sums) const;
    void subtract(const Parents& set, std::size_t place, const Sums& base, Sums& sums) const;

    const StateBlocks& data_;
    const RareColumns& rare_;
    std::size_t replicates_;
    std::size_t memory_;
    std::vector<std::uint8_t> storage_;  // rows x lanes, from aligned_ on
    std::size_t aligned_ = 0;
    std::vector<std::uint8_t> most_;  // of each row, the largest of its weights
    std::vector<Heavy> heavies_;

    std::unordered_map<Parents, PackedSums, FamilyHash> known_;  // by ascending variables
    std::size_t known_bytes_ = 0;
    std::vector<std::uint16_t> keys_;  // of each row, its combination of states
    std::vector<std::uint8_t> small_;  // 16 bits x lanes, combinations x stride, aligned
    std::vector<std::uint32_t> room_;  // of each combination, what 16 bits still hold

    // The family at hand.
    std::size_t child_ = 0;
    Parents parents_;
    std::vector<std::size_t> steps_;  // of each parent and then of the child: from a state to the next
    Parents counted_set_;
    Sums counted_;
};

template <class Visit>
void ReplicateCounts::for_weights(Visit visit) const {
    std::vector<std::vector<std::int64_t>> some(unpacked);
    for (std::size_t lane = 0; lane < replicates_; ++lane) {
        if (lane % unpacked == 0) unpack(lane, some);
        visit(std::span<const std::int64_t>(some[lane % unpacked]));
    }
}

}  // namespace arcwise
