// Sums over all DAGs, in arcwise._core.posterior: arrays in, arrays out; the loops are in
// core/posterior/all_dags.
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "monitor.hpp"
#include "posterior/all_dags/dag_sampler.hpp"
#include "posterior/all_dags/dag_sums.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

void bind_options(nb::module_& stage) {
    nb::class_<DagSumOptions>(stage, "DagSumOptions")
        .def(
            "__init__",
            [](DagSumOptions* self, double cut, bool blankets, std::size_t threads, std::size_t memory,
               double most_terms) { new (self) DagSumOptions{cut, blankets, threads, memory, most_terms}; },
            nb::arg("cut"), nb::arg("blankets"), nb::arg("threads"), nb::arg("memory"),
            nb::arg("most_terms"));
}

void bind_sums(nb::module_& stage) {
    const auto moved = nb::rv_policy::automatic;
    nb::class_<DagSums>(stage, "DagSums")
        .def_prop_ro("status", [](const DagSums& s) { return static_cast<int>(s.status); })
        .def_ro("too_wide", &DagSums::too_wide)
        .def_ro("log_total", &DagSums::log_total)
        .def_ro("left_out", &DagSums::left_out)
        .def_ro("defect", &DagSums::defect)
        .def_ro("sets", &DagSums::sets)
        .def_ro("terms", &DagSums::terms)
        .def_ro("bytes", &DagSums::bytes)
        .def(
            "take_shares", [](DagSums& s) { return as_array(std::move(s.shares)); }, moved)
        .def(
            "take_arcs", [](DagSums& s) { return as_array(std::move(s.arcs)); }, moved)
        .def(
            "take_ancestors", [](DagSums& s) { return as_array(std::move(s.ancestors)); }, moved)
        .def("take_blankets", [](DagSums& s) { return as_array(std::move(s.blankets)); }, moved);
    stage.def(
        "sum_all_dags",
        [](const BoundTable& bound, const DagSumOptions& options, double seconds, nb::object callback) {
            const TableView table = bound.view();
            PythonMonitor monitor(std::move(callback));
            Ticker ticker(monitor, seconds);
            DagSums sums = [&] {
                const nb::gil_scoped_release unlocked;
                return sum_all_dags(table, options, ticker);
            }();
            monitor.rethrow();
            return sums;
        },
        nb::arg("table"), nb::arg("options"), nb::arg("seconds"), nb::arg("callback").none());
}

void bind_sampler(nb::module_& stage) {
    nb::class_<DagSampler>(stage, "DagSampler")
        .def(
            "__init__",
            [](DagSampler* self, const BoundTable& table, double cut, std::size_t threads) {
                new (self) DagSampler(table.view(), cut, threads);
            },
            nb::keep_alive<1, 2>(), nb::arg("table"), nb::arg("cut"), nb::arg("threads"))
        .def_static(
            "bytes_for",
            [](const BoundTable& table, std::size_t threads) {
                return DagSampler::bytes_for(table.view(), threads);
            },
            nb::arg("table"), nb::arg("threads"))
        .def(
            "prepare",
            [](DagSampler& self, double seconds, nb::object callback) {
                return monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    const bool ready = self.prepare(ticker);
                    return std::pair(ready, static_cast<int>(ticker.reason()));
                });
            },
            nb::arg("seconds"), nb::arg("callback").none())
        .def(
            "draw",
            [](const DagSampler& self, std::size_t count, std::uint64_t seed, std::size_t threads,
               double seconds, nb::object callback) {
                DrawnDags drawn = monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    return self.draw(count, seed, threads, ticker);
                });
                return nb::make_tuple(static_cast<int>(drawn.status), as_array(std::move(drawn.rows)),
                                      as_array(std::move(drawn.scores)));
            },
            nb::arg("count"), nb::arg("seed"), nb::arg("threads"), nb::arg("seconds"),
            nb::arg("callback").none());
}

}  // namespace
}  // namespace arcwise

void bind_all_dags(nb::module_& stage) {
    arcwise::bind_options(stage);
    arcwise::bind_sums(stage);
    arcwise::bind_sampler(stage);
}
