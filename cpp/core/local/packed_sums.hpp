// Counts of a set of variables in many replicates, in as few bytes as they take.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

// The sums are cells of equal length, one for each combination of states, and the last `totals` numbers of a
// cell are its totals, which no number of the cell exceeds. Of the combinations of several variables most are
// rare or do not occur: a cell of small numbers takes a byte each, an empty one nothing. What is kept for
// later, and read once for each search that comes back to it, takes less than half of the memory so.
class PackedSums {
  public:
    PackedSums(std::span<const std::uint32_t> sums, std::size_t cell, std::size_t totals) : cell_(cell) {
        assert(cell > 0 && sums.size() % cell == 0 && totals <= cell);
        for (std::size_t begin = 0; begin < sums.size(); begin += cell) {
            const auto numbers = sums.subspan(begin, cell);
            const std::uint32_t most = totals == 0 ? 0 : std::ranges::max(numbers.last(totals));
            assert(std::ranges::all_of(numbers, [&](std::uint32_t one) { return one <= most; }));
            kinds_.push_back(most == 0                                           ? Kind::empty
                             : most <= std::numeric_limits<std::uint8_t>::max()  ? Kind::bytes
                             : most <= std::numeric_limits<std::uint16_t>::max() ? Kind::shorts
                                                                                 : Kind::longs);
            switch (kinds_.back()) {
                case Kind::empty:
                    break;
                case Kind::bytes:
                    append(bytes_, numbers);
                    break;
                case Kind::shorts:
                    append(shorts_, numbers);
                    break;
                case Kind::longs:
                    append(longs_, numbers);
                    break;
            }
        }
        bytes_.shrink_to_fit();
        shorts_.shrink_to_fit();
        longs_.shrink_to_fit();
    }

    std::vector<std::uint32_t> unpacked() const {
        std::vector<std::uint32_t> sums(kinds_.size() * cell_, 0);
        auto out = sums.begin();
        auto byte = bytes_.begin();
        auto middle = shorts_.begin();
        auto large = longs_.begin();
        const auto step = static_cast<std::ptrdiff_t>(cell_);
        for (const Kind kind : kinds_) {
            switch (kind) {
                case Kind::empty:
                    break;
                case Kind::bytes:
                    std::copy_n(byte, cell_, out), byte += step;
                    break;
                case Kind::shorts:
                    std::copy_n(middle, cell_, out), middle += step;
                    break;
                case Kind::longs:
                    std::copy_n(large, cell_, out), large += step;
                    break;
            }
            out += step;
        }
        return sums;
    }

    std::size_t bytes() const {
        return kinds_.size() + bytes_.size() + 2 * shorts_.size() + 4 * longs_.size() + 200;
    }

  private:
    enum class Kind : std::uint8_t { empty, bytes, shorts, longs };

    template <class Number>
    static void append(std::vector<Number>& list, std::span<const std::uint32_t> numbers) {
        const std::size_t begin = list.size();
        list.resize(begin + numbers.size());
        for (std::size_t k = 0; k < numbers.size(); ++k) list[begin + k] = static_cast<Number>(numbers[k]);
    }

    std::size_t cell_;
    std::vector<Kind> kinds_;  // of each cell
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> shorts_;
    std::vector<std::uint32_t> longs_;
};

}  // namespace arcwise
