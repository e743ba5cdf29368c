#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "scores/averaged_bdeu.hpp"
#include "scores/bde.hpp"
#include "scores/conditional_gaussian.hpp"
#include "scores/contaminated_bdeu.hpp"
#include "scores/data_score.hpp"
#include "scores/dirichlet.hpp"
#include "scores/family_prior.hpp"
#include "scores/gaussian_blocks.hpp"
#include "scores/hierarchical.hpp"
#include "scores/likelihood.hpp"
#include "scores/local_hypotheses.hpp"
#include "scores/log_rising.hpp"
#include "scores/nml.hpp"
#include "scores/nml_normaliser.hpp"
#include "scores/node_average.hpp"
#include "scores/qbdj.hpp"
#include "scores/score_families.hpp"

namespace nb = nanobind;

namespace arcwise {
namespace {

template <class T, class Array>
std::vector<T> as_vector(const Array& array) {
    return {array.data(), array.data() + array.size()};
}

// A Python function (child, parents) -> p(P = j, x_i = k), called under the GIL.
FamilyJoint as_family_joint(nb::object function) {
    // The function is released under the GIL too, whichever thread drops the score.
    const std::shared_ptr<nb::object> owned(new nb::object(std::move(function)), [](nb::object* object) {
        const nb::gil_scoped_acquire gil;
        delete object;
    });
    return [owned](std::int32_t child, std::span<const std::int32_t> parents) {
        const nb::gil_scoped_acquire gil;
        const nb::object result = (*owned)(child, std::vector<std::int32_t>(parents.begin(), parents.end()));
        return as_vector<double>(nb::cast<Array1<double>>(result));
    };
}

template <class Code>
void bind_families(nb::module_& stage) {
    const auto define = [&](const char* name, auto function) {
        stage.def(
            name,
            [function](const LocalScore& score, const Array2<Code>& codes,
                       const Array1<std::int32_t>& arities, const Array1<std::int64_t>& weights,
                       const Array1<std::int32_t>& children, const Array1<std::int64_t>& offsets,
                       const Array1<std::int32_t>& parents) {
                std::vector<double> values;
                {
                    const nb::gil_scoped_release unlocked;
                    values = function(score, as_columns(codes, arities, weights), as_span(children),
                                      as_span(offsets), as_span(parents));
                }
                return as_array(std::move(values));
            },
            nb::arg("score"), nb::arg("codes").noconvert(), nb::arg("arities").noconvert(),
            nb::arg("weights").noconvert(), nb::arg("children").noconvert(), nb::arg("offsets").noconvert(),
            nb::arg("parents").noconvert());
    };
    define("score_families", &score_families<Code>);
    define("bound_families", &bound_families<Code>);
}

// Families of a score that holds its data.
std::vector<double> score_held_families(const LocalScore& score, std::span<const std::int32_t> children,
                                        std::span<const std::int64_t> offsets,
                                        std::span<const std::int32_t> parents) {
    const auto evaluator = score.data_score()->evaluator();
    std::vector<double> found;
    for (std::size_t f = 0; f < children.size(); ++f) {
        const auto child = static_cast<std::size_t>(children[f]);
        const auto begin = static_cast<std::size_t>(offsets[f]);
        const auto own = parents.subspan(begin, static_cast<std::size_t>(offsets[f + 1]) - begin);
        found.push_back(evaluator->local(child, own));
        if (const FamilyPrior* prior = score.prior()) found.back() += prior->of(child, own);
    }
    return found;
}

void bind_data_scores(nb::module_& stage) {
    stage.def(
        "make_gaussian",
        [](const Array2<double>& rows, const Array1<std::int32_t>& widths, const Array1<double>& log_scales,
           const Array1<std::int64_t>& weights, std::int32_t law, double penalty, double ridge,
           double mean_cases, double freedom) {
            const nb::gil_scoped_release unlocked;
            return make_gaussian({as_vector<double>(rows), as_vector<std::int32_t>(widths),
                                  as_vector<double>(log_scales), as_vector<std::int64_t>(weights)},
                                 {static_cast<GaussianLaw>(law), penalty, ridge, mean_cases, freedom});
        },
        nb::arg("rows").noconvert(), nb::arg("widths").noconvert(), nb::arg("log_scales").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("law"), nb::arg("penalty") = 1.0, nb::arg("ridge") = 0.0,
        nb::arg("mean_cases") = 1.0, nb::arg("freedom") = 2.0);
    stage.def(
        "make_conditional_gaussian",
        [](const Array2<double>& values, const Array1<std::int32_t>& arities,
           const Array1<double>& log_scales, const Array1<std::int64_t>& weights, double penalty,
           bool joint) {
            return make_conditional_gaussian(
                {as_vector<double>(values), as_vector<std::int32_t>(arities), as_vector<double>(log_scales),
                 as_vector<std::int64_t>(weights)},
                penalty, joint);
        },
        nb::arg("values").noconvert(), nb::arg("arities").noconvert(), nb::arg("log_scales").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("penalty"), nb::arg("joint"));
    stage.def(
        "score_held_families",
        [](const LocalScore& score, const Array1<std::int32_t>& children, const Array1<std::int64_t>& offsets,
           const Array1<std::int32_t>& parents) {
            std::vector<double> values;
            {
                const nb::gil_scoped_release unlocked;
                values = score_held_families(score, as_span(children), as_span(offsets), as_span(parents));
            }
            return as_array(std::move(values));
        },
        nb::arg("score"), nb::arg("children").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("parents").noconvert());
}

}  // namespace
}  // namespace arcwise

