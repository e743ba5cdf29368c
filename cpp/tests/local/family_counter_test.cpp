#include "local/family_counter.hpp"

#include <algorithm>

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

constexpr std::size_t some_memory = std::size_t{1} << 22;

void check_same(const Segments& one, const Segments& two) {
    CHECK(one.states == two.states);
    CHECK(one.totals == two.totals);
    CHECK(one.config_ends == two.config_ends);
    CHECK(one.codes == two.codes);
}

// Walks at random through families, as a search does, with one counter that keeps what it counted and one
// that does not.
void check_walk(const Sample& sample, std::uint64_t seed, std::size_t memory, std::size_t most_parents) {
    const StateBlocks blocks(sample.columns());
    const RowWeights weights(sample.rows, sample.weights);
    FamilyCounter keeping(blocks, weights, memory), counting(blocks, weights, 0);
    Xoshiro random(seed);
    const std::size_t n = sample.arities.size();
    std::vector<Parents> parents(n);
    for (int step = 0; step < 150; ++step) {
        const std::size_t child = random.below(n), x = random.below(n);
        if (x == child) continue;
        auto& own = parents[child];
        if (std::ranges::binary_search(own, static_cast<std::int32_t>(x)))
            own = without(own, x);
        else if (own.size() < most_parents)
            own = with(own, x);
        keeping.look_at(child, own, blocks);
        counting.look_at(child, own, blocks);
        check_same(keeping.segments(), counting.segments());
        CHECK(keeping.counts_whole() == counting.counts_whole());
        if (!keeping.counts_whole()) continue;
        const std::size_t cells = counting.segments().count() * StateBlocks::width;
        for (std::size_t block = 0; block < blocks.blocks(); ++block) {
            if (random.below(8) == 0) continue;  // a block whose candidates cannot gain is not asked for
            const auto* one = keeping.counts(block);
            const auto* two = counting.counts(block);
            CHECK(std::equal(one, one + cells, two));
        }
        if (step % 40 == 7) check_same(keeping.sorted(), counting.sorted());
        keeping.keep();
        if (step % 70 == 69) keeping.forget();
    }
}

}  // namespace

TEST(counts_by_difference_are_those_of_all_rows) {
    for (int weighting = 0; weighting < 3; ++weighting) {
        check_walk(make_sample(9000, {2, 3, 2, 4, 5, 2}, 11, weighting), 1, some_memory, 3);
        check_walk(make_sample(9000, {2, 3, 2, 4, 5, 2, 1}, 12, weighting), 2, 200'000, 4);
    }
}

TEST(counts_by_difference_are_those_of_all_rows_in_many_blocks) {
    std::vector<std::int32_t> arities(300, 2);
    for (std::size_t v = 0; v < 12; ++v) arities[v] = static_cast<std::int32_t>(2 + v % 3);
    check_walk(make_sample(9000, arities, 13, 1), 3, some_memory, 3);
}

TEST(a_family_without_rows_in_the_usual_state_has_no_such_segment) {
    // The second column is 1 in most rows, and never where the first is 0.
    Sample sample{9000, {2, 2, 2}, {}, {}};
    for (std::size_t row = 0; row < sample.rows; ++row) sample.codes.push_back(row % 3 == 0 ? 0 : 1);
    for (std::size_t row = 0; row < sample.rows; ++row) sample.codes.push_back(row % 3 == 0 ? 0 : 1);
    for (std::size_t row = 0; row < sample.rows; ++row) sample.codes.push_back(row % 2 == 0 ? 0 : 1);
    const StateBlocks blocks(sample.columns());
    const RowWeights weights(sample.rows, {});
    FamilyCounter counter(blocks, weights, some_memory);
    const Parents one{0}, both{0, 1};
    counter.look_at(2, one, blocks);
    counter.counts(0);
    counter.keep();
    counter.look_at(2, both, blocks);
    CHECK(counter.segments().configurations() == 2);
    CHECK((counter.segments().codes == std::vector<std::uint32_t>{0, 0, 1, 1}));
    CHECK((counter.segments().totals == std::vector<std::int64_t>{1500, 1500, 3000, 3000}));
}
