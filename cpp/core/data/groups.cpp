#include "data/groups.hpp"

#include <algorithm>
#include <limits>

namespace arcwise {

namespace {

using Group = std::uint32_t;
constexpr Group none = std::numeric_limits<Group>::max();

template <class Code>
Group refine_dense(std::span<const Code> column, std::vector<Group>& group, std::size_t cells,
                   std::size_t arity, std::vector<Group>& table) {
    table.assign(cells, none);
    Group next = 0;
    for (std::size_t row = 0; row < column.size(); ++row) {
        Group& renamed = table[group[row] * arity + column[row]];
        if (renamed == none) renamed = next++;
        group[row] = renamed;
    }
    return next;
}

template <class Code>
Group refine_hashed(std::span<const Code> column, std::vector<Group>& group) {
    struct Slot {
        std::uint64_t key;
        Group renamed;
    };
    std::size_t size = 16;
    while (size < 2 * column.size()) size *= 2;
    std::vector<Slot> slots(size, Slot{0, none});
    Group next = 0;
    for (std::size_t row = 0; row < column.size(); ++row) {
        const std::uint64_t key = (static_cast<std::uint64_t>(group[row]) << 32) | column[row];
        std::uint64_t hash = (key ^ (key >> 29)) * 0x9e3779b97f4a7c15ULL;
        hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
        std::size_t place = (hash >> 20) & (size - 1);
        while (slots[place].renamed != none && slots[place].key != key) place = (place + 1) & (size - 1);
        if (slots[place].renamed == none) slots[place] = {key, next++};
        group[row] = slots[place].renamed;
    }
    return next;
}

}  // namespace

template <class Code>
GroupedRows group_rows(const Columns<Code>& data) {
    assert(data.rows < none);
    std::vector<Group> group(data.rows, 0), table;
    std::size_t groups = 1;
    for (std::size_t v = 0; v < data.variables && groups < data.rows; ++v) {
        const auto arity = static_cast<std::size_t>(data.arities[v]);
        const std::size_t cells = groups * arity;
        groups = cells <= std::max<std::size_t>(4096, 8 * data.rows)
                     ? refine_dense(data.column(v), group, cells, arity, table)
                     : refine_hashed(data.column(v), group);
    }
    GroupedRows found;
    found.first.assign(groups, -1);
    found.weights.assign(groups, 0);
    for (std::size_t row = 0; row < data.rows; ++row) {
        auto& first = found.first[group[row]];
        if (first < 0) first = static_cast<std::int64_t>(row);
        found.weights[group[row]] += data.weight(row);
    }
    std::size_t kept = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        if (found.weights[g] == 0) continue;
        found.first[kept] = found.first[g];
        found.weights[kept++] = found.weights[g];
    }
    found.first.resize(kept);
    found.weights.resize(kept);
    return found;
}

template GroupedRows group_rows(const Columns<std::uint8_t>&);
template GroupedRows group_rows(const Columns<std::uint16_t>&);
template GroupedRows group_rows(const Columns<std::uint32_t>&);

}  // namespace arcwise
