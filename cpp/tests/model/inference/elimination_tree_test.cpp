#include "model/inference/elimination_tree.hpp"

#include <cmath>

#include "check.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

namespace {

// Factors that join seven variables to a ring with a chord and a tail; some entries are 0.
std::vector<Factor> ring(std::span<const std::int32_t> arities, Xoshiro& random) {
    const std::vector<std::vector<std::int32_t>> scopes{{0, 1}, {1, 2},    {2, 3}, {3, 4},
                                                        {0, 4}, {1, 3, 4}, {4, 5}, {5, 6}};
    std::vector<Factor> factors;
    for (const auto& scope : scopes) {
        Factor factor{scope, {}};
        for (double cell = 0; cell < cells_of(scope, arities); ++cell)
            factor.values.push_back(random.below(5) == 0 ? 0.0
                                                         : static_cast<double>(random.below(100)) / 100);
        factors.push_back(std::move(factor));
    }
    return factors;
}

}  // namespace

TEST(marginals_of_an_elimination_tree_are_those_of_the_joint_table) {
    const std::vector<std::int32_t> arities{2, 3, 2, 2, 3, 1, 2};
    Xoshiro random(7);
    for (int turn = 0; turn < 20; ++turn) {
        const auto factors = ring(arities, random);
        std::vector<const Factor*> all;
        for (const auto& factor : factors) all.push_back(&factor);
        Factor total;
        contract(all, {}, arities, total);
        EliminationTree tree;
        double log_sum = 0;
        CHECK(tree.build(factors, arities, 1e6, log_sum));
        if (total.values[0] == 0) {
            CHECK(std::isinf(log_sum));
            continue;
        }
        CHECK(std::fabs(log_sum - std::log(total.values[0])) < 1e-10);
        for (std::uint32_t set = 1; set < 128; ++set) {
            std::vector<std::int32_t> asked;
            for (std::int32_t v = 0; v < 7; ++v)
                if ((set >> v & 1U) != 0) asked.push_back(v);
            Factor found, joint;
            CHECK(tree.marginal(asked, arities, 1e6, found));
            contract(all, asked, arities, joint);
            CHECK(found.variables == asked && found.values.size() == joint.values.size());
            for (std::size_t cell = 0; cell < joint.values.size(); ++cell)
                CHECK(std::fabs(found.values[cell] - joint.values[cell] / total.values[0]) < 1e-12);
        }
    }
}

TEST(an_elimination_tree_says_when_tables_would_be_too_large) {
    const std::vector<std::int32_t> arities{2, 3, 2, 2, 3, 1, 2};
    Xoshiro random(8);
    const auto factors = ring(arities, random);
    EliminationTree tree;
    double log_sum = 0;
    CHECK(!tree.build(factors, arities, 4, log_sum));
    CHECK(tree.build(factors, arities, 24, log_sum));
    Factor found;
    const std::int32_t far[] = {0, 2, 3, 4, 6};
    CHECK(!tree.marginal(far, arities, 10, found));
    CHECK(tree.marginal(far, arities, 1e6, found));
}
