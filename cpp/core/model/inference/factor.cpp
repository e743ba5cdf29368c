#include "model/inference/factor.hpp"

#include <algorithm>

namespace arcwise {

double cells_of(std::span<const std::int32_t> variables, std::span<const std::int32_t> arities) {
    double cells = 1;
    for (const auto v : variables) cells *= static_cast<double>(arities[static_cast<std::size_t>(v)]);
    return cells;
}

void unite(std::span<const Factor* const> factors, std::vector<std::int32_t>& variables) {
    variables.clear();
    for (const auto* factor : factors)
        variables.insert(variables.end(), factor->variables.begin(), factor->variables.end());
    std::ranges::sort(variables);
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
}

// One walk through the configurations of all variables, the last fastest, with the cell of every table. What
// is needed on the way is kept from call to call: there are millions of calls with a handful of cells each.
void contract(std::span<const Factor* const> factors, std::span<const std::int32_t> kept,
              std::span<const std::int32_t> arities, Factor& result) {
    thread_local std::vector<std::int32_t> scope;
    thread_local std::vector<std::size_t> sizes, digits, strides, jumps, at;
    unite(factors, scope);
    const std::size_t width = scope.size(), tables = factors.size() + 1;
    sizes.resize(width);
    for (std::size_t k = 0; k < width; ++k)
        sizes[k] = static_cast<std::size_t>(arities[static_cast<std::size_t>(scope[k])]);
    // strides[k * tables + t]: of variable k in table t, the last of which is the result.
    strides.assign(width * tables, 0);
    std::size_t cells = 1;
    const auto place = [&](std::span<const std::int32_t> own, std::size_t table) {
        std::size_t stride = 1, k = width;
        for (std::size_t j = own.size(); j-- > 0;) {
            while (scope[--k] != own[j]) {
            }
            strides[k * tables + table] = stride;
            stride *= sizes[k];
        }
        cells = stride;
    };
    for (std::size_t t = 0; t < factors.size(); ++t) place(factors[t]->variables, t);
    place(kept, factors.size());
    result.variables.assign(kept.begin(), kept.end());
    result.values.assign(cells, 0.0);
    at.assign(tables, 0);
    if (width == 0) {
        double value = 1;
        for (const auto* factor : factors) value *= factor->values[0];
        result.values[0] = value;
        return;
    }
    // What a step of variable k adds to each cell, when all later ones but the last return to their first
    // state; the last is the inner loop, which leaves the cells where they were.
    const std::size_t last = width - 1;
    jumps.assign(last * tables, 0);
    for (std::size_t t = 0; t < tables; ++t) {
        std::size_t back = 0;
        for (std::size_t k = last; k-- > 0;) {
            jumps[k * tables + t] = strides[k * tables + t] - back;
            back += strides[k * tables + t] * (sizes[k] - 1);
        }
    }
    digits.assign(width, 0);
    const std::size_t* inner = strides.data() + last * tables;
    const std::size_t turns = sizes[last];
    double* const out = result.values.data();
    for (;;) {
        if (factors.size() == 1) {
            const double* one = factors[0]->values.data() + at[0];
            for (std::size_t s = 0; s < turns; ++s) out[at[1] + s * inner[1]] += one[s * inner[0]];
        } else if (factors.size() == 2) {
            const double *one = factors[0]->values.data() + at[0], *two = factors[1]->values.data() + at[1];
            for (std::size_t s = 0; s < turns; ++s)
                out[at[2] + s * inner[2]] += one[s * inner[0]] * two[s * inner[1]];
        } else {
            for (std::size_t s = 0; s < turns; ++s) {
                double value = 1;
                for (std::size_t t = 0; t + 1 < tables; ++t)
                    value *= factors[t]->values[at[t] + s * inner[t]];
                out[at[tables - 1] + s * inner[tables - 1]] += value;
            }
        }
        std::size_t k = last;
        while (k > 0 && ++digits[k - 1] == sizes[k - 1]) digits[--k] = 0;
        if (k == 0) return;
        for (std::size_t t = 0; t < tables; ++t) at[t] += jumps[(k - 1) * tables + t];
    }
}

}  // namespace arcwise
