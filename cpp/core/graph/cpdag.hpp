// The completed partially directed acyclic graph (CPDAG) of a DAG: which arcs every Markov-equivalent DAG
// has.
//
// Any number of nodes; time linear in the arcs for bounded in-degree; no allocation once constructed, so that
// one object serves millions of DAGs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using ParentList = std::span<const std::int32_t>;  // the parents of one node, ascending

// 128 bits that two DAGs over the same nodes share if and only if they are of one class. The sum of a mixed
// number per arc that all members have and per edge that they turn: the chance that any two of a million
// classes collide is below 10^-26.
struct ClassKey {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const ClassKey&, const ClassKey&) = default;
};

// Adds the arc tail -> head, or the edge between them, to the key of a class.
void add_edge(ClassKey& key, std::size_t tail, std::size_t head, bool directed);

class CpdagKernel {
  public:
    explicit CpdagKernel(std::size_t nodes);

    // Labels the arcs of the DAG in which node v has the parents parents[v]. The lists must stay alive while
    // the results are read. False, and no result, if the graph has a cycle.
    [[nodiscard]] bool label(std::span<const ParentList> parents);

    // The parents of a node whose arcs are compelled, ascending; its other parents are joined by undirected
    // edges.
    ParentList compelled(std::size_t node) const {
        const auto source = source_[node];
        return source < 0 ? ParentList{} : parents_[static_cast<std::size_t>(source)];
    }

    // The place of a node in an order in which parents come before children.
    std::int32_t position(std::size_t node) const { return position_[node]; }

  private:
    struct Visit {
        std::int32_t node;
        std::uint32_t next;  // the parent to visit next
    };

    void finish(std::size_t node);

    std::span<const ParentList> parents_;
    std::vector<std::int32_t> position_;  // in a topological order; see label for the negative values
    std::vector<std::int32_t> source_;  // whose whole parent list is the compelled one of this node; -1: none
    std::vector<Visit> path_;
    std::int32_t finished_ = 0;
};

// For each arc, in the order of the lists, whether it is compelled (1) or reversible (0). `parents` holds all
// lists one after the other, that of node v at offsets[v] .. offsets[v + 1). Throws std::invalid_argument if
// the graph has a cycle.
std::vector<std::uint8_t> cpdag_of(std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents);

}  // namespace arcwise
