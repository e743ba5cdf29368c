// A table of candidate parent sets as the core sees it: compressed rows, any number of variables.
//
// Node v has the rows node_offsets[v] .. node_offsets[v + 1); row r has the score scores[r] and the parents
// members[set_offsets[r] .. set_offsets[r + 1]), ascending. Rows of a node are sorted by falling score; equal
// scores by size, then by members, so that the table of given data is one sequence of bytes. A view: the
// memory belongs to the caller. Scores are natural logarithms, higher is better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

struct TableView {
    std::size_t variables;                       // n
    std::span<const std::int64_t> node_offsets;  // n + 1
    std::span<const double> scores;              // one per row
    std::span<const std::int64_t> set_offsets;   // rows + 1
    std::span<const std::int32_t> members;       // all parents, row by row

    std::size_t rows() const { return scores.size(); }
    std::size_t rows_of(std::size_t node) const {
        return static_cast<std::size_t>(node_offsets[node + 1] - node_offsets[node]);
    }
    std::span<const std::int32_t> parents(std::size_t row) const {
        const auto begin = static_cast<std::size_t>(set_offsets[row]);
        const auto end = static_cast<std::size_t>(set_offsets[row + 1]);
        return members.subspan(begin, end - begin);
    }
};

}  // namespace arcwise
