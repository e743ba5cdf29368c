#include "parent_sets/candidate_sets.hpp"

#include <cmath>

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(dominated_sets_leave_and_the_optimum_stays) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        const CandidateSets useful = all.undominated(unwatched());
        CHECK(useful.rows() <= all.rows());
        CHECK(std::abs(best_of_all(all) - best_of_all(useful)) < 1e-9);
        for (std::size_t v = 0; v < 5; ++v)
            for (std::size_t a = useful.begin(v); a < useful.end(v); ++a)
                for (std::size_t b = useful.begin(v); b < a; ++b) CHECK(!useful.set(b).within(useful.set(a)));
    }
}

TEST(sets_that_were_not_looked_at_stay) {
    Impatient monitor;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        Ticker ticker(monitor);
        CHECK(all.undominated(ticker).rows() == all.rows());
    }
}
