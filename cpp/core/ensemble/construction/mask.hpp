// Sets of the nodes of one component: one machine word for up to 64 nodes, an array of words above. The
// searches are written once, for a type with these operations; which one is chosen by the component's size.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace arcwise {

// A set of up to 64 W nodes.
template <std::size_t W>
class NodeSet {
  public:
    static constexpr std::size_t capacity = 64 * W;

    constexpr NodeSet() = default;
    static constexpr NodeSet first(std::size_t count) {  // {0, .., count - 1}
        NodeSet set;
        for (std::size_t w = 0; w < W; ++w) {
            const std::size_t low = 64 * w;
            if (count >= low + 64)
                set.words_[w] = ~std::uint64_t{0};
            else if (count > low)
                set.words_[w] = (std::uint64_t{1} << (count - low)) - 1;
        }
        return set;
    }
    static constexpr NodeSet single(std::size_t node) {
        NodeSet set;
        set.add(node);
        return set;
    }

    constexpr void add(std::size_t node) { words_[node >> 6] |= std::uint64_t{1} << (node & 63); }
    constexpr void remove(std::size_t node) { words_[node >> 6] &= ~(std::uint64_t{1} << (node & 63)); }
    constexpr bool has(std::size_t node) const { return (words_[node >> 6] >> (node & 63)) & 1U; }
    constexpr bool empty() const {
        std::uint64_t any = 0;
        for (const auto word : words_) any |= word;
        return any == 0;
    }
    constexpr std::size_t size() const {
        std::size_t total = 0;
        for (const auto word : words_) total += static_cast<std::size_t>(std::popcount(word));
        return total;
    }
    // This set is contained in the other.
    constexpr bool within(const NodeSet& other) const {
        std::uint64_t outside = 0;
        for (std::size_t w = 0; w < W; ++w) outside |= words_[w] & ~other.words_[w];
        return outside == 0;
    }
    constexpr bool meets(const NodeSet& other) const {
        std::uint64_t both = 0;
        for (std::size_t w = 0; w < W; ++w) both |= words_[w] & other.words_[w];
        return both != 0;
    }
    constexpr std::size_t lowest() const {
        for (std::size_t w = 0; w < W; ++w)
            if (words_[w] != 0) return 64 * w + static_cast<std::size_t>(std::countr_zero(words_[w]));
        return capacity;
    }

    friend constexpr NodeSet operator&(NodeSet a, const NodeSet& b) {
        for (std::size_t w = 0; w < W; ++w) a.words_[w] &= b.words_[w];
        return a;
    }
    friend constexpr NodeSet operator|(NodeSet a, const NodeSet& b) {
        for (std::size_t w = 0; w < W; ++w) a.words_[w] |= b.words_[w];
        return a;
    }
    friend constexpr NodeSet operator-(NodeSet a, const NodeSet& b) {
        for (std::size_t w = 0; w < W; ++w) a.words_[w] &= ~b.words_[w];
        return a;
    }
    friend constexpr bool operator==(const NodeSet&, const NodeSet&) = default;
    friend constexpr auto operator<=>(const NodeSet&, const NodeSet&) = default;

    constexpr std::uint64_t word(std::size_t w) const { return words_[w]; }
    constexpr std::uint64_t hash() const {
        std::uint64_t value = 0x9e3779b97f4a7c15ULL;
        for (const auto word : words_) {
            value = (value ^ word) * 0xff51afd7ed558ccdULL;
            value ^= value >> 32;
        }
        return value;
    }

    // Calls visit(node) for every member, ascending.
    template <class Visit>
    constexpr void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < W; ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }

  private:
    std::array<std::uint64_t, W> words_{};
};

}  // namespace arcwise
