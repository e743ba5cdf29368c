#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "parent_sets/builder.hpp"
#include "parent_sets/candidate_sets.hpp"
#include "parent_sets/components.hpp"
#include "parent_sets/data_source.hpp"
#include "parent_sets/jkl.hpp"
#include "parent_sets/set_batch.hpp"
#include "parent_sets/table_data.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

nb::tuple as_arrays(TableData&& table) {
    return nb::make_tuple(as_array(std::move(table.node_offsets)), as_array(std::move(table.scores)),
                          as_array(std::move(table.set_offsets)), as_array(std::move(table.members)));
}

template <class Code>
void bind_builder(nb::module_& stage) {
    stage.def(
        "make_builder",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights, std::vector<const LocalScore*> scores,
           const BuildOptions& options) {
            const nb::gil_scoped_release unlocked;
            return std::make_unique<ParentSetBuilder>(make_count_source(as_columns(codes, arities, weights)),
                                                      std::move(scores), options);
        },
        nb::keep_alive<0, 4>(), nb::arg("codes").noconvert(), nb::arg("arities").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("scores"), nb::arg("options"));
    stage.def(
        "make_set_task",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights, const std::vector<const LocalScore*>& scores) {
            const nb::gil_scoped_release unlocked;
            return std::make_unique<SetTask>(make_count_source(as_columns(codes, arities, weights)), scores);
        },
        nb::keep_alive<0, 4>(), nb::arg("codes").noconvert(), nb::arg("arities").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("scores"));
}

// Of scores that hold their data.
void bind_data_builder(nb::module_& stage) {
    stage.def(
        "make_data_builder",
        [](std::size_t variables, std::vector<const LocalScore*> scores, const BuildOptions& options) {
            const nb::gil_scoped_release unlocked;
            return std::make_unique<ParentSetBuilder>(make_data_source(variables), std::move(scores),
                                                      options);
        },
        nb::keep_alive<0, 2>(), nb::arg("variables"), nb::arg("scores"), nb::arg("options"));
}

// A Python function as `CountElsewhere`: it is given the batch, and returns a status, or None if it does not
// take it.
CountElsewhere counted_by(const nb::object& counter) {
    if (counter.is_none()) return {};
    return [&counter](SetBatch& batch) -> std::optional<Status> {
        const nb::gil_scoped_acquire gil;
        const nb::object found = counter(nb::cast(&batch, nb::rv_policy::reference));
        if (found.is_none()) return std::nullopt;
        return static_cast<Status>(nb::cast<std::int32_t>(found));
    };
}

void bind_set_batch(nb::module_& stage) {
    nb::class_<SetBatch>(stage, "SetBatch")
        .def_prop_ro("size", &SetBatch::size)
        .def_prop_ro("set_size", &SetBatch::set_size)
        .def_prop_ro("is_of_families", &SetBatch::is_of_families)
        .def(
            "ranks",
            [](const SetBatch& batch, std::size_t first, std::size_t last) {
                return as_array(unlocked([&] { return batch.ranks(first, last); }));
            },
            nb::arg("first"), nb::arg("last"))
        .def(
            "needed",
            [](const SetBatch& batch, std::size_t first, std::size_t last) {
                return as_array(unlocked([&] { return batch.needed(first, last); }));
            },
            nb::arg("first"), nb::arg("last"))
        .def(
            "store_sums",
            [](SetBatch& batch, std::size_t first, const Array1<double>& sums,
               const Array1<std::uint32_t>& occupied) {
                return batch.store_sums(first, as_span(sums), as_span(occupied));
            },
            nb::arg("first"), nb::arg("sums").noconvert(), nb::arg("occupied").noconvert())
        .def(
            "store_families",
            [](SetBatch& batch, std::size_t first, const Array1<double>& scores,
               const Array1<double>& bounds) {
                return batch.store_families(first, as_span(scores), as_span(bounds));
            },
            nb::arg("first"), nb::arg("scores").noconvert(), nb::arg("bounds").noconvert());
    nb::class_<SetTask>(stage, "SetTask")
        .def(
            "sum_sets",
            [](SetTask& task, std::size_t set_size, const Array1<std::uint64_t>& ranks) {
                SetValues found = unlocked([&] { return task.sum_sets(set_size, as_span(ranks)); });
                return nb::make_tuple(as_array(std::move(found.sums.front())),
                                      as_array(std::move(found.occupied)));
            },
            nb::arg("set_size"), nb::arg("ranks").noconvert())
        .def(
            "score_families",
            [](SetTask& task, std::size_t set_size, const Array1<std::uint64_t>& ranks,
               const Array1<std::uint8_t>& needed) {
                FamilyValues found =
                    unlocked([&] { return task.score_families(set_size, as_span(ranks), as_span(needed)); });
                return nb::make_tuple(as_array(std::move(found.scores)), as_array(std::move(found.bounds)));
            },
            nb::arg("set_size"), nb::arg("ranks").noconvert(), nb::arg("needed").noconvert());
}

