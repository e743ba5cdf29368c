#include "arrays.hpp"
#include "confidence/network_sums.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

// The arguments that all sums share, and how each is called with what it takes beyond the weights.
template <class Choice>
struct BoundNetworks {
    const Array1<std::int64_t>& node_offsets;
    const Array1<std::int64_t>& set_offsets;
    const Array1<std::int32_t>& members;
    const Array2<Choice>& choices;

    template <class Sum>
    auto sum(Sum sum_over) const {
        auto sums = [&] {
            const nb::gil_scoped_release unlocked;
            return sum_over(Networks<Choice>{choices.shape(1),
                                             as_span(node_offsets),
                                             as_span(set_offsets),
                                             as_span(members),
                                             {choices.data(), choices.size()}});
        }();
        return as_array(std::move(sums));
    }
};

template <class Choice>
using Sum = std::vector<double> (*)(const Networks<Choice>&, std::span<const double>);

template <class Choice>
void bind_sum(nb::module_& stage, const char* name, Sum<Choice> sum) {
    stage.def(
        name,
        [sum](const Array1<std::int64_t>& node_offsets, const Array1<std::int64_t>& set_offsets,
              const Array1<std::int32_t>& members, const Array2<Choice>& choices,
              const Array1<double>& weights) {
            return BoundNetworks<Choice>{node_offsets, set_offsets, members, choices}.sum(
                [&](const auto& networks) { return sum(networks, as_span(weights)); });
        },
        nb::arg("node_offsets").noconvert(), nb::arg("set_offsets").noconvert(),
        nb::arg("members").noconvert(), nb::arg("choices").noconvert(), nb::arg("weights").noconvert());
}

template <class Choice>
void bind_for(nb::module_& stage) {
    stage.def(
        "sum_classes",
        [](const Array1<std::int64_t>& node_offsets, const Array1<std::int64_t>& set_offsets,
           const Array1<std::int32_t>& members, const Array2<Choice>& choices, const Array1<double>& weights,
           const Array2<Word>& fixed) {
            return BoundNetworks<Choice>{node_offsets, set_offsets, members, choices}.sum(
                [&](const auto& networks) {
                    return sum_classes(networks, as_span(weights), words_of(fixed));
                });
        },
        nb::arg("node_offsets").noconvert(), nb::arg("set_offsets").noconvert(),
        nb::arg("members").noconvert(), nb::arg("choices").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("fixed").noconvert());
    bind_sum<Choice>(stage, "sum_blankets", &sum_blankets<Choice>);
    bind_sum<Choice>(stage, "sum_paths", &sum_paths<Choice>);
}

}  // namespace
}  // namespace arcwise

void bind_confidence(nb::module_& stage) {
    arcwise::bind_for<std::uint8_t>(stage);
    arcwise::bind_for<std::uint16_t>(stage);
    arcwise::bind_for<std::uint32_t>(stage);
}
