#include "arrays.hpp"
#include "counts/contingency.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

template <class Code>
void bind_for(nb::module_& stage) {
    stage.def(
        "count_cells",
        [](const Array2<Code>& codes, const Array1<std::int32_t>& arities,
           const Array1<std::int64_t>& weights, const Array1<std::int32_t>& members, std::size_t cells) {
            std::vector<std::int64_t> counts;
            {
                const nb::gil_scoped_release unlocked;
                counts = count_cells(as_columns(codes, arities, weights), as_span(members), cells);
            }
            return as_array(std::move(counts));
        },
        nb::arg("codes").noconvert(), nb::arg("arities").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("members").noconvert(), nb::arg("cells"));
}

}  // namespace
}  // namespace arcwise

void bind_counts(nb::module_& stage) {
    arcwise::bind_for<std::uint8_t>(stage);
    arcwise::bind_for<std::uint16_t>(stage);
    arcwise::bind_for<std::uint32_t>(stage);
}
