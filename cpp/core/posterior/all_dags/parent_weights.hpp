// The weights of parent sets, as numbers that neither underflow nor lose digits.
//
// With y the binary logarithm of a row's weight relative to the node's best, the level of the row is
// floor(2^F y). Of the rows of v within a set X of nodes,
//
//     level_v(X) = the largest of their levels,     alpha_v(X) = mantissa_v(X) 2^(level_v(X) >> F) = their
//     sum,
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

// The rows of a table.
struct ParentWeights {
    // The level of a set that holds no row: far below every sum of levels, and two of them can be added.
    static constexpr std::int32_t impossible = -(std::int32_t{1} << 30);
    // Sums of levels stay above minus this.
    static constexpr std::int32_t range = std::int32_t{1} << 28;

    std::size_t nodes = 0;
    int fraction = 0;                  // F
    std::vector<double> shift;         // per node: the best score of its rows
    std::vector<std::uint32_t> masks;  // per row: its parents
    std::vector<std::int32_t> levels;  // per row: floor(2^F y)
    std::vector<double> weights;       // per row: its weight's mantissa, 2^(y - (level >> F))

    // The integer part of a sum of levels.
    std::int32_t exponent(std::int32_t sum) const { return sum >> fraction; }

    // The level that lies this many nats below another, rounded down.
    std::int32_t floor_of(std::int32_t optimum, double nats) const {
        const double below = std::ceil(nats * std::ldexp(std::numbers::log2e, fraction));
        return optimum - static_cast<std::int32_t>(std::min(below, double{range}));
    }

    // False if the scores span more than levels can hold (2^28 bits: some hundred million cases).
    bool prepare(const TableView& table);
};

// alpha_v(X) for all v and X at once: 12 bytes for each.
class WholeWeights {
  public:
    static std::size_t bytes_for(std::size_t nodes) { return nodes == 0 ? 0 : 12 * nodes << (nodes - 1); }

    // False if stopped. Threads do not change the result.
    bool find(const ParentWeights& rows, const TableView& table, std::size_t threads, Ticker& ticker);

    std::int32_t level(std::size_t v, std::size_t set) const { return levels_[v][place(set, v)]; }
    double mantissa(std::size_t v, std::size_t set) const { return mantissas_[v][place(set, v)]; }

  private:
    // The number of a set among those without v.
    static std::size_t place(std::size_t set, std::size_t v) {
        const std::size_t below = (std::size_t{1} << v) - 1;
        return (set & below) | ((set >> 1) & ~below);
    }

    std::vector<std::vector<std::int32_t>> levels_;
    std::vector<std::vector<double>> mantissas_;
};

}  // namespace arcwise
