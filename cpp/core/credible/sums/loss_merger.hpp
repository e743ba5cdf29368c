// Merges the lists of losses that lead to one state.
//
// The lists ascend, so they are merged in pairs, and the results again: a state with k lists of n entries in
// all takes n log k steps without a branch that has to be guessed, where sorting takes n log n. Equal losses
// are joined only when everything is in order, from the smallest on: whoever takes `grain` for equality must
// know which entry a loss went into, and that is then the last one not above it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/sums/loss_layer.hpp"

namespace arcwise {

template <class Count>
class LossMerger {
  public:
    using Item = LossItem<Count>;

    static std::size_t bytes_for(std::size_t capacity) { return 2 * capacity * sizeof(Item); }
    // How many entries it has room for.
    std::size_t capacity() const { return from_.size(); }
    void release() { from_ = to_ = std::vector<Item>(); }
    // Room for `entries`; what was added before is forgotten.
    void start(std::size_t entries) {
        const auto capacity = grown_capacity(from_.size(), entries);
        if (capacity > from_.size()) {
            for (auto* items : {&from_, &to_}) {
                *items = std::vector<Item>();
                items->resize(capacity);
            }
        }
        size_ = 0;
        runs_.assign(1, 0);
    }
    void add(double loss, Count ways) { from_[size_++] = {loss, ways}; }
    void end_list() {
        if (size_ > runs_.back()) runs_.push_back(size_);
    }
    std::size_t size() const { return size_; }
    std::size_t lists() const { return runs_.size() - 1; }

    // The sorted list without repetition; `bits` are those of its numbers, or-ed. False if a sum of ways does
    // not fit into a Count: the caller adds everything again to a wider merger.
    bool settle(double grain, std::span<const Item>& merged, BigCount& bits) {
        while (runs_.size() > 2) merge_pairs();
        std::size_t last = 0;
        bool fits = true;
        bits = 0;
        for (std::size_t i = 1; i < size_; ++i) {
            if (from_[i].loss - from_[last].loss <= grain) {
                fits &= !__builtin_add_overflow(from_[last].ways, from_[i].ways, &from_[last].ways);
            } else {
                bits |= from_[last].ways;
                from_[++last] = from_[i];
            }
        }
        if (size_ > 0) bits |= from_[last].ways;
        merged = {from_.data(), size_ > 0 ? last + 1 : 0};
        return fits;
    }

  private:
    void merge_pairs() {
        std::size_t kept = 0;
        for (std::size_t r = 0; r + 1 < runs_.size(); r += 2) {
            const Item* a = &from_[0] + runs_[r];
            const Item* const a_end = &from_[0] + runs_[r + 1];
            const Item* b = a_end;
            const Item* const b_end = r + 2 < runs_.size() ? &from_[0] + runs_[r + 2] : a_end;
            Item* into = &to_[0] + runs_[r];
            while (a != a_end && b != b_end) {
                const bool second = b->loss < a->loss;
                *into++ = *(second ? b : a);
                b += second;
                a += !second;
            }
            into = std::copy(a, a_end, into);
            std::copy(b, b_end, into);
            runs_[++kept] = static_cast<std::size_t>(b_end - &from_[0]);
        }
        runs_.resize(kept + 1);
        from_.swap(to_);
    }

    std::vector<Item> from_, to_;
    std::size_t size_ = 0;
    std::vector<std::size_t> runs_;  // where each list begins, and the end
};

}  // namespace arcwise
