// Identical rows, found column by column.
#pragma once

#include <cstdint>
#include <vector>

#include "data/columns.hpp"

namespace arcwise {

struct GroupedRows {
    std::vector<std::int64_t> first;    // the first row of each group, ascending
    std::vector<std::int64_t> weights;  // the cases in it
};

// Groups the rows that agree in every column, in order of first appearance; groups without cases are left
// out.
//
// The partition is refined by one column after the other: rows of one group stay together if they have the
// same code. Each step streams through one column, so no row is ever gathered from its columns. The pair
// (group, code) indexes a table while that is not much larger than the rows, else it is hashed. Cost: rows x
// variables.
template <class Code>
GroupedRows group_rows(const Columns<Code>& data);

}  // namespace arcwise
