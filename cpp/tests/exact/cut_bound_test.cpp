#include "exact/cut_bound.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"
#include "exact/separation.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(cuts_hold_and_bound_every_network) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets sets(table.view());
        // A point that takes every node's best three sets in equal parts violates much.
        std::vector<std::int64_t> rows;
        std::vector<double> values;
        for (std::size_t v = 0; v < 5; ++v)
            for (std::size_t i = 0; i < 3; ++i) {
                rows.push_back(static_cast<std::int64_t>(sets.begin(v) + i));
                values.push_back(1.0 / 3);
            }
        const auto found = separate_cuts(sets, {rows, values}, 100, 1e-6, 2, seed % 2 == 0, unwatched());
        CutPool pool(5);
        pool.extend(members_of(found), codes_of(found));
        Xoshiro random(seed);
        std::vector<double> multipliers;
        for (std::size_t c = 0; c < pool.size(); ++c) multipliers.push_back(random.uniform() * 3);
        pool.set_multipliers(multipliers);
        for (std::size_t c = 0; c < pool.size(); ++c) {
            double left = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto row = static_cast<std::size_t>(rows[i]);
                if (pool.members(c).has(sets.node_of(row)))
                    left += values[i] * pool.coefficient(c, sets.node_of(row), sets, row);
            }
            CHECK(std::abs(left - pool.side(c) - found[c].violation) < 1e-9);
        }
        const BoundResult bound = cut_bound(sets, pool);
        for_each_network(sets, [&](const std::vector<std::size_t>& network) {
            double score = 0, loss = 0;
            for (const std::size_t row : network) {
                score += sets.score(row);
                loss += bound.reduced_costs[row];
            }
            CHECK(score <= bound.bound - loss + 1e-9);
            for (std::size_t c = 0; c < pool.size(); ++c) {
                double left = 0;
                for (std::size_t v = 0; v < 5; ++v)
                    if (pool.members(c).has(v)) left += pool.coefficient(c, v, sets, network[v]);
                CHECK(left <= pool.side(c));
            }
        });
    }
}

TEST(a_node_without_allowed_sets_bounds_everything_by_nothing) {
    const CandidateSets sets(random_table(4, 3, 7).view());
    std::vector<std::uint8_t> allowed(sets.rows(), 1);
    for (std::size_t row = sets.begin(2); row < sets.end(2); ++row) allowed[row] = 0;
    const BoundResult bound = cut_bound(sets, CutPool(4), allowed);
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(bound.bound == -infinity);
    CHECK(bound.reduced_costs == std::vector<double>(sets.rows(), infinity));
}
