#include "credible/construction/diagram_construction.hpp"

#include <limits>
#include <numeric>

#include "check.hpp"
#include "credible/diagram/network_lister.hpp"
#include "flat_table.hpp"
#include "graph/least_member.hpp"

using namespace flat_table_support;

namespace {

// How many paths are the least members of their classes; there must be few others.
std::size_t least_members(const NetworkDiagram& diagram, const FlatTable& table) {
    NetworkLister lister(diagram, table.node_offsets, 0.5);
    std::vector<std::uint16_t> chosen;
    std::vector<double> losses;
    lister.next(1000, chosen, losses);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        rows.push_back(table.node_offsets[i % table.n] + chosen[i]);
    const auto flags =
        least_members_of_rows<std::int64_t>(rows, table.order, table.set_offsets, table.members);
    const auto least = static_cast<std::size_t>(std::accumulate(flags.begin(), flags.end(), 0));
    CHECK(flags.size() <= 2 * least);
    return least;
}

}  // namespace

TEST(diagrams_hold_every_dag_once) {
    const std::uint64_t dags[] = {1, 1, 3, 25, 543};
    const std::uint64_t classes[] = {1, 1, 2, 11, 185};
    for (std::size_t n = 1; n <= 4; ++n) {
        const FlatTable table(n);
        SilentMonitor monitor;
        Ticker ticker(monitor);
        const std::vector<double> best(std::size_t{1} << n, 0.0);
        const auto by_sinks = build_from_subsets(table.input(), best, false, ticker);
        CHECK(count_of(by_sinks, table) == dags[n]);
        CHECK(count_of(build_from_subsets(table.input(), best, true, ticker), table) == classes[n]);
        const std::vector<double> costs(table.scores.size(), 0.0);
        const auto by_sources =
            build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::sources, ticker);
        CHECK(count_of(by_sources, table) == dags[n]);
        const auto by_frontier =
            build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::frontier, ticker);
        CHECK(count_of(by_frontier, table) == dags[n]);
        const auto few =
            build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::representatives, ticker);
        CHECK(least_members(few, table) == classes[n]);
    }
}

TEST(a_frontier_needs_no_known_network_and_no_small_slack) {
    // Every arc costs 0.3: within 0.5 are the empty network and those with one arc.
    FlatTable table(4);
    std::vector<double> costs;
    for (std::size_t row = 0; row < table.scores.size(); ++row) {
        costs.push_back(0.3 * static_cast<double>(table.view().parents(row).size()));
        table.scores[row] = -costs.back();
    }
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const double unknown = -std::numeric_limits<double>::infinity();
    const auto few = build_from_costs(table.input(), {costs, 0, unknown, {}}, Construction::frontier, ticker);
    CHECK(sum_diagram(few, 0.5, 1e-12, costs.size(), false, 1 << 30, 1, ticker).count == 13);
    auto wide = table.input();
    wide.slack = 1e12;
    const auto all = build_from_costs(wide, {costs, 0, 0, {}}, Construction::frontier, ticker);
    CHECK(sum_diagram(all, 1e12, 1e-12, costs.size(), false, 1 << 30, 1, ticker).count == 543);
}

TEST(a_diagram_stops_when_told) {
    const FlatTable table(4);
    SilentMonitor monitor;
    const std::vector<double> costs(table.scores.size(), 0.0);
    for (const auto construction : {Construction::sources, Construction::frontier}) {
        Ticker ticker(monitor), other(monitor);
        auto input = table.input();
        input.memory = 10;
        CHECK(build_from_costs(input, {costs, 0, 0, {}}, construction, ticker).status ==
              Status::memory_limit);
        auto few = table.input();
        few.most_states = 3;
        const auto stopped = build_from_costs(few, {costs, 0, 0, {}}, construction, other);
        CHECK(stopped.status == Status::count_limit);
        CHECK(stopped.explored == 3);
    }
}
