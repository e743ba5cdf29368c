#include "scores/nml_normaliser.hpp"

#include <cassert>
#include <cmath>

#include "scores/log_rising.hpp"

namespace arcwise {

double log_nml_by_recurrence(std::int64_t cases, std::int64_t categories) {
    assert(categories >= 1);
    if (cases == 0 || categories == 1) return 0.0;
    const auto n = static_cast<double>(cases);
    double previous = 1.0;                                  // C(N, 1)
    double current = std::exp(log_nml_by_sum(cases, 2.0));  // C(N, 2)
    double taken_out = 0.0;                                 // both are scaled by exp(-taken_out)
    for (std::int64_t k = 1; k + 2 <= categories; ++k) {
        const double next = current + n / static_cast<double>(k) * previous;
        previous = current;
        current = next;
        if (current > 1e200) {
            taken_out += std::log(current);
            previous /= current;
            current = 1.0;
        }
    }
    return taken_out + std::log(current);
}

double log_nml_by_sum(std::int64_t cases, double categories) {
    assert(categories >= 1.0);
    if (cases == 0 || categories == 1.0) return 0.0;
    const auto n = static_cast<double>(cases);
    const double m = categories - 1.0;
    // t_{k+1} / t_k = (N - k) (m + k) / (N (k + 1)) falls through one at k^2 + m k - N (m - 1) = 0; written
    // so that m up to 1e300 neither cancels nor overflows.
    const double root =
        m <= 1.0 ? 0.0 : 2.0 * n * ((m - 1.0) / m) / (1.0 + std::sqrt(1.0 + 4.0 * (n / m) * ((m - 1.0) / m)));
    const double peak = std::min(n, std::max(0.0, std::floor(root)));
    const auto steps = static_cast<std::int64_t>(peak);
    // log t at the peak: [N .. (N - k + 1)] / N^k, and the rising factorial of m over that of 1.
    const double scale = std::max(1.0, peak);
    const double top =
        log_rising(n - peak + 1.0, steps, n) + log_rising(m, steps, scale) - log_rising(1.0, steps, scale);
    double sum = 1.0;
    double term = 1.0;
    for (double k = peak; k < n; ++k) {
        term *= (n - k) / n * ((m + k) / (k + 1.0));
        sum += term;
        if (term < 1e-18 * sum) break;
    }
    term = 1.0;
    for (double k = peak; k > 0.0; --k) {
        term *= n / (n - k + 1.0) * (k / (m + k - 1.0));
        sum += term;
        if (term < 1e-18 * sum) break;
    }
    return top + std::log(sum);
}

double log_nml_normaliser(std::int64_t cases, double categories) {
    // The recurrence costs K steps and the O(sqrt(N)) sum for K = 2; below this the sum for K costs more.
    if (categories <= 64.0) return log_nml_by_recurrence(cases, static_cast<std::int64_t>(categories));
    return log_nml_by_sum(cases, categories);
}

}  // namespace arcwise
