// Sets of small numbers (nodes, mostly) as rows of 64-bit words: one type, whoever holds the words.
//
// A search over one component keeps millions of sets by value and knows at compile time how many words they
// have; the exact solver reads sets of any length out of one long array. Both are the same type over another
// storage, so that every operation is written once and each loop runs over what its storage knows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace arcwise {

using Word = std::uint64_t;

// The words that numbers below `count` need. At least one, so that a row is never empty.
constexpr std::size_t words_for(std::size_t count) {
    return count == 0 ? 1 : (count + 63) / 64;
}

template <class Storage>
class Bitset {
  public:
    // 0 if only the set itself knows how many words it has.
    static constexpr std::size_t fixed_words = [] {
        if constexpr (requires { std::tuple_size<Storage>::value; })
            return std::tuple_size<Storage>::value;
        else
            return std::size_t{0};
    }();
    static constexpr std::size_t capacity = 64 * fixed_words;

    constexpr Bitset() = default;
    constexpr explicit Bitset(Storage words) : words_(std::move(words)) {}
    // A view of another set.
    template <class Other>
        requires(!std::is_same_v<Other, Storage> && std::is_constructible_v<Storage, const Other&>)
    constexpr Bitset(const Bitset<Other>& other) : words_(other.words()) {}
    template <class Other>
        requires(!std::is_same_v<Other, Storage> && std::is_constructible_v<Storage, Other&>)
    constexpr Bitset(Bitset<Other>& other) : words_(other.words()) {}

    static constexpr Bitset first(std::size_t count)  // {0, .., count - 1}
        requires(fixed_words > 0)
    {
        Bitset set;
        for (std::size_t w = 0; w < fixed_words; ++w) {
            const std::size_t low = 64 * w;
            if (count >= low + 64)
                set.words_[w] = ~Word{0};
            else if (count > low)
                set.words_[w] = (Word{1} << (count - low)) - 1;
        }
        return set;
    }
    static constexpr Bitset single(std::size_t member)
        requires(fixed_words > 0)
    {
        Bitset set;
        set.add(member);
        return set;
    }

    constexpr const Storage& words() const { return words_; }
    constexpr Storage& words() { return words_; }
    constexpr std::size_t word_count() const { return words_.size(); }

