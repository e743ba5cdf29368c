#include "ensemble/all_dags/exact_sums.hpp"

#include <cmath>

#include "check.hpp"
#include "ensemble/flat_table.hpp"

using namespace flat_table_support;

TEST(all_dags_are_summed) {
    const FlatTable table(5);
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    const auto sums = sum_all_dags(table.view(), ticker);
    CHECK(std::abs(sums.log_total - std::log(29281.0)) < 1e-14);
    CHECK(sums.defect < 1e-15);
}
