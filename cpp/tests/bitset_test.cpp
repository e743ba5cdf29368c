#include "bitset.hpp"

#include <set>

#include "check.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

namespace {

using Members = std::set<std::size_t>;

template <class Set>
Members members_of(const Set& set) {
    Members members;
    set.for_each([&](std::size_t member) { CHECK(members.insert(member).second); });
    return members;
}

// A pair of sets in some storage, and the same in std::set.
template <class Set>
void check_pair(Set a, Set b, Xoshiro& random) {
    const std::size_t count = 64 * a.word_count();
    Members left, right;
    for (std::size_t i = 0; i < 3 + random.below(count); ++i) {
        const std::size_t u = random.below(count), v = random.below(count);
        a.add(u);
        left.insert(u);
        if (random.below(3) > 0) {
            b.add(v);
            right.insert(v);
        }
    }
    const std::size_t gone = *left.begin();
    a.remove(gone);
    left.erase(gone);
    b.toggle(gone);
    if (right.erase(gone) == 0) right.insert(gone);
    CHECK(members_of(a) == left && members_of(b) == right);
    CHECK(a.size() == left.size() && a.empty() == left.empty());
    CHECK(a.lowest() == (left.empty() ? count : *left.begin()));
    Members both;
    for (std::size_t v = 0; v < count; ++v) {
        CHECK(a.has(v) == left.contains(v));
        if (left.contains(v) && right.contains(v)) both.insert(v);
    }
    Members shared;
    a.for_each_shared(b, [&](std::size_t v) { shared.insert(v); });
    CHECK(shared == both && a.shared(b) == both.size() && a.meets(b) == !both.empty());
    CHECK(a.within(b) == (both == left));
    CHECK((a == b) == (left == right));
    CHECK(!(a < b && b < a) && (a == b || a < b || b < a));
    CHECK(a == b || a.hash() != b.hash());
    a &= b;
    CHECK(members_of(a) == both && a.within(b));
    b -= a;
    CHECK(!a.meets(b) && b.size() == right.size() - both.size());
    b |= a;
    CHECK(members_of(b) == right);
    b.fill(true);
    CHECK(b.size() == count && a.within(b));
    b.fill(false);
    CHECK(b.empty() && b.within(a));
}

}  // namespace

TEST(sets_are_sets_whoever_holds_their_words) {
    Xoshiro random(7);
    for (int round = 0; round < 20; ++round) {
        check_pair(NodeSet<1>(), NodeSet<1>(), random);
        check_pair(NodeSet<2>(), NodeSet<2>(), random);
        check_pair(NodeSet<32>(), NodeSet<32>(), random);
        for (const std::size_t count : {1, 64, 65, 1041}) {
            check_pair(long_set(count), long_set(count), random);
            BitRows rows(count, 3);
            check_pair(rows[2], rows[0], random);
            CHECK(rows[1].empty());
        }
    }
}

TEST(the_first_numbers_are_a_set) {
    for (const std::size_t count : {0, 1, 63, 64, 65, 127, 128}) {
        const auto first = NodeSet<2>::first(count);
        CHECK(first.size() == count);
        for (std::size_t v = 0; v < 128; ++v) CHECK(first.has(v) == (v < count));
        CHECK(((first | NodeSet<2>::single(127)) - first).size() == (count == 128 ? 0 : 1));
    }
}

TEST(a_row_has_a_word_even_without_columns) {
    CHECK(words_for(0) == 1 && words_for(64) == 1 && words_for(65) == 2);
    BitRows rows(0, 4);
    CHECK(rows.size() == 4);
    BitRows wide(100);
    wide.resize(2);
    wide[1].add(99);
    wide.append(wide[1].words());
    CHECK(wide.size() == 3 && wide[2].has(99) && !wide[0].has(99));
    CHECK(set_at(wide.words(), 100, 2) == SetView(wide[1]));
    wide.clear();
    CHECK(wide.size() == 3 && wide[2].empty());
}
