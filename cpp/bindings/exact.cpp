// arcwise._core.exact: the parts of the exact solver. Arrays in, arrays out; the loops are in core/exact.
#include "arrays.hpp"
#include "exact/acyclicity.hpp"
#include "exact/branching.hpp"
#include "exact/cut_bound.hpp"
#include "exact/dual_ascent.hpp"
#include "exact/exchange.hpp"
#include "exact/information.hpp"
#include "exact/layered_search.hpp"
#include "exact/lp_matrix.hpp"
#include "exact/separation.hpp"
#include "exact/subset_dp.hpp"
#include "monitor.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

nb::tuple as_tuple(SparseMatrix&& matrix) {
    return nb::make_tuple(as_array(std::move(matrix.starts)), as_array(std::move(matrix.indices)),
                          as_array(std::move(matrix.values)));
}

void bind_cuts(nb::module_& stage) {
    nb::class_<CutPool>(stage, "CutPool")
        .def(nb::init<std::size_t>(), nb::arg("variables"))
        .def("__len__", &CutPool::size)
        .def(
            "extend",
            [](CutPool& pool, const Array2<Word>& members, const Array1<std::int32_t>& codes) {
                pool.extend({members.data(), members.size()}, as_span(codes));
            },
            nb::arg("members").noconvert(), nb::arg("codes").noconvert())
        .def(
            "extend_weighted",
            [](CutPool& pool, const Array1<Word>& members, const CandidateSets& sets,
               const Array1<double>& coefficients, double side) {
                pool.extend_weighted(SetView(as_span(members)), sets, as_span(coefficients), side);
            },
            nb::arg("members").noconvert(), nb::arg("sets"), nb::arg("coefficients").noconvert(),
            nb::arg("side"))
        .def(
            "extend_from",
            [](CutPool& pool, const CutPool& other, const Array1<std::uint8_t>& take) {
                pool.extend_from(other, as_span(take));
            },
            nb::arg("other"), nb::arg("take").noconvert())
        .def_prop_ro(
            "codes", [](const CutPool& pool) { return copy_array(pool.codes()); }, nb::rv_policy::automatic)
        .def(
            "set_multipliers",
            [](CutPool& pool, const Array1<double>& y) { pool.set_multipliers(as_span(y)); },
            nb::arg("multipliers").noconvert())
        .def(
            "keep", [](CutPool& pool, const Array1<std::uint8_t>& keep) { pool.keep(as_span(keep)); },
            nb::arg("keep").noconvert())
        .def_prop_ro(
            "members", [](const CutPool& pool) { return copy_sets(pool.all_members()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "multipliers", [](const CutPool& pool) { return copy_array(pool.multipliers()); },
            nb::rv_policy::automatic)
        .def(
            "bound",
            [](const CutPool& pool, const CandidateSets& sets, const Array1<std::uint8_t>& allowed) {
                BoundResult result = unlocked([&] { return cut_bound(sets, pool, as_span(allowed)); });
                return nb::make_tuple(result.bound, as_array(std::move(result.reduced_costs)));
            },
            nb::arg("sets"), nb::arg("allowed").noconvert())
        .def(
            "rows",
            [](const CutPool& pool, const CandidateSets& sets, const Array1<std::int64_t>& columns,
               std::size_t first) {
                CutRows rows = unlocked([&] { return cut_rows(sets, as_span(columns), pool, first); });
                return nb::make_tuple(as_tuple(std::move(rows.matrix)), as_array(std::move(rows.forms)),
                                      as_array(std::move(rows.sides)));
            },
            nb::arg("sets"), nb::arg("columns").noconvert(), nb::arg("first"))
        .def(
            "columns",
            [](const CutPool& pool, const CandidateSets& sets, const Array1<std::int64_t>& columns,
               const Array1<std::uint8_t>& forms) {
                return as_tuple(
                    unlocked([&] { return cut_columns(sets, as_span(columns), pool, as_span(forms)); }));
            },
            nb::arg("sets"), nb::arg("columns").noconvert(), nb::arg("forms").noconvert());

    stage.def("facet_coefficients", [] { return as_array(facet_coefficients()); });
    stage.def(
        "separate_cuts",
        [](const CandidateSets& sets, const Array1<std::int64_t>& rows, const Array1<double>& values,
           std::size_t limit, double threshold, int effort, bool flows, const nb::object& callback) {
            const auto found = watched(callback, [&](Ticker& ticker) {
                return separate_cuts(sets, {as_span(rows), as_span(values)}, limit, threshold, effort, flows,
                                     ticker);
            });
            return nb::make_tuple(as_sets(members_of(found), sets.words()), as_array(codes_of(found)));
        },
        nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("limit"),
        nb::arg("threshold"), nb::arg("effort"), nb::arg("flows") = false, nb::arg("callback") = nb::none());
    stage.def(
        "ascend",
        [](const CandidateSets& sets, const Array1<double>& reduced_costs, std::size_t limit, double least,
           const nb::object& callback) {
            Ascent ascent = watched(callback, [&](Ticker& ticker) {
                return ascend(sets, as_span(reduced_costs), limit, least, ticker);
            });
            return nb::make_tuple(as_sets(std::move(ascent.members), sets.words()),
                                  as_array(std::move(ascent.steps)));
        },
        nb::arg("sets"), nb::arg("reduced_costs").noconvert(), nb::arg("limit"), nb::arg("least"),
        nb::arg("callback") = nb::none());
}

void bind_information(nb::module_& stage) {
    nb::class_<Information>(stage, "Information")
        .def(
            "__init__",
            [](Information* self, const Array1<std::int32_t>& arities) {
                new (self) Information(as_span(arities));
            },
            nb::arg("arities").noconvert())
        .def("__len__", &Information::size)
        .def(
            "learn",
            [](Information& information, const Array1<std::int64_t>& offsets,
               const Array1<std::int32_t>& members, const Array1<double>& probabilities) {
                unlocked([&] {
                    information.learn({as_span(offsets), as_span(members), as_span(probabilities)});
                    return 0;
                });
            },
            nb::arg("offsets").noconvert(), nb::arg("members").noconvert(),
            nb::arg("probabilities").noconvert())
        .def(
            "entropy",
            [](const Information& information, const Array1<Word>& members) {
                return information.entropy(SetView(as_span(members)));
            },
            nb::arg("members").noconvert())
        .def(
            "set_model",
            [](Information& information, const Array2<Word>& parents) {
                information.set_model({parents.data(), parents.size()});
            },
            nb::arg("parents").noconvert())
        .def_prop_ro("total", &Information::total)
        .def("take_wanted", [](Information& information) { return copy_sets(information.take_wanted()); })
        .def(
            "coefficients",
            [](const Information& information, const CandidateSets& sets, const Array1<Word>& members) {
                return as_array(
                    unlocked([&] { return information.coefficients(sets, SetView(as_span(members))); }));
            },
            nb::arg("sets"), nb::arg("members").noconvert())
        .def(
            "separate",
            [](Information& information, const CandidateSets& sets, const Array1<std::int64_t>& rows,
               const Array1<double>& values, std::size_t limit, double threshold) {
                const auto found = unlocked([&] {
                    return information.separate(sets, {as_span(rows), as_span(values)}, limit, threshold);
                });
                BitRows members(sets.variables());
                std::vector<double> sides;
                for (const InformationCut& cut : found) {
                    members.append(cut.members);
                    sides.push_back(cut.side);
                }
                return nb::make_tuple(copy_sets(members), as_array(std::move(sides)));
            },
            nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("limit"),
            nb::arg("threshold"));
}

void bind_exchanges(nb::module_& stage) {
    nb::class_<Exchanges>(stage, "Exchanges")
        .def(
            "__init__",
            [](Exchanges* self, const CandidateSets& sets, const Array1<std::int32_t>& order,
               double most_lost) {
                unlocked([&] {
                    new (self) Exchanges(sets, as_span(order), most_lost);
                    return 0;
                });
            },
            nb::arg("sets"), nb::arg("order").noconvert(), nb::arg("most_lost"))
        .def_prop_ro("is_exact", &Exchanges::is_exact)
        .def_prop_ro("loss", &Exchanges::loss)
        .def("excludes", &Exchanges::excludes, nb::arg("sets"), nb::arg("row"), nb::arg("other"))
        .def(
            "add_violated",
            [](const Exchanges& exchanges, CutPool& pool, const CandidateSets& sets,
               const Array1<std::int64_t>& rows, const Array1<double>& values, std::size_t limit,
               double threshold, const nb::object& callback) {
                return watched(callback, [&](Ticker& ticker) {
                    return exchanges.add_violated(pool, sets, {as_span(rows), as_span(values)}, limit,
                                                  threshold, ticker);
                });
            },
            nb::arg("pool"), nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(),
            nb::arg("limit"), nb::arg("threshold"), nb::arg("callback") = nb::none());
}

void bind_acyclicity(nb::module_& stage) {
    nb::class_<AcyclicityPropagator>(stage, "AcyclicityPropagator")
        .def(nb::init<const CandidateSets&>(), nb::keep_alive<1, 2>(), nb::arg("sets"))
        .def(
            "propagate",
            [](AcyclicityPropagator& propagator, const Array1<std::uint8_t>& allowed,
               const nb::object& callback) {
                std::vector<std::uint8_t> left(allowed.data(), allowed.data() + allowed.size());
                const bool possible =
                    watched(callback, [&](Ticker& ticker) { return propagator.propagate(left, ticker); });
                return nb::make_tuple(possible, as_array(std::move(left)));
            },
            nb::arg("allowed").noconvert(), nb::arg("callback") = nb::none());
    stage.def(
        "feasible_order",
        [](const CandidateSets& sets) { return as_array(unlocked([&] { return feasible_order(sets); })); },
        nb::arg("sets"));
}

void bind_branching(nb::module_& stage) {
    stage.def(
        "fractional_arcs",
        [](const CandidateSets& sets, const Array1<std::int64_t>& rows, const Array1<double>& values,
           double tolerance) {
            FractionalArcs arcs =
                unlocked([&] { return fractional_arcs(sets, {as_span(rows), as_span(values)}, tolerance); });
            return nb::make_tuple(as_array(std::move(arcs.parents)), as_array(std::move(arcs.children)),
                                  as_array(std::move(arcs.weights)));
        },
        nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("tolerance"));
    stage.def(
        "impose_arc",
        [](const CandidateSets& sets, const Array1<std::uint8_t>& allowed, std::size_t parent,
           std::size_t child, bool present) {
            std::vector<std::uint8_t> left(allowed.data(), allowed.data() + allowed.size());
            impose_arc(sets, left, parent, child, present);
            return as_array(std::move(left));
        },
        nb::arg("sets"), nb::arg("allowed").noconvert(), nb::arg("parent"), nb::arg("child"),
        nb::arg("present"));
    stage.def(
        "order_of_point",
        [](const CandidateSets& sets, const Array1<std::int64_t>& rows, const Array1<double>& values) {
            return as_array(unlocked([&] { return order_of_point(sets, {as_span(rows), as_span(values)}); }));
        },
        nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert());
}

void bind_subset_dp(nb::module_& stage) {
    nb::class_<SubsetDp>(stage, "SubsetDp")
        .def(nb::init<const CandidateSets&, bool>(), nb::keep_alive<1, 2>(), nb::arg("sets"),
             nb::arg("layered") = false)
        .def_ro_static("largest", &SubsetDp::largest)
        .def_static("memory_for", &SubsetDp::memory_for, nb::arg("variables"), nb::arg("layered") = false)
        .def(
            "run",
            [](SubsetDp& dp, std::size_t threads, double seconds, const nb::object& callback) {
                PythonMonitor monitor(callback);
                Ticker ticker(monitor, seconds);
                unlocked([&] { return dp.run(threads, ticker); });
                monitor.rethrow();
                return static_cast<int>(ticker.reason());
            },
            nb::arg("threads"), nb::arg("seconds"), nb::arg("callback").none())
        .def_prop_ro("optimum", &SubsetDp::optimum)
        .def_prop_ro(
            "best",
            [](const SubsetDp& dp) {
                return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(dp.best().data(), {dp.best().size()},
                                                                         nb::handle());
            },
            nb::rv_policy::reference_internal)
        .def("rows", [](const SubsetDp& dp) { return as_array(dp.rows()); });
}

void bind_layered_search(nb::module_& stage) {
    nb::class_<LayeredSearch>(stage, "LayeredSearch")
        .def(
            "__init__",
            [](LayeredSearch* self, const CandidateSets& sets, const Array1<std::int32_t>& order,
               double margin, const nb::object& callback) {
                new (self) LayeredSearch(watched(
                    callback,
                    [&](Ticker& ticker) { return LayeredSearch(sets, as_span(order), margin, ticker); }, 0));
            },
            nb::arg("sets"), nb::arg("order").noconvert(), nb::arg("margin"), nb::arg("callback").none())
        .def_ro_static("largest", &LayeredSearch::largest)
        .def_prop_ro("is_exact", &LayeredSearch::is_exact)
        .def_prop_ro("gap", &LayeredSearch::gap)
        .def(
            "run",
            [](LayeredSearch& search, std::uint64_t most_work, std::uint64_t most_nodes,
               std::uint64_t most_bytes, double seconds, const nb::object& callback) {
                PythonMonitor monitor(callback);
                Ticker ticker(monitor, seconds);
                const bool finished =
                    unlocked([&] { return search.run({most_work, most_nodes, most_bytes}, ticker); });
                monitor.rethrow();
                return nb::make_tuple(finished, static_cast<int>(ticker.reason()));
            },
            nb::arg("most_work"), nb::arg("most_nodes"), nb::arg("most_bytes"), nb::arg("seconds"),
            nb::arg("callback").none())
        .def_prop_ro(
            "order", [](const LayeredSearch& search) { return copy_array(std::span(search.order())); },
            nb::rv_policy::automatic)
        .def_prop_ro("done", &LayeredSearch::done)
        .def_prop_ro("nodes", &LayeredSearch::nodes)
        .def_prop_ro("work", &LayeredSearch::work);
}

}  // namespace
}  // namespace arcwise

void bind_exact(nb::module_& stage) {
    arcwise::bind_cuts(stage);
    arcwise::bind_information(stage);
    arcwise::bind_exchanges(stage);
    arcwise::bind_acyclicity(stage);
    arcwise::bind_branching(stage);
    arcwise::bind_subset_dp(stage);
    arcwise::bind_layered_search(stage);
}
