// How often every state of every candidate parent occurs in each segment of a family, and a store of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "local/parent_list.hpp"
#include "local/row_partition.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// The child and then its parents, as a key.
struct FamilyHash {
    std::size_t operator()(const Parents& key) const;
};

struct SegmentCounts {
    Segments segments;
    std::vector<std::uint8_t> counted;  // of each block, whether its counts are there

    // Blocks x segments x 64 columns (state_blocks.hpp). What is not counted yet is not set.
    void make_room(std::size_t blocks);
    std::uint32_t* of(std::size_t block) {
        return counts_.get() + block * segments.count() * StateBlocks::width;
    }
    const std::uint32_t* of(std::size_t block) const {
        return counts_.get() + block * segments.count() * StateBlocks::width;
    }
    std::size_t bytes() const { return room_ * sizeof(std::uint32_t) + 64 * segments.count() + 400; }

  private:
    std::unique_ptr<std::uint32_t[]> counts_;
    std::size_t room_ = 0;
};

// The counts that were made or asked for last, within `bytes`. They are in two generations: when the young
// one is full, the old one is forgotten, and what is found in the old one becomes young again. So what a
// search keeps coming back to stays, and nothing is sorted by age.
class KnownCounts {
  public:
    explicit KnownCounts(std::size_t bytes) : bytes_(bytes) {}

    std::shared_ptr<SegmentCounts> find(const Parents& family);
    void keep(const Parents& family, std::shared_ptr<SegmentCounts> counts);
    void clear();
    // An empty one, in memory of one that was forgotten if there is any.
    std::shared_ptr<SegmentCounts> fresh();

  private:
    using Generation = std::unordered_map<Parents, std::shared_ptr<SegmentCounts>, FamilyHash>;

    std::size_t bytes_;
    std::size_t young_bytes_ = 0;
    Generation young_;
    Generation old_;
    std::vector<std::shared_ptr<SegmentCounts>> spare_;
};

}  // namespace arcwise
