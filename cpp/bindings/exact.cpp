// arcwise._core.exact: the parts of the exact solver. Arrays in, arrays out; the loops are in core/exact.
#include "arrays.hpp"
#include "monitor.hpp"
#include "exact/acyclicity.hpp"
#include "exact/branching.hpp"
#include "parent_sets/candidate_sets.hpp"
#include "exact/components.hpp"
#include "exact/cut_bound.hpp"
#include "exact/lp_matrix.hpp"
#include "local/order_search.hpp"
#include "exact/separation.hpp"
#include "exact/subset_dp.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

template <class T>
auto copy_array(std::span<const T> values) {
    return as_array(std::vector<T>(values.begin(), values.end()));
}

auto bitset_array(std::vector<bits::Word>&& words, std::size_t per_set) {
    auto* owned = new std::vector<bits::Word>(std::move(words));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<bits::Word>*>(p); });
    return nb::ndarray<nb::numpy, bits::Word, nb::ndim<2>>(owned->data(), {owned->size() / per_set, per_set},
                                                           owner);
}

template <class Compute>
auto unlocked(Compute&& compute) {
    const nb::gil_scoped_release release;
    return compute();
}

// For calls that are short nearly always: from a tenth of a second on, they ask now and then whether to stop.
// What they return holds all the same; who stopped them knows why.
template <class Compute>
auto watched(const nb::object& callback, Compute&& compute) {
    PythonMonitor monitor(callback);
    Ticker ticker(monitor, std::numeric_limits<double>::infinity(), 0.1);
    auto result = unlocked([&] { return compute(ticker); });
    monitor.rethrow_signal();
    return result;
}

nb::tuple as_tuple(SparseMatrix&& matrix) {
    return nb::make_tuple(as_array(std::move(matrix.starts)), as_array(std::move(matrix.indices)),
                          as_array(std::move(matrix.values)));
}

nb::tuple as_tuple(OrderedNetwork&& network) {
    return nb::make_tuple(as_array(std::move(network.order)), as_array(std::move(network.rows)),
                          network.score, network.missing);
}

void bind_candidate_sets(nb::module_& stage) {
    nb::class_<CandidateSets>(stage, "CandidateSets")
        .def(
            "__init__",
            [](CandidateSets* self, const Array1<std::int64_t>& node_offsets, const Array1<double>& scores,
               const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members) {
                new (self) CandidateSets(TableView{node_offsets.shape(0) - 1, as_span(node_offsets),
                                                   as_span(scores), as_span(set_offsets), as_span(members)});
            },
            nb::arg("node_offsets").noconvert(), nb::arg("scores").noconvert(),
            nb::arg("set_offsets").noconvert(), nb::arg("members").noconvert())
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
            "sets",
            [](const CandidateSets& sets) {
                return bitset_array(std::vector<bits::Word>(sets.all_sets().begin(), sets.all_sets().end()),
                                    sets.words());
            },
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

void bind_cuts(nb::module_& stage) {
    nb::class_<CutPool>(stage, "CutPool")
        .def(nb::init<std::size_t>(), nb::arg("variables"))
        .def("__len__", &CutPool::size)
        .def(
            "extend",
            [](CutPool& pool, const Array2<bits::Word>& members, const Array1<std::int32_t>& codes) {
                pool.extend({members.data(), members.size()}, as_span(codes));
            },
            nb::arg("members").noconvert(), nb::arg("codes").noconvert())
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
            "members",
            [](const CutPool& pool) {
                return bitset_array(
                    std::vector<bits::Word>(pool.all_members().begin(), pool.all_members().end()),
                    pool.words());
            },
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

    stage.def(
        "separate_cuts",
        [](const CandidateSets& sets, const Array1<std::int64_t>& rows, const Array1<double>& values,
           std::size_t limit, double threshold, int effort, const nb::object& callback) {
            const auto found = watched(callback, [&](Ticker& ticker) {
                return separate_cuts(sets, {as_span(rows), as_span(values)}, limit, threshold, effort,
                                     ticker);
            });
            return nb::make_tuple(bitset_array(members_of(found), sets.words()), as_array(codes_of(found)));
        },
        nb::arg("sets"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("limit"),
        nb::arg("threshold"), nb::arg("effort"), nb::arg("callback") = nb::none());
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

void bind_order_search(nb::module_& stage) {
    nb::class_<OrderSearch>(stage, "OrderSearch")
        .def(nb::init<const CandidateSets&, std::uint64_t>(), nb::keep_alive<1, 2>(), nb::arg("sets"),
             nb::arg("seed"))
        .def_prop_ro("operations", &OrderSearch::operations)
        .def(
            "evaluate",
            [](const OrderSearch& search, const Array1<std::int32_t>& order) {
                return as_tuple(unlocked([&] { return search.evaluate(as_span(order)); }));
            },
            nb::arg("order").noconvert())
        .def(
            "descend",
            [](OrderSearch& search, const Array1<std::int32_t>& order, const nb::object& callback) {
                return as_tuple(watched(
                    callback, [&](Ticker& ticker) { return search.descend(as_span(order), ticker); }));
            },
            nb::arg("order").noconvert(), nb::arg("callback") = nb::none())
        .def(
            "iterate",
            [](OrderSearch& search, const Array1<std::int32_t>& start, std::uint64_t iterations,
               std::uint64_t patience, double seconds, const nb::object& callback) {
                PythonMonitor monitor(callback);
                Ticker ticker(monitor, seconds);
                OrderedNetwork network =
                    unlocked([&] { return search.iterate(as_span(start), iterations, patience, ticker); });
                monitor.rethrow();
                return nb::make_tuple(as_tuple(std::move(network)), static_cast<int>(ticker.reason()));
            },
            nb::arg("start").noconvert(), nb::arg("iterations"), nb::arg("patience"), nb::arg("seconds"),
            nb::arg("callback").none());
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

}  // namespace
}  // namespace arcwise

void bind_exact(nb::module_& stage) {
    arcwise::bind_candidate_sets(stage);
    arcwise::bind_cuts(stage);
    arcwise::bind_acyclicity(stage);
    arcwise::bind_branching(stage);
    arcwise::bind_order_search(stage);
    arcwise::bind_subset_dp(stage);
}
