// Making the diagram of a credible set from a table: which states, for how many words.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "bitset.hpp"
#include "credible/diagram/network_diagram.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

// What all constructions take. `order` numbers the nodes: order[0] becomes node 0 of the problem. Any order
// is correct; one with parents before children in good networks gives the smallest diagrams. `keep` has one
// entry per row, or is empty.
struct DiagramInput {
    TableView table;
    std::span<const std::int32_t> order;
    std::span<const std::uint8_t> keep;
    double slack;
    std::size_t memory;  // bytes
    // How many states are looked at before it ends with Status::count_limit.
    std::uint64_t most_states = std::numeric_limits<std::uint64_t>::max();
    // Pairs with a direction from elsewhere, which make classes smaller (graph/class_kernel.hpp), or empty.
    std::span<const Word> fixed = {};
    std::size_t threads = 1;
};

// Cuts with multipliers as exact/cut_pool.hpp has them; only clusters (code k > 0) are used here.
struct CutMultipliers {
    std::span<const Word> members;  // one set of the table's variables per cut
    std::span<const std::int32_t> codes;
    std::span<const double> multipliers;
};

// What the rows cost against an upper bound on all networks' scores: reduced costs, one per row.
struct RowCosts {
    std::span<const double> costs;
    double reference;
    double at_least;  // the score of a known network
    CutMultipliers cuts;
};

// From best[U] of all 2^n subsets (exact/subset_dp.hpp): DAGs, or equivalence classes.
NetworkDiagram build_from_subsets(const DiagramInput& input, std::span<const double> best, bool classes,
                                  Ticker& ticker);

// How a diagram is made from reduced costs.
enum class Construction : std::int32_t {
    sources = 0,          // DAGs, placed from their sources (source_states.hpp)
    representatives = 1,  // of every equivalence class at least the least member (graph/least_member.hpp),
                          // and few others; from the sources, too
    frontier = 2          // DAGs, family by family in the order given (frontier_states.hpp)
};

// From reduced costs, for any number of nodes up to 2,048.
NetworkDiagram build_from_costs(const DiagramInput& input, const RowCosts& costs, Construction construction,
                                Ticker& ticker);

}  // namespace arcwise
