#include "posterior/all_dags/dag_sampler.hpp"

#include <map>
#include <vector>

#include "check.hpp"
#include "flat_table.hpp"

namespace {

using namespace arcwise;
using flat_table_support::FlatTable;

DrawnDags draws_of(const TableView& table, std::size_t count, std::size_t threads = 1) {
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    DagSampler sampler(table, 40, threads);
    CHECK(sampler.prepare(ticker));
    return sampler.draw(count, 7, threads, ticker);
}

}  // namespace

TEST(draws_of_a_flat_posterior_are_uniform) {
    constexpr std::size_t count = 25'000;
    const FlatTable table(3);
    const auto drawn = draws_of(table.view(), count);
    CHECK(drawn.status == Status::complete);
    std::map<std::vector<std::uint32_t>, double> times;
    for (std::size_t i = 0; i < count; ++i)
        ++times[{drawn.rows.begin() + static_cast<std::ptrdiff_t>(3 * i),
                 drawn.rows.begin() + static_cast<std::ptrdiff_t>(3 * i + 3)}];
    CHECK(times.size() == 25);
    double chi_square = 0;
    for (const auto& [dag, number] : times) chi_square += (number - 1000) * (number - 1000) / 1000;
    CHECK(chi_square < 60);  // 24 degrees of freedom: exceeded once in 20,000 times
}

TEST(draws_do_not_depend_on_threads) {
    const FlatTable table(8);
    const auto one = draws_of(table.view(), 500), three = draws_of(table.view(), 500, 3);
    CHECK(one.rows == three.rows);
    CHECK(one.scores == three.scores);
}

TEST(draws_stop_at_limits) {
    const FlatTable table(9);
    SilentMonitor monitor;
    Ticker none(monitor, 1e-9);
    CHECK(!DagSampler(table.view(), 40, 1).prepare(none));
    CHECK(none.reason() == Status::time_limit);
    Ticker long_enough(monitor, 60), short_time(monitor, 0.02);
    DagSampler sampler(table.view(), 40, 1);
    CHECK(sampler.prepare(long_enough));
    const auto drawn = sampler.draw(100'000'000, 1, 1, short_time);
    CHECK(drawn.status == Status::time_limit);
    CHECK(drawn.rows.size() == 9 * drawn.scores.size());
}