void bind_candidate_sets(nb::module_& stage) {
    nb::class_<CandidateSets>(stage, "CandidateSets")
        .def(
            "__init__",
            [](CandidateSets* self, const BoundTable& table) { new (self) CandidateSets(table.view()); },
            nb::arg("table"))
        .def_prop_ro("variables", &CandidateSets::variables)
        .def_prop_ro("words", &CandidateSets::words)
        .def_prop_ro("rows", &CandidateSets::rows)
        .def_prop_ro(
            "scores", [](const CandidateSets& sets) { return copy_array(sets.scores()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "origins", [](const CandidateSets& sets) { return copy_array(sets.origins()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "node_origins", [](const CandidateSets& sets) { return copy_array(sets.node_origins()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "offsets",
            [](const CandidateSets& sets) {
                return as_array(std::vector<std::int64_t>(sets.offsets().begin(), sets.offsets().end()));
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "sets", [](const CandidateSets& sets) { return copy_sets(sets.all_sets()); },
            nb::rv_policy::automatic)
        .def(
            "kept",
            [](const CandidateSets& sets, const Array1<std::uint8_t>& keep) {
                return unlocked([&] { return sets.kept(as_span(keep)); });
            },
            nb::arg("keep").noconvert())
        .def(
            "component",
            [](const CandidateSets& sets, const Array1<std::int32_t>& nodes, const nb::object& callback) {
                return watched(callback,
                               [&](Ticker& ticker) { return sets.component(as_span(nodes), ticker); });
            },
            nb::arg("nodes").noconvert(), nb::arg("callback") = nb::none())
        .def(
            "undominated",
            [](const CandidateSets& sets, const nb::object& callback) {
                return watched(callback, [&](Ticker& ticker) { return sets.undominated(ticker); });
            },
            nb::arg("callback") = nb::none())
        .def("strong_components", [](const CandidateSets& sets) {
            return as_array(unlocked([&] { return strong_components(sets); }));
        });
}

}  // namespace

}  // namespace arcwise

void bind_parent_sets(nb::module_& stage) {
    using namespace arcwise;

    nb::class_<BoundTable>(stage, "TableView")
        .def(
            "__init__",
            [](BoundTable* self, const Array1<std::int64_t>& node_offsets, const Array1<double>& scores,
               const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members) {
                new (self) BoundTable{node_offsets, scores, set_offsets, members};
            },
            nb::arg("node_offsets").noconvert(), nb::arg("scores").noconvert(),
            nb::arg("set_offsets").noconvert(), nb::arg("members").noconvert());
    bind_candidate_sets(stage);

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
        [](const BoundTable& table, const std::vector<std::string>& names,
           const std::vector<std::string>& comments) {
            const std::string text = unlocked([&] { return format_jkl(table.view(), names, comments); });
            return nb::bytes(text.data(), text.size());
        },
        nb::arg("table"), nb::arg("names"), nb::arg("comments"));

    stage.def(
        "inspect_table",
        [](const BoundTable& table) {
            const Inspection found = unlocked([&] { return inspect_table(table.view()); });
            return nb::make_tuple(static_cast<std::int32_t>(found.defect), found.node, found.row);
        },
        nb::arg("table"));

    OptionsBinding<BuildOptions>(stage, "BuildOptions")
        .field("slack", &BuildOptions::slack)
        .field("threads", &BuildOptions::threads)
        .field("memory_bytes", &BuildOptions::memory_bytes)
        .field("dense_from", &BuildOptions::dense_from)
        .field("required", &BuildOptions::required)
        .field("allowed", &BuildOptions::allowed)
        .field("limits", &BuildOptions::limits);
    bind_set_batch(stage);
    nb::class_<ParentSetBuilder>(stage, "ParentSetBuilder")
        .def_prop_ro("level", &ParentSetBuilder::level)
        .def_prop_ro("finished", &ParentSetBuilder::finished)
        .def_prop_ro("families", [](const ParentSetBuilder& b) { return b.statistics().families; })
        .def_prop_ro("sets", [](const ParentSetBuilder& b) { return b.statistics().sets; })
        .def_prop_ro("peak_bytes", [](const ParentSetBuilder& b) { return b.statistics().peak_bytes; })
        .def(
            "advance",
            [](ParentSetBuilder& builder, nb::object callback, double seconds, const nb::object& elsewhere) {
                PythonMonitor monitor(std::move(callback));
                const CountElsewhere counter = counted_by(elsewhere);
                const Status status = unlocked([&] { return builder.advance(monitor, seconds, counter); });
                monitor.rethrow();
                return static_cast<std::int32_t>(status);
            },
            nb::arg("callback").none(), nb::arg("seconds"), nb::arg("elsewhere") = nb::none())
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
    bind_data_builder(stage);
}
