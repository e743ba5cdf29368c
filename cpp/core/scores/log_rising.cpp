#include "scores/log_rising.hpp"

#include <cassert>
#include <cmath>

namespace arcwise {

namespace {

// Below this argument the recurrence Gamma(z + 1) = z Gamma(z) is used, above it Stirling's series; at 16 the
// first term left out is below 1e-16.
constexpr double stirling_from = 16.0;
constexpr std::int64_t head_factors = 16;

// ln Gamma(z) = (z - 1/2) ln z - z + ln(2 pi)/2 + stirling_tail(z).
double stirling_tail(double z) {
    const double u = 1.0 / z;
    const double u2 = u * u;
    return u * (1.0 / 12 - u2 * (1.0 / 360 - u2 * (1.0 / 1260 - u2 * (1.0 / 1680 - u2 / 1188))));
}

// The sum of the logarithms of alpha + w, w < count, each over scale, for count <= head_factors.
double log_product(double alpha, std::int64_t count, double scale) {
    // The first factor may be as small as 1e-300; the others lie in [1, alpha + 16), so that their product
    // can neither underflow nor, alpha being below 16 or count small, overflow.
    const double first = std::log(alpha / scale);
    if (count == 1) return first;
    const double unit = 1.0 / scale;
    double even = 1.0;
    double odd = 1.0;
    std::int64_t w = 1;
    for (; w + 1 < count; w += 2) {
        odd *= (alpha + static_cast<double>(w)) * unit;
        even *= (alpha + static_cast<double>(w + 1)) * unit;
    }
    if (w < count) odd *= (alpha + static_cast<double>(w)) * unit;
    return first + std::log(odd * even);
}

// psi(z) - ln z = -1/(2z) - 1/(12 z^2) + 1/(120 z^4) - 1/(252 z^6) + ...
double digamma_tail(double z) {
    const double u = 1.0 / (z * z);
    return -0.5 / z - u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u * (1.0 / 240 - u / 132))));
}

}  // namespace

double log_rising(double alpha, std::int64_t count, double scale) {
    assert(alpha > 0 && count >= 0 && scale > 0);
    if (count == 0) return 0.0;
    double head = 0.0;
    double base = alpha;                      // y
    auto steps = static_cast<double>(count);  // m
    if (alpha < stirling_from) {
        if (count <= head_factors) return log_product(alpha, count, scale);
        head = log_product(alpha, head_factors, scale);
        base += static_cast<double>(head_factors);
        steps -= static_cast<double>(head_factors);
    }
    const double top = alpha + static_cast<double>(count);  // y + m
    // (y + m - 1/2) ln(y + m) - (y - 1/2) ln y - m - m ln(scale), in the form that loses nothing: for few
    // steps around ln y with log1p, for many around ln(y + m).
    const double tails = stirling_tail(top) - stirling_tail(base);
    if (steps <= base)
        return head +
               (steps * std::log(base / scale) + ((top - 0.5) * std::log1p(steps / base) - steps) + tails);
    return head + (steps * (std::log(top / scale) - 1.0) + (base - 0.5) * std::log(top / base) + tails);
}

double log_rising_centred(double alpha, std::int64_t count, double cases) {
    const double scale = cases / 2.718281828459045;
    const auto n = static_cast<double>(count);
    if (n <= alpha || n <= 2 * stirling_from) return log_rising(alpha, count, scale);
    // As in log_rising with many steps, sorted by size: n ln(n / N) apart, all else of the order of alpha ln
    // n.
    double rest = 0.0;
    double base = alpha;
    const double top = alpha + n;
    if (alpha < stirling_from) {
        rest = log_product(alpha, head_factors, scale) -
               static_cast<double>(head_factors) * std::log(top / cases);
        base += static_cast<double>(head_factors);
    }
    rest += n * std::log1p(alpha / n) + (base - 0.5) * std::log(top / base) +
            (stirling_tail(top) - stirling_tail(base));
    const double main = n > 0.5 * cases ? n * std::log1p((n - cases) / cases) : n * std::log(n / cases);
    return main + rest;
}

double digamma_rise(double alpha, std::int64_t count) {
    assert(alpha > 0 && count >= 0);
    double sum = 0.0;
    const std::int64_t direct = count < head_factors ? count : head_factors;
    for (std::int64_t w = direct - 1; w >= 0; --w) sum += 1.0 / (alpha + static_cast<double>(w));
    if (count <= head_factors) return sum;
    const double base = alpha + static_cast<double>(head_factors);
    const double top = alpha + static_cast<double>(count);
    const double steps = static_cast<double>(count - head_factors);
    return sum + std::log1p(steps / base) + (digamma_tail(top) - digamma_tail(base));
}

double digamma(double alpha) {
    const double base = alpha + static_cast<double>(head_factors);
    return std::log(base) + digamma_tail(base) - digamma_rise(alpha, head_factors);
}

double trigamma_fall(double alpha, std::int64_t count) {
    assert(alpha > 0 && count >= 0);
    double sum = 0.0;
    const std::int64_t direct = count < head_factors ? count : head_factors;
    for (std::int64_t w = direct - 1; w >= 0; --w) {
        const double z = alpha + static_cast<double>(w);
        sum += 1.0 / (z * z);
    }
    if (count <= head_factors) return sum;
    // psi'(z) = 1/z + 1/(2z^2) + 1/(6z^3) - 1/(30z^5) + 1/(42z^7) - ...
    const auto tail = [](double z) {
        const double v = 1.0 / z;
        const double u = v * v;
        return 0.5 * u + v * u * (1.0 / 6 - u * (1.0 / 30 - u * (1.0 / 42 - u / 30)));
    };
    const double base = alpha + static_cast<double>(head_factors);
    const double top = alpha + static_cast<double>(count);
    return sum + (top - base) / (top * base) + (tail(base) - tail(top));
}

}  // namespace arcwise
