// Bayesian Dirichlet scores whose hyperparameters are the same in every cell: BD, K2, BDJ and BDeu.
#pragma once

#include <memory>

#include "scores/local_score.hpp"

namespace arcwise {

// BD with alpha_jk = alpha: K2 with 1 (Cooper & Herskovits 1992), BDJ with 1/2 (Suzuki 2017).
std::unique_ptr<LocalScore> make_bd(std::int64_t cases, double alpha);

// BDeu: alpha_jk = ess / (q r) (Buntine 1991; Heckerman, Geiger & Chickering 1995).
std::unique_ptr<LocalScore> make_bdeu(std::int64_t cases, double ess);

}  // namespace arcwise
