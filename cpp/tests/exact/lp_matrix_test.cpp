#include "exact/lp_matrix.hpp"

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

TEST(forms_of_a_row_are_the_same_halfspace) {
    const Table table = random_table(6, 6, 9);
    const CandidateSets sets(table.view());
    CutPool pool(6);
    const std::vector<Word> members{0b000111, 0b111111, 0b001111};
    pool.extend(members, std::vector<std::int32_t>{2, 1, -7});
    std::vector<std::int64_t> columns(sets.rows());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<std::int64_t>(i);
    const CutRows rows = cut_rows(sets, columns, pool, 0);
    const SparseMatrix by_column = cut_columns(sets, columns, pool, rows.forms);
    std::vector<std::vector<double>> dense(3, std::vector<double>(columns.size(), 0)), again = dense;
    for (std::size_t c = 0; c < 3; ++c)
        for (auto i = static_cast<std::size_t>(rows.matrix.starts[c]);
             i < static_cast<std::size_t>(rows.matrix.starts[c + 1]); ++i)
            dense[c][static_cast<std::size_t>(rows.matrix.indices[i])] = rows.matrix.values[i];
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (auto i = static_cast<std::size_t>(by_column.starts[j]);
             i < static_cast<std::size_t>(by_column.starts[j + 1]); ++i)
            again[static_cast<std::size_t>(by_column.indices[i])][j] = by_column.values[i];
    CHECK(dense == again);
}
