#include "exact/lp_matrix.hpp"

#include <algorithm>
#include <cassert>

namespace arcwise {

CutRows cut_rows(const CandidateSets& sets, std::span<const std::int64_t> columns, const CutPool& pool,
                 std::size_t first) {
    CutRows result;
    // Columns by node, so that a cut of three nodes does not look at all of them.
    std::vector<std::vector<std::int32_t>> of_node(sets.variables());
    for (std::size_t j = 0; j < columns.size(); ++j)
        of_node[sets.node_of(static_cast<std::size_t>(columns[j]))].push_back(static_cast<std::int32_t>(j));
    std::vector<std::int32_t> zeros;
    for (std::size_t c = first; c < pool.size(); ++c) {
        zeros.clear();
        const std::size_t start = result.matrix.indices.size();
        pool.members(c).for_each([&](std::size_t v) {
            for (const std::int32_t j : of_node[v]) {
                const auto row = static_cast<std::size_t>(columns[static_cast<std::size_t>(j)]);
                const double a = pool.coefficient(c, v, sets, row);
                if (a == 0) {
                    zeros.push_back(j);
                    continue;
                }
                result.matrix.indices.push_back(j);
                result.matrix.values.push_back(a);
            }
        });
        const bool complement = pool.code(c) > 0 && zeros.size() < result.matrix.indices.size() - start;
        if (complement) {
            result.matrix.indices.resize(start);
            result.matrix.values.resize(start);
            result.matrix.indices.insert(result.matrix.indices.end(), zeros.begin(), zeros.end());
            result.matrix.values.insert(result.matrix.values.end(), zeros.size(), 1.0);
        }
        result.matrix.starts.push_back(static_cast<std::int32_t>(result.matrix.indices.size()));
        result.forms.push_back(static_cast<std::uint8_t>(complement ? CutForm::at_least : CutForm::at_most));
        result.sides.push_back(complement ? pool.code(c) : pool.side(c));
    }
    return result;
}

SparseMatrix cut_columns(const CandidateSets& sets, std::span<const std::int64_t> columns,
                         const CutPool& pool, std::span<const std::uint8_t> forms) {
    assert(forms.size() == pool.size());
    SparseMatrix result;
    for (const std::int64_t column : columns) {
        const auto row = static_cast<std::size_t>(column);
        const std::size_t node = sets.node_of(row);
        for (std::size_t c = 0; c < pool.size(); ++c) {
            if (!pool.members(c).has(node)) continue;
            double a = pool.coefficient(c, node, sets, row);
            if (forms[c] == static_cast<std::uint8_t>(CutForm::at_least)) a = 1 - a;
            if (a == 0) continue;
            result.indices.push_back(static_cast<std::int32_t>(c));
            result.values.push_back(a);
        }
        result.starts.push_back(static_cast<std::int32_t>(result.indices.size()));
    }
    return result;
}

}  // namespace arcwise
