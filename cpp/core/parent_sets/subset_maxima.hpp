// The largest value over all subsets of every set, in place.
//
// The passes over one bit each (Yates 1937) are bound by memory when the array is large, so that the low bits
// are done block by block in the first cache, and the high bits four at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace arcwise {

// upper[i] = max(upper[i], lower[i]).
inline void take_maximum(double* upper, const double* lower, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) upper[i] = upper[i] < lower[i] ? lower[i] : upper[i];
}

// values[S] becomes the largest values[R] of all R within S; values has 2^bits entries.
inline void maximum_over_subsets(std::span<double> values, std::size_t bits) {
    const std::size_t low = std::min<std::size_t>(bits, 11);
    const std::size_t block = std::size_t{1} << low;
    for (std::size_t begin = 0; begin < values.size(); begin += block)
        for (std::size_t width = 1; width < block; width *= 2)
            for (std::size_t at = begin; at < begin + block; at += 2 * width)
                take_maximum(values.data() + at + width, values.data() + at, width);
    for (std::size_t first = low; first < bits; first += 4) {
        const std::size_t stride = std::size_t{1} << first;
        const std::size_t together = std::size_t{1} << std::min<std::size_t>(4, bits - first);
        constexpr std::size_t chunk = 256;
        for (std::size_t begin = 0; begin < values.size(); begin += together * stride)
            for (std::size_t at = begin; at < begin + stride; at += chunk)
                for (std::size_t width = 1; width < together; width *= 2)
                    for (std::size_t k = 0; k < together; ++k)
                        if ((k & width) != 0)
                            take_maximum(values.data() + at + k * stride,
                                         values.data() + at + (k ^ width) * stride, chunk);
    }
}

}  // namespace arcwise
