// What a credible set adds up to, read off its diagram without listing it.
//
// A state's *losses* are the sums of detours on the ways to it, with how many ways each; likewise on the ways
// from it. Equal losses are one entry, so the lists grow with the number of different scores, not of
// networks. Lists from the top and from the bottom grow towards each other, the smaller one first, and meet
// in one layer, where the pairs within the slack are counted with two pointers: the square root of the work
// that one list over the whole set would be. The shares of the families then flow back the same ways (reverse
// mode differentiation of the count): exact integers for equal weights, exp(-loss) for posterior weights.
#pragma once

#include <cstdint>
#include <vector>

#include "ensemble/network_diagram.hpp"

namespace arcwise {

__extension__ typedef unsigned __int128 BigCount;

struct DiagramSums {
    Status status = Status::complete;
    bool overflow = false;  // a count beyond 2^128
    BigCount count = 0;
    double mass = 0;  // sum of exp(-loss)
    // Per row of the table, if asked for.
    std::vector<BigCount> row_counts;
    std::vector<double> row_masses;
};

// Sums over the paths with loss <= slack (at most the diagram's own). `rows` is the number of rows of the
// table; `grain` is the difference below which two losses are the same.
DiagramSums sum_diagram(const NetworkDiagram& diagram, double slack, double grain, std::size_t rows,
                        bool families, std::size_t memory, Ticker& ticker);

}  // namespace arcwise
