#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "parent_sets/jkl.hpp"
#include "parent_sets/table_data.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

TableView as_table(const Array1<std::int64_t>& node_offsets, const Array1<double>& scores,
                   const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members) {
    return {node_offsets.shape(0) - 1, as_span(node_offsets), as_span(scores), as_span(set_offsets),
            as_span(members)};
}

nb::tuple as_arrays(TableData&& table) {
    return nb::make_tuple(as_array(std::move(table.node_offsets)), as_array(std::move(table.scores)),
                          as_array(std::move(table.set_offsets)), as_array(std::move(table.members)));
}

}  // namespace

}  // namespace arcwise

void bind_parent_sets(nb::module_& stage) {
    using namespace arcwise;

    stage.def(
        "parse_jkl",
        [](const nb::bytes& text) {
            JklTable parsed;
            {
                const std::string_view content(text.c_str(), text.size());
                const nb::gil_scoped_release unlocked;
                parsed = parse_jkl(content);
            }
            return nb::make_tuple(std::move(parsed.names), as_arrays(std::move(parsed.table)),
                                  std::move(parsed.comments), parsed.error_line, std::move(parsed.error));
        },
        nb::arg("text"));

    stage.def(
        "format_jkl",
        [](const Array1<std::int64_t>& node_offsets, const Array1<double>& scores,
           const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members,
           const std::vector<std::string>& names, const std::vector<std::string>& comments) {
            std::string text;
            {
                const nb::gil_scoped_release unlocked;
                text = format_jkl(as_table(node_offsets, scores, set_offsets, members), names, comments);
            }
            return nb::bytes(text.data(), text.size());
        },
        nb::arg("node_offsets").noconvert(), nb::arg("scores").noconvert(),
        nb::arg("set_offsets").noconvert(), nb::arg("members").noconvert(), nb::arg("names"),
        nb::arg("comments"));

    stage.def(
        "inspect_table",
        [](const Array1<std::int64_t>& node_offsets, const Array1<double>& scores,
           const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members) {
            Inspection found;
            {
                const nb::gil_scoped_release unlocked;
                found = inspect_table(as_table(node_offsets, scores, set_offsets, members));
            }
            return nb::make_tuple(static_cast<std::int32_t>(found.defect), found.node, found.row);
        },
        nb::arg("node_offsets").noconvert(), nb::arg("scores").noconvert(),
        nb::arg("set_offsets").noconvert(), nb::arg("members").noconvert());
}
