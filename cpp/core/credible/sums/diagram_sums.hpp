// What a credible set adds up to, read off its diagram without listing it.
//
// A state's *losses* are the sums of detours on the ways to it, with how many ways each; likewise on the ways
// from it. Equal losses are one entry, so the lists grow with the number of different scores, not of
// networks. Every path has one edge at which it changes over from lists of the one kind to those of the other
// (loss_lists.hpp), where the pairs within the slack are counted: the square root of the work that one list
// over the whole set would be. The shares of the families then flow back the same ways (reverse mode
// differentiation of the count): exact integers for equal weights, exp(-loss) for posterior weights.
//
// A count keeps the lists to all states, and those from the states of two layers; the shares need all of them
// again. What does not fit into the memory given is made a second time.
#pragma once

#include <cstdint>
#include <vector>

#include "credible/diagram/network_diagram.hpp"
#include "credible/sums/count_column.hpp"

namespace arcwise {

struct DiagramSums {
    Status status = Status::complete;
    bool overflow = false;  // a count beyond 2^128
    BigCount count = 0;
    double mass = 0;  // sum of exp(-loss)
    // Per row of the table, if asked for.
    std::vector<BigCount> row_counts;
    std::vector<double> row_masses;
    std::size_t peak = 0;    // bytes held at most, the diagram's included
    std::size_t remade = 0;  // layers of lists that were made again for want of memory
};

// Sums over the paths with loss <= slack (at most the diagram's own). `rows` is the number of rows of the
// table; `grain` is the difference below which two losses are the same. `memory` is for the diagram and all
// that is made here; how much there is changes what is made twice, but no bit of the sums. The number of
// threads changes nothing but the time.
DiagramSums sum_diagram(const NetworkDiagram& diagram, double slack, double grain, std::size_t rows,
                        bool families, std::size_t memory, std::size_t threads, Ticker& ticker);

}  // namespace arcwise
