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

// Variable v of the network is column positions[v] of the data, in the network's coding. A row that meets an
// entry 0 has -infinity, one that meets an undefined entry (NaN) has NaN.
template <class Code>
Likelihood log_likelihood(const NetworkView& network, const Columns<Code>& data,
                          std::span<const std::int32_t> positions, std::size_t threads, Monitor& monitor);

}  // namespace arcwise
