// arcwise._core.credible: diagrams of credible sets. Arrays in, arrays out; the loops are in core/credible.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>

#include "arrays.hpp"
#include "credible/construction/diagram_construction.hpp"
#include "credible/diagram/diagram_arrays.hpp"
#include "credible/diagram/diagram_join.hpp"
#include "credible/diagram/network_lister.hpp"
#include "credible/diagram/network_sampler.hpp"
#include "credible/sums/diagram_sums.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {
nb::tuple as_words(BigCount count) {
    return nb::make_tuple(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(count >> 64));
}

template <class Row>
nb::tuple next_networks(NetworkLister& self, std::size_t limit) {
    std::vector<Row> rows;
    std::vector<double> losses;
    unlocked([&] { self.next(limit, rows, losses); });
    return nb::make_tuple(as_array(std::move(rows)), as_array(std::move(losses)));
}

void bind_diagram(nb::module_& stage) {
    nb::class_<NetworkDiagram>(stage, "NetworkDiagram")
        .def(
            "__init__",
            [](NetworkDiagram* self, int status) {
                new (self) NetworkDiagram();
                self->status = static_cast<Status>(status);
            },
            nb::arg("status"))
        .def_ro("nodes", &NetworkDiagram::nodes)
        .def_ro("optimum", &NetworkDiagram::optimum)
        .def_ro("slack", &NetworkDiagram::slack)
        .def_ro("explored", &NetworkDiagram::explored)
        .def_prop_ro("status", [](const NetworkDiagram& d) { return static_cast<int>(d.status); })
        .def_prop_ro("states", &NetworkDiagram::states)
        .def_prop_ro("edges", &NetworkDiagram::edges)
        .def_prop_ro("bytes", &NetworkDiagram::bytes)
        .def_prop_ro("fingerprint", &NetworkDiagram::fingerprint)
        .def_prop_ro(
            "layer_begin",
            [](const NetworkDiagram& d) { return as_array(std::vector<std::uint32_t>(d.layer_begin)); },
            nb::rv_policy::automatic)
        .def(
            "sums",
            [](const NetworkDiagram& diagram, double slack, double grain, std::size_t rows, bool families,
               std::size_t memory, std::size_t threads, double seconds, nb::object callback) {
                DiagramSums sums = monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    return sum_diagram(diagram, slack, grain, rows, families, memory, threads, ticker);
                });
                std::vector<std::uint64_t> words(2 * sums.row_counts.size());
                std::memcpy(words.data(), sums.row_counts.data(), words.size() * sizeof(std::uint64_t));
                return nb::make_tuple(static_cast<int>(sums.status), sums.overflow, as_words(sums.count),
                                      sums.mass, as_array(std::move(words)),
                                      as_array(std::move(sums.row_masses)), sums.peak, sums.remade);
            },
            nb::arg("slack"), nb::arg("grain"), nb::arg("rows"), nb::arg("families"), nb::arg("memory"),
            nb::arg("threads"), nb::arg("seconds"), nb::arg("callback").none())
        .def(
            "draw",
            [](const NetworkDiagram& diagram, const BoundTable& table, double slack, bool by_score,
               std::size_t count, std::uint64_t seed, std::size_t memory, double seconds,
               nb::object callback) {
                DrawOptions options;
                options.slack = slack;
                options.by_score = by_score;
                options.count = count;
                options.seed = seed;
                options.memory = memory;
                DrawnNetworks drawn = monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    return draw_networks(diagram, table.view().node_offsets, options, ticker);
                });
                return nb::make_tuple(static_cast<int>(drawn.status), drawn.hopeless, drawn.proposals,
                                      drawn.exponent, as_array(std::move(drawn.rows)),
                                      as_array(std::move(drawn.losses)));
            },
            nb::arg("table"), nb::arg("slack"), nb::arg("by_score"), nb::arg("count"), nb::arg("seed"),
            nb::arg("memory"), nb::arg("seconds"), nb::arg("callback").none())
        .def_static(
            "from_arrays",
            [](const Array1<std::uint32_t>& layer_begin, const Array1<std::uint64_t>& edge_begin,
               const Array1<std::uint32_t>& edge_target, const Array1<std::uint32_t>& edge_row,
               const Array1<double>& edge_detour,
               const std::tuple<std::size_t, double, double, std::uint64_t>& facts) {
                const auto& [nodes, optimum, slack, explored] = facts;
                return diagram_of({nodes, as_span(layer_begin), as_span(edge_begin), as_span(edge_target),
                                   as_span(edge_row), as_span(edge_detour)},
                                  optimum, slack, explored);
            },
            nb::arg("layer_begin").noconvert(), nb::arg("edge_begin").noconvert(),
            nb::arg("edge_target").noconvert(), nb::arg("edge_row").noconvert(),
            nb::arg("edge_detour").noconvert(), nb::arg("facts"))
        .def("edge_arrays", [](const NetworkDiagram& d) {
            return nb::make_tuple(as_array(std::vector<std::uint64_t>(d.edge_begin)),
                                  as_array(std::vector<std::uint32_t>(d.edge_target)),
                                  as_array(std::vector<std::uint32_t>(d.edge_row)),
                                  as_array(std::vector<double>(d.edge_detour)));
        });

    nb::class_<NetworkLister>(stage, "NetworkLister")
        .def(
            "__init__",
            [](NetworkLister* self, const NetworkDiagram& diagram, const BoundTable& table, double slack) {
                new (self) NetworkLister(diagram, table.view().node_offsets, slack);
            },
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::arg("diagram"), nb::arg("table"),
            nb::arg("slack"))
        .def("next_narrow", &next_networks<std::uint16_t>, nb::arg("limit"))
        .def("next_wide", &next_networks<std::uint32_t>, nb::arg("limit"))
        .def_prop_ro("done", &NetworkLister::done)
        .def_prop_ro(
            "position", [](const NetworkLister& self) { return as_array(self.position()); },
            nb::rv_policy::automatic)
        .def(
            "seek",
            [](NetworkLister& self, const Array1<std::uint32_t>& position) {
                return self.seek(as_span(position));
            },
            nb::arg("position").noconvert());
}

