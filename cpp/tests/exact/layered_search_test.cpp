#include "exact/layered_search.hpp"

#include <cmath>

#include "check.hpp"
#include "exact/acyclicity.hpp"
#include "exact/subset_dp.hpp"
#include "local/order_search.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

namespace {

constexpr LayeredSearch::Limits unlimited{~0ULL, ~0ULL, ~0ULL};

// A third of the scores rounded to whole numbers: ties.
Table table_of(std::size_t n, std::size_t sets, std::uint64_t seed) {
    Table table = random_table(n, sets, seed);
    if (seed % 3 == 0)
        for (double& score : table.scores) score = std::round(score);
    return table;
}

// Says to stop when it is asked for the first time.
class StopsWhenAsked final : public Monitor {
  public:
    bool should_stop(const Progress&) override {
        ++asked;
        return true;
    }
    int asked = 0;
};

}  // namespace

TEST(layered_search_finds_the_optimum_and_its_bound_holds) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Table table = table_of(5, 6, seed);
        const CandidateSets sets(table.view());
        const std::vector<std::int32_t> order = feasible_order(sets);
        OrderSearch networks(sets, 0);
        const double start = networks.evaluate(order).score;
        const double best = best_of_all(sets);
        LayeredSearch search(sets, order, 1e-7, unwatched());
        CHECK(search.is_exact());
        CHECK(start + search.gap() >= best - 1e-9);
        CHECK(search.run(unlimited, unwatched()));
        CHECK(std::abs(networks.evaluate(search.order()).score - best) < 1e-7);
    }
}

TEST(layered_search_finds_the_optimum_of_more_nodes) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Table table = table_of(11, 15, seed);
        const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
        LayeredSearch search(sets, feasible_order(sets), 1e-7, unwatched());
        SubsetDp dp(sets, false);
        CHECK(search.run(unlimited, unwatched()) && dp.run(1, unwatched()));
        CHECK(std::abs(OrderSearch(sets, 0).evaluate(search.order()).score - dp.optimum()) < 1e-7);
    }
}

TEST(layered_search_gives_up_by_any_limit) {
    const Table table = random_table(12, 25, 1);
    const CandidateSets sets(table.view());
    const std::vector<std::int32_t> order = feasible_order(sets);
    for (const LayeredSearch::Limits limits :
         {LayeredSearch::Limits{1, ~0ULL, ~0ULL}, {~0ULL, 2, ~0ULL}, {~0ULL, ~0ULL, 1}}) {
        LayeredSearch search(sets, order, 1e-7, unwatched());
        CHECK(!search.run(limits, unwatched()));
        CHECK(OrderSearch(sets, 0).evaluate(search.order()).missing == 0);
    }
}

TEST(layered_search_bounds_its_root_only_until_it_is_stopped) {
    const Table table = random_table(64, 2500, 1);
    const CandidateSets sets(table.view());
    const std::vector<std::int32_t> order = feasible_order(sets);
    const LayeredSearch whole(sets, order, 1e-7, unwatched());
    StopsWhenAsked monitor;
    Ticker ticker(monitor);
    LayeredSearch stopped(sets, order, 1e-7, ticker);
    CHECK(monitor.asked == 1);
    CHECK(ticker.reason() == Status::interrupted);
    CHECK(stopped.work() < whole.work() / 2);
    CHECK(stopped.gap() > whole.gap());
    CHECK(!stopped.run(unlimited, ticker));
    CHECK(std::ranges::equal(stopped.order(), order));
}

TEST(layered_search_that_is_stopped_at_once_keeps_its_bounds) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Table table = table_of(5, 6, seed);
        const CandidateSets sets(table.view());
        const std::vector<std::int32_t> order = feasible_order(sets);
        SilentMonitor monitor;
        Ticker ticker(monitor);
        ticker.stop(Status::interrupted);
        LayeredSearch search(sets, order, 1e-7, ticker);
        CHECK(search.is_exact());
        CHECK(OrderSearch(sets, 0).evaluate(order).score + search.gap() >= best_of_all(sets) - 1e-9);
        CHECK(search.run(unlimited, unwatched()));  // a poor bound of the root loses nothing
        CHECK(std::abs(OrderSearch(sets, 0).evaluate(search.order()).score - best_of_all(sets)) < 1e-7);
    }
}

TEST(clusters_never_raise_the_bound_above_the_cheapest_network) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Xoshiro random(seed);
        SearchDomain domain;
        for (std::size_t v = 0; v < 5; ++v) {
            domain.begin[v] = domain.sets.size();
            Cost cost = 0;
            for (int s = 0; s < 6; ++s) {
                domain.sets.push_back(s == 5 ? 0 : random.below(32) & ~bit(v));
                domain.costs.push_back(cost += static_cast<Cost>(random.below(10)));
            }
            domain.end[v] = domain.sets.size();
        }
        Cost least = no_cost;
        std::vector<std::size_t> masks(5);
        const auto descend = [&](auto&& self, std::size_t v, Cost cost) -> void {
            if (v == 5) {
                if (acyclic(masks)) least = std::min(least, cost);
                return;
            }
            for (std::size_t i = domain.begin[v]; i < domain.end[v]; ++i) {
                masks[v] = domain.sets[i];
                self(self, v + 1, cost + domain.costs[i]);
            }
        };
        descend(descend, 0, 0);
        ClusterAscent ascent;
        for (int round = 0; round < 2; ++round) {  // the second time with a pool
            CHECK(ascent.raise(domain, 0, 31, 0, no_cost, unwatched()));
            CHECK(ascent.bound() <= least);
            for (std::size_t i = 0; i < domain.sets.size(); ++i) CHECK(ascent.reduced()[i] >= 0);
        }
        CHECK(!ascent.raise(domain, 0, 31, 7, 7, unwatched()));
    }
}
