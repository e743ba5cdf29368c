#include "credible/diagram/diagram_join.hpp"

#include <algorithm>

#include "check.hpp"
#include "flat_table.hpp"

using namespace flat_table_support;

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
    Ticker ticker(monitor);
    const auto build = [&](const std::vector<std::uint8_t>& keep) {
        auto input = table.input();
        input.keep = keep;
        return build_from_costs(input, {costs, 0, 0, {}}, Construction::sources, ticker);
    };
    const auto with = build(present), without = build(absent);
    CHECK(with.optimum == -0.3 && without.optimum == 0);
    const auto count = [&](const NetworkDiagram& diagram, double slack) {
        const auto sums = sum_diagram(diagram, slack, 1e-12, table.scores.size(), true, 1 << 30, 1, ticker);
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
