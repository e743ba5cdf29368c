#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "plotting/layer_order.hpp"
#include "plotting/layer_places.hpp"

namespace nb = nanobind;

void bind_plotting(nb::module_& stage) {
    using namespace arcwise;
    stage.def(
        "order_layers",
        [](const Array1<std::int64_t>& offsets, const Array1<std::int32_t>& members,
           const Array1<std::int32_t>& tails, const Array1<std::int32_t>& heads, std::size_t nodes,
           int sweeps) {
            LayerOrder found;
            {
                const nb::gil_scoped_release unlocked;
                found = order_layers(
                    {as_span(offsets), as_span(members), as_span(tails), as_span(heads), nodes}, sweeps);
            }
            return std::make_pair(as_array(std::move(found.members)), found.crossings);
        },
        nb::arg("offsets").noconvert(), nb::arg("members").noconvert(), nb::arg("tails").noconvert(),
        nb::arg("heads").noconvert(), nb::arg("nodes"), nb::arg("sweeps"));
    stage.def(
        "place_layers",
        [](const Array1<std::int64_t>& offsets, const Array1<std::int32_t>& members,
           const Array1<std::int32_t>& tails, const Array1<std::int32_t>& heads,
           const Array1<double>& weights, const Array1<double>& sizes, int rounds) {
            std::vector<double> found;
            {
                const nb::gil_scoped_release unlocked;
                found = place_layers({as_span(offsets), as_span(members), as_span(tails), as_span(heads)},
                                     as_span(weights), as_span(sizes), rounds);
            }
            return as_array(std::move(found));
        },
        nb::arg("offsets").noconvert(), nb::arg("members").noconvert(), nb::arg("tails").noconvert(),
        nb::arg("heads").noconvert(), nb::arg("weights").noconvert(), nb::arg("sizes").noconvert(),
        nb::arg("rounds"));
}
