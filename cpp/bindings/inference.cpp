// Exact inference: the second half of the stage `model`.
#include "model/inference/inference.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "monitor.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

nb::tuple as_tuple(const Outcome& outcome) {
    return nb::make_tuple(static_cast<int>(outcome.refusal), outcome.variable, outcome.log_evidence,
                          outcome.width, outcome.largest, outcome.message_cells);
}

// Runs a query without the GIL.
template <class Query>
auto unlocked(nb::object callback, Query query) {
    PythonMonitor monitor(std::move(callback));
    decltype(query(monitor)) result;
    {
        const nb::gil_scoped_release release;
        result = query(monitor);
    }
    monitor.rethrow();
    return result;
}

template <class Code>
using Table = nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The codes are changed in place.
template <class Code>
void bind_filling_for(nb::class_<Inference>& stage) {
    stage.def(
        "fill_rows",
        [](const Inference& self, const Table<Code>& codes, const Array2<std::uint8_t>& missing,
           const Array1<std::uint64_t>& key, double max_cells, std::size_t threads, nb::object callback) {
            const auto filling = unlocked(std::move(callback), [&](Monitor& monitor) {
                return self.fill_rows(codes.data(), missing.data(), codes.shape(1), {key(0), key(1)},
                                      {max_cells, threads}, monitor);
            });
            return nb::make_tuple(as_tuple(filling.outcome), filling.row);
        },
        nb::arg("codes").noconvert(), nb::arg("missing").noconvert(), nb::arg("key").noconvert(),
        nb::arg("max_cells"), nb::arg("threads"), nb::arg("callback").none());
}

}  // namespace

}  // namespace arcwise

void bind_inference(nb::module_& stage) {
    using namespace arcwise;
    using Indices = std::vector<std::int32_t>;
    nb::class_<Inference> inference(stage, "Inference");
    bind_filling_for<std::uint8_t>(inference);
    bind_filling_for<std::uint16_t>(inference);
    bind_filling_for<std::uint32_t>(inference);
    inference
        .def(
            "__init__",
            [](Inference* self, const Array1<std::int32_t>& arities,
               const Array1<std::int64_t>& parent_offsets, const Array1<std::int32_t>& parents,
               const Array1<std::int64_t>& table_offsets, const Array1<double>& values,
               const Array1<std::int32_t>& order) {
                new (self) Inference({as_span(arities), as_span(parent_offsets), as_span(parents),
                                      as_span(table_offsets), as_span(values), as_span(order)});
            },
            nb::arg("arities").noconvert(), nb::arg("parent_offsets").noconvert(),
            nb::arg("parents").noconvert(), nb::arg("table_offsets").noconvert(),
            nb::arg("values").noconvert(), nb::arg("order").noconvert())
        .def(
            "query",
            [](const Inference& self, const Indices& asked, const Indices& states, double max_cells,
               std::size_t threads, nb::object callback) {
                auto answer = unlocked(std::move(callback), [&](Monitor& monitor) {
                    return self.query(asked, states, {max_cells, threads}, monitor);
                });
                return nb::make_tuple(as_tuple(answer.outcome), as_array(std::move(answer.probabilities)));
            },
            nb::arg("asked"), nb::arg("states"), nb::arg("max_cells"), nb::arg("threads"),
            nb::arg("callback").none())
        .def(
            "marginals",
            [](const Inference& self, const Indices& states, double max_cells, std::size_t threads,
               nb::object callback) {
                auto answer = unlocked(std::move(callback), [&](Monitor& monitor) {
                    return self.marginals(states, {max_cells, threads}, monitor);
                });
                return nb::make_tuple(as_tuple(answer.outcome), as_array(std::move(answer.probabilities)));
            },
            nb::arg("states"), nb::arg("max_cells"), nb::arg("threads"), nb::arg("callback").none())
        .def(
            "most_probable",
            [](const Inference& self, const Indices& states, double max_cells, std::size_t threads,
               nb::object callback) {
                auto found = unlocked(std::move(callback), [&](Monitor& monitor) {
                    return self.most_probable(states, {max_cells, threads}, monitor);
                });
                return nb::make_tuple(as_tuple(found.outcome), as_array(std::move(found.states)),
                                      found.log_joint);
            },
            nb::arg("states"), nb::arg("max_cells"), nb::arg("threads"), nb::arg("callback").none())
        .def(
            "relevant_evidence",
            [](const Inference& self, const Indices& asked, const Indices& observed) {
                return self.relevant_evidence(asked, observed);
            },
            nb::arg("asked"), nb::arg("observed"))
        .def(
            "query_rows",
            [](const Inference& self, const Indices& asked, const Indices& observed,
               const Array2<std::int32_t>& codes, bool with_evidence, double max_cells, std::size_t threads,
               nb::object callback) {
                auto answers = unlocked(std::move(callback), [&](Monitor& monitor) {
                    return self.query_rows(asked, observed, {codes.data(), codes.size()}, codes.shape(1),
                                           with_evidence, {max_cells, threads}, monitor);
                });
                return nb::make_tuple(as_tuple(answers.outcome), as_array(std::move(answers.probabilities)),
                                      as_array(std::move(answers.log_evidence)),
                                      as_array(std::move(answers.refusals)));
            },
            nb::arg("asked"), nb::arg("observed"), nb::arg("codes").noconvert(), nb::arg("with_evidence"),
            nb::arg("max_cells"), nb::arg("threads"), nb::arg("callback").none());
}
