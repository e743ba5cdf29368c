// What "times" and "plus" mean while tables are multiplied and variables summed out.
//
// Elimination is correct in any commutative semiring (Aji and McEliece, "The generalized distributive law",
// IEEE Trans. Inform. Theory 46, 2000), so that one kernel computes probabilities, probabilities too small
// for a double, and the most probable explanation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace arcwise {

// Probabilities. Fast, and scaled by powers of two between cliques; what underflows nevertheless is noticed
// by the caller, who then computes with LogSumProduct.
struct SumProduct {
    static constexpr double zero = 0;
    static constexpr double one = 1;
    static constexpr bool scaled = true;
    static constexpr bool in_logs = false;
    static double times(double a, double b) { return a * b; }
    static double over(double a, double b) { return b == 0 ? 0 : a / b; }
    static double plus(double a, double b) { return a + b; }
    // Four sums side by side, which the processor adds in parallel; the order is fixed.
    static double sum(const double* values, std::size_t count) {
        if (count < 8) {
            double total = values[0];
            for (std::size_t i = 1; i < count; ++i) total += values[i];
            return total;
        }
        double part[4] = {0, 0, 0, 0};
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4)
            for (std::size_t j = 0; j < 4; ++j) part[j] += values[i + j];
        double total = (part[0] + part[1]) + (part[2] + part[3]);
        for (; i < count; ++i) total += values[i];
        return total;
    }
};

// Natural logarithms of probabilities: slower, without limits.
struct LogSumProduct {
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0;
    static constexpr bool scaled = false;
    static constexpr bool in_logs = true;
    static double times(double a, double b) { return a + b; }
    static double over(double a, double b) { return b == zero ? zero : a - b; }
    static double plus(double a, double b) {
        if (a < b) std::swap(a, b);
        return b == zero ? a : a + std::log1p(std::exp(b - a));
    }
    static double sum(const double* values, std::size_t count) {
        const auto top = *std::max_element(values, values + count);
        if (top == zero) return zero;
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) total += std::exp(values[i] - top);
        return top + std::log(total);
    }
};

// The largest product, in logarithms.
struct MaxProduct {
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0;
    static constexpr bool scaled = false;
    static constexpr bool in_logs = true;
    static double times(double a, double b) { return a + b; }
    static double over(double a, double b) { return b == zero ? zero : a - b; }
    static double plus(double a, double b) { return std::max(a, b); }
    static double sum(const double* values, std::size_t count) {
        return *std::max_element(values, values + count);
    }
};

}  // namespace arcwise
