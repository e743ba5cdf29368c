#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "monitor.hpp"
#include "parent_sets/builder.hpp"
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

template <class Code>
void bind_builder(nb::module_& stage) {
    stage.def(
        "make_builder",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights, std::vector<const LocalScore*> scores, double slack,
           std::size_t threads, double memory_bytes, double dense_from,
           std::vector<std::vector<std::int32_t>> required, std::vector<std::vector<std::int32_t>> allowed,
           std::vector<std::int32_t> limits) {
            const nb::gil_scoped_release unlocked;
            return std::make_unique<ParentSetBuilder>(
                make_count_source(as_columns(codes, arities, weights)), std::move(scores),
                BuildOptions{slack, threads, memory_bytes, dense_from, std::move(required),
                             std::move(allowed), std::move(limits)});
        },
        nb::keep_alive<0, 4>(), nb::arg("codes").noconvert(), nb::arg("arities").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("scores"), nb::arg("slack"), nb::arg("threads"),
        nb::arg("memory_bytes"), nb::arg("dense_from"), nb::arg("required"), nb::arg("allowed"),
        nb::arg("limits"));
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

    nb::class_<ParentSetBuilder>(stage, "ParentSetBuilder")
        .def_prop_ro("level", &ParentSetBuilder::level)
        .def_prop_ro("finished", &ParentSetBuilder::finished)
        .def_prop_ro("families", [](const ParentSetBuilder& b) { return b.statistics().families; })
        .def_prop_ro("sets", [](const ParentSetBuilder& b) { return b.statistics().sets; })
        .def_prop_ro("peak_bytes", [](const ParentSetBuilder& b) { return b.statistics().peak_bytes; })
        .def(
            "advance",
            [](ParentSetBuilder& builder, nb::object callback, double seconds) {
                PythonMonitor monitor(std::move(callback));
                Status status = Status::complete;
                {
                    const nb::gil_scoped_release unlocked;
                    status = builder.advance(monitor, seconds);
                }
                monitor.rethrow();
                return static_cast<std::int32_t>(status);
            },
            nb::arg("callback").none(), nb::arg("seconds"))
        .def(
            "table",
            [](const ParentSetBuilder& builder, std::size_t score) {
                TableData table;
                {
                    const nb::gil_scoped_release unlocked;
                    table = builder.table(score);
                }
                return as_arrays(std::move(table));
            },
            nb::arg("score"))
        .def("pack",
             [](const ParentSetBuilder& builder) {
                 PackedState packed;
                 {
                     const nb::gil_scoped_release unlocked;
                     packed = builder.pack();
                 }
                 return nb::make_tuple(as_array(std::move(packed.numbers)),
                                       as_array(std::move(packed.members)),
                                       as_array(std::move(packed.values)));
             })
        .def(
            "restore",
            [](ParentSetBuilder& builder, const Array1<std::int64_t>& numbers,
               const Array1<std::int32_t>& members, const Array1<double>& values) {
                const nb::gil_scoped_release unlocked;
                return builder.restore({{numbers.data(), numbers.data() + numbers.shape(0)},
                                        {members.data(), members.data() + members.shape(0)},
                                        {values.data(), values.data() + values.shape(0)}});
            },
            nb::arg("numbers").noconvert(), nb::arg("members").noconvert(), nb::arg("values").noconvert());
    bind_builder<std::uint8_t>(stage);
    bind_builder<std::uint16_t>(stage);
    bind_builder<std::uint32_t>(stage);
}
