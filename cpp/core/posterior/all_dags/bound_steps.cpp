#include "posterior/all_dags/bound_steps.hpp"

#include <algorithm>

#include "posterior/all_dags/clones.hpp"
#include "posterior/all_dags/power_of_two.hpp"

namespace arcwise {

namespace {
[[gnu::always_inline]] inline double factor(const BoundStep& step, std::size_t i) {
    const std::int32_t here = (step.optimum - step.completions[i]) >> step.fraction;
    const std::int32_t above = (step.optimum - step.completions_above[i]) >> step.fraction;
    const std::int32_t power = here + (step.levels[i] >> step.fraction) - above;
    return step.mantissas[i] * power_of_two(std::min(std::max(power, -1022), 1023));
}
}  // namespace

ARCWISE_CLONES void pass_up(const BoundStep& given, const float* here, float* above, std::size_t count) {
    const BoundStep step = given;
    for (std::size_t i = 0; i < count; ++i) {
        const double more = static_cast<double>(here[i]) * factor(step, i);
        const float sum = rounded_up(static_cast<double>(above[i]) + more);
        above[i] = more > 0 ? sum : above[i];
    }
}

ARCWISE_CLONES void pass_down(const BoundStep& given, const float* above, double* sums, std::size_t count) {
    const BoundStep step = given;
    for (std::size_t i = 0; i < count; ++i) sums[i] += factor(step, i) * static_cast<double>(above[i]);
}

}  // namespace arcwise