void bind_scores(nb::module_& stage) {
    using namespace arcwise;
    nb::class_<LocalScore>(stage, "LocalScore")
        .def_prop_ro("penalty_weight", &LocalScore::penalty_weight)
        .def_prop_ro("needs_configurations", &LocalScore::needs_configurations)
        .def_prop_ro("is_set_score", [](const LocalScore& score) { return score.set_score() != nullptr; });
    stage.def("make_penalised_likelihood", &make_penalised_likelihood, nb::arg("cases"), nb::arg("weight"));
    stage.def("make_corrected_likelihood", &make_corrected_likelihood, nb::arg("weight"));
    stage.def("make_bd", &make_bd, nb::arg("cases"), nb::arg("alpha"));
    stage.def("make_bdeu", &make_bdeu, nb::arg("cases"), nb::arg("ess"));
    stage.def("make_qbdj", &make_qbdj, nb::arg("cases"));
    stage.def("make_fnml", &make_fnml, nb::arg("cases"));
    stage.def("make_qnml", &make_qnml, nb::arg("cases"));
    stage.def("make_min_bdeu", &make_min_bdeu, nb::arg("cases"), nb::arg("ess"), nb::arg("epsilon"));
    stage.def("make_max_bdeu", &make_max_bdeu, nb::arg("cases"), nb::arg("ess"), nb::arg("epsilon"));
    stage.def("make_node_average", &make_node_average, nb::arg("cases"), nb::arg("weight"),
              nb::arg("arities"), nb::arg("gaps"));
    stage.def(
        "make_averaged_bdeu",
        [](std::int64_t cases, std::vector<double> grid, std::int32_t average) {
            return make_averaged_bdeu(cases, std::move(grid), static_cast<Average>(average));
        },
        nb::arg("cases"), nb::arg("grid"), nb::arg("average"));
    stage.def(
        "make_bde",
        [](std::int64_t cases, double ess, const Array2<double>& joints, const Array1<double>& weights,
           const Array1<std::int32_t>& arities, std::int32_t mixture) {
            return make_bde(
                cases, ess,
                {as_vector<double>(joints), as_vector<double>(weights), as_vector<std::int32_t>(arities)},
                static_cast<Mixture>(mixture));
        },
        nb::arg("cases"), nb::arg("ess"), nb::arg("joints").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("arities").noconvert(), nb::arg("mixture"));
    stage.def(
        "make_bde_of_function",
        [](std::int64_t cases, double ess, nb::object function) {
            return make_bde_of_function(cases, ess, as_family_joint(std::move(function)));
        },
        nb::arg("cases"), nb::arg("ess"), nb::arg("function"));
    stage.def(
        "make_hierarchical",
        [](std::int64_t cases, const Array1<std::int32_t>& arities, std::int32_t site, double ess,
           double alike) {
            return make_hierarchical(cases, {as_vector<std::int32_t>(arities), site, ess, alike});
        },
        nb::arg("cases"), nb::arg("arities").noconvert(), nb::arg("site"), nb::arg("ess"), nb::arg("alike"));
    stage.def(
        "make_local_hypotheses",
        [](double ess, const Array2<std::uint32_t>& codes, const Array1<std::int64_t>& weights,
           const Array1<std::int32_t>& arities, std::int32_t largest, std::int32_t mixture) {
            return make_local_hypotheses(ess,
                                         {as_vector<std::uint32_t>(codes), as_vector<std::int64_t>(weights),
                                          as_vector<std::int32_t>(arities)},
                                         largest, static_cast<Mixture>(mixture));
        },
        nb::arg("ess"), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("arities").noconvert(), nb::arg("largest"), nb::arg("mixture"));
    stage.def(
        "make_believed",
        [](const LocalScore& score, const Array2<double>& weights, const Array1<double>& sizes) {
            return make_believed(score, FamilyPrior(as_vector<double>(weights), as_vector<double>(sizes)));
        },
        nb::arg("score"), nb::arg("weights").noconvert(), nb::arg("sizes").noconvert(),
        nb::keep_alive<0, 1>());
    stage.def("log_nml_normaliser", &log_nml_normaliser, nb::arg("cases"), nb::arg("categories"));
    stage.def("log_nml_by_recurrence", &log_nml_by_recurrence, nb::arg("cases"), nb::arg("categories"));
    stage.def("log_nml_by_sum", &log_nml_by_sum, nb::arg("cases"), nb::arg("categories"));
    stage.def("log_rising", &log_rising, nb::arg("alpha"), nb::arg("count"), nb::arg("scale") = 1.0);
    stage.def("log_rising_centred", &log_rising_centred, nb::arg("alpha"), nb::arg("count"),
              nb::arg("cases"));
    stage.def("digamma_rise", &digamma_rise, nb::arg("alpha"), nb::arg("count"));
    stage.def("trigamma_fall", &trigamma_fall, nb::arg("alpha"), nb::arg("count"));
    bind_data_scores(stage);
    bind_families<std::uint8_t>(stage);
    bind_families<std::uint16_t>(stage);
    bind_families<std::uint32_t>(stage);
}
