// Markov chains over DAGs, in arcwise._core.posterior: arrays in, arrays out; the loops are in
// core/posterior/chains.
#include <algorithm>
#include <functional>

#include "arrays.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "posterior/chains/arc_indicators.hpp"
#include "posterior/chains/chain_run.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

void bind_options(nb::module_& stage) {
    const auto copied = [](auto member) {
        return [member](ChainOptions& options, const auto& array) {
            const auto values = as_span(array);
            std::invoke(member, options).assign(values.begin(), values.end());
        };
    };
    OptionsBinding<ChainOptions>(stage, "ChainOptions")
        .field("window", &ChainOptions::window)
        .field("thin", &ChainOptions::thin)
        .field_from<Array1<double>>("mixture",
                                    [](ChainOptions& options, const Array1<double>& shares) {
                                        std::ranges::copy(as_span(shares), options.mixture.begin());
                                    })
        .field_from<Array1<double>>("heats", copied([](auto& o) -> auto& { return o.heats; }))
        .field_from<Array1<double>>("firsts", copied([](auto& o) -> auto& { return o.blocks.firsts; }))
        .field_from<Array1<std::int64_t>>("partner_offsets",
                                          copied([](auto& o) -> auto& { return o.blocks.offsets; }))
        .field_from<Array1<std::int32_t>>("partners",
                                          copied([](auto& o) -> auto& { return o.blocks.partners; }))
        .field_from<Array1<double>>("partner_sums", copied([](auto& o) -> auto& { return o.blocks.sums; }));
}

void bind_run(nb::module_& stage) {
    const auto moved = nb::rv_policy::automatic;
    nb::class_<ChainRun>(stage, "ChainRun")
        .def(
            "__init__",
            [](ChainRun* self, const BoundTable& table, const ChainOptions& options,
               const Array1<std::uint64_t>& seeds, const Array1<std::uint32_t>& starts) {
                new (self) ChainRun(table.view(), options, as_span(seeds), as_span(starts));
            },
            nb::arg("table"), nb::arg("options"), nb::arg("seeds"), nb::arg("starts"), nb::keep_alive<1, 2>())
        .def(
            "advance",
            [](ChainRun& self, std::size_t count, const Array1<std::uint32_t>& jumps, double least,
               std::size_t threads, double seconds, nb::object callback) {
                ChainSegment made = monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    return self.advance(count, {as_span(jumps), least}, threads, ticker);
                });
                return nb::make_tuple(static_cast<int>(made.status), as_array(std::move(made.done)),
                                      as_array(std::move(made.rows)), as_array(std::move(made.scores)));
            },
            nb::arg("count"), nb::arg("jumps"), nb::arg("least"), nb::arg("threads"), nb::arg("seconds"),
            nb::arg("callback").none())
        .def(
            "positions", [](const ChainRun& self) { return as_array(self.positions()); }, moved)
        .def(
            "random_states", [](const ChainRun& self) { return as_array(self.random_states()); }, moved)
        .def(
            "counts", [](const ChainRun& self) { return as_array(self.counts()); }, moved)
        .def(
            "restore",
            [](ChainRun& self, const Array1<std::uint32_t>& positions, const Array1<std::uint64_t>& states) {
                self.restore(as_span(positions), as_span(states));
            },
            nb::arg("positions"), nb::arg("random_states"));
}

void bind_indicators(nb::module_& stage) {
    stage.def(
        "summarize_arcs",
        [](const BoundTable& table, const Array1<std::uint32_t>& rows, std::size_t chains,
           std::size_t threads) {
            ArcIndicators found =
                unlocked([&] { return summarize_arcs(table.view(), as_span(rows), chains, threads); });
            return nb::make_tuple(as_array(std::move(found.firsts)), as_array(std::move(found.seconds)),
                                  as_array(std::move(found.counts)), as_array(std::move(found.effective)));
        },
        nb::arg("table"), nb::arg("rows"), nb::arg("chains"), nb::arg("threads") = 1);
}

}  // namespace
}  // namespace arcwise

void bind_chains(nb::module_& stage) {
    arcwise::bind_options(stage);
    arcwise::bind_run(stage);
    arcwise::bind_indicators(stage);
}
