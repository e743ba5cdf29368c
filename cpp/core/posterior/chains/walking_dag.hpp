// A DAG that a chain walks on: the parents of a node change as a whole, and descendants are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

// Parents and children as bit sets. Most steps are rejected by their scores alone and most of the others ask
// for the descendants of one to four nodes: walking down from these when they are asked for costs less than
// keeping a matrix of ancestors, which every change of parents has to renew.
class WalkingDag {
  public:
    explicit WalkingDag(std::size_t nodes) : parents_(nodes, nodes), children_(nodes, nodes) {}

    std::size_t nodes() const { return parents_.size(); }
    SetView parents(std::size_t node) const { return parents_[node]; }
    SetView children(std::size_t node) const { return children_[node]; }
    bool has_arc(std::size_t from, std::size_t to) const { return parents_[to].has(from); }

    // Adds the node and what is reached from it by arcs that do not enter the set as it was.
    void spread(std::size_t node, LongSet& set);
    // The node and its descendants: what none of its parents may be.
    void below(std::size_t node, LongSet& set) {
        set.fill(false);
        spread(node, set);
    }
    // Whether the graph stays acyclic is up to the caller.
    void set_parents(std::size_t node, SetView parents);

  private:
    BitRows parents_, children_;
    std::vector<std::size_t> waiting_;
};

}  // namespace arcwise
