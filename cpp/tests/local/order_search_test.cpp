#include "local/order_search.hpp"

#include <cmath>

#include "check.hpp"
#include "exact/acyclicity.hpp"
#include "exact/subset_dp.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(order_search_finds_the_optimum_of_a_small_table) {
    const Table table = random_table(13, 9, 4);
    const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
    SubsetDp dp(sets, false);
    CHECK(dp.run(1, unwatched()));
    OrderSearch search(sets, 1);
    const OrderedNetwork local = search.iterate({}, 500, 50, unwatched());
    CHECK(local.missing == 0);
    CHECK(local.score <= dp.optimum() + 1e-9);
    CHECK(local.score > dp.optimum() - 1e-6);
    CHECK(std::abs(search.evaluate(local.order).score - local.score) < 1e-9);
}

TEST(an_order_search_that_is_stopped_has_a_network) {
    Impatient monitor;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        Ticker ticker(monitor);
        const OrderedNetwork network = OrderSearch(all, 0).descend(feasible_order(all), ticker);
        CHECK(network.missing == 0);
        CHECK(ticker.reason() == Status::interrupted);
    }
}
