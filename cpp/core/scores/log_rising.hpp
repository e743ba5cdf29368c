// Differences of log-gamma and digamma functions at an integer distance, without the cancellation.
#pragma once

#include <cstdint>

namespace arcwise {

// ln Gamma(alpha + count) - ln Gamma(alpha) - count ln(scale), the logarithm of the rising factorial
// alpha (alpha + 1) ... (alpha + count - 1) with every factor divided by `scale`. Relative error a few units
// in the last place, for any alpha > 0.
double log_rising(double alpha, std::int64_t count, double scale = 1.0);

// The same with scale = cases / e, for scores.
//
// A Dirichlet score is a difference of such terms over cells and over parent configurations, whose counts
// have the same sum N. Dividing each factor by a common scale therefore changes no score, and with N / e the
// terms are of size n log(n / N) instead of n log n: ln Gamma(10^7) = 1.5e8 would cost seven digits. What is
// left of that size is a function of n alone, n log(n / N), which cancels to the bit where all cases of a
// configuration have one state.
double log_rising_centred(double alpha, std::int64_t count, double cases);

// psi(alpha + count) - psi(alpha) = sum over w < count of 1 / (alpha + w): the derivative of log_rising.
double digamma_rise(double alpha, std::int64_t count);

// psi(alpha).
double digamma(double alpha);

// psi'(alpha) - psi'(alpha + count) = sum over w < count of 1 / (alpha + w)^2: minus the second derivative.
double trigamma_fall(double alpha, std::int64_t count);

}  // namespace arcwise
