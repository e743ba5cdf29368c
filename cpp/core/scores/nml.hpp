// Scores from the normalised maximum likelihood: fNML and qNML.
#pragma once

#include <memory>

#include "scores/local_score.hpp"

namespace arcwise {

// fNML = LL - sum over configurations of log C(n_j, r) (Silander, Roos & Myllymaki 2010).
std::unique_ptr<LocalScore> make_fnml(std::int64_t cases);

// qNML = LL - [log C(N, q r) - log C(N, q)] (Silander, Leppa-aho, Jaasaari & Roos 2018).
std::unique_ptr<LocalScore> make_qnml(std::int64_t cases);

}  // namespace arcwise
