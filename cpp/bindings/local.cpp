#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.hpp"
#include "local/data_learner.hpp"
#include "local/local_learner.hpp"
#include "local/order_search.hpp"
#include "local/packed_parents.hpp"
#include "monitor.hpp"
#include "options.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

template <class Code>
void bind_blocks(nb::class_<StateBlocks>& blocks) {
    blocks.def(
        "__init__",
        [](StateBlocks* self, const Array2<Code>& codes, const Array1<std::int32_t>& arities) {
            const nb::gil_scoped_release unlocked;
            new (self) StateBlocks(
                Columns<Code>{codes.data(), codes.shape(0), codes.shape(1), arities.data(), nullptr});
        },
        nb::arg("codes").noconvert(), nb::arg("arities").noconvert());
}

nb::tuple as_tuple(SearchOutcome&& outcome) {
    auto packed = pack_parents(outcome.parents);
    return nb::make_tuple(as_array(std::move(packed.offsets)), as_array(std::move(packed.members)),
                          outcome.score, as_array(std::move(outcome.history)),
                          as_array(std::move(outcome.restarts)), outcome.iterations, outcome.operations,
                          outcome.families, static_cast<std::int32_t>(outcome.status));
}

// Runs search(scores, options, ticker) on the weighted data without the GIL.
template <class Learner, class Options, SearchOutcome (*search)(FamilyScores&, const Options&, Ticker&)>
nb::tuple run(Learner& learner, const Array1<std::int64_t>& weights, const Options& options, double seconds,
              nb::object progress) {
    return as_tuple(monitored(seconds, std::move(progress), [&](Ticker& ticker) {
        return learner.with_scores(as_span(weights),
                                   [&](FamilyScores& scores) { return search(scores, options, ticker); });
    }));
}

// Climbs in several replicates that are counted together; those that are not begun when time is up are left
// out. Replicate k has the k-th seed.
nb::list climb_together(LocalLearner& learner, ReplicateCounts& counts, const Array1<std::uint64_t>& seeds,
                        const ClimbOptions& options, double seconds, nb::object progress) {
    std::vector<SearchOutcome> outcomes = monitored(seconds, std::move(progress), [&](Ticker& ticker) {
        std::vector<SearchOutcome> found;
        learner.with_replicates(counts, ticker, [&](std::size_t k, FamilyScores& scores) {
            ClimbOptions own = options;
            own.seed = as_span(seeds)[k];
            found.push_back(climb(scores, own, ticker));
            return found.back().status == Status::complete;
        });
        return found;
    });
    nb::list made;
    for (auto& outcome : outcomes) made.append(as_tuple(std::move(outcome)));
    return made;
}

nb::tuple as_tuple(OrderedNetwork&& network) {
    return nb::make_tuple(as_array(std::move(network.order)), as_array(std::move(network.rows)),
                          network.score, network.missing);
}

// A network as two arrays, offsets and members.
using PackedStart = std::pair<Array1<std::int64_t>, Array1<std::int32_t>>;

std::vector<Parents> unpack(const PackedStart& start) {
    return unpack_parents(as_span(start.first), as_span(start.second));
}

