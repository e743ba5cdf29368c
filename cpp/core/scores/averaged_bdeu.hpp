// BDeu averaged over a grid of equivalent sample sizes.
#pragma once

#include <memory>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// What is averaged: the log scores (as good for a family as for a network), the likelihoods of a family, or
// the likelihoods of each parent configuration on its own (the locally averaged BD of Cano et al. 2011).
enum class Average : std::int32_t { logarithm = 0, family = 1, configuration = 2 };

std::unique_ptr<LocalScore> make_averaged_bdeu(std::int64_t cases, std::vector<double> grid, Average average);

}  // namespace arcwise
