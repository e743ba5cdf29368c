// What all parent sets within a set weigh together: alpha_v(X) of Koivisto and Sood (2004) and Tian and He
// (2009).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "parent_sets/table_view.hpp"

namespace arcwise {

struct ParentSums {
    std::vector<double> shift;  // per node: the best score of its rows
    std::vector<std::vector<long double>>
        within;                        // [v][X]: sum over rows P within X of exp(score - shift[v])
    std::vector<std::uint64_t> masks;  // per row: its parents

    // Subset sums by one pass per variable.
    explicit ParentSums(const TableView& table)
        : shift(table.variables),
          within(table.variables, std::vector<long double>(std::size_t{1} << table.variables, 0)),
          masks(table.rows()) {
        const std::size_t n = table.variables, sets = std::size_t{1} << n;
        for (std::size_t v = 0; v < n; ++v) {
            const auto first = static_cast<std::size_t>(table.node_offsets[v]);
            const auto last = static_cast<std::size_t>(table.node_offsets[v + 1]);
            shift[v] = *std::max_element(table.scores.begin() + static_cast<std::ptrdiff_t>(first),
                                         table.scores.begin() + static_cast<std::ptrdiff_t>(last));
            for (std::size_t row = first; row < last; ++row) {
                for (const auto p : table.parents(row)) masks[row] |= std::uint64_t{1} << p;
                within[v][masks[row]] += std::exp(static_cast<long double>(table.scores[row] - shift[v]));
            }
            for (std::size_t b = 0; b < n; ++b)
                for (std::size_t set = 0; set < sets; ++set)
                    if ((set >> b) & 1U) within[v][set] += within[v][set ^ (std::size_t{1} << b)];
        }
    }
};

}  // namespace arcwise
