// The rules that drop parent sets, one theorem each. Their readable twins, with the same names and the
// proofs, are in tests/twins/pruning.py.
//
// P' is dropped if no network within `slack` of the optimum has it. All rules rest on one remark: replacing a
// parent set by a subset of it leaves a network acyclic. Comparisons are strict, so that ties are kept, and
// `tolerance` keeps ties that rounding broke.
#pragma once

#include <algorithm>
#include <cmath>

namespace arcwise {

// Two scores this close count as equal: rounding of a sum over N cases, with two orders to spare.
inline double score_tolerance(double score) {
    return 1e-9 + 1e-13 * std::abs(score);
}

// Any score. A network with P' improves by more than the slack with the subset.
inline bool beaten_by_subset(double best_subset, double score, double slack, double tolerance) {
    return best_subset - slack > score + tolerance;
}

// `bound` is at least the score of P' and of all its supersets: each of them is beaten by the subset of P'.
inline bool beaten_with_supersets(double best_subset, double bound, double slack, double tolerance) {
    return best_subset - slack > bound + tolerance;
}

// BIC and AIC: LL never exceeds that given all other variables (`full_likelihood`, at most 0), and the
// penalty grows with the set.
inline double penalty_bound(double full_likelihood, double weight, double parent_cells, double arity) {
    return full_likelihood - weight * parent_cells * (arity - 1);
}

// BIC and AIC: `parent_entropy` is N H(X_j | P). Adding j to P or to a superset gains at most N H(X_j | P),
// and costs at least w (r_j - 1) q (r - 1). Solved for the child: r - 1 up to this number leaves room for j.
inline double arity_room(double parent_entropy, double weight, double parent_arity, double parent_cells,
                         double slack, double tolerance) {
    return (parent_entropy + slack + tolerance) / (weight * (parent_arity - 1) * parent_cells);
}

inline bool parent_adds_too_little(double room, double arity) {
    return room < arity - 1;
}

}  // namespace arcwise
