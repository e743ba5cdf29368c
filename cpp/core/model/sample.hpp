// Forward sampling: every variable drawn from its table, given the states already drawn for its parents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/network_view.hpp"
#include "monitor.hpp"

namespace arcwise {

// Fills codes (variable-major, rows per variable). The variable at position t of the network's order draws,
// in row i, with word t % 4 of philox({i, t / 4, 0, 0}, key): the state is the first whose cumulative
// probability exceeds the number. So a row depends on nothing but the network, the key and its position. Rows
// of a table are scaled to sum to 1; no entry may be NaN.
template <class Code>
Status sample_rows(const NetworkView& network, std::array<std::uint64_t, 2> key, Code* codes,
                   std::size_t rows, std::size_t threads, Monitor& monitor);

}  // namespace arcwise
