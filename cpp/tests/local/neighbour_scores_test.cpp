#include "local/neighbour_scores.hpp"

#include <algorithm>

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

void check_rows(const Sample& sample, const std::vector<Parents>& parent_sets) {
    const StateBlocks blocks(sample.columns());
    const auto cases = static_cast<double>(sample.columns().cases());
    const SetBic set_bic(cases);
    const FamilyBic family_bic(cases);
    const ArcRules rules(sample.arities.size(), 100);
    CellTermTables tables(set_bic, sample.columns().cases());
    NeighbourScores fast(blocks, sample.weights, set_bic, &tables, rules, 1 << 20);
    NeighbourScores general(blocks, sample.weights, family_bic, nullptr, rules, 1 << 20);
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
