// Contingency counts N_S of a set S of variables: how often each combination of states occurs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"

namespace arcwise {

// Adds the weight of every row to the cell of its states. Cells are in mixed radix, the first member varying
// slowest: cell = (..(x_0 r_1 + x_1) r_2 + ..). `cells` has the product of the arities, which the caller has
// checked to fit in memory. Cost: rows x members, plus the cells.
template <class Code>
std::vector<std::int64_t> count_cells(const Columns<Code>& data, std::span<const std::int32_t> members,
                                      std::size_t cells);

}  // namespace arcwise
