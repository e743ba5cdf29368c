// A point of the linear relaxation: how much of each candidate set it takes.
#pragma once

#include <cstdint>
#include <span>

namespace arcwise {

// Rows of a CandidateSets with their values > 0.
struct LpPoint {
    std::span<const std::int64_t> rows;
    std::span<const double> values;
};

}  // namespace arcwise
