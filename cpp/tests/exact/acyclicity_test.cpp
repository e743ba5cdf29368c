#include "exact/acyclicity.hpp"

#include "check.hpp"
#include "local/order_search.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(propagation_keeps_exactly_what_some_network_uses) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets sets(table.view());
        Xoshiro random(seed + 1000);
        std::vector<std::uint8_t> allowed(sets.rows());
        for (auto& entry : allowed) entry = random.below(10) < 6 ? 1 : 0;
        std::vector<std::uint8_t> used(sets.rows(), 0);
        bool any = false;
        for_each_network(sets.kept(std::vector<std::uint8_t>(sets.rows(), 1)),
                         [&](const std::vector<std::size_t>& network) {
                             for (const std::size_t row : network)
                                 if (!allowed[row]) return;
                             any = true;
                             for (const std::size_t row : network) used[row] = 1;
                         });
        AcyclicityPropagator propagator(sets);
        const bool possible = propagator.propagate(allowed, unwatched());
        CHECK(possible == any);
        if (possible) CHECK(allowed == used);
    }
}

// No two of a node's sets share a parent, so that no arc is required; only an order shows that there is none.
// One placement of all nodes does: no node has to wait, and no set is dropped.
TEST(propagation_finds_that_nobody_can_come_first) {
    const Table table{{0, 2, 4, 6}, {0, 1, 2, 3, 4, 5, 6}, {-1, -2, -1, -2, -1, -2}, {1, 2, 0, 2, 0, 1}};
    const CandidateSets sets(table.view());
    std::vector<std::uint8_t> allowed(sets.rows(), 1);
    CHECK(!AcyclicityPropagator(sets).propagate(allowed, unwatched()));
    CHECK(allowed == std::vector<std::uint8_t>(sets.rows(), 1));
}

TEST(a_feasible_order_is_complete_where_a_network_exists) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets all(table.view());
        Xoshiro random(seed + 2000);
        std::vector<std::uint8_t> keep(all.rows());
        for (auto& entry : keep) entry = random.below(10) < 4 ? 1 : 0;
        const CandidateSets sets = all.kept(keep);
        bool any = false;
        for_each_network(sets, [&](const std::vector<std::size_t>&) { any = true; });
        const std::vector<std::int32_t> order = feasible_order(sets);
        CHECK((order.size() == 5) == any);
        if (any) CHECK(OrderSearch(sets, 0).evaluate(order).missing == 0);
    }
}

TEST(propagation_that_is_stopped_drops_nothing_it_does_not_know) {
    Impatient monitor;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        Ticker ticker(monitor);
        std::vector<std::uint8_t> allowed(all.rows(), 1);
        CHECK(AcyclicityPropagator(all).propagate(allowed, ticker));
        CHECK(allowed == std::vector<std::uint8_t>(all.rows(), 1));
    }
}
