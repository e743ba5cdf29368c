// A network as the core sees it: parents and conditional probability tables in flat arrays.
//
// Table v holds values[table_offsets[v] .. table_offsets[v + 1]): one row per configuration of the parents
// (in the order of `parents_of`, the first varying slowest), one column per state of v. A view: the memory
// belongs to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

struct NetworkView {
    std::span<const std::int32_t> arities;         // r_v, one per variable
    std::span<const std::int64_t> parent_offsets;  // n + 1
    std::span<const std::int32_t> parents;         // all parents, variable by variable
    std::span<const std::int64_t> table_offsets;   // n + 1
    std::span<const double> values;                // all tables
    std::span<const std::int32_t> order;           // parents before children

    std::size_t variables() const { return arities.size(); }
    std::size_t arity(std::size_t v) const { return static_cast<std::size_t>(arities[v]); }
    std::span<const std::int32_t> parents_of(std::size_t v) const {
        const auto begin = static_cast<std::size_t>(parent_offsets[v]);
        return parents.subspan(begin, static_cast<std::size_t>(parent_offsets[v + 1]) - begin);
    }
    std::span<const double> table(std::size_t v) const {
        const auto begin = static_cast<std::size_t>(table_offsets[v]);
        return values.subspan(begin, static_cast<std::size_t>(table_offsets[v + 1]) - begin);
    }
};

}  // namespace arcwise
