// Sets of variables as rows of 64-bit words: the few operations that every search needs, for any number of
// words. The number of words is an argument, not a type: 1 for up to 64 variables, 17 for munin's 1,041.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arcwise::bits {

using Word = std::uint64_t;

inline std::size_t words_for(std::size_t variables) {
    return variables == 0 ? 1 : (variables + 63) / 64;
}
inline bool test(const Word* set, std::size_t i) {
    return (set[i >> 6] >> (i & 63)) & 1U;
}
inline void add(Word* set, std::size_t i) {
    set[i >> 6] |= Word{1} << (i & 63);
}
inline void remove(Word* set, std::size_t i) {
    set[i >> 6] &= ~(Word{1} << (i & 63));
}

// a is a subset of b.
inline bool subset(const Word* a, const Word* b, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w)
        if ((a[w] & ~b[w]) != 0) return false;
    return true;
}

inline bool intersects(const Word* a, const Word* b, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w)
        if ((a[w] & b[w]) != 0) return true;
    return false;
}

inline std::size_t count(const Word* set, std::size_t words) {
    std::size_t total = 0;
    for (std::size_t w = 0; w < words; ++w) total += static_cast<std::size_t>(std::popcount(set[w]));
    return total;
}

// Calls visit(i) for every member i, ascending.
template <class Visit>
void for_each(const Word* set, std::size_t words, Visit&& visit) {
    for (std::size_t w = 0; w < words; ++w)
        for (Word rest = set[w]; rest != 0; rest &= rest - 1)
            visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
}

}  // namespace arcwise::bits
