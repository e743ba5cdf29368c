#include "ensemble/all_dags/path_sums.hpp"

#include <cmath>

#include "check.hpp"
#include "ensemble/flat_table.hpp"

using namespace flat_table_support;

TEST(paths_are_summed_over_all_dags) {
    // Two nodes: one of the three DAGs has the arc. Three nodes: 9 of the 25 DAGs have a path 0 .. 1 (8 have
    // the arc 0 -> 1, and one more the path 0 -> 2 -> 1).
    const double expected[] = {0, 0, 1.0 / 3, 9.0 / 25};
    for (std::size_t n = 2; n <= 3; ++n) {
        const FlatTable table(n);
        SilentMonitor monitor;
        Ticker ticker(monitor, 60);
        const auto sums = sum_paths_of_all_dags(table.view(), ticker);
        CHECK(std::abs(sums.probabilities[1] - expected[n]) < 1e-15);
        CHECK(sums.defect < 1e-15);
    }
}
