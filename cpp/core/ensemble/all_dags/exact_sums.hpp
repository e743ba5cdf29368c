// Sums over *all* DAGs: the normalising constant and the posterior of every family, structure prior uniform.
//
// Tian and He 2009 ("Computing posterior probabilities of structural features in Bayesian networks"): with
// alpha_v(X) = sum over parent sets P within X of exp(score), the weight of all DAGs over U is
//
//     R(U) = sum over nonempty S within U of (-1)^(|S|+1) R(U - S) prod_{v in S} alpha_v(U - S),
//
// inclusion-exclusion over the sets S of sinks; R(V) is the normalising constant. Each term is the weight of
// the DAGs in which all of S are sinks, at most R(U): nothing large cancels, but 2^|U| terms of alternating
// sign lose up to |U| bits. We keep 64 bits of mantissa (long double, on this architecture) with compensated
// sums, and report how far the families' posteriors of a node are from summing to one, which is a check that
// does not use the same cancellations. The families come from the same recursion differentiated in reverse:
// O(n 3^n) for all of them together.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

struct ExactSums {
    Status status = Status::complete;
    double log_total = 0;               // log of the sum of exp(score) over all DAGs
    std::vector<double> probabilities;  // per row of the table
    double defect = 0;                  // the largest |sum over a node's rows - 1| before normalising
};

// At most 24 variables; memory 16 (n + 2) 2^n bytes.
ExactSums sum_all_dags(const TableView& table, Ticker& ticker);

}  // namespace arcwise
