#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "model/bif.hpp"
#include "model/likelihood.hpp"
#include "model/sample.hpp"
#include "monitor.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

// A network that Python holds: the arrays stay alive as long as it does.
struct BoundNetwork {
    Array1<std::int32_t> arities;
    Array1<std::int64_t> parent_offsets;
    Array1<std::int32_t> parents;
    Array1<std::int64_t> table_offsets;
    Array1<double> values;
    Array1<std::int32_t> order;

    NetworkView view() const {
        return {as_span(arities),       as_span(parent_offsets), as_span(parents),
                as_span(table_offsets), as_span(values),         as_span(order)};
    }
};

template <class Code>
using Table = nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Code>
void bind_model_for(nb::module_& stage) {
    stage.def(
        "sample_rows",
        [](const BoundNetwork& network, const Array1<std::uint64_t>& key, const Table<Code>& codes,
           std::size_t threads, nb::object callback) {
            PythonMonitor monitor(std::move(callback));
            const Status status = unlocked([&] {
                return sample_rows(network.view(), {key(0), key(1)}, codes.data(), codes.shape(1), threads,
                                   monitor);
            });
            monitor.rethrow();
            return static_cast<int>(status);
        },
        nb::arg("network"), nb::arg("key").noconvert(), nb::arg("codes").noconvert(), nb::arg("threads"),
        nb::arg("callback").none());
    stage.def(
        "log_likelihood",
        [](const BoundNetwork& network, const Array2<Code>& codes, const Array1<std::int32_t>& positions,
           const Array1<std::int32_t>& of_row, const Array1<std::uint8_t>& was_set, std::size_t threads,
           nb::object callback) {
            PythonMonitor monitor(std::move(callback));
            Likelihood result = unlocked([&] {
                const Columns<Code> data{codes.data(), codes.shape(0), codes.shape(1), network.arities.data(),
                                         nullptr};
                return log_likelihood(network.view(), data, as_span(positions),
                                      {as_span(of_row), as_span(was_set)}, threads, monitor);
            });
            monitor.rethrow();
            return nb::make_tuple(as_array(std::move(result.rows)), static_cast<int>(result.status));
        },
        nb::arg("network"), nb::arg("codes").noconvert(), nb::arg("positions").noconvert(),
        nb::arg("of_row").noconvert(), nb::arg("was_set").noconvert(), nb::arg("threads"),
        nb::arg("callback").none());
}

}  // namespace
}  // namespace arcwise

void bind_model(nb::module_& stage) {
    stage.def(
        "read_bif",
        [](nb::bytes text, double tolerance, std::size_t max_cells) {
            arcwise::BifNetwork read;
            {
                const nb::gil_scoped_release unlocked;
                read = arcwise::read_bif({text.c_str(), text.size()}, tolerance, max_cells);
            }
            return nb::make_tuple(
                read.names, read.states, read.parents, arcwise::as_array(std::move(read.table_offsets)),
                arcwise::as_array(std::move(read.values)), read.message, read.line, read.column);
        },
        nb::arg("text"), nb::arg("tolerance"), nb::arg("max_cells"));
    nb::class_<arcwise::BoundNetwork>(stage, "NetworkView")
        .def(
            "__init__",
            [](arcwise::BoundNetwork* self, const arcwise::Array1<std::int32_t>& arities,
               const arcwise::Array1<std::int64_t>& parent_offsets,
               const arcwise::Array1<std::int32_t>& parents,
               const arcwise::Array1<std::int64_t>& table_offsets, const arcwise::Array1<double>& values,
               const arcwise::Array1<std::int32_t>& order) {
                new (self)
                    arcwise::BoundNetwork{arities, parent_offsets, parents, table_offsets, values, order};
            },
            nb::arg("arities").noconvert(), nb::arg("parent_offsets").noconvert(),
            nb::arg("parents").noconvert(), nb::arg("table_offsets").noconvert(),
            nb::arg("values").noconvert(), nb::arg("order").noconvert());
    arcwise::bind_model_for<std::uint8_t>(stage);
    arcwise::bind_model_for<std::uint16_t>(stage);
    arcwise::bind_model_for<std::uint32_t>(stage);
}
