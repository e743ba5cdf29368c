// The data with equal rows joined: what every count is made from.
//
// Counting costs time in proportion to the rows that are looked at, so that rows are joined first (58,265
// rows of msnbc become some thousands), and a variable's rows are listed by state with the most frequent
// state left out: what is left over of a class after the other states is the most frequent one's (Moore & Lee
// 1998, the "most common value" trick of AD-trees). The work for one variable is then the number of rows in
// its minority states, a fifth of all rows in data like alarm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"

namespace arcwise {

template <class Code, class Count>
struct CollapsedRows {
    std::size_t variables = 0;
    std::size_t rows = 0;  // different rows with a positive weight
    std::int64_t cases = 0;
    bool unit_weights = false;          // every row occurs once
    std::vector<std::int32_t> labels;   // position here -> variable of the data
    std::vector<std::size_t> arities;   // by position
    std::vector<Code> codes;            // position-major
    std::vector<Count> weights;         // one per row
    std::vector<std::size_t> majority;  // the state with the most rows, by position
    // Rows in the other states, state by state; those of state k of position v are
    // minority[state_offsets[arity_offsets[v] + k] .. state_offsets[arity_offsets[v] + k + 1]).
    std::vector<std::uint32_t> minority;
    std::vector<std::size_t> state_offsets;
    std::vector<std::size_t> arity_offsets;

    const Code* column(std::size_t position) const { return codes.data() + position * rows; }
    std::span<const std::uint32_t> rows_in_state(std::size_t position, std::size_t state) const {
        const auto at = arity_offsets[position] + state;
        return {minority.data() + state_offsets[at], state_offsets[at + 1] - state_offsets[at]};
    }
    std::size_t minority_rows(std::size_t position) const {
        const auto at = arity_offsets[position];
        return state_offsets[at + arities[position]] - state_offsets[at];
    }
};

// Joins equal rows and orders the variables by their number of minority rows, the fewest first: sets are
// counted with their first variable last, again for each set, so that this one should be the cheapest.
// Cost: rows x variables.
template <class Code, class Count>
CollapsedRows<Code, Count> collapse_rows(const Columns<Code>& data);

}  // namespace arcwise
