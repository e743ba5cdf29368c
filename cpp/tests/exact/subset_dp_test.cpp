#include "exact/subset_dp.hpp"

#include <cmath>

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(subset_dp_finds_the_optimum_with_any_threads) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        SubsetDp one(sets, false), two(sets, false);
        CHECK(one.run(1, ticker) && two.run(2, ticker));
        CHECK(std::abs(one.optimum() - best_of_all(sets)) < 1e-9);
        CHECK(one.best() == two.best());
        double score = 0;
        for (const std::int64_t row : one.rows()) score += sets.score(static_cast<std::size_t>(row));
        CHECK(std::abs(score - one.optimum()) < 1e-9);
    }
}

TEST(larger_subset_dp_uses_blocks) {
    const Table table = random_table(13, 9, 4);
    const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
    SilentMonitor monitor;
    Ticker ticker(monitor, 1e9);
    SubsetDp dp(sets, false), parallel(sets, false);
    CHECK(dp.run(1, ticker) && parallel.run(2, ticker));
    CHECK(dp.best() == parallel.best());
}

TEST(layers_of_the_subset_dp_change_nothing) {
    for (const std::size_t n : {1, 4, 9, 10, 15, 16}) {
        const Table table = random_table(n, 8, n);
        const CandidateSets sets(table.view());
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        SubsetDp whole(sets, false), layered(sets, true), parallel(sets, true);
        CHECK(whole.run(1, ticker) && layered.run(1, ticker) && parallel.run(2, ticker));
        CHECK(whole.optimum() == layered.optimum() && whole.optimum() == parallel.optimum());
        CHECK(whole.rows() == layered.rows() && whole.rows() == parallel.rows());
        CHECK(layered.best().empty());
        CHECK(SubsetDp::memory_for(n, true) <= SubsetDp::memory_for(n, false) + (std::size_t{1} << n));
    }
}
