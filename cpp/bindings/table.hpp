// A table of parent sets that Python holds, bound as arcwise._core.parent_sets.TableView.
#pragma once

#include "arrays.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

// The view and the arrays that it reads: they stay alive as long as it does.
struct BoundTable {
    Array1<std::int64_t> node_offsets;
    Array1<double> scores;
    Array1<std::int64_t> set_offsets;
    Array1<std::int32_t> members;

    TableView view() const {
        return {node_offsets.shape(0) - 1, as_span(node_offsets), as_span(scores), as_span(set_offsets),
                as_span(members)};
    }
};

}  // namespace arcwise
