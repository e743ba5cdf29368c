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

NetworkView as_network(const Array1<std::int32_t>& arities, const Array1<std::int64_t>& parent_offsets,
                       const Array1<std::int32_t>& parents, const Array1<std::int64_t>& table_offsets,
                       const Array1<double>& values, const Array1<std::int32_t>& order) {
    return {as_span(arities),       as_span(parent_offsets), as_span(parents),
            as_span(table_offsets), as_span(values),         as_span(order)};
}

template <class Code>
using Table = nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Code>
void bind_model_for(nb::module_& stage) {
    stage.def(
        "sample_rows",
        [](const Array1<std::int32_t>& arities, const Array1<std::int64_t>& parent_offsets,
           const Array1<std::int32_t>& parents, const Array1<std::int64_t>& table_offsets,
           const Array1<double>& values, const Array1<std::int32_t>& order, const Array1<std::uint64_t>& key,
           const Table<Code>& codes, std::size_t threads, nb::object callback) {
            PythonMonitor monitor(std::move(callback));
            Status status;
            {
                const nb::gil_scoped_release unlocked;
                status =
                    sample_rows(as_network(arities, parent_offsets, parents, table_offsets, values, order),
                                {key(0), key(1)}, codes.data(), codes.shape(1), threads, monitor);
            }
            monitor.rethrow();
            return static_cast<int>(status);
        },
        nb::arg("arities").noconvert(), nb::arg("parent_offsets").noconvert(), nb::arg("parents").noconvert(),
        nb::arg("table_offsets").noconvert(), nb::arg("values").noconvert(), nb::arg("order").noconvert(),
        nb::arg("key").noconvert(), nb::arg("codes").noconvert(), nb::arg("threads"),
        nb::arg("callback").none());
    stage.def(
        "log_likelihood",
        [](const Array1<std::int32_t>& arities, const Array1<std::int64_t>& parent_offsets,
           const Array1<std::int32_t>& parents, const Array1<std::int64_t>& table_offsets,
           const Array1<double>& values, const Array1<std::int32_t>& order, const Array2<Code>& codes,
           const Array1<std::int32_t>& positions, std::size_t threads, nb::object callback) {
            PythonMonitor monitor(std::move(callback));
            Likelihood result;
            {
                const nb::gil_scoped_release unlocked;
                const Columns<Code> data{codes.data(), codes.shape(0), codes.shape(1), arities.data(),
                                         nullptr};
                result =
                    log_likelihood(as_network(arities, parent_offsets, parents, table_offsets, values, order),
                                   data, as_span(positions), threads, monitor);
            }
            monitor.rethrow();
            return nb::make_tuple(as_array(std::move(result.rows)), static_cast<int>(result.status));
        },
        nb::arg("arities").noconvert(), nb::arg("parent_offsets").noconvert(), nb::arg("parents").noconvert(),
        nb::arg("table_offsets").noconvert(), nb::arg("values").noconvert(), nb::arg("order").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("positions").noconvert(), nb::arg("threads"),
        nb::arg("callback").none());
}

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
    arcwise::bind_model_for<std::uint8_t>(stage);
    arcwise::bind_model_for<std::uint16_t>(stage);
    arcwise::bind_model_for<std::uint32_t>(stage);
}
