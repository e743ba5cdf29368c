// Philox4x64-10: a random number generator without state (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011).
//
// Four 64-bit numbers are a function of a 256-bit counter and a 128-bit key: ten rounds of two
// multiplications. Whoever computes row 1,000,000 needs no row before it, so that any split of the work over
// threads gives the same bits. numpy.random.Philox is the same function, which is what ours is tested
// against.
#pragma once

#include <array>
#include <cstdint>

namespace arcwise {

inline std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter,
                                           std::array<std::uint64_t, 2> key) {
    __extension__ using Wide = unsigned __int128;
    for (int round = 0; round < 10; ++round) {
        const Wide a = static_cast<Wide>(0xD2E7470EE14C6C93ULL) * counter[0];
        const Wide b = static_cast<Wide>(0xCA5A826395121157ULL) * counter[2];
        counter = {static_cast<std::uint64_t>(b >> 64) ^ counter[1] ^ key[0], static_cast<std::uint64_t>(b),
                   static_cast<std::uint64_t>(a >> 64) ^ counter[3] ^ key[1], static_cast<std::uint64_t>(a)};
        key[0] += 0x9E3779B97F4A7C15ULL;
        key[1] += 0xBB67AE8584CAA73BULL;
    }
    return counter;
}

// The upper 53 bits as a double in [0, 1).
inline double unit_interval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace arcwise