// DiagramInput and RowCosts with the arrays that they read.
struct BoundInput {
    Array1<std::int32_t> order;
    Array1<std::uint8_t> keep;
    double slack = 0;
    std::size_t memory = 0;
    std::uint64_t most_states = std::numeric_limits<std::uint64_t>::max();
    Array2<Word> fixed;
    std::size_t threads = 1;

    DiagramInput of(const BoundTable& table) const {
        return {table.view(), as_span(order), as_span(keep),   slack,
                memory,       most_states,    words_of(fixed), threads};
    }
};
struct BoundCosts {
    Array1<double> costs;
    double reference = 0;
    double at_least = 0;
    Array2<Word> cuts;
    Array1<std::int32_t> codes;
    Array1<double> multipliers;

    RowCosts view() const {
        return {as_span(costs),
                reference,
                at_least,
                {{cuts.data(), cuts.size()}, as_span(codes), as_span(multipliers)}};
    }
};

void bind_construction(nb::module_& stage) {
    nb::enum_<Construction>(stage, "Construction")
        .value("SOURCES", Construction::sources)
        .value("REPRESENTATIVES", Construction::representatives)
        .value("FRONTIER", Construction::frontier);
    OptionsBinding<BoundInput>(stage, "DiagramInput")
        .field("order", &BoundInput::order)
        .field("keep", &BoundInput::keep)
        .field("slack", &BoundInput::slack)
        .field("memory", &BoundInput::memory)
        .field("most_states", &BoundInput::most_states)
        .field("fixed", &BoundInput::fixed)
        .field("threads", &BoundInput::threads);
    OptionsBinding<BoundCosts>(stage, "RowCosts")
        .field("costs", &BoundCosts::costs)
        .field("reference", &BoundCosts::reference)
        .field("at_least", &BoundCosts::at_least)
        .field("cuts", &BoundCosts::cuts)
        .field("codes", &BoundCosts::codes)
        .field("multipliers", &BoundCosts::multipliers);
    stage.def(
        "build_from_subsets",
        [](const BoundTable& table, const BoundInput& input, const Array1<double>& best, bool classes,
           double seconds, nb::object callback) {
            return monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                return build_from_subsets(input.of(table), as_span(best), classes, ticker);
            });
        },
        nb::arg("table"), nb::arg("input"), nb::arg("best").noconvert(), nb::arg("classes"),
        nb::arg("seconds"), nb::arg("callback").none());
    stage.def(
        "build_from_costs",
        [](const BoundTable& table, const BoundInput& input, const BoundCosts& costs,
           Construction construction, double seconds, nb::object callback) {
            return monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                return build_from_costs(input.of(table), costs.view(), construction, ticker);
            });
        },
        nb::arg("table"), nb::arg("input"), nb::arg("costs"), nb::arg("construction"), nb::arg("seconds"),
        nb::arg("callback").none());
    stage.def(
        "join_diagrams",
        [](const std::vector<NetworkDiagram*>& parts, double slack) {
            const std::vector<const NetworkDiagram*> all(parts.begin(), parts.end());
            return join_diagrams(all, slack);
        },
        nb::call_guard<nb::gil_scoped_release>(), nb::arg("parts"), nb::arg("slack"));
}

}  // namespace
}  // namespace arcwise

void bind_credible(nb::module_& stage) {
    arcwise::bind_diagram(stage);
    arcwise::bind_construction(stage);
}
