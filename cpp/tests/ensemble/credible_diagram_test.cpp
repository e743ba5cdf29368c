#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "check.hpp"
#include "ensemble/construction/diagram_construction.hpp"
#include "ensemble/diagram/diagram_join.hpp"
#include "ensemble/sums/diagram_sums.hpp"
#include "ensemble/all_dags/exact_sums.hpp"
#include "ensemble/diagram/network_lister.hpp"
#include "ensemble/all_dags/path_sums.hpp"
#include "graph/least_member.hpp"

namespace {

using namespace arcwise;

// All parent sets of n nodes, each with the score 0: every DAG is optimal.
struct FlatTable {
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> order;
    std::size_t n;

    explicit FlatTable(std::size_t nodes) : n(nodes) {
        for (std::size_t v = 0; v < n; ++v) {
            order.push_back(static_cast<std::int32_t>(v));
            for (std::size_t set = 0; set < (std::size_t{1} << n); ++set) {
                if ((set >> v) & 1U) continue;
                for (std::size_t p = 0; p < n; ++p)
                    if ((set >> p) & 1U) members.push_back(static_cast<std::int32_t>(p));
                set_offsets.push_back(static_cast<std::int64_t>(members.size()));
                scores.push_back(0);
            }
            node_offsets.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }
    TableView view() const { return {n, node_offsets, scores, set_offsets, members}; }
    DiagramInput input() const { return {view(), order, {}, 0.5, std::size_t{1} << 30}; }
};

std::uint64_t count_of(const NetworkDiagram& diagram, const FlatTable& table) {
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    const auto sums = sum_diagram(diagram, 0.5, 1e-12, table.scores.size(), true, 1 << 30, ticker);
    // Every network has one family per node.
    BigCount families = 0;
    for (const auto rows : sums.row_counts) families += rows;
    CHECK(families == sums.count * table.n);
    return static_cast<std::uint64_t>(sums.count);
}

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
        Ticker ticker(monitor, 60);
        const std::vector<double> best(std::size_t{1} << n, 0.0);
        const auto by_sinks = build_from_subsets(table.input(), best, false, ticker);
        CHECK(count_of(by_sinks, table) == dags[n]);
        CHECK(count_of(build_from_subsets(table.input(), best, true, ticker), table) == classes[n]);
        const std::vector<double> costs(table.scores.size(), 0.0);
        const auto by_sources =
            build_from_costs(table.input(), {costs, 0, 0}, {}, Construction::sources, ticker);
        CHECK(count_of(by_sources, table) == dags[n]);
        const auto by_frontier =
            build_from_costs(table.input(), {costs, 0, 0}, {}, Construction::frontier, ticker);
        CHECK(count_of(by_frontier, table) == dags[n]);
        const auto few =
            build_from_costs(table.input(), {costs, 0, 0}, {}, Construction::representatives, ticker);
        CHECK(least_members(few, table) == classes[n]);

        NetworkLister lister(by_sources, table.node_offsets, 0.5);
        std::vector<std::uint16_t> rows;
        std::vector<double> losses;
        lister.next(2, rows, losses);
        const auto place = lister.position();
        NetworkLister later(by_sources, table.node_offsets, 0.5);
        CHECK(later.seek(place));
        later.next(1000, rows, losses);
        CHECK(losses.size() == dags[n]);
        CHECK(later.done());
        std::set<std::vector<std::uint16_t>> different;
        for (std::size_t i = 0; i < losses.size(); ++i)
            different.insert({rows.begin() + static_cast<std::ptrdiff_t>(i * n),
                              rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)});
        CHECK(different.size() == dags[n]);
        const std::vector<std::uint32_t> nowhere(n, 1000);
        CHECK(!later.seek(nowhere));
    }
}

