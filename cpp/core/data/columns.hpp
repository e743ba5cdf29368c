// The data as the core sees it: one contiguous column of state codes per variable.
//
// Code is std::uint8_t, std::uint16_t or std::uint32_t, one type per data set, the smallest that holds the
// largest code. A view: the memory belongs to the caller.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace arcwise {

template <class Code>
struct Columns {
    const Code* codes;            // variable-major: the column of variable v starts at codes + v * rows
    std::size_t variables;        // n
    std::size_t rows;             // stored rows; the number of cases N is the sum of the weights
    const std::int32_t* arities;  // r_v, one per variable
    const std::int64_t* weights;  // one per row, or null: every row counts once

    std::span<const Code> column(std::size_t variable) const {
        assert(variable < variables);
        return {codes + variable * rows, rows};
    }
    std::int64_t weight(std::size_t row) const { return weights == nullptr ? 1 : weights[row]; }
    std::int64_t cases() const {
        return weights == nullptr ? static_cast<std::int64_t>(rows)
                                  : std::accumulate(weights, weights + rows, std::int64_t{0});
    }
};

}  // namespace arcwise
