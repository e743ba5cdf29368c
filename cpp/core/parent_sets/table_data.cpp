#include "parent_sets/table_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arcwise {

namespace {

bool smaller_set(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

bool ascends(std::span<const std::int64_t> offsets, std::size_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(last) &&
           std::is_sorted(offsets.begin(), offsets.end());
}

// The first defect of one row alone.
Defect inspect_row(const TableView& table, std::size_t node, std::size_t row) {
    if (!std::isfinite(table.scores[row])) return Defect::not_a_number;
    const auto parents = table.parents(row);
    for (const auto parent : parents) {
        if (parent < 0 || static_cast<std::size_t>(parent) >= table.variables) return Defect::foreign_parent;
        if (static_cast<std::size_t>(parent) == node) return Defect::own_parent;
    }
    for (std::size_t i = 1; i < parents.size(); ++i)
        if (parents[i - 1] >= parents[i]) return Defect::unsorted_set;
    return Defect::none;
}

}  // namespace

bool precedes(const TableView& table, std::size_t a, std::size_t b) {
    if (table.scores[a] != table.scores[b]) return table.scores[a] > table.scores[b];
    return smaller_set(table.parents(a), table.parents(b));
}

TableData sorted_table(const TableView& table, std::span<const std::int32_t> nodes,
                       std::vector<std::int64_t>* origin) {
    // Parents first: the order of rows compares them.
    std::vector<std::int32_t> members(table.members.begin(), table.members.end());
    for (std::size_t row = 0; row < table.rows(); ++row)
        std::sort(members.begin() + table.set_offsets[row], members.begin() + table.set_offsets[row + 1]);
    TableView ascending = table;
    ascending.members = members;
    TableData sorted;
    sorted.scores.reserve(table.rows());
    sorted.set_offsets.reserve(table.rows() + 1);
    sorted.members.reserve(members.size());
    std::vector<std::size_t> rows;
    for (const auto node : nodes) {
        const auto first = static_cast<std::size_t>(table.node_offsets[static_cast<std::size_t>(node)]);
        rows.resize(table.rows_of(static_cast<std::size_t>(node)));
        std::iota(rows.begin(), rows.end(), first);
        std::sort(rows.begin(), rows.end(),
                  [&](std::size_t a, std::size_t b) { return precedes(ascending, a, b); });
        for (const auto row : rows) {
            sorted.add_row(ascending.scores[row], ascending.parents(row));
            if (origin != nullptr) origin->push_back(static_cast<std::int64_t>(row));
        }
        sorted.end_node();
    }
    return sorted;
}

Inspection inspect_table(const TableView& table) {
    if (table.node_offsets.size() != table.variables + 1 || !ascends(table.node_offsets, table.rows()) ||
        table.set_offsets.size() != table.rows() + 1 || !ascends(table.set_offsets, table.members.size()))
        return {Defect::offsets, -1, -1};
    std::vector<std::size_t> rows;
    for (std::size_t node = 0; node < table.variables; ++node) {
        const auto at = static_cast<std::int64_t>(node);
        const auto first = static_cast<std::size_t>(table.node_offsets[node]);
        const auto last = first + table.rows_of(node);
        if (first == last) return {Defect::empty_node, at, -1};
        for (std::size_t row = first; row < last; ++row) {
            const auto defect = inspect_row(table, node, row);
            if (defect != Defect::none) return {defect, at, static_cast<std::int64_t>(row)};
            if (row > first && precedes(table, row, row - 1))
                return {Defect::unsorted_rows, at, static_cast<std::int64_t>(row)};
        }
        rows.resize(last - first);
        std::iota(rows.begin(), rows.end(), first);
        std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
            return smaller_set(table.parents(a), table.parents(b));
        });
        for (std::size_t i = 1; i < rows.size(); ++i)
            if (std::ranges::equal(table.parents(rows[i - 1]), table.parents(rows[i])))
                return {Defect::repeated_set, at, static_cast<std::int64_t>(std::max(rows[i - 1], rows[i]))};
    }
    return {};
}

}  // namespace arcwise
