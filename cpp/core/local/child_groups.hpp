// Children that are scored by the same rows: where an experiment set a variable, the row is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/arc_rules.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// Which rows tell of which children: child c is scored by scores[group_of[c]], from the rows of which
// counted[group_of[c] * rows + row] is not 0. A null score: no row does. `counted` is empty if all rows tell
// of all.
struct ChildGroups {
    std::vector<const LocalScore*> scores;
    std::vector<std::int32_t> group_of;
    std::vector<std::uint8_t> counted;

    // For each group, the rules without any arc into other groups' children, but required ones.
    std::vector<ArcRules> rules_of(const ArcRules& rules) const {
        std::vector<ArcRules> found;
        for (std::size_t g = 0; g < scores.size(); ++g)
            found.push_back(rules.into(
                [&](std::size_t child) { return static_cast<std::size_t>(group_of[child]) == g; }));
        return found;
    }
    // The weights of rows for a group, in `own` if they are not those given; empty: every row counts once.
    std::span<const std::int64_t> masked_weights(std::span<const std::int64_t> weights, std::size_t group,
                                                 std::size_t rows, std::vector<std::int64_t>& own) const {
        if (counted.empty()) return weights;
        own.resize(rows);
        const auto* rows_of_group = counted.data() + group * rows;
        for (std::size_t row = 0; row < rows; ++row)
            own[row] = rows_of_group[row] == 0 ? 0 : weights.empty() ? 1 : weights[row];
        return own;
    }
};

}  // namespace arcwise
