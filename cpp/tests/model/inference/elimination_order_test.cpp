#include "model/inference/elimination_order.hpp"

#include <algorithm>
#include <set>

#include "check.hpp"
#include "xoshiro.hpp"

namespace {

using Scope = std::vector<std::int32_t>;

arcwise::BitRows graph_of(std::size_t nodes, const std::vector<Scope>& scopes) {
    arcwise::BitRows graph(nodes, nodes);
    for (const auto& scope : scopes) arcwise::join_members(graph, scope);
    return graph;
}

// Eliminates step by step on the scopes themselves.
arcwise::EliminationOrder simulated(const std::vector<Scope>& scopes, const arcwise::EliminationOrder& order,
                                    const std::vector<std::int32_t>& arities) {
    arcwise::EliminationOrder result;
    std::vector<std::set<std::int32_t>> tables;
    for (const auto& scope : scopes) tables.emplace_back(scope.begin(), scope.end());
    for (const auto v : order.variables) {
        std::set<std::int32_t> bucket{v};
        for (const auto& table : tables)
            if (table.contains(v)) bucket.insert(table.begin(), table.end());
        std::erase_if(tables, [v](const auto& table) { return table.contains(v); });
        double cells = 1;
        for (const auto u : bucket) cells *= arities[static_cast<std::size_t>(u)];
        result.largest = std::max(result.largest, cells);
        result.total += cells;
        result.width = std::max(result.width, bucket.size() - 1);
        bucket.erase(v);
        tables.push_back(bucket);
    }
    return result;
}

}  // namespace

TEST(an_order_eliminates_everything_else_at_the_cost_it_says) {
    arcwise::Xoshiro random(7);
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 3 + random.below(90);  // also more than one machine word
        std::vector<std::int32_t> arities(n);
        // Many states: so that all rules and restarts run.
        for (auto& r : arities) r = static_cast<std::int32_t>(2 + random.below(trial % 2 == 0 ? 3 : 30));
        std::vector<Scope> scopes;
        for (std::size_t i = 0; i < n; ++i) {
            Scope scope;
            for (std::size_t j = 0; j < 1 + random.below(3); ++j)
                scope.push_back(static_cast<std::int32_t>(random.below(n)));
            scopes.push_back(scope);
        }
        std::vector<std::uint8_t> kept(n, 0);
        for (std::size_t i = 0; i < 3; ++i) kept[random.below(n)] = 1;
        const auto order = arcwise::find_elimination_order(graph_of(n, scopes), arities, kept);
        std::vector<std::uint8_t> seen = kept;
        for (const auto v : order.variables) {
            CHECK(!seen[static_cast<std::size_t>(v)]);
            seen[static_cast<std::size_t>(v)] = 1;
        }
        CHECK(std::all_of(seen.begin(), seen.end(), [](auto flag) { return flag == 1; }));
        const auto again = simulated(scopes, order, arities);
        CHECK(again.largest == order.largest);
        CHECK(again.width == order.width);
        CHECK(std::abs(again.total - order.total) <= 1e-9 * order.total);
        CHECK(order.variables ==
              arcwise::find_elimination_order(graph_of(n, scopes), arities, kept).variables);
    }
}

TEST(a_chain_and_a_grid_are_eliminated_with_small_tables) {
    std::vector<Scope> chain;
    for (std::int32_t i = 0; i < 100; ++i) chain.push_back({i, i + 1});
    std::vector<std::uint8_t> kept(101, 0);
    kept[0] = 1;
    const std::vector<std::int32_t> two(101, 2);
    CHECK(arcwise::find_elimination_order(graph_of(101, chain), two, kept).largest == 4);
    // The treewidth of the grid is its side: no order does better than tables of side + 1 variables.
    const std::int32_t side = 6;
    std::vector<Scope> grid;
    for (std::int32_t i = 0; i < side; ++i)
        for (std::int32_t j = 0; j < side; ++j) {
            if (j + 1 < side) grid.push_back({i * side + j, i * side + j + 1});
            if (i + 1 < side) grid.push_back({i * side + j, (i + 1) * side + j});
        }
    const std::vector<std::uint8_t> none(36, 0);
    const auto order = arcwise::find_elimination_order(graph_of(36, grid), std::span(two).first(36), none);
    CHECK(order.largest >= 1 << (side + 1));
    CHECK(order.largest <= 1 << (side + 2));
}
