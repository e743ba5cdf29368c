// Tables over a few variables, and their sums of products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A table over variables in ascending order, the last varying fastest.
struct Factor {
    std::vector<std::int32_t> variables;
    std::vector<double> values;
};

// The number of configurations of some variables; arities has one number per variable of the network.
double cells_of(std::span<const std::int32_t> variables, std::span<const std::int32_t> arities);

// The product of factors, summed over all variables but `kept`, which are ascending and all occur in some
// factor. The result must not be one of the factors.
void contract(std::span<const Factor* const> factors, std::span<const std::int32_t> kept,
              std::span<const std::int32_t> arities, Factor& result);

// The variables of factors, ascending, each once.
void unite(std::span<const Factor* const> factors, std::vector<std::int32_t>& variables);

}  // namespace arcwise
