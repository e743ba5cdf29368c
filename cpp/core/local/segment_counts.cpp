#include "local/segment_counts.hpp"

#include <utility>

#include "xoshiro.hpp"

namespace arcwise {

std::size_t FamilyHash::operator()(const Parents& key) const {
    std::uint64_t hash = key.size();
    for (const auto v : key)
        hash = Xoshiro::mix(hash ^ (static_cast<std::uint64_t>(v) + 0x9e3779b97f4a7c15ULL));
    return hash;
}

void SegmentCounts::make_room(std::size_t blocks) {
    const std::size_t needed = blocks * segments.count() * StateBlocks::width;
    if (needed > room_ || needed < room_ / 4) {
        counts_ = std::make_unique_for_overwrite<std::uint32_t[]>(needed);
        room_ = needed;
    }
    counted.assign(blocks, 0);
}

std::shared_ptr<SegmentCounts> KnownCounts::find(const Parents& family) {
    if (const auto found = young_.find(family); found != young_.end()) return found->second;
    const auto found = old_.find(family);
    if (found == old_.end()) return nullptr;
    auto counts = std::move(found->second);
    old_.erase(found);
    keep(family, counts);
    return counts;
}

void KnownCounts::keep(const Parents& family, std::shared_ptr<SegmentCounts> counts) {
    const std::size_t bytes = counts->bytes();
    if (bytes > bytes_ / 4) return;
    if (young_bytes_ + bytes > bytes_ / 2) {
        spare_.clear();
        for (auto& forgotten : old_) spare_.push_back(std::move(forgotten.second));
        old_ = std::exchange(young_, {});
        young_bytes_ = 0;
    }
    young_bytes_ += bytes;
    young_.insert_or_assign(family, std::move(counts));
}

std::shared_ptr<SegmentCounts> KnownCounts::fresh() {
    while (!spare_.empty()) {
        auto spare = std::move(spare_.back());
        spare_.pop_back();
        if (spare.use_count() > 1) continue;
        return spare;
    }
    return std::make_shared<SegmentCounts>();
}

void KnownCounts::clear() {
    spare_.clear();
    young_.clear();
    old_.clear();
    young_bytes_ = 0;
}

}  // namespace arcwise
