// A table of candidate parent sets that owns its memory, and the one order of rows that every table has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parent_sets/table_view.hpp"

namespace arcwise {

struct TableData {
    std::vector<std::int64_t> node_offsets{0};
    std::vector<double> scores;
    std::vector<std::int64_t> set_offsets{0};
    std::vector<std::int32_t> members;

    void add_row(double score, std::span<const std::int32_t> parents) {
        scores.push_back(score);
        members.insert(members.end(), parents.begin(), parents.end());
        set_offsets.push_back(static_cast<std::int64_t>(members.size()));
    }
    void end_node() { node_offsets.push_back(static_cast<std::int64_t>(scores.size())); }
    TableView view() const { return {node_offsets.size() - 1, node_offsets, scores, set_offsets, members}; }
};

// True if row a comes before row b of the same node: higher score, then fewer parents, then smaller members.
bool precedes(const TableView& table, std::size_t a, std::size_t b);

// The same table with every row's parents ascending, nodes in the order `nodes` (new position -> old one; the
// members are not renamed) and each node's rows in the order of `precedes`. `origin`, if not null, receives
// the old row of every new row.
TableData sorted_table(const TableView& table, std::span<const std::int32_t> nodes,
                       std::vector<std::int64_t>* origin);

// What a table must satisfy, in the order of checking; `node` and `row` say where it does not.
enum class Defect : std::int32_t {
    none = 0,
    offsets = 1,         // offsets that do not ascend from 0 to the length of what they index
    empty_node = 2,      // a node without a parent set: no network exists
    not_a_number = 3,    // NaN or infinite score
    foreign_parent = 4,  // a parent that is not a variable
    own_parent = 5,      // a variable among its own parents
    unsorted_set = 6,    // parents of a row that do not ascend
    unsorted_rows = 7,   // rows of a node that are not in the order of `precedes`
    repeated_set = 8,    // two rows of a node with the same parents
};

struct Inspection {
    Defect defect = Defect::none;
    std::int64_t node = -1;
    std::int64_t row = -1;
};

// Looks for the first defect. Cost: one pass, and a sort of each node's rows to find repeated sets.
Inspection inspect_table(const TableView& table);

}  // namespace arcwise
