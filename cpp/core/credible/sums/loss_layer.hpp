// The losses of one layer of a diagram: for each state a list of different losses, ascending, with a number
// for each. All lists of a layer stand in one block, as states have few losses each but are many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/sums/count_column.hpp"

namespace arcwise {

template <class Count>
struct LossItem {
    double loss;
    Count ways;
};

// How a layer or its shares grow: by a quarter, so that little of the memory stands empty.
inline std::size_t grown_capacity(std::size_t capacity, std::size_t needed) {
    return needed <= capacity ? capacity : std::max(needed, capacity + capacity / 4 + 16);
}

class LossLayer {
  public:
    LossLayer() = default;
    explicit LossLayer(std::size_t states) {
        begin_.reserve(states + 1);
        begin_.push_back(0);
    }
    static std::size_t bytes_of_states(std::size_t states) { return (states + 1) * sizeof(std::uint64_t); }

    bool stored() const { return !begin_.empty(); }
    std::size_t states() const { return begin_.empty() ? 0 : begin_.size() - 1; }
    std::uint64_t size() const { return begin_.empty() ? 0 : begin_.back(); }
    std::uint64_t begin(std::size_t state) const { return begin_[state]; }
    std::uint64_t end(std::size_t state) const { return begin_[state + 1]; }
    double loss(std::uint64_t i) const { return loss_[i]; }
    const double* losses() const { return loss_.data(); }
    template <class Count>
    Count ways(std::uint64_t i) const {
        return ways_.get<Count>(i);
    }
    // Whether every number of ways fits into 64 bits.
    bool narrow() const { return ways_.width() <= 8; }

    std::size_t bytes() const { return begin_.capacity() * sizeof(std::uint64_t) + bytes_of_lists(); }
    // What `append` of a list will add to `bytes`; `bits` are those of its numbers of ways.
    std::size_t growth(std::size_t entries, BigCount bits) const {
        const auto width = std::max(ways_.width(), CountColumn::width_for(bits));
        return grown_capacity(capacity_, size() + entries) * (sizeof(double) + width) - bytes_of_lists();
    }
    // The list of the next state.
    template <class Count>
    void append(std::span<const LossItem<Count>> items, BigCount bits) {
        const auto at = size();
        const auto capacity = grown_capacity(capacity_, at + items.size());
        if (capacity != capacity_) set_capacity(capacity);
        ways_.widen(CountColumn::width_for(bits), at);
        for (std::size_t i = 0; i < items.size(); ++i) {
            loss_[at + i] = items[i].loss;
            ways_.set(at + i, items[i].ways);
        }
        begin_.push_back(at + items.size());
    }
    // Gives back what was kept for further lists.
    void trim() { set_capacity(size()); }

  private:
    std::size_t bytes_of_lists() const { return capacity_ * (sizeof(double) + ways_.width()); }
    void set_capacity(std::size_t entries) {
        capacity_ = entries;
        loss_.set_capacity(entries);
        ways_.set_capacity(entries);
    }

    std::vector<std::uint64_t> begin_;  // per state, and one more
    std::size_t capacity_ = 0;
    PlainColumn<double> loss_;
    CountColumn ways_;
};

// What the entries of a layer contribute to: the number and the weight of the ways on the other side.
class ShareLayer {
  public:
    std::size_t bytes() const { return capacity_ * (sizeof(double) + count_.width()); }
    std::size_t growth(std::size_t entries, BigCount bits) const {
        const auto width = std::max(count_.width(), CountColumn::width_for(bits));
        return std::max(capacity_, entries) * (sizeof(double) + width) - bytes();
    }
    // Room for all entries of a layer, and for counts with such bits.
    void reserve(std::size_t entries, BigCount bits) {
        capacity_ = entries;
        count_.widen(CountColumn::width_for(bits), 0);
        count_.set_capacity(entries);
        mass_.set_capacity(entries);
    }
    void append(std::span<const BigCount> counts, std::span<const double> masses, BigCount bits) {
        count_.widen(CountColumn::width_for(bits), size_);
        for (std::size_t i = 0; i < counts.size(); ++i, ++size_) {
            count_.set(size_, counts[i]);
            mass_[size_] = masses[i];
        }
    }
    // Where there is room for it; another thread may set another entry.
    void set(std::uint64_t i, BigCount count, double mass) {
        count_.set(i, count);
        mass_[i] = mass;
    }
    BigCount count(std::uint64_t i) const { return count_.get<BigCount>(i); }
    double mass(std::uint64_t i) const { return mass_[i]; }

  private:
    std::size_t size_ = 0, capacity_ = 0;
    CountColumn count_;
    PlainColumn<double> mass_;
};

}  // namespace arcwise
