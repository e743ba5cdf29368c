// Min-BDeu and Max-BDeu: BDeu under the worst and the best prior near the uniform one.
#pragma once

#include <memory>
#include <span>

#include "scores/local_score.hpp"

namespace arcwise {

// The priors of configuration j: with beta = ess / q, alpha_jk >= beta (1 - epsilon) / r and sum_k alpha_jk =
// beta (Scanagatta, de Campos & Zaffalon 2014, eq. 3). Each score takes, for every configuration on its own,
// the prior that is worst (0 <= epsilon < 1) or best (0 <= epsilon <= 1) for the data.
std::unique_ptr<LocalScore> make_min_bdeu(std::int64_t cases, double ess, double epsilon);
std::unique_ptr<LocalScore> make_max_bdeu(std::int64_t cases, double ess, double epsilon);

// The best prior of one configuration: maximises sum_k log_rising(alpha_k, n_k) subject to alpha_k >= low and
// sum_k alpha_k = total. `counts` are the states with n_k > 0 only; the others stay at `low`, which the
// caller has taken off the total.
void maximise_prior(std::span<const std::int64_t> counts, double low, double total, std::span<double> alphas);

}  // namespace arcwise
