// What acyclicity forbids, given the candidate sets that are still allowed.
//
// Two rules, repeated until nothing changes. (1) Parents that all allowed sets of v share are required; the
// transitive closure of required arcs says who must precede whom, and a set that holds a required descendant
// of its node is dropped. (2) An acyclic choice exists if and only if nodes can be placed one after the
// other, each with a set among those already placed (the checker of van Beek and Hoffmann 2015, CPBayes);
// where it gets stuck there is no network. A set S of v is possible only if S fits within the nodes that can
// be placed while v waits: one placement per v that puts it as late as possible serves all of v's sets
// (Troesser, de Givry and Katsirelos 2021, "Improved acyclicity reasoning for Bayesian network structure
// learning with constraint programming", section 5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

class AcyclicityPropagator {
  public:
    explicit AcyclicityPropagator(const CandidateSets& sets);

    // Clears the entries of `allowed` (one per row) that are in no acyclic choice of allowed rows. Returns
    // false if there is no such choice. If it is stopped, entries may stay that are in none.
    bool propagate(std::span<std::uint8_t> allowed, Ticker& ticker);

    // The nodes that can be placed, each with an allowed set among those placed, while `waiting` is not
    // (any number >= variables(): nobody waits).
    std::size_t place(std::span<const std::uint8_t> allowed, std::size_t waiting, SetSpan placed);

  private:
    bool drop_closing_sets(std::span<std::uint8_t> allowed, bool& changed);
    bool drop_early_sets(std::span<std::uint8_t> allowed, bool& changed, Ticker& ticker);

    const CandidateSets& sets_;
    std::size_t n_;
    BitRows ancestors_;
    LongSet scratch_;
    std::vector<std::size_t> witness_;  // per node: the row that last let it be placed, tried first
    std::vector<std::size_t> pending_;
};

// An order in which every node has a set among those before it: the nodes that can be placed, so fewer than
// all if there is no acyclic choice. Each set counts down the parents it still waits for, so the time is that
// of reading all sets once, whatever they are.
std::vector<std::int32_t> feasible_order(const CandidateSets& sets);

}  // namespace arcwise
