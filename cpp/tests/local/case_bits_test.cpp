#include "local/case_bits.hpp"

#include <algorithm>

#include "check.hpp"
#include "local/family_counter.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

// Splits and counts families at random, from bits and from sorted rows. A processor without the instructions
// has no families that suit.
void check_families(const Sample& sample, std::uint64_t seed) {
    const StateBlocks blocks(sample.columns());
    const RowWeights weights(sample.rows, sample.weights);
    CaseBits bits(blocks, weights);
    RowSorter sorter(blocks, weights);
    Xoshiro random(seed);
    Segments split;
    RowPartition sorted;
    const std::size_t n = sample.arities.size();
    for (int family = 0; family < 60; ++family) {
        const std::size_t child = random.below(n);
        Parents parents;
        for (std::size_t k = random.below(5); k > 0; --k) {
            const std::size_t x = random.below(n);
            if (x != child && !std::ranges::count(parents, static_cast<std::int32_t>(x)))
                parents = with(parents, x);
        }
        if (!bits.suits(child, parents)) continue;
        bits.split(child, parents, split);
        sorter.sort(child, parents, sorted);
        CHECK(split.states == sorted.states);
        CHECK(split.totals == sorted.totals);
        CHECK(split.config_ends == sorted.config_ends);
        CHECK(split.codes == sorted.codes);
        CHECK(split.parents == sorted.parents);
        for (std::size_t block = 0; block < blocks.blocks(); block += StateBlocks::together) {
            const std::size_t several = std::min(StateBlocks::together, blocks.blocks() - block);
            std::vector<std::uint32_t> one(several * split.count() * StateBlocks::width, 7), two = one;
            bits.count(blocks, block, several, one.data());
            count_blocks(blocks, blocks, block, several, sorted, two.data());
            CHECK(one == two);
        }
    }
}

}  // namespace

TEST(cases_counted_by_bits_are_those_of_sorted_rows) {
    for (int weighting = 0; weighting < 2; ++weighting) {
        for (const std::size_t rows : {1, 15, 16, 17, 64, 511, 512, 513, 3000})
            check_families(make_sample(rows, {2, 3, 2, 4, 5, 2, 1}, 20 + rows, weighting), rows);
        // One to three blocks of a group, a whole one, and two groups.
        for (const std::size_t variables : {70, 130, 190, 256, 300})
            check_families(make_sample(1000, std::vector<std::int32_t>(variables, 2), variables, weighting),
                           5);
    }
}

TEST(cases_counted_by_bits_may_all_be_in_one_cell) {
    // So many that all planes of a count are in use.
    const std::size_t rows = 65'000;
    const Sample sample{rows, {2, 2}, std::vector<std::uint8_t>(2 * rows, 1), {}};
    check_families(sample, 3);
}

TEST(a_few_variables_are_counted_by_bits_in_blocks_of_their_own) {
    const Sample sample = make_sample(700, std::vector<std::int32_t>(100, 3), 8, 1);
    const StateBlocks whole(sample.columns());
    const RowWeights weights(sample.rows, sample.weights);
    const Parents few{3, 20, 40, 99}, parents{40};
    const StateBlocks some(whole, few);
    CaseBits bits(whole, weights);
    if (!bits.suits(20, parents)) return;
    Segments split;
    RowPartition sorted;
    bits.split(20, parents, split);
    RowSorter(whole, weights).sort(20, parents, sorted);
    std::vector<std::uint32_t> one(split.count() * StateBlocks::width), two = one;
    bits.count(some, 0, 1, one.data());
    count_blocks(whole, some, 0, 1, sorted, two.data());
    CHECK(one == two);
}

TEST(cases_are_not_counted_by_bits_where_rows_have_large_weights) {
    const Sample sample = make_sample(500, {2, 2, 2}, 9, 2);
    const StateBlocks blocks(sample.columns());
    const RowWeights weights(sample.rows, sample.weights),
        none(sample.rows, std::vector<std::int64_t>(500, 0));
    CHECK(!CaseBits(blocks, weights).suits(0, {}));
    CHECK(!CaseBits(blocks, none).suits(0, {}));
}