void bind_options(nb::module_& stage) {
    OptionsBinding<ClimbOptions>(stage, "ClimbOptions")
        .field_from<PackedStart>("start", [](ClimbOptions& options,
                                             const PackedStart& start) { options.starts = {unpack(start)}; })
        .field("restarts", &ClimbOptions::restarts)
        .field("perturbations", &ClimbOptions::perturbations)
        .field("density", &ClimbOptions::density)
        .field("tabu", &ClimbOptions::tabu)
        .field("patience", &ClimbOptions::patience)
        .field("max_iterations", &ClimbOptions::max_iterations)
        .field_from<std::uint64_t>(
            "refine", [](ClimbOptions& o, std::uint64_t rounds) { o.refinement.rounds = rounds; })
        .field_from<std::uint64_t>("effort",
                                   [](ClimbOptions& o, std::uint64_t times) { o.refinement.effort = times; })
        .field_from<std::size_t>("narrow",
                                 [](ClimbOptions& o, std::size_t most) { o.refinement.narrow = most; })
        .field_from<std::size_t>("candidates",
                                 [](ClimbOptions& o, std::size_t most) { o.refinement.candidates = most; })
        .field_from<std::size_t>("whole",
                                 [](ClimbOptions& o, std::size_t most) { o.refinement.whole = most; })
        .field_from<std::size_t>("near", [](ClimbOptions& o, std::size_t most) { o.refinement.near = most; })
        .field("random_ties", &ClimbOptions::random_ties)
        .field("seed", &ClimbOptions::seed);
    OptionsBinding<FirstAscentOptions>(stage, "FirstAscentOptions")
        .field_from<PackedStart>("start", [](FirstAscentOptions& options,
                                             const PackedStart& start) { options.start = unpack(start); })
        .field("max_iterations", &FirstAscentOptions::max_iterations)
        .field("seed", &FirstAscentOptions::seed);
    OptionsBinding<GeneticOptions>(stage, "GeneticOptions")
        .field("population", &GeneticOptions::population)
        .field("unconnected", &GeneticOptions::unconnected)
        .field("dropped", &GeneticOptions::dropped)
        .field("promoted", &GeneticOptions::promoted)
        .field("mating_tries", &GeneticOptions::mating_tries)
        .field("patience", &GeneticOptions::patience)
        .field("max_rounds", &GeneticOptions::max_rounds)
        .field("mutate", &GeneticOptions::mutate)
        .field("density", &GeneticOptions::density)
        .field("seed", &GeneticOptions::seed);
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
                Status status = Status::complete;
                OrderedNetwork network = monitored(seconds, callback, [&](Ticker& ticker) {
                    OrderedNetwork found = search.iterate(as_span(start), iterations, patience, ticker);
                    status = ticker.reason();
                    return found;
                });
                return nb::make_tuple(as_tuple(std::move(network)), static_cast<int>(status));
            },
            nb::arg("start").noconvert(), nb::arg("iterations"), nb::arg("patience"), nb::arg("seconds"),
            nb::arg("callback").none());
}

// What one can ask of a learner, whatever its scores are made of.
template <class Learner>
void bind_searches(nb::class_<Learner>& learner) {
    learner
        .def(
            "neighbours",
            [](Learner& self, const Array1<std::int64_t>& weights, std::size_t child,
               const Array1<std::int32_t>& parents) {
                double own = 0.0;
                std::vector<double> toggled;
                {
                    const nb::gil_scoped_release unlocked;
                    self.with_scores(as_span(weights), [&](FamilyScores& scores) {
                        const auto row = scores.row(child, as_span(parents));
                        scores.settle_all(*row, child, as_span(parents));
                        own = row->own;
                        for (std::size_t x = 0; x < scores.variables(); ++x) toggled.push_back(row->at(x));
                        return SearchOutcome{};
                    });
                }
                return nb::make_tuple(own, as_array(std::move(toggled)));
            },
            nb::arg("weights").noconvert(), nb::arg("child"), nb::arg("parents").noconvert())
        .def(
            "random_dag",
            [](const Learner& self, double density, std::uint64_t seed) {
                Xoshiro random(seed);
                auto packed = pack_parents(random_start(self.rules(), density, random));
                return nb::make_tuple(as_array(std::move(packed.offsets)),
                                      as_array(std::move(packed.members)));
            },
            nb::arg("density"), nb::arg("seed"))
        .def("climb", &run<Learner, ClimbOptions, climb>, nb::arg("weights").noconvert(), nb::arg("options"),
             nb::arg("seconds"), nb::arg("progress").none())
        .def("first_ascent", &run<Learner, FirstAscentOptions, first_ascent>, nb::arg("weights").noconvert(),
             nb::arg("options"), nb::arg("seconds"), nb::arg("progress").none())
        .def("evolve", &run<Learner, GeneticOptions, evolve>, nb::arg("weights").noconvert(),
             nb::arg("options"), nb::arg("seconds"), nb::arg("progress").none());
}

}  // namespace

}  // namespace arcwise

