// The Bayesian Dirichlet score of one parent configuration, for any hyperparameters.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "scores/log_rising.hpp"

namespace arcwise {

// sum_k log_rising(alpha_k, n_k) - log_rising(sum_k alpha_k, n). A state that occurs and has alpha_k = 0 was
// ruled out by the prior: minus infinity. `cases` is the N that terms are centred with.
inline double bd_row(std::span<const std::int64_t> counts, std::span<const double> alphas, double cases) {
    std::int64_t total = 0;
    double whole = 0.0;
    double sum = 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        whole += alphas[k];
        total += counts[k];
        if (counts[k] == 0) continue;
        if (!(alphas[k] > 0.0)) return -std::numeric_limits<double>::infinity();
        sum += log_rising_centred(alphas[k], counts[k], cases);
    }
    return total == 0 ? 0.0 : sum - log_rising_centred(whole, total, cases);
}

}  // namespace arcwise
