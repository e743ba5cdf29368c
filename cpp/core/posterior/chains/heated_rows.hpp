// The weights of the rows of a table at one heat.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "posterior/chains/family_index.hpp"

namespace arcwise {

// Weights that are smaller, in nats, are found from differences: exp would have no digits left.
inline constexpr double least_weight = -600;

// The weight of every row at one heat: exp(b (score - best score of the node)).
struct HeatedRows {
    HeatedRows(const FamilyIndex& index, double b) : heat(b) {
        for (std::size_t v = 0; v < index.variables(); ++v) {
            const double best = index.score(index.first_row(v));
            double total = 0;
            for (const auto row : index.rows_of(v)) {
                weights.push_back(std::exp(b * (index.score(row) - best)));
                sums.push_back(total += weights.back());
            }
        }
    }

    double heat;
    std::vector<double> weights;
    std::vector<double> sums;  // of the weights of the node's rows up to this one
};

}  // namespace arcwise