void bind_local(nb::module_& stage) {
    using namespace arcwise;

    bind_options(stage);
    bind_order_search(stage);
    nb::class_<StateBlocks> blocks(stage, "StateBlocks");
    bind_blocks<std::uint8_t>(blocks);
    bind_blocks<std::uint16_t>(blocks);
    bind_blocks<std::uint32_t>(blocks);

    nb::class_<RareColumns>(stage, "RareColumns")
        .def(
            "__init__",
            [](RareColumns* self, const StateBlocks& data) {
                const nb::gil_scoped_release unlocked;
                new (self) RareColumns(data);
            },
            nb::arg("data"))
        .def_static(
            "fits",
            [](const Array1<std::int32_t>& arities, std::size_t rows) {
                return RareColumns::fits(as_span(arities), rows);
            },
            nb::arg("arities").noconvert(), nb::arg("rows"));
    nb::class_<ReplicateCounts>(stage, "ReplicateCounts")
        .def(
            "__init__",
            [](ReplicateCounts* self, const StateBlocks& data, const RareColumns& rare,
               const std::vector<Array1<std::int64_t>>& weights) {
                std::vector<std::span<const std::int64_t>> spans;
                for (const auto& one : weights) spans.push_back(as_span(one));
                const nb::gil_scoped_release unlocked;
                new (self) ReplicateCounts(data, rare, spans);
            },
            nb::arg("data"), nb::arg("rare"), nb::arg("weights"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>())
        .def_prop_ro("bytes", &ReplicateCounts::bytes)
        .def("forget", &ReplicateCounts::forget);
    stage.attr("REPLICATES_TOGETHER") = ReplicateCounts::lanes;

    nb::class_<LocalLearner> learner(stage, "LocalLearner");
    learner
        .def(
            "__init__",
            [](LocalLearner* self, const StateBlocks& data, const std::vector<const LocalScore*>& scores,
               const Array1<std::int32_t>& group_of, const Array1<std::uint8_t>& counted,
               const Array1<std::uint64_t>& required, const Array1<std::uint64_t>& forbidden,
               const Array1<std::int32_t>& limits, std::size_t memory) {
                const auto groups = as_span(group_of);
                const auto rows = as_span(counted);
                new (self) LocalLearner(
                    data, {scores, {groups.begin(), groups.end()}, {rows.begin(), rows.end()}},
                    ArcRules(data.variables(), as_span(required), as_span(forbidden), as_span(limits)),
                    memory);
            },
            nb::arg("data"), nb::arg("scores"), nb::arg("group_of").noconvert(),
            nb::arg("counted").noconvert(), nb::arg("required").noconvert(), nb::arg("forbidden").noconvert(),
            nb::arg("limits").noconvert(), nb::arg("memory"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("climb_together", &climb_together, nb::arg("counts"), nb::arg("seeds").noconvert(),
             nb::arg("options"), nb::arg("seconds"), nb::arg("progress").none());
    bind_searches(learner);

    nb::class_<DataLearner> held(stage, "DataLearner");
    held.def(
        "__init__",
        [](DataLearner* self, std::size_t row_count, const std::vector<const LocalScore*>& scores,
           const Array1<std::int32_t>& group_of, const Array1<std::uint8_t>& counted,
           const Array1<std::uint64_t>& required, const Array1<std::uint64_t>& forbidden,
           const Array1<std::int32_t>& limits, std::size_t memory) {
            const auto groups = as_span(group_of);
            const auto rows = as_span(counted);
            new (self) DataLearner(
                row_count, {scores, {groups.begin(), groups.end()}, {rows.begin(), rows.end()}},
                ArcRules(limits.shape(0), as_span(required), as_span(forbidden), as_span(limits)), memory);
        },
        nb::arg("rows"), nb::arg("scores"), nb::arg("group_of").noconvert(), nb::arg("counted").noconvert(),
        nb::arg("required").noconvert(), nb::arg("forbidden").noconvert(), nb::arg("limits").noconvert(),
        nb::arg("memory"), nb::keep_alive<1, 3>());
    bind_searches(held);
}
