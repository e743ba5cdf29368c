#include "local/neighbour_scores.hpp"

#include <algorithm>

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

void check_rows(const Sample& sample, const std::vector<Parents>& parent_sets,
                std::size_t memory = std::size_t{1} << 20) {
    const StateBlocks blocks(sample.columns());
    const auto cases = static_cast<double>(sample.columns().cases());
    const SetBic set_bic(cases);
    const FamilyBic family_bic(cases);
    const ArcRules rules(sample.arities.size(), 100);
    CellTermTables tables(set_bic, sample.columns().cases());
    NeighbourScores fast(blocks, sample.weights, set_bic, &tables, rules, memory);
    NeighbourScores general(blocks, sample.weights, family_bic, nullptr, rules, memory);
    for (std::size_t child = 0; child < sample.arities.size(); ++child) {
        for (const auto& parents : parent_sets) {
            if (std::ranges::find(parents, static_cast<std::int32_t>(child)) != parents.end()) continue;
            const auto c = static_cast<std::int32_t>(child);
            const auto one = fast.row(child, parents);
            const auto two = general.row(child, parents);
            const double own = brute_force(sample, set_bic, c, parents);
            CHECK(std::abs(one->own - own) < 1e-7);
            CHECK(std::abs(two->own - own) < 1e-7);
            CHECK(std::abs(fast.local(child, parents) - own) < 1e-7);
            for (std::size_t x = 0; x < sample.arities.size(); ++x) {
                const auto other = static_cast<std::int32_t>(x);
                if (x == child) {
                    CHECK(std::isnan(one->toggled[x]));
                    continue;
                }
                Parents toggled = parents;
                if (std::erase(toggled, other) == 0) {
                    toggled.push_back(other);
                    std::ranges::sort(toggled);
                }
                const double expected = brute_force(sample, set_bic, c, toggled);
                CHECK(std::abs(one->toggled[x] - expected) < 1e-7);
                CHECK(std::abs(two->toggled[x] - expected) < 1e-7);
            }
        }
    }
}

}  // namespace

TEST(neighbour_rows_equal_brute_force) {
    for (int weighting = 0; weighting < 3; ++weighting) {
        check_rows(make_sample(700, {2, 3, 2, 4, 5, 2}, 1, weighting), {{}, {1}, {0, 3}, {1, 2, 4}});
        check_rows(make_sample(300, {2, 70, 3, 200, 65, 66}, 2, weighting), {{}, {1}, {0, 2}});
    }
}

TEST(neighbour_rows_equal_brute_force_with_more_than_one_block) {
    std::vector<std::int32_t> arities(90, 2);
    arities[40] = 30;
    check_rows(make_sample(200, arities, 3, 1), {{}, {7, 40}});
}

TEST(neighbour_rows_equal_brute_force_where_nothing_can_be_kept) {
    check_rows(make_sample(200, {2, 3, 2, 4}, 4, 1), {{}, {1}, {0, 3}}, 0);
}

TEST(neighbour_rows_equal_brute_force_with_a_variable_of_one_state) {
    check_rows(make_sample(200, {2, 1, 3, 2}, 5, 0), {{}, {1}, {0, 2}});
}

TEST(neighbour_rows_equal_brute_force_with_counts_of_64_bits) {
    auto sample = make_sample(100, {2, 3, 2, 4}, 6, 1);
    for (std::size_t row = 0; row < 100; row += 2) sample.weights[row] <<= 32;  // the others stay light
    const StateBlocks blocks(sample.columns());
    const auto cases = sample.columns().cases();
    CHECK(cases > std::int64_t{1} << 32);
    const SetBic bic(static_cast<double>(cases));
    CellTermTables tables(bic, cases);
    const ArcRules rules(4, 4);
    NeighbourScores scores(blocks, sample.weights, bic, &tables, rules, 1 << 20);
    for (const auto& parents : {Parents{}, Parents{1}, Parents{0, 1}}) {
        const auto row = scores.row(3, parents);
        const double own = brute_force(sample, bic, 3, parents);
        CHECK(std::abs(row->own - own) < 1e-12 * std::abs(own));
        Parents more = parents;
        more.push_back(2);
        const double expected = brute_force(sample, bic, 3, more);
        CHECK(std::abs(row->toggled[2] - expected) < 1e-12 * std::abs(expected));
    }
}
