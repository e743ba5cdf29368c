// The Python module arcwise._core: one submodule per stage, bound in the file of the
// same name; those of `model` and `posterior` in several.
#include <nanobind/nanobind.h>

#include <exception>

namespace nb = nanobind;

void bind_data(nb::module_& stage);
void bind_counts(nb::module_& stage);
void bind_parent_sets(nb::module_& stage);
void bind_scores(nb::module_& stage);
void bind_graph(nb::module_& stage);
void bind_confidence(nb::module_& stage);
void bind_local(nb::module_& stage);
void bind_model(nb::module_& stage);
void bind_inference(nb::module_& stage);
void bind_expectations(nb::module_& stage);
void bind_exact(nb::module_& stage);
void bind_credible(nb::module_& stage);
void bind_all_dags(nb::module_& stage);
void bind_chains(nb::module_& stage);
void bind_sampled(nb::module_& stage);
void bind_priors(nb::module_& stage);
void bind_plotting(nb::module_& stage);

NB_MODULE(_core, module) {
    // Exceptions have thread-local data, which the C library allocates at the first one, and ends the process
    // if it cannot: it must not be the exception that says that memory is short. A thread that Python starts
    // has to do the same.
    static_cast<void>(std::uncaught_exceptions());
    module.def("prepare_thread", [] { static_cast<void>(std::uncaught_exceptions()); });
    module.doc() = "The native core of arcwise. Private: call the stages in arcwise instead.";
    auto data = module.def_submodule("data");
    bind_data(data);
    auto counts = module.def_submodule("counts");
    bind_counts(counts);
    auto parent_sets = module.def_submodule("parent_sets");
    bind_parent_sets(parent_sets);
    auto scores = module.def_submodule("scores");
    bind_scores(scores);
    auto graph = module.def_submodule("graph");
    bind_graph(graph);
    auto confidence = module.def_submodule("confidence");
    bind_confidence(confidence);
    auto local = module.def_submodule("local");
    bind_local(local);
    auto model = module.def_submodule("model");
    bind_model(model);
    bind_inference(model);
    bind_expectations(model);
    auto exact = module.def_submodule("exact");
    bind_exact(exact);
    auto sampled = module.def_submodule("sampled");
    bind_sampled(sampled);
    auto credible = module.def_submodule("credible");
    bind_credible(credible);
    auto posterior = module.def_submodule("posterior");
    bind_all_dags(posterior);
    bind_chains(posterior);
    auto priors = module.def_submodule("priors");
    bind_priors(priors);
    auto plotting = module.def_submodule("plotting");
    bind_plotting(plotting);
}
