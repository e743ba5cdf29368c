// qBDJ: the quotient of two marginal likelihoods with Jeffreys' prior.
#pragma once

#include <memory>

#include "scores/local_score.hpp"

namespace arcwise {

// f(S) - f(P), f(T) = lnG(|T|/2) - lnG(|T|/2 + N) + sum over cells of lnG(n + 1/2) - lnG(1/2)
// (Suzuki & Kawahara 2017; Liao 2022, section 4.2).
std::unique_ptr<LocalScore> make_qbdj(std::int64_t cases);

}  // namespace arcwise
