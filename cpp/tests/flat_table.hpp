// A table for which every DAG is optimal: how many there are is known.
#pragma once

#include <cstdint>
#include <vector>

#include "check.hpp"
#include "credible/construction/diagram_construction.hpp"
#include "credible/sums/diagram_sums.hpp"

namespace flat_table_support {

using namespace arcwise;

// All parent sets of n nodes, each with the score 0: every DAG is optimal.
struct FlatTable {
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> order;
    std::size_t n;

    explicit FlatTable(std::size_t nodes) : n(nodes) {
        for (std::size_t v = 0; v < n; ++v) {
            order.push_back(static_cast<std::int32_t>(v));
            for (std::size_t set = 0; set < (std::size_t{1} << n); ++set) {
                if ((set >> v) & 1U) continue;
                for (std::size_t p = 0; p < n; ++p)
                    if ((set >> p) & 1U) members.push_back(static_cast<std::int32_t>(p));
                set_offsets.push_back(static_cast<std::int64_t>(members.size()));
                scores.push_back(0);
            }
            node_offsets.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }
    TableView view() const { return {n, node_offsets, scores, set_offsets, members}; }
    DiagramInput input() const { return {view(), order, {}, 0.5, std::size_t{1} << 30}; }
};

inline std::uint64_t count_of(const NetworkDiagram& diagram, const FlatTable& table) {
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const auto sums = sum_diagram(diagram, 0.5, 1e-12, table.scores.size(), true, 1 << 30, 1, ticker);
    // Every network has one family per node.
    BigCount families = 0;
    for (const auto rows : sums.row_counts) families += rows;
    CHECK(families == sums.count * table.n);
    return static_cast<std::uint64_t>(sums.count);
}

}  // namespace flat_table_support
