#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "monitor.hpp"
#include "priors/count_spectra.hpp"
#include "priors/ess_optima.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

template <class Code>
void bind_spectra(nb::module_& stage) {
    stage.def(
        "make_spectra",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights) {
            const nb::gil_scoped_release unlocked;
            return std::make_unique<CountSpectra>(as_columns(codes, arities, weights));
        },
        nb::arg("codes").noconvert(), nb::arg("arities").noconvert(), nb::arg("weights").noconvert());
}

}  // namespace

}  // namespace arcwise

void bind_priors(nb::module_& stage) {
    using namespace arcwise;

    nb::class_<CountSpectra>(stage, "CountSpectra")
        .def_ro_static("largest", &CountSpectra::largest)
        .def_prop_ro("level", &CountSpectra::level)
        .def_prop_ro("bytes", &CountSpectra::bytes)
        .def_prop_ro("labels",
                     [](const CountSpectra& spectra) {
                         return std::vector<std::int32_t>(spectra.labels().begin(), spectra.labels().end());
                     })
        .def("spectrum", &CountSpectra::flat_runs, nb::arg("set"))
        .def(
            "advance",
            [](CountSpectra& spectra, nb::object callback, double seconds, std::size_t threads,
               double memory_bytes) {
                PythonMonitor monitor(std::move(callback));
                Status status = Status::complete;
                {
                    const nb::gil_scoped_release unlocked;
                    status = spectra.advance(monitor, seconds, threads, memory_bytes);
                }
                monitor.rethrow();
                return static_cast<std::int32_t>(status);
            },
            nb::arg("callback").none(), nb::arg("seconds"), nb::arg("threads"), nb::arg("memory_bytes"));
    bind_spectra<std::uint8_t>(stage);
    bind_spectra<std::uint16_t>(stage);
    bind_spectra<std::uint32_t>(stage);

    nb::class_<EssOptimizer>(stage, "EssOptimizer")
        .def(nb::init<const CountSpectra&>(), nb::keep_alive<1, 2>(), nb::arg("spectra"))
        .def_static("memory_for", &EssOptimizer::memory_for, nb::arg("variables"), nb::arg("threads"))
        .def(
            "solve",
            [](const EssOptimizer& optimizer, const Array1<double>& ess, bool averaged,
               std::vector<std::uint32_t> required, std::vector<std::uint32_t> allowed,
               std::vector<std::int32_t> limits, std::size_t threads, nb::object callback, double seconds) {
                PythonMonitor monitor(std::move(callback));
                EssOptima found;
                {
                    const FamilyRules rules{std::move(required), std::move(allowed), std::move(limits)};
                    const nb::gil_scoped_release unlocked;
                    found = optimizer.solve(as_span(ess), averaged, rules, threads, monitor, seconds);
                }
                monitor.rethrow();
                return nb::make_tuple(static_cast<std::int32_t>(found.status),
                                      as_array(std::move(found.solved)), as_array(std::move(found.scores)),
                                      as_array(std::move(found.parents)));
            },
            nb::arg("ess").noconvert(), nb::arg("averaged"), nb::arg("required"), nb::arg("allowed"),
            nb::arg("limits"), nb::arg("threads"), nb::arg("callback").none(), nb::arg("seconds"));
}
