#include "credible/diagram/diagram_arrays.hpp"

#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "flat_table.hpp"

using namespace flat_table_support;

namespace {

DiagramArrays arrays_of(const NetworkDiagram& diagram) {
    return {diagram.nodes,       diagram.layer_begin, diagram.edge_begin,
            diagram.edge_target, diagram.edge_row,    diagram.edge_detour};
}

bool is_refused(const NetworkDiagram& diagram) {
    try {
        diagram_of(arrays_of(diagram), 0, 0, 0);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(a_diagram_comes_back_from_its_arrays) {
    const FlatTable table(4);
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const std::vector<double> costs(table.scores.size(), 0.0);
    const auto made = build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::sources, ticker);
    const auto back = diagram_of(arrays_of(made), made.optimum, made.slack, made.explored);
    CHECK(back.nodes == 4 && back.status == Status::complete && back.explored == made.explored);
    CHECK(back.fingerprint() == made.fingerprint() && back.layer_begin == made.layer_begin);
    CHECK(back.edge_detour == made.edge_detour && back.slack == made.slack);
    CHECK(count_of(back, table) == 543);
    // A set without networks has nodes but no states.
    NetworkDiagram none;
    none.nodes = 4;
    const auto empty = diagram_of(arrays_of(none), -std::numeric_limits<double>::infinity(), 1, 7);
    CHECK(empty.empty() && empty.states() == 0 && empty.explored == 7);
}

TEST(arrays_that_are_no_diagram_are_refused) {
    const FlatTable table(3);
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const std::vector<double> costs(table.scores.size(), 0.0);
    const auto made = build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::sources, ticker);
    CHECK(!is_refused(made));
    const auto changed = [&](auto change) {
        auto other = made;
        change(other);
        return is_refused(other);
    };
    CHECK(changed([](auto& d) { d.nodes = 2; }));
    CHECK(changed([](auto& d) { d.edge_target[0] = 0; }));
    CHECK(changed([](auto& d) { d.edge_target[0] = 1'000'000; }));
    CHECK(changed([](auto& d) { d.edge_detour[0] = -1; }));
    CHECK(changed([](auto& d) { d.edge_detour[0] = std::numeric_limits<double>::quiet_NaN(); }));
    CHECK(changed([](auto& d) { d.edge_row.pop_back(); }));
    CHECK(changed([](auto& d) { d.edge_begin[1] = 1'000'000; }));
    CHECK(changed([](auto& d) { d.layer_begin[1] = 1'000'000; }));
    CHECK(changed([](auto& d) { d.layer_begin.pop_back(); }));
    CHECK(changed([](auto& d) { d.edge_begin.clear(); }));
}
