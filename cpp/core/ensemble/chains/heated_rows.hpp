// The weights of the rows of a table at one heat.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ensemble/chains/family_index.hpp"

namespace arcwise {

// Weights that are smaller, in nats, are found from differences: exp would have no digits left.
inline constexpr double least_weight = -600;

// The weight of every row at one heat: exp(b (score - best score of the node)).
struct HeatedRows {
    HeatedRows(const FamilyIndex& index, double b) : heat(b) {
        for (std::size_t v = 0; v < index.variables(); ++v) {
            const double best = index.score(index.first_row(v));
            for (const auto row : index.rows_of(v))
                weights.push_back(std::exp(b * (index.score(row) - best)));
        }
    }

    double heat;
    std::vector<double> weights;
};

}  // namespace arcwise
