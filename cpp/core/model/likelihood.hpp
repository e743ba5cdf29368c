// The log-likelihood of data under a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "model/network_view.hpp"
#include "monitor.hpp"

namespace arcwise {

struct Likelihood {
    std::vector<double> rows;  // one natural logarithm per row
    Status status = Status::complete;
};

// Which variables an experiment set: row i belongs to experiment of_row[i], which set variable v of the
// network if was_set[of_row[i] * n + v] is not 0. No rows: nothing was set.
struct Interventions {
    std::span<const std::int32_t> of_row;
    std::span<const std::uint8_t> was_set;
};

// Variable v of the network is column positions[v] of the data, in the network's coding. A row that meets an
// entry 0 has -infinity, one that meets an undefined entry (NaN) has NaN. A variable has no part in the rows
// in which it was set.
template <class Code>
Likelihood log_likelihood(const NetworkView& network, const Columns<Code>& data,
                          std::span<const std::int32_t> positions, const Interventions& interventions,
                          std::size_t threads, Monitor& monitor);

}  // namespace arcwise
