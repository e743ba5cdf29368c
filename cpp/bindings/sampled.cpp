// arcwise._core.sampled: walks over networks for data with gaps.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <span>

#include "arrays.hpp"
#include "local/packed_parents.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "sampled/structure_walk.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

template <class T>
void assign(std::vector<T>& target, const Array1<T>& values) {
    target.assign(values.data(), values.data() + values.size());
}

using PackedStart = std::pair<Array1<std::int64_t>, Array1<std::int32_t>>;

struct WalkOptions {
    std::vector<Parents> start;
    ProposedMoves moves;
    std::vector<Word> required;
    std::vector<Word> forbidden;
    std::vector<std::int32_t> limits;
    double ess = 1.0;
    bool whole_families = false;
};

template <class Code>
void bind_walk(nb::module_& stage) {
    stage.def(
        "walk_structures",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities, const Array2<std::uint8_t>& flags,
           const WalkOptions& options, nb::object callback) {
            auto packed = pack_parents(watched(std::move(callback), [&](Ticker& ticker) {
                ArcGains<Code> gains({codes.data(), codes.shape(0), codes.shape(1), arities.data(), nullptr},
                                     {flags.data(), flags.size()}, options.ess, options.whole_families);
                const ArcRules rules(codes.shape(0), options.required, options.forbidden, options.limits);
                return walk_structures(gains, rules, options.start, options.moves, ticker);
            }));
            return nb::make_tuple(as_array(std::move(packed.offsets)), as_array(std::move(packed.members)));
        },
        nb::arg("codes").noconvert(), nb::arg("arities").noconvert(), nb::arg("flags").noconvert(),
        nb::arg("options"), nb::arg("callback") = nb::none());
}

}  // namespace

}  // namespace arcwise

void bind_sampled(nb::module_& stage) {
    using namespace arcwise;
    OptionsBinding<WalkOptions>(stage, "WalkOptions")
        .field_from<PackedStart>("start",
                                 [](WalkOptions& options, const PackedStart& start) {
                                     options.start =
                                         unpack_parents(as_span(start.first), as_span(start.second));
                                 })
        .field_from<Array1<std::int32_t>>(
            "tails", [](WalkOptions& options, const auto& given) { assign(options.moves.tails, given); })
        .field_from<Array1<std::int32_t>>(
            "heads", [](WalkOptions& options, const auto& given) { assign(options.moves.heads, given); })
        .field_from<Array1<std::uint8_t>>(
            "turns", [](WalkOptions& options, const auto& given) { assign(options.moves.turns, given); })
        .field_from<Array1<double>>(
            "chances", [](WalkOptions& options, const auto& given) { assign(options.moves.chances, given); })
        .field_from<Array1<Word>>(
            "required", [](WalkOptions& options, const auto& given) { assign(options.required, given); })
        .field_from<Array1<Word>>(
            "forbidden", [](WalkOptions& options, const auto& given) { assign(options.forbidden, given); })
        .field_from<Array1<std::int32_t>>(
            "limits", [](WalkOptions& options, const auto& given) { assign(options.limits, given); })
        .field("ess", &WalkOptions::ess)
        .field("whole_families", &WalkOptions::whole_families);
    bind_walk<std::uint8_t>(stage);
    bind_walk<std::uint16_t>(stage);
    bind_walk<std::uint32_t>(stage);
}
