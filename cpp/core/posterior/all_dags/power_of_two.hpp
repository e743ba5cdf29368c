// Scaling by powers of two: exact, and two instructions where an exponential would take fifty.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace arcwise {

// 2^exponent, for exponents from -1022 to 1023.
inline double power_of_two(std::int32_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent) + 1023)
                                 << 52);
}

// The same for any exponent that is not above 1023; what is below 2^-1022 becomes 2^-1022, which is larger.
inline double clamped_power_of_two(std::int32_t exponent) {
    return power_of_two(std::max(exponent, -1022));
}

// A number that is not negative as a float that is no smaller. (Rounding takes at most 2^-24 of it away; what
// is too small for a normal float becomes the smallest one.)
inline float rounded_up(double value) {
    const auto near = static_cast<float>(value * (1 + 0x1p-22));
    return value > 0 ? std::max(near, std::numeric_limits<float>::min()) : 0.0F;
}

}  // namespace arcwise
