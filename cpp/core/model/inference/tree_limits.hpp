// What every kind of answer does with its tree: refuse it, check its tables, and normalise its root.
#pragma once

#include <span>
#include <vector>

#include "model/inference/inference.hpp"
#include "model/inference/junction_tree.hpp"

namespace arcwise {

// Builds the tree and returns true, unless it is too large. Messages are all kept, or dropped when they were
// used.
bool build_within(JunctionTree& tree, bool keep_messages, const Limits& limits, Outcome& outcome);

// Whether no table has an undefined entry where the observed variables have their states (-1: not observed).
bool all_defined(const JunctionTree& tree, std::span<const std::int32_t> states, Outcome& outcome);

// Turns the root's table into a distribution; false if it is 0.
bool normalize(std::vector<double>& table, double log_scale, bool in_logs, double& log_evidence);

}  // namespace arcwise
