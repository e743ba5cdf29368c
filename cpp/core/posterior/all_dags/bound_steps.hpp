// Bounds of what the cut leaves out (dag_sums.hpp), for some neighbouring sets X at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// The way from each X to X + v: alpha_v(X), scaled for it. (An upper bound where it is too small to be held.)
struct BoundStep {
    const double* mantissas;
    const std::int32_t* levels;
    const std::int32_t* completions;        // of the sets X
    const std::int32_t* completions_above;  // of the sets X + v
    std::int32_t optimum;
    int fraction;
};

// above[i] += step times here[i], rounded up.
void pass_up(const BoundStep& step, const float* here, float* above, std::size_t count);

// sums[i] += step times above[i].
void pass_down(const BoundStep& step, const float* above, double* sums, std::size_t count);

}  // namespace arcwise
