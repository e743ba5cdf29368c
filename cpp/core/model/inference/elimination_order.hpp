// Elimination orders: in which order to sum variables out of a product of tables, and what that costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

// Joins every two of the members in an undirected graph, whose rows are the neighbours of each node.
void join_members(BitRows& graph, std::span<const std::int32_t> members);

// An order and what it costs. The clique of a variable is the variable and its neighbours when it is
// eliminated; cells are counted as doubles, for a bad order of a large network may have 10^100.
struct EliminationOrder {
    std::vector<std::int32_t> variables;
    double largest = 1;     // cells of the largest clique
    double total = 0;       // cells of all cliques
    std::size_t width = 0;  // the number of neighbours in the clique with most variables
};

// Returns a good order in which to eliminate every node that is not in `kept` (one flag per node).
//
// The best order is NP-hard to find, and none of the greedy rules wins everywhere (Koller and Friedman, 2009,
// section 9.4.3.2). So the effort grows with what is at stake: one rule if its tables are small; else all
// three; and then the rules again with costs blurred at random, as Fishelson and Geiger (2003) do for
// pedigrees, until the search has taken a fixed share of the steps that the order found so far will take. The
// steps are counted, not timed, and the seed is fixed: a query has one order. Without restarts, it is an
// estimate of the cost.
EliminationOrder find_elimination_order(const BitRows& graph, std::span<const std::int32_t> arities,
                                        std::span<const std::uint8_t> kept, bool with_restarts = true);

}  // namespace arcwise
