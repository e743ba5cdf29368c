// The normaliser of the normalised maximum likelihood distribution of a multinomial variable.
#pragma once

#include <cstdint>

namespace arcwise {

// log C(N, K) = log of the sum, over all sequences of N values out of K, of the sequence's maximised
// likelihood: the regret reg(N, K). K may be any product of arities, up to 1e300.
//
// Exact to rounding. For small K: C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K) (Kontkanen & Myllymaki 2007).
// For large K: C(N, K) = sum over k of t_k, t_k = [N! / (N - k)!] [(K - 1) K .. (K + k - 2)] / (N^k k!)
// (Mononen & Myllymaki 2008). All terms are positive and log-concave in k, so summing outwards from the
// largest one takes O(sqrt(N)) terms, whatever K is: the switch is one of speed, and no approximation such as
// Szpankowski & Weinberger's is needed.
double log_nml_normaliser(std::int64_t cases, double categories);

// The two ways, for tests: each is exact for all arguments, and slow for some.
double log_nml_by_recurrence(std::int64_t cases, std::int64_t categories);
double log_nml_by_sum(std::int64_t cases, double categories);

}  // namespace arcwise
