// What all parent sets within a set X weigh together: alpha_v(X) of Koivisto and Sood (2004) and Tian and He
// (2009), for every node v and every X without v, without underflow.
//
// A node's scores span N times the entropy of a variable, thousands of nats, more than an exponent of any
// floating-point type holds. So each sum is kept as a mantissa times a power of two, and the power follows
// from the best parent set within X: with y the binary logarithm of a row's weight relative to the node's
// best,
//
//     level_v(X) = max over rows within X of floor(2^F y),     alpha_v(X) = mantissa_v(X) 2^(level_v(X) >>
//     F),
//
// the mantissa being at least 1. The levels are integers, so sums and comparisons of them are exact: bounds
// made of levels can be relied on to the last bit. F is as large as 32 bits allow, at most 16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

struct ParentWeights {
    // The level of a set that holds no row: far below every sum of levels.
    static constexpr std::int32_t impossible = -(std::int32_t{1} << 30);
    // Sums of levels stay above minus this.
    static constexpr std::int32_t range = std::int32_t{1} << 28;

    std::size_t nodes = 0;
    int fraction = 0;                              // F
    std::vector<double> shift;                     // per node: the best score of its rows
    std::vector<std::uint32_t> masks;              // per row: its parents
    std::vector<std::int32_t> levels;              // per row: floor(2^F y)
    std::vector<double> weights;                   // per row: its weight's mantissa, 2^(y - (level >> F))
    std::vector<std::vector<std::int32_t>> level;  // [v][place(X, v)]
    std::vector<std::vector<double>> mantissa;     // [v][place(X, v)]

    // The number of a set among those without v.
    static std::size_t place(std::size_t set, std::size_t v) {
        const std::size_t below = (std::size_t{1} << v) - 1;
        return (set & below) | ((set >> 1) & ~below);
    }

    // The integer part of a sum of levels.
    std::int32_t exponent(std::int32_t sum) const { return sum >> fraction; }

    // The level that lies this many nats below another, rounded down.
    std::int32_t floor_of(std::int32_t optimum, double nats) const {
        const double below = std::ceil(nats * std::ldexp(std::numbers::log2e, fraction));
        return optimum - static_cast<std::int32_t>(std::min(below, double{range}));
    }

    // False if the scores span more than levels can hold (2^28 bits: some hundred million cases).
    bool prepare(const TableView& table);
    // Levels and mantissas of all sets; false if stopped. Threads do not change the result.
    bool sum(const TableView& table, std::size_t threads, Ticker& ticker);
    // In place of the mantissas, one slope per node and set: what the whole sum changes by with alpha_v(X),
    // times alpha_v(X), divided by the mantissa. Sums them over all X that hold a row's parents, which gives
    // the row's share of the whole.
    std::vector<double> shares_of_rows(const TableView& table, std::size_t threads);
};

}  // namespace arcwise
