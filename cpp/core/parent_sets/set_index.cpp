#include "parent_sets/set_index.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace arcwise {

namespace {

// A bitmap takes 3/16 byte per possible set, a list 16 bytes per marked one. Up to 32 MB a bitmap is used in
// any case, beyond that if it is not larger than the list.
bool as_bitmap(Rank universe, std::size_t expected) {
    constexpr Rank small = Rank{1} << 28;
    return universe <= small || universe <= static_cast<Rank>(expected) * 64;
}

}  // namespace

SetIndex::SetIndex(std::size_t set_size, Rank universe, std::size_t expected)
    : set_size_(set_size), bitmap_(as_bitmap(universe, expected)), guard_(std::make_unique<std::mutex>()) {
    if (bitmap_) words_.assign(static_cast<std::size_t>(universe / 64) + 1, 0);
}

SetIndex SetIndex::of_ranks(std::size_t set_size, std::vector<Rank> ranks) {
    SetIndex index;
    index.set_size_ = set_size;
    index.size_ = ranks.size();
    index.bitmap_ = false;
    index.ranks_ = std::move(ranks);
    return index;
}

double SetIndex::bytes(Rank universe, std::size_t expected) {
    return as_bitmap(universe, expected) ? static_cast<double>(universe) * 3 / 16
                                         : static_cast<double>(expected) * 16;
}

void SetIndex::Marker::mark(Rank rank) {
    if (!index_.bitmap_) {
        pending_.push_back(rank);
        return;
    }
    auto& word = index_.words_[static_cast<std::size_t>(rank / 64)];
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(rank % 64);
    const std::atomic_ref<std::uint64_t> shared(word);
    if ((shared.load(std::memory_order_relaxed) & bit) == 0) shared.fetch_or(bit, std::memory_order_relaxed);
}

void SetIndex::take(std::vector<Rank>& pending) {
    if (pending.empty()) return;
    std::sort(pending.begin(), pending.end());
    pending.erase(std::unique(pending.begin(), pending.end()), pending.end());
    const std::lock_guard lock(*guard_);
    ranks_.insert(ranks_.end(), pending.begin(), pending.end());
}

void SetIndex::seal() {
    if (!bitmap_) {
        std::sort(ranks_.begin(), ranks_.end());
        ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
        size_ = ranks_.size();
        return;
    }
    before_.resize(words_.size());
    size_ = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
        before_[word] = size_;
        size_ += static_cast<std::size_t>(std::popcount(words_[word]));
    }
}

std::size_t SetIndex::slot(Rank rank) const {
    if (!bitmap_) {
        const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
        return found == ranks_.end() || *found != rank ? absent
                                                       : static_cast<std::size_t>(found - ranks_.begin());
    }
    const auto word = static_cast<std::size_t>(rank / 64);
    if (word >= words_.size()) return absent;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(rank % 64);
    if ((words_[word] & bit) == 0) return absent;
    return before_[word] + static_cast<std::size_t>(std::popcount(words_[word] & (bit - 1)));
}

Rank SetIndex::rank(std::size_t slot) const {
    if (!bitmap_) return ranks_[slot];
    const auto after = std::upper_bound(before_.begin(), before_.end(), slot);
    const auto word = static_cast<std::size_t>(after - before_.begin()) - 1;
    std::uint64_t bits = words_[word];
    for (std::size_t skip = slot - before_[word]; skip > 0; --skip) bits &= bits - 1;
    return static_cast<Rank>(word) * 64 + static_cast<Rank>(std::countr_zero(bits));
}

Rank SetIndex::next(Rank rank, std::size_t slot) const {
    if (!bitmap_) return ranks_[slot + 1];
    ++rank;
    auto word = static_cast<std::size_t>(rank / 64);
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << static_cast<unsigned>(rank % 64));
    while (bits == 0) bits = words_[++word];
    return static_cast<Rank>(word) * 64 + static_cast<Rank>(std::countr_zero(bits));
}

}  // namespace arcwise
