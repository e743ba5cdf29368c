// Rows of the data grouped by their values of some variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"

namespace arcwise {

struct RowGroups {
    std::vector<std::uint64_t> of_row;  // the group of each row
    std::size_t size;  // groups are numbered 0 .. size - 1, in the order of their configurations
};

// One variable at a time: after each the groups are numbered afresh, so that a key (group, code) never
// exceeds rows x arity, however many configurations are possible. The first member varies slowest.
template <class Code>
RowGroups group_rows(const Columns<Code>& data, std::span<const std::int32_t> members) {
    RowGroups groups{std::vector<std::uint64_t>(data.rows, 0), data.rows > 0 ? std::size_t{1} : 0};
    std::vector<std::uint64_t> keys;
    for (const auto member : members) {
        const auto column = data.column(static_cast<std::size_t>(member));
        const auto arity = static_cast<std::uint64_t>(data.arities[member]);
        for (std::size_t row = 0; row < data.rows; ++row)
            groups.of_row[row] = groups.of_row[row] * arity + column[row];
        if (groups.size * arity <= 4 * data.rows + 64) {
            // Few keys: number those that occur by a pass over a table.
            std::vector<std::uint64_t> number(groups.size * arity, 0);
            for (const auto key : groups.of_row) number[key] = 1;
            groups.size = 0;
            for (auto& entry : number) entry = entry != 0 ? groups.size++ : 0;
            for (auto& key : groups.of_row) key = number[key];
        } else {
            keys.assign(groups.of_row.begin(), groups.of_row.end());
            std::sort(keys.begin(), keys.end());
            keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
            groups.size = keys.size();
            for (auto& key : groups.of_row)
                key = static_cast<std::uint64_t>(std::lower_bound(keys.begin(), keys.end(), key) -
                                                 keys.begin());
        }
    }
    return groups;
}

}  // namespace arcwise
