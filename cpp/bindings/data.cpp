#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "data/delimited.hpp"
#include "data/drawn_cases.hpp"
#include "data/groups.hpp"
#include "monitor.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

template <class Code>
void bind_groups(nb::module_& stage) {
    stage.def(
        "group_rows",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights) {
            GroupedRows groups;
            {
                const nb::gil_scoped_release unlocked;
                groups = group_rows(as_columns(codes, arities, weights));
            }
            return std::make_pair(as_array(std::move(groups.first)), as_array(std::move(groups.weights)));
        },
        nb::arg("codes").noconvert(), nb::arg("arities").noconvert(), nb::arg("weights").noconvert());
}

template <class Labelled>
auto labels_as_python(const Labelled& labels) {
    return std::make_pair(nb::bytes(labels.bytes.data(), labels.bytes.size()),
                          as_array(std::vector<std::int64_t>(labels.offsets)));
}

void bind_delimited(nb::module_& stage) {
    nb::class_<DelimitedTable>(stage, "DelimitedTable")
        .def_ro("rows", &DelimitedTable::rows)
        .def_ro("first_line", &DelimitedTable::first_line)
        .def_ro("line", &DelimitedTable::line)
        .def_ro("field", &DelimitedTable::field)
        .def_ro("found", &DelimitedTable::found)
        .def_ro("expected", &DelimitedTable::expected)
        .def_prop_ro("problem",
                     [](const DelimitedTable& table) { return static_cast<std::int32_t>(table.problem); })
        .def("lines",
             [](const DelimitedTable& table) { return as_array(std::vector<std::int64_t>(table.lines)); })
        .def_prop_ro("n_columns", [](const DelimitedTable& table) { return table.columns.size(); })
        .def("header", [](const DelimitedTable& table) { return labels_as_python(table.header); })
        .def("labels", [](const DelimitedTable& table,
                          std::size_t v) { return labels_as_python(table.columns.at(v).labels()); })
        .def("first_lines",
             [](const DelimitedTable& table, std::size_t v) {
                 return as_array(std::vector<std::int64_t>(table.columns.at(v).first_lines()));
             })
        .def("respaced",
             [](const DelimitedTable& table, std::size_t v) {
                 return std::make_pair(
                     as_array(std::vector<std::int64_t>(table.columns.at(v).respaced_codes())),
                     as_array(std::vector<std::int64_t>(table.columns.at(v).respaced_lines())));
             })
        .def("take_codes", [](DelimitedTable& table, std::size_t v) {
            return std::visit([](auto&& codes) { return nb::cast(as_array(std::move(codes))); },
                              std::move(table.columns.at(v).codes()));
        });
    stage.def(
        "read_delimited",
        [](const Array1<std::uint8_t>& text, char separator, const std::string& quotes, bool doubled,
           bool backslash, char comment, bool header, std::int64_t line, std::uint64_t seed,
           nb::object progress) {
            PythonMonitor monitor(std::move(progress));
            DelimitedTable table;
            {
                const nb::gil_scoped_release unlocked;
                const std::string_view view(reinterpret_cast<const char*>(text.data()), text.shape(0));
                table = read_delimited(view, {separator, quotes, doubled, backslash, comment}, header, line,
                                       seed, monitor);
            }
            monitor.rethrow();
            return table;
        },
        nb::arg("text"), nb::kw_only(), nb::arg("separator"), nb::arg("quotes"), nb::arg("doubled"),
        nb::arg("backslash"), nb::arg("comment"), nb::arg("header"), nb::arg("line"), nb::arg("seed"),
        nb::arg("progress").none());
}

}  // namespace
}  // namespace arcwise

void bind_data(nb::module_& stage) {
    using namespace arcwise;
    nb::class_<DrawnCases>(stage, "DrawnCases")
        .def(nb::init<std::size_t>(), nb::arg("cases"))
        .def(
            "add",
            [](DrawnCases& self, const Array1<std::int64_t>& cases) {
                const nb::gil_scoped_release unlocked;
                self.add(as_span(cases));
            },
            nb::arg("cases").noconvert())
        .def(
            "weights",
            [](const DrawnCases& self, const Array1<std::int64_t>& rows) {
                return as_array(unlocked([&] { return self.weights(as_span(rows)); }));
            },
            nb::arg("rows").noconvert());
    arcwise::bind_groups<std::uint8_t>(stage);
    arcwise::bind_groups<std::uint16_t>(stage);
    arcwise::bind_groups<std::uint32_t>(stage);
    arcwise::bind_delimited(stage);
}
