// One DAG of every Markov equivalence class: the *least* member, by which a class can be recognised without
// remembering the classes met before.
//
// The nodes have ranks. Of all orders of all members (parents before children), take the one that is smallest
// word for word; it belongs to one member, the least. The undirected part of the CPDAG falls into connected
// chordal graphs whose nodes all have the same compelled parents (Andersson, Madigan and Perlman 1997), so
// the order is found in each of them alone: always the node of lowest rank that may come next. u may come
// next if no node w that is connected with u through nodes still waiting has all the placed neighbours of u
// and more: these are the orders of maximal neighbourhood search, component by component, which are exactly
// the orders in which all earlier neighbours of every node are joined (Berry, Krueger and Simonet 2009,
// CompMNS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/cpdag.hpp"

namespace arcwise {

class LeastMember {
  public:
    // rank[v] is the rank of node v; all differ.
    explicit LeastMember(std::span<const std::int32_t> rank);

    // Whether this DAG is the least member of its class. Throws std::invalid_argument for a cycle.
    bool is_least(std::span<const ParentList> parents);

  private:
    struct Edge {
        std::int32_t tail, head;
    };

    bool is_least_of(std::size_t from, std::size_t to);
    std::int32_t root_of(std::int32_t node);

    std::vector<std::int32_t> rank_;
    CpdagKernel kernel_;
    std::vector<Edge> edges_;           // reversible, as the DAG directs them; grouped by component
    std::vector<std::int32_t> above_;   // union-find over the nodes
    std::vector<std::int32_t> local_;   // the number of a node within its component
    std::vector<std::int32_t> nodes_;   // of the component at hand, by rank
    std::vector<std::uint8_t> joined_;  // adjacency within the component
    std::vector<std::int32_t> place_;   // position in the order, -1 while waiting
    std::vector<std::uint8_t> reached_;
    std::vector<std::int32_t> stack_;
};

// For each DAG, given as rows of a table of parent sets (see class_keys_of_rows), 1 if it is the least member
// of its class.
template <class Row>
std::vector<std::uint8_t> least_members_of_rows(std::span<const Row> rows, std::span<const std::int32_t> rank,
                                                std::span<const std::int64_t> set_offsets,
                                                std::span<const std::int32_t> members);

}  // namespace arcwise
