// Expected counts of data with gaps: the third part of the stage `model`.
#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "model/inference/row_posteriors.hpp"
#include "monitor.hpp"
#include "options.hpp"

namespace nb = nanobind;

namespace arcwise {

namespace {

using Network = std::tuple<Array1<std::int32_t>, Array1<std::int64_t>, Array1<std::int32_t>,
                           Array1<std::int64_t>, Array1<double>, Array1<std::int32_t>>;

NetworkView view_of(const Network& network) {
    return {as_span(std::get<0>(network)), as_span(std::get<1>(network)), as_span(std::get<2>(network)),
            as_span(std::get<3>(network)), as_span(std::get<4>(network)), as_span(std::get<5>(network))};
}

template <class Code>
struct BoundPosteriors {
    Array2<Code> codes;
    Array2<std::uint8_t> flags;
    Array1<std::int32_t> arities;
    Array1<std::int64_t> weights;
    Network network;
    RowPosteriors<Code> posteriors;

    BoundPosteriors(Array2<Code> given_codes, Array2<std::uint8_t> given_flags,
                    Array1<std::int32_t> given_arities, Array1<std::int64_t> given_weights, Network given,
                    const ExpectationLimits& limits)
        : codes(std::move(given_codes)),
          flags(std::move(given_flags)),
          arities(std::move(given_arities)),
          weights(std::move(given_weights)),
          network(std::move(given)),
          posteriors(as_columns(codes, arities, weights), {flags.data(), flags.size()}, view_of(network),
                     limits) {}
};

template <class Code>
void bind_posteriors(nb::module_& stage, const char* name) {
    using Bound = BoundPosteriors<Code>;
    nb::class_<Bound>(stage, name)
        .def(
            "__init__",
            [](Bound* self, const Array2<Code>& codes, const Array2<std::uint8_t>& flags,
               const Array1<std::int32_t>& arities, const Array1<std::int64_t>& weights,
               const Array1<std::int32_t>& network_arities, const Array1<std::int64_t>& parent_offsets,
               const Array1<std::int32_t>& parents, const Array1<std::int64_t>& table_offsets,
               const Array1<double>& values, const Array1<std::int32_t>& order,
               const ExpectationLimits& limits) {
                new (self) Bound(codes, flags, arities, weights,
                                 {network_arities, parent_offsets, parents, table_offsets, values, order},
                                 limits);
            },
            nb::arg("codes").noconvert(), nb::arg("flags").noconvert(), nb::arg("arities").noconvert(),
            nb::arg("weights").noconvert(), nb::arg("network_arities").noconvert(),
            nb::arg("parent_offsets").noconvert(), nb::arg("parents").noconvert(),
            nb::arg("table_offsets").noconvert(), nb::arg("values").noconvert(), nb::arg("order").noconvert(),
            nb::arg("limits"))
        .def(
            "prepare",
            [](Bound& self, double seconds, nb::object callback) {
                return static_cast<std::int32_t>(
                    monitored(seconds, std::move(callback),
                              [&](Ticker& ticker) { return self.posteriors.prepare(ticker); }));
            },
            nb::arg("seconds"), nb::arg("callback") = nb::none())
        .def(
            "count",
            [](const Bound& self, const Array1<std::int32_t>& children, const Array1<std::int64_t>& offsets,
               const Array1<std::int32_t>& parents, double seconds, nb::object callback) {
                std::vector<double> counts;
                const auto status = monitored(seconds, std::move(callback), [&](Ticker& ticker) {
                    return self.posteriors.count(as_span(children), as_span(offsets), as_span(parents), counts,
                                                 ticker);
                });
                return nb::make_tuple(static_cast<std::int32_t>(status), as_array(std::move(counts)));
            },
            nb::arg("children").noconvert(), nb::arg("offsets").noconvert(), nb::arg("parents").noconvert(),
            nb::arg("seconds"), nb::arg("callback") = nb::none())
        .def_prop_ro("log_likelihood", [](const Bound& self) { return self.posteriors.log_likelihood(); })
        .def_prop_ro("refused_row", [](const Bound& self) { return self.posteriors.refused_row(); });
}

}  // namespace

}  // namespace arcwise

void bind_expectations(nb::module_& stage) {
    using namespace arcwise;
    OptionsBinding<ExpectationLimits>(stage, "ExpectationLimits")
        .field("table_cells", &ExpectationLimits::table_cells)
        .field("max_cells", &ExpectationLimits::max_cells)
        .field("memory", &ExpectationLimits::memory)
        .field("threads", &ExpectationLimits::threads);
    bind_posteriors<std::uint8_t>(stage, "RowPosteriors8");
    bind_posteriors<std::uint16_t>(stage, "RowPosteriors16");
    bind_posteriors<std::uint32_t>(stage, "RowPosteriors32");
}
