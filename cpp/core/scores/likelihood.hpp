// Scores from the maximised likelihood: LL, AIC and BIC, and BIC with Lau's Bayesian correction.
#pragma once

#include <memory>

#include "scores/local_score.hpp"

namespace arcwise {

// LL - w q (r - 1): LL with w = 0, AIC with w = 1, BIC with w = log(N) / 2.
std::unique_ptr<LocalScore> make_penalised_likelihood(std::int64_t cases, double weight);

// The same with the likelihood at theta = (n_jk + 1) / (n_j + r) (Lau & Bush 2004, section 3.5).
std::unique_ptr<LocalScore> make_corrected_likelihood(double weight);

}  // namespace arcwise