    constexpr void add(std::size_t member) { words_[member >> 6] |= Word{1} << (member & 63); }
    constexpr void remove(std::size_t member) { words_[member >> 6] &= ~(Word{1} << (member & 63)); }
    constexpr void toggle(std::size_t member) { words_[member >> 6] ^= Word{1} << (member & 63); }
    constexpr void fill(bool every) { std::fill(words_.begin(), words_.end(), every ? ~Word{0} : Word{0}); }
    constexpr bool has(std::size_t member) const { return (words_[member >> 6] >> (member & 63)) & 1U; }
    constexpr bool empty() const {
        Word any = 0;
        for (const auto word : words_) any |= word;
        return any == 0;
    }
    constexpr std::size_t size() const {
        std::size_t total = 0;
        for (const auto word : words_) total += static_cast<std::size_t>(std::popcount(word));
        return total;
    }
    // How many members the sets share.
    template <class Other>
    constexpr std::size_t shared(const Bitset<Other>& other) const {
        std::size_t total = 0;
        for (std::size_t w = 0; w < words_.size(); ++w)
            total += static_cast<std::size_t>(std::popcount(words_[w] & other.words()[w]));
        return total;
    }
    // This set is contained in the other. Long rows mostly differ in an early word; a few words that the
    // compiler knows of are compared at once.
    template <class Other>
    constexpr bool within(const Bitset<Other>& other) const {
        return none_of_words(other, [](Word a, Word b) { return a & ~b; });
    }
    template <class Other>
    constexpr bool meets(const Bitset<Other>& other) const {
        return !none_of_words(other, [](Word a, Word b) { return a & b; });
    }
    constexpr std::size_t lowest() const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            if (words_[w] != 0) return 64 * w + static_cast<std::size_t>(std::countr_zero(words_[w]));
        return 64 * words_.size();
    }

    template <class Other>
    constexpr Bitset& operator&=(const Bitset<Other>& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words()[w];
        return *this;
    }
    template <class Other>
    constexpr Bitset& operator|=(const Bitset<Other>& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words()[w];
        return *this;
    }
    template <class Other>
    constexpr Bitset& operator-=(const Bitset<Other>& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words()[w];
        return *this;
    }
    friend constexpr Bitset operator&(Bitset a, const Bitset& b)
        requires(fixed_words > 0)
    {
        return a &= b;
    }
    friend constexpr Bitset operator|(Bitset a, const Bitset& b)
        requires(fixed_words > 0)
    {
        return a |= b;
    }
    friend constexpr Bitset operator-(Bitset a, const Bitset& b)
        requires(fixed_words > 0)
    {
        return a -= b;
    }
    friend constexpr bool operator==(const Bitset& a, const Bitset& b) {
        return a.words_.size() == b.words_.size() && a.none_of_words(b, [](Word x, Word y) { return x ^ y; });
    }
    friend constexpr bool operator<(const Bitset& a, const Bitset& b) {
        return std::lexicographical_compare(a.words_.begin(), a.words_.end(), b.words_.begin(),
                                            b.words_.end());
    }

    constexpr std::uint64_t hash() const {
        std::uint64_t value = 0x9e3779b97f4a7c15ULL;
        for (const auto word : words_) {
            value = (value ^ word) * 0xff51afd7ed558ccdULL;
            value ^= value >> 32;
        }
        return value;
    }

    // Calls visit(member) for every member, ascending.
    template <class Visit>
    constexpr void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) for_each_bit(words_[w], w, visit);
    }
    // The same for the members that both sets have.
    template <class Other, class Visit>
    constexpr void for_each_shared(const Bitset<Other>& other, Visit&& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) for_each_bit(words_[w] & other.words()[w], w, visit);
    }

  private:
    template <class Other, class Combine>
    constexpr bool none_of_words(const Bitset<Other>& other, Combine combine) const {
        if constexpr (fixed_words > 0) {
            Word any = 0;
            for (std::size_t w = 0; w < fixed_words; ++w) any |= combine(words_[w], other.words()[w]);
            return any == 0;
        } else {
            for (std::size_t w = 0; w < words_.size(); ++w)
                if (combine(words_[w], other.words()[w]) != 0) return false;
            return true;
        }
    }
    template <class Visit>
    static constexpr void for_each_bit(Word rest, std::size_t w, Visit& visit) {
        for (; rest != 0; rest &= rest - 1) visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }

    Storage words_{};
};

// Held by value: of up to 64 W members, and of as many as its vector has bits.
template <std::size_t W>
using NodeSet = Bitset<std::array<Word, W>>;
using LongSet = Bitset<std::vector<Word>>;
// Words that are owned elsewhere.
using SetView = Bitset<std::span<const Word>>;
using SetSpan = Bitset<std::span<Word>>;

inline LongSet long_set(std::size_t count) {
    return LongSet(std::vector<Word>(words_for(count), 0));
}

// Many sets of equal length in one array, row by row: it crosses to Python as it is.
class BitRows {
  public:
    BitRows() = default;
    explicit BitRows(std::size_t columns, std::size_t rows = 0)
        : width_(words_for(columns)), words_(rows * width_, 0) {}

    std::size_t size() const { return words_.size() / width_; }
    std::size_t width() const { return width_; }  // words per row
    const std::vector<Word>& words() const { return words_; }
    SetView operator[](std::size_t row) const { return SetView({words_.data() + row * width_, width_}); }
    SetSpan operator[](std::size_t row) { return SetSpan({words_.data() + row * width_, width_}); }
    // All rows without members.
    void clear() { std::fill(words_.begin(), words_.end(), Word{0}); }
    void resize(std::size_t rows) { words_.resize(rows * width_, 0); }
    void append(std::span<const Word> rows) { words_.insert(words_.end(), rows.begin(), rows.end()); }
    void append(SetView row) { append(row.words()); }

  private:
    std::size_t width_ = 1;
    std::vector<Word> words_;
};

// Row number `row` of sets that lie one after the other, each over numbers below `count`.
inline SetView set_at(std::span<const Word> words, std::size_t count, std::size_t row) {
    return SetView(words.subspan(row * words_for(count), words_for(count)));
}

}  // namespace arcwise
