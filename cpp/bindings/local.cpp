#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "local/local_learner.hpp"
#include "local/packed_parents.hpp"
#include "monitor.hpp"

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

// Runs search(scores, ticker) on the weighted data without the GIL.
template <class Search>
nb::tuple run(LocalLearner& learner, const Array1<std::int64_t>& weights, double seconds, nb::object callback,
              Search search) {
    PythonMonitor monitor(std::move(callback));
    SearchOutcome outcome;
    {
        const nb::gil_scoped_release unlocked;
        Ticker ticker(monitor, seconds);
        outcome = learner.with_scores(as_span(weights),
                                      [&](NeighbourScores& scores) { return search(scores, ticker); });
    }
    monitor.rethrow();
    return as_tuple(std::move(outcome));
}

}  // namespace

}  // namespace arcwise

void bind_local(nb::module_& stage) {
    using namespace arcwise;

    nb::class_<StateBlocks> blocks(stage, "StateBlocks");
    bind_blocks<std::uint8_t>(blocks);
    bind_blocks<std::uint16_t>(blocks);
    bind_blocks<std::uint32_t>(blocks);

    nb::class_<LocalLearner>(stage, "LocalLearner")
        .def(
            "__init__",
            [](LocalLearner* self, const StateBlocks& data, const LocalScore& score,
               const Array1<std::uint64_t>& required, const Array1<std::uint64_t>& forbidden,
               const Array1<std::int32_t>& limits, std::size_t memory) {
                new (self) LocalLearner(
                    data, score,
                    ArcRules(data.variables(), as_span(required), as_span(forbidden), as_span(limits)),
                    memory);
            },
            nb::arg("data"), nb::arg("score"), nb::arg("required").noconvert(),
            nb::arg("forbidden").noconvert(), nb::arg("limits").noconvert(), nb::arg("memory"),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "neighbours",
            [](LocalLearner& self, const Array1<std::int64_t>& weights, std::size_t child,
               const Array1<std::int32_t>& parents) {
                double own = 0.0;
                std::vector<double> toggled;
                {
                    const nb::gil_scoped_release unlocked;
                    self.with_scores(as_span(weights), [&](NeighbourScores& scores) {
                        const auto row = scores.row(child, as_span(parents));
                        scores.settle_all(*row, child, as_span(parents));
                        own = row->own;
                        toggled = row->toggled;
                        return SearchOutcome{};
                    });
                }
                return nb::make_tuple(own, as_array(std::move(toggled)));
            },
            nb::arg("weights").noconvert(), nb::arg("child"), nb::arg("parents").noconvert())
        .def(
            "random_dag",
            [](const LocalLearner& self, double density, std::uint64_t seed) {
                Xoshiro random(seed);
                auto packed = pack_parents(random_start(self.rules(), density, random));
                return nb::make_tuple(as_array(std::move(packed.offsets)),
                                      as_array(std::move(packed.members)));
            },
            nb::arg("density"), nb::arg("seed"))
        .def(
            "climb",
            [](LocalLearner& self, const Array1<std::int64_t>& weights, const Array1<std::int64_t>& offsets,
               const Array1<std::int32_t>& members, std::uint64_t restarts, std::int64_t perturbations,
               double density, std::uint64_t tabu, std::uint64_t patience, std::uint64_t max_iterations,
               std::uint64_t refine, std::uint64_t effort, bool random_ties, std::uint64_t seed,
               double seconds, nb::object progress) {
                const ClimbOptions options{{unpack_parents(as_span(offsets), as_span(members))},
                                           restarts,
                                           perturbations,
                                           density,
                                           tabu,
                                           patience,
                                           max_iterations,
                                           refine,
                                           effort,
                                           random_ties,
                                           seed};
                return run(
                    self, weights, seconds, std::move(progress),
                    [&](NeighbourScores& scores, Ticker& ticker) { return climb(scores, options, ticker); });
            },
            nb::arg("weights").noconvert(), nb::arg("offsets").noconvert(), nb::arg("members").noconvert(),
            nb::arg("restarts"), nb::arg("perturbations"), nb::arg("density"), nb::arg("tabu"),
            nb::arg("patience"), nb::arg("max_iterations"), nb::arg("refine"), nb::arg("effort"),
            nb::arg("random_ties"), nb::arg("seed"), nb::arg("seconds"), nb::arg("progress").none())
        .def(
            "first_ascent",
            [](LocalLearner& self, const Array1<std::int64_t>& weights, const Array1<std::int64_t>& offsets,
               const Array1<std::int32_t>& members, std::uint64_t max_iterations, std::uint64_t seed,
               double seconds, nb::object progress) {
                const FirstAscentOptions options{unpack_parents(as_span(offsets), as_span(members)),
                                                 max_iterations, seed};
                return run(self, weights, seconds, std::move(progress),
                           [&](NeighbourScores& scores, Ticker& ticker) {
                               return first_ascent(scores, options, ticker);
                           });
            },
            nb::arg("weights").noconvert(), nb::arg("offsets").noconvert(), nb::arg("members").noconvert(),
            nb::arg("max_iterations"), nb::arg("seed"), nb::arg("seconds"), nb::arg("progress").none())
        .def(
            "evolve",
            [](LocalLearner& self, const Array1<std::int64_t>& weights, std::uint64_t population,
               std::uint64_t unconnected, std::uint64_t dropped, std::uint64_t promoted,
               std::uint64_t mating_tries, std::uint64_t patience, std::uint64_t max_rounds, bool mutate,
               double density, std::uint64_t seed, double seconds, nb::object progress) {
                const GeneticOptions options{population, unconnected, dropped, promoted, mating_tries,
                                             patience,   max_rounds,  mutate,  density,  seed};
                return run(
                    self, weights, seconds, std::move(progress),
                    [&](NeighbourScores& scores, Ticker& ticker) { return evolve(scores, options, ticker); });
            },
            nb::arg("weights").noconvert(), nb::arg("population"), nb::arg("unconnected"), nb::arg("dropped"),
            nb::arg("promoted"), nb::arg("mating_tries"), nb::arg("patience"), nb::arg("max_rounds"),
            nb::arg("mutate"), nb::arg("density"), nb::arg("seed"), nb::arg("seconds"),
            nb::arg("progress").none());
}
