// A DAG that a chain walks on: the parents of a node change as a whole, and ancestors are always known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

// Ancestors of every node as a bit set: "would u -> v close a cycle" is one bit. When the parents of a node
// change, its own row and those of its descendants are made afresh, in topological order; the arcs among
// these do not change, so the numbers of ancestors that they had before still sort them.
class WalkingDag {
  public:
    explicit WalkingDag(std::size_t nodes) : parents_(nodes, nodes), ancestors_(nodes, nodes) {}

    std::size_t nodes() const { return parents_.size(); }
    SetView parents(std::size_t node) const { return parents_[node]; }
    bool has_arc(std::size_t from, std::size_t to) const { return parents_[to].has(from); }
    bool is_ancestor(std::size_t above, std::size_t node) const { return ancestors_[node].has(above); }

    // The node and its descendants: what none of its parents may be.
    void below(std::size_t node, LongSet& set) const;
    // None of the new parents may be the node or a descendant of it.
    void set_parents(std::size_t node, SetView parents);

  private:
    BitRows parents_, ancestors_;
    std::vector<std::pair<std::size_t, std::size_t>> changed_;  // (number of ancestors, node)
};

}  // namespace arcwise