// The diagrams of the DAGs with the arc 0 -> 1, which costs 0.3, and of those without.
TEST(disjoint_parts_are_joined) {
    FlatTable table(4);
    std::vector<std::uint8_t> present(table.scores.size(), 1), absent(table.scores.size(), 1);
    for (auto row = table.node_offsets[1]; row < table.node_offsets[2]; ++row) {
        const auto r = static_cast<std::size_t>(row);
        const auto parents = table.view().parents(r);
        const bool has = std::find(parents.begin(), parents.end(), 0) != parents.end();
        table.scores[r] = has ? -0.3 : 0.0;
        (has ? absent : present)[r] = 0;
    }
    std::vector<double> costs;
    for (const double score : table.scores) costs.push_back(-score);
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    const auto build = [&](const std::vector<std::uint8_t>& keep) {
        auto input = table.input();
        input.keep = keep;
        return build_from_costs(input, {costs, 0, 0}, {}, Construction::sources, ticker);
    };
    const auto with = build(present), without = build(absent);
    CHECK(with.optimum == -0.3 && without.optimum == 0);
    const auto count = [&](const NetworkDiagram& diagram, double slack) {
        const auto sums = sum_diagram(diagram, slack, 1e-12, table.scores.size(), true, 1 << 30, ticker);
        return static_cast<std::uint64_t>(sums.count);
    };
    const auto of_with = count(with, 0.1), of_without = count(without, 0.1);
    CHECK(of_with > 0 && of_with + of_without == 543);
    const std::vector<const NetworkDiagram*> parts{&with, &without};
    const auto whole = join_diagrams(parts, 0.5);
    CHECK(whole.optimum == 0 && whole.nodes == 4 && whole.layer_begin.size() == 6);
    CHECK(whole.states() == with.states() + without.states() - 2);
    CHECK(whole.explored == with.explored + without.explored);
    CHECK(count_of(whole, table) == 543);
    CHECK(count(whole, 0.2) == of_without);
    for (std::size_t s = 0; s < whole.states(); ++s)
        CHECK(
            std::is_sorted(whole.edge_detour.begin() + static_cast<std::ptrdiff_t>(whole.edge_begin[s]),
                           whole.edge_detour.begin() + static_cast<std::ptrdiff_t>(whole.edge_begin[s + 1])));
    // With less slack the part that is too far from the best leaves nothing behind.
    const auto near = join_diagrams(parts, 0.2);
    CHECK(near.states() == without.states() && count(near, 0.2) == of_without);
    // Nothing to join, and a part that was stopped.
    NetworkDiagram nothing, stopped;
    nothing.nodes = stopped.nodes = 4;
    nothing.explored = 7;
    const std::vector<const NetworkDiagram*> with_nothing{&nothing, &with};
    CHECK(join_diagrams(with_nothing, 0.5).explored == with.explored + 7);
    CHECK(count(join_diagrams(with_nothing, 0.5), 0.1) == of_with);
    stopped.status = Status::time_limit;
    const std::vector<const NetworkDiagram*> with_stopped{&with, &stopped};
    CHECK(join_diagrams(with_stopped, 0.5).status == Status::time_limit);
}

TEST(all_dags_are_summed) {
    const FlatTable table(5);
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    const auto sums = sum_all_dags(table.view(), ticker);
    CHECK(std::abs(sums.log_total - std::log(29281.0)) < 1e-14);
    CHECK(sums.defect < 1e-15);
}

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

TEST(a_frontier_needs_no_known_network_and_no_small_slack) {
    // Every arc costs 0.3: within 0.5 are the empty network and those with one arc.
    FlatTable table(4);
    std::vector<double> costs;
    for (std::size_t row = 0; row < table.scores.size(); ++row) {
        costs.push_back(0.3 * static_cast<double>(table.view().parents(row).size()));
        table.scores[row] = -costs.back();
    }
    SilentMonitor monitor;
    Ticker ticker(monitor, 60);
    const double unknown = -std::numeric_limits<double>::infinity();
    const auto few = build_from_costs(table.input(), {costs, 0, unknown}, {}, Construction::frontier, ticker);
    CHECK(sum_diagram(few, 0.5, 1e-12, costs.size(), false, 1 << 30, ticker).count == 13);
    auto wide = table.input();
    wide.slack = 1e12;
    const auto all = build_from_costs(wide, {costs, 0, 0}, {}, Construction::frontier, ticker);
    CHECK(sum_diagram(all, 1e12, 1e-12, costs.size(), false, 1 << 30, ticker).count == 543);
}

TEST(a_diagram_stops_when_told) {
    const FlatTable table(4);
    SilentMonitor monitor;
    const std::vector<double> costs(table.scores.size(), 0.0);
    for (const auto construction : {Construction::sources, Construction::frontier}) {
        Ticker ticker(monitor, 60), other(monitor, 60);
        auto input = table.input();
        input.memory = 10;
        CHECK(build_from_costs(input, {costs, 0, 0}, {}, construction, ticker).status ==
              Status::memory_limit);
        auto few = table.input();
        few.most_states = 3;
        const auto stopped = build_from_costs(few, {costs, 0, 0}, {}, construction, other);
        CHECK(stopped.status == Status::count_limit);
        CHECK(stopped.explored == 3);
    }
}
