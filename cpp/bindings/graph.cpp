#include "arrays.hpp"
#include "graph/cpdag.hpp"
#include "graph/equivalence_classes.hpp"
#include "graph/least_member.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

template <class T>
using Array3 = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Runs without the GIL and hands the vector to numpy.
template <class Compute>
auto unlocked_array(Compute compute) {
    auto values = [&] {
        const nb::gil_scoped_release unlocked;
        return compute();
    }();
    return as_array(std::move(values));
}

}  // namespace
}  // namespace arcwise

void bind_graph(nb::module_& stage) {
    using namespace arcwise;
    stage.def(
        "compelled_arcs",
        [](const Array1<std::int64_t>& offsets, const Array1<std::int32_t>& parents) {
            return unlocked_array([&] { return cpdag_of(as_span(offsets), as_span(parents)); });
        },
        nb::arg("offsets").noconvert(), nb::arg("parents").noconvert());
    stage.def(
        "class_keys_of_rows",
        [](const Array2<std::int64_t>& rows, const Array1<std::int64_t>& set_offsets,
           const Array1<std::int32_t>& members, const Array2<Word>& fixed) {
            return unlocked_array([&] {
                return class_keys_of_rows<std::int64_t>({rows.data(), rows.size()}, rows.shape(1),
                                                        as_span(set_offsets), as_span(members),
                                                        words_of(fixed));
            });
        },
        nb::arg("rows").noconvert(), nb::arg("set_offsets").noconvert(), nb::arg("members").noconvert(),
        nb::arg("fixed").noconvert());
    stage.def(
        "least_members_of_rows",
        [](const Array2<std::int64_t>& rows, const Array1<std::int32_t>& rank,
           const Array1<std::int64_t>& set_offsets, const Array1<std::int32_t>& members) {
            return unlocked_array([&] {
                return least_members_of_rows<std::int64_t>({rows.data(), rows.size()}, as_span(rank),
                                                           as_span(set_offsets), as_span(members));
            });
        },
        nb::arg("rows").noconvert(), nb::arg("rank").noconvert(), nb::arg("set_offsets").noconvert(),
        nb::arg("members").noconvert());
    stage.def(
        "class_keys_of_masks",
        [](const Array3<std::uint64_t>& masks, const Array2<Word>& fixed) {
            return unlocked_array([&] {
                return class_keys_of_masks({masks.data(), masks.size()}, masks.shape(1), masks.shape(2),
                                           words_of(fixed));
            });
        },
        nb::arg("masks").noconvert(), nb::arg("fixed").noconvert());
    stage.def(
        "number_classes",
        [](const Array2<std::uint64_t>& keys) {
            return unlocked_array([&] { return number_classes({keys.data(), keys.size()}); });
        },
        nb::arg("keys").noconvert());
}
