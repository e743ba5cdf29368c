#include "parent_sets/set_index.hpp"

#include <algorithm>

#include "check.hpp"

TEST(ranks_and_unranks_every_set) {
    arcwise::SetRanks ranks(12);
    ranks.grow(5);
    std::vector<std::int32_t> members;
    for (std::size_t size = 1; size <= 5; ++size) {
        for (arcwise::Rank rank = 0; rank < ranks.sets(size); ++rank) {
            ranks.unrank(rank, size, members);
            CHECK(std::is_sorted(members.rbegin(), members.rend()));
            std::reverse(members.begin(), members.end());
            CHECK(ranks.rank(members) == rank);
        }
    }
}

TEST(says_where_ranks_end) {
    arcwise::SetRanks ranks(2000);
    ranks.grow(30);
    CHECK(ranks.representable(14));
    CHECK(!ranks.representable(30));
}

// Both forms of the index: as bits, and as a list (when the sets are few among very many).
TEST(finds_the_sets_that_were_marked) {
    for (const std::size_t variables : {30u, 1500u}) {
        arcwise::SetRanks ranks(variables);
        ranks.grow(6);
        arcwise::SetIndex index(5, ranks.sets(5), 100);
        std::vector<arcwise::Rank> marked;
        for (std::size_t i = 0; i < 100; ++i) marked.push_back((ranks.sets(5) / 100) * i + i * i % 7);
        {
            arcwise::SetIndex::Marker marker(index);
            for (auto rank = marked.rbegin(); rank != marked.rend(); ++rank) marker.mark(*rank);
            marker.mark(marked[3]);
        }
        index.seal();
        CHECK(index.size() == 100);
        for (std::size_t slot = 0; slot < 100; ++slot) {
            CHECK(index.slot(marked[slot]) == slot);
            CHECK(index.rank(slot) == marked[slot]);
            if (slot > 0) CHECK(index.next(marked[slot - 1], slot - 1) == marked[slot]);
        }
        CHECK(index.slot(marked[5] + 1) == arcwise::SetIndex::absent);
        CHECK(index.slot(ranks.sets(5) + 64) == arcwise::SetIndex::absent);
        const double bytes = variables == 30 ? static_cast<double>(ranks.sets(5)) * 3 / 16 : 1600.0;
        CHECK(arcwise::SetIndex::bytes(ranks.sets(5), 100) == bytes);
    }
}
