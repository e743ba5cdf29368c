// The posterior of every path: how probable it is, over *all* DAGs, that i is an ancestor of j.
//
// Let X be i and its descendants. Nothing outside X has a parent in X, so the DAGs with this X weigh
//
//     R(V - X) H_i(X),
//
// R as in exact_sums.hpp and H_i(X) the weight of the ways to give the nodes of X parents from anywhere,
// without a cycle in X, such that all of X can be reached from i; the answer is the sum over the X that hold
// i and j, divided by R(V). Write T(Z, B) for the weight of the ways to give the nodes of Z parents from Z
// and B, without a cycle in Z. What i reaches within X is some Y, and the rest has no parents in it:
//
//     T(X, B) = sum over Y within X that hold i of H_i(Y) T(X - Y, B),        B = V - X,
//
// which gives H_i(X) from smaller sets. T(., B) for one B is the recursion of exact_sums.hpp with B added to
// what parents may be, 3^|X| steps; over all X that is 4^n. (Chen, Meng and Tian 2015 need n 5^(n-1).) No X
// has more weight than all DAGs together, so rounding in H_i(X) stays small against the sum.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

struct PathSums {
    Status status = Status::complete;
    std::vector<double> probabilities;  // n x n: at [i, j], a path leads from i to j
    double defect = 0;  // how far, at most, the sets that a node reaches were from summing to one
};

// At most 20 variables; memory 16 (2 n + 2) 2^n bytes.
PathSums sum_paths_of_all_dags(const TableView& table, Ticker& ticker);

}  // namespace arcwise
