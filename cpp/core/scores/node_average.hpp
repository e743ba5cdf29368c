// The node-average likelihood: what a family's complete cases say, whatever else is missing in them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// N x (LL / n - w q (r - 1)), with LL and n from the n cases that lack no value of the family (Balov 2013;
// Bodewes & Scutari 2021). Missing values are a state: that of variable v is gaps[v], its last, or -1 if it
// has none, and neither r nor q counts it. A family that no case has whole is worth a fair guess, -N log(r).
std::unique_ptr<LocalScore> make_node_average(std::int64_t cases, double weight,
                                              std::vector<std::int32_t> arities,
                                              std::vector<std::int32_t> gaps);

}  // namespace arcwise
