// Random numbers whose sequence is part of the result: the same on every platform and compiler, which the
// distributions of the standard library are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace arcwise {

// xoshiro256** (Blackman and Vigna 2021), seeded by splitmix64 as its authors advise.
class Xoshiro {
  public:
    explicit Xoshiro(std::uint64_t seed) {
        for (auto& word : state_) word = mix(seed += 0x9e3779b97f4a7c15ULL);
    }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // Uniform in 0 .. bound - 1, without bias: the few numbers above the largest multiple are drawn again.
    std::size_t below(std::size_t bound) {
        const std::uint64_t limit = bound;
        std::uint64_t drawn = next();
        if (drawn < limit) {  // seldom; otherwise the excess, which is less, is not worth its division
            const std::uint64_t excess = (0 - limit) % limit;
            while (drawn < excess) drawn = next();
        }
        return static_cast<std::size_t>(drawn % limit);
    }

    template <class T>
    void shuffle(std::span<T> values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

    // The four words that all numbers to come follow from: what is kept of work that goes on later.
    std::span<const std::uint64_t, 4> state() const { return state_; }
    void restore(std::span<const std::uint64_t, 4> state) { std::ranges::copy(state, state_); }

    // The finaliser of splitmix64: a good hash of one word.
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

  private:
    static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    std::uint64_t state_[4];
};

}  // namespace arcwise
