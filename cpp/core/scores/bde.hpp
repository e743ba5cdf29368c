// Bayesian Dirichlet scores whose hyperparameters come from joint distributions: BDe, NIP-BDe, expected
// log-BDe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// How the BDe scores of several prior distributions become one.
enum class Mixture : std::int32_t { mean_of_logarithms = 0, logarithm_of_mean = 1 };

// Prior distributions over all variables: `joints` has one row per distribution with a probability per
// combination of states (first variable slowest); the weights are positive and sum to one.
struct JointDistributions {
    std::vector<double> joints;
    std::vector<double> weights;
    std::vector<std::int32_t> arities;
};

// BDe: alpha_jk = ess p(x_i = k, P = j) (Heckerman, Geiger & Chickering 1995), averaged over the
// distributions. With one, it is BDe; with one per hypothetical structure, Ueno & Uto's (2012) expected
// log-BDe or NIP-BDe per family.
std::unique_ptr<LocalScore> make_bde(std::int64_t cases, double ess, JointDistributions priors,
                                     Mixture mixture);

// BDe with a prior too large for a joint table: `joint(child, parents)` returns p(P = j, x_i = k) for all j
// and k. The function must be safe to call from several threads.
using FamilyJoint =
    std::function<std::vector<double>(std::int32_t child, std::span<const std::int32_t> parents)>;
std::unique_ptr<LocalScore> make_bde_of_function(std::int64_t cases, double ess, FamilyJoint joint);

}  // namespace arcwise
