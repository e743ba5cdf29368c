// The logarithm of a weighted mean of numbers given by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace arcwise {

// log(sum of weight x exp(value)); the weights sum to one, and none given means that all are equal.
inline double log_mean_exp(std::span<const double> values, std::span<const double> weights = {}) {
    const double top = *std::max_element(values.begin(), values.end());
    if (top == -std::numeric_limits<double>::infinity()) return top;
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += (weights.empty() ? 1.0 / static_cast<double>(values.size()) : weights[i]) *
               std::exp(values[i] - top);
    return top + std::log(sum);
}

// The weighted mean.
inline double mean(std::span<const double> values, std::span<const double> weights = {}) {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += (weights.empty() ? 1.0 / static_cast<double>(values.size()) : weights[i]) * values[i];
    return sum;
}

}  // namespace arcwise
