// What draws of several chains say about each arc and each pair: how often it is there in each half of each
// chain, and how many independent draws the draws are worth.
//
// An indicator takes two values, so that its ranks are a linear function of it: the rank-normalised R-hat of
// Vehtari et al. (2021, Bayesian Analysis 16, section 4) is the plain one of the halves' shares. What takes
// time is the effective number of draws, which needs autocovariances. Kept as bits, an indicator x of N draws
// has
//
//     sum over i of x[i] x[i + t] = popcount(x & (x >> t)),
//
// 64 draws per instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

struct ArcIndicators {
    std::vector<std::int32_t> firsts, seconds;  // the pairs that any draw joins; first < second
    // Per pair: first -> second, second -> first, either; then per half of a chain: the draws that have it.
    std::vector<std::int64_t> counts;
    std::vector<double> effective;  // per pair and the same three: NaN where all draws agree
};

// `rows` has the row, counted within the node, for every chain, draw and node. Each chain is halved; of an
// odd number of draws the middle one is left out. At least 8 draws per chain.
ArcIndicators summarize_arcs(const TableView& table, std::span<const std::uint32_t> rows, std::size_t chains,
                             std::size_t threads = 1);

// The effective number of draws of a 0/1 series in several parts of equal length (Vehtari et al. 2021,
// section 3.2, with Geyer's initial monotone sequence); NaN if it is constant.
double effective_draws(std::span<const SetView> parts, std::size_t length);

}  // namespace arcwise
