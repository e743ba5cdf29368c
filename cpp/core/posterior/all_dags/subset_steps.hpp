// The order in which a transform over all subsets combines pairs of entries, so that memory is read few
// times.
#pragma once

#include <algorithm>
#include <cstddef>

namespace arcwise {

// Calls combine(lower, upper, count) such that for every bit, in ascending order, each pair of sets that
// differ in this bit alone is met once: the `count` sets from `lower` on lack it, those from `upper` on have
// it. A pass per bit would read an array of 2^23 entries 23 times; here the low bits are done block by block
// in the first cache, and the others six at a time in tiles of the second.
template <class Combine>
void for_subset_steps(std::size_t bits, Combine combine) {
    constexpr std::size_t low_bits = 11, group = 6, columns = 256;
    const std::size_t size = std::size_t{1} << bits, low = std::min(bits, low_bits);
    for (std::size_t block = 0; block < size; block += std::size_t{1} << low)
        for (std::size_t b = 0; b < low; ++b)
            for (std::size_t at = 0; at < std::size_t{1} << low; at += std::size_t{2} << b)
                combine(block + at, block + at + (std::size_t{1} << b), std::size_t{1} << b);
    for (std::size_t first = low; first < bits; first += group) {
        const std::size_t last = std::min(bits, first + group);
        for (std::size_t outer = 0; outer < size; outer += std::size_t{1} << last)
            for (std::size_t column = 0; column < std::size_t{1} << first; column += columns)
                for (std::size_t b = first; b < last; ++b)
                    for (std::size_t row = 0; row < std::size_t{1} << last; row += std::size_t{2} << b)
                        for (std::size_t inner = row; inner < row + (std::size_t{1} << b);
                             inner += std::size_t{1} << first)
                            combine(outer + inner + column, outer + inner + (std::size_t{1} << b) + column,
                                    columns);
    }
}

}  // namespace arcwise
