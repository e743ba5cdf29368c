// The problem that a diagram is built of: the nodes, numbered by `members`, and for each the rows that are
// kept.
//
// `build_diagram` hands over all nodes at once; exact/optimal.py splits into strongly connected components. A
// cycle lies within one component, so parents outside it never matter for acyclicity; they only make families
// different.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

template <std::size_t W>
struct ComponentProblem {
    struct Row {
        NodeSet<W> parents;  // those inside the component, in its own numbers
        double score;
        double cost;          // what the bound charges for the row, >= 0; rows of a node ascend by it
        std::int64_t origin;  // the row of the table
    };

    std::size_t nodes = 0;
    std::vector<std::size_t> offsets{0};
    std::vector<Row> rows;

    // For classes (canonical_rules.hpp). Parent number k of row r inside the component is
    // partner_nodes[partner_offsets[r] + k], and if it is u, row r is of v, with all parents P, then
    // `before` is the row of u with the parents P - u and `after` that with P - u + v; -1 if not in the
    // table, or if u and v are a fixed pair, whose arc never turns.
    std::vector<std::size_t> partner_offsets;
    std::vector<std::uint16_t> partner_nodes;
    std::vector<std::int64_t> partner_before;
    std::vector<std::int64_t> partner_after;
};

// Whether a problem has partners, and which pairs of the table's variables are fixed
// (graph/class_kernel.hpp).
struct Partners {
    bool wanted = false;
    std::span<const Word> fixed = {};
};

// The rows of `members` (nodes of the table, in any order) with keep[row] != 0 (empty: all). `costs` has one
// entry per row of the table, or is empty: then a row costs its distance from the best row of its node.
template <std::size_t W>
ComponentProblem<W> make_component(const TableView& table, std::span<const std::int32_t> members,
                                   std::span<const std::uint8_t> keep, std::span<const double> costs,
                                   Partners partners);

}  // namespace arcwise
