// A DAG that changes by one arc at a time and answers at once whether a change would close a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "local/parent_list.hpp"

namespace arcwise {

// Keeps the ancestors of every node as a bit set, so that "would u -> v close a cycle" is one bit. An arc
// that comes adds a row to the rows of the descendants; an arc that goes makes the descendants' rows afresh,
// in topological order. Both walk along the arcs, and stop where a row stays as it was: a change costs what
// it changes, not the whole graph. Any number of nodes: a row has as many words as it needs.
class ChangingDag {
  public:
    explicit ChangingDag(std::size_t nodes);

    std::size_t nodes() const { return parents_.size(); }
    std::span<const std::int32_t> parents(std::size_t node) const { return parents_[node]; }  // ascending
    const std::vector<Parents>& all_parents() const { return parents_; }
    std::span<const std::int32_t> children(std::size_t node) const {
        return children_[node];
    }  // in any order
    SetView ancestors(std::size_t node) const { return ancestors_[node]; }
    bool has_arc(std::size_t from, std::size_t to) const;
    std::size_t arcs() const { return arcs_; }
    // Is `above` an ancestor of `node`?
    bool is_ancestor(std::size_t above, std::size_t node) const { return ancestors_[node].has(above); }

    bool can_add(std::size_t from, std::size_t to) const { return from != to && !is_ancestor(to, from); }
    // The arc from -> to can be turned if it is the only way from `from` to `to`.
    bool can_reverse(std::size_t from, std::size_t to) const;

    void add(std::size_t from, std::size_t to);
    void remove(std::size_t from, std::size_t to);
    void reverse(std::size_t from, std::size_t to);
    // Replaces all arcs; the parents of a node are ascending. False, and nothing changes, if they have a
    // cycle.
    bool assign(const std::vector<Parents>& parents);
    // The same where only these nodes can have other parents than before, each listed once: it never looks at
    // the others but those below. Refinement comes here for every arc that it tries.
    bool assign(const std::vector<Parents>& parents, std::span<const std::size_t> nodes);

    // After a change that was no addition: the nodes whose ancestors were made afresh, or could have been, ..
    std::span<const std::int32_t> looked_below() const { return order_; }
    // .. and the nodes that are no longer above some other.
    SetView opened() const { return opened_; }

    // A hash of the set of arcs that one arc more or less changes by one exclusive-or (Zobrist 1970): the
    // tabu list recognises structures by it without looking at them.
    std::uint64_t hash() const { return hash_; }
    static std::uint64_t arc_key(std::size_t from, std::size_t to);

  private:
    void insert_parent(std::size_t from, std::size_t to);
    void erase_parent(std::size_t from, std::size_t to);
    void replace_parents(std::size_t node, const Parents& parents);
    bool order_below(std::span<const std::size_t> nodes);
    void recompute_below(std::span<const std::size_t> nodes);
    bool recompute_row(std::size_t node);

    std::size_t arcs_ = 0;
    std::uint64_t hash_ = 0;
    std::vector<Parents> parents_;
    std::vector<Parents> children_;
    BitRows ancestors_;  // per node

    // What the last change looked at, and scratch.
    std::vector<std::int32_t> order_;  // the nodes that changed and those below them, parents first
    LongSet opened_;
    LongSet fresh_;                    // a row in the making
    std::vector<std::uint8_t> marks_;  // of each node; 0 between changes
    std::vector<std::uint8_t>
        is_new_;  // of each node, whether its row has to be made afresh; 0 between changes
    struct Visit {
        std::int32_t node;
        std::uint32_t next;  // the child to go to next
    };
    std::vector<Visit> path_;
    std::vector<std::int32_t> stack_;
};

}  // namespace arcwise
