#include "exact/dual_ascent.hpp"

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "exact/cut_bound.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(an_ascent_lowers_the_bound_by_its_steps_and_stays_above_every_network) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets sets(table.view());
        CutPool pool(5);
        const BoundResult before = cut_bound(sets, pool);
        const Ascent ascent = ascend(sets, before.reduced_costs, 100, 1e-9, unwatched());
        pool.extend(ascent.members, std::vector<std::int32_t>(ascent.steps.size(), 1));
        pool.set_multipliers(ascent.steps);
        const double after = cut_bound(sets, pool).bound;
        const double fallen = std::accumulate(ascent.steps.begin(), ascent.steps.end(), 0.0);
        CHECK(std::abs(before.bound - fallen - after) < 1e-9);
        for_each_network(sets, [&](const std::vector<std::size_t>& network) {
            double score = 0;
            for (const std::size_t row : network) score += sets.score(row);
            CHECK(score <= after + 1e-9);
        });
    }
}

TEST(an_ascent_stops_at_its_limit) {
    const Table table = random_table(6, 5, 3);
    const CandidateSets sets(table.view());
    const std::vector<double> costs = cut_bound(sets, CutPool(6)).reduced_costs;
    CHECK(ascend(sets, costs, 1, 1e-9, unwatched()).steps.size() <= 1);
    CHECK(ascend(sets, costs, 0, 1e-9, unwatched()).steps.empty());
}
