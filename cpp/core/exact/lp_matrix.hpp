// Cuts as rows and columns of a linear program.
//
// Over columns x(v, S) with one set per node, a cluster (C, k) can be written as "sum over v in C of the sets
// with k or more members in C <= |C| - k" or, subtracted from the equations of its members, as "sum over v in
// C of the sets with fewer than k members in C >= k". They are the same halfspace, but a small cluster meets
// few sets and a large one misses few, so each row is written in the form with fewer entries: the simplex
// method pays for every one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/cut_pool.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

enum class CutForm : std::uint8_t { at_most = 0, at_least = 1 };

// Compressed rows or columns.
struct SparseMatrix {
    std::vector<std::int32_t> starts{0};
    std::vector<std::int32_t> indices;
    std::vector<double> values;
};

struct CutRows {
    SparseMatrix matrix;              // per cut: positions in `columns`
    std::vector<std::uint8_t> forms;  // per cut: a CutForm
    std::vector<double> sides;        // per cut
};

// Rows for the cuts `first` .. size - 1 of the pool; `columns` are the rows of `sets` that the program has as
// columns.
CutRows cut_rows(const CandidateSets& sets, std::span<const std::int64_t> columns, const CutPool& pool,
                 std::size_t first);

// Columns for new rows of `sets`: per column the cuts it has an entry in, given each cut's form.
SparseMatrix cut_columns(const CandidateSets& sets, std::span<const std::int64_t> columns,
                         const CutPool& pool, std::span<const std::uint8_t> forms);

}  // namespace arcwise
