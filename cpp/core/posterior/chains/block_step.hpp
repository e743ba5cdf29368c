// All parents of a few nodes at once, drawn from their joint conditional distribution given the rest of a
// DAG.
//
// Take the parents away from the nodes b[0], .., b[k - 1] of a block. What is left is a DAG, in which b[i]
// reaches a set of nodes, its cone C[i] (itself among them); no other node of the block is in it. New parents
// of b[i] may not meet C[i]. They put b[i] below b[j] if they meet C[j]: the *type* of a parent set is the
// set of all such j. Whether new parents for all nodes of the block close a cycle depends on their types
// alone: they do not exactly if the graph on the k nodes in which the type of i are the parents of i is a
// DAG. So the sum over all ways to give the block parents is a sum over the DAGs on k nodes (1, 3, 25, 543)
// of products of k sums, each over the parent sets of one node and type: one pass over the parent sets of
// each node. A way is drawn by drawing the DAG of types, and then a parent set of its type for every node.
// The draw is from the conditional distribution, and needs no rejection (a Gibbs step).
//
// That turns arcs with new parents for both ends as new edge reversal does (Grzegorczyk and Husmeier 2008),
// but without the sums for the way back; with three or four nodes, it exchanges variables that say nearly the
// same, which takes single moves through very improbable networks. The sums over orders of Kuipers and Moffa
// (2017, JASA 112) are for all nodes at once, given an order; these are for a few, given the rest, and every
// DAG counts once.
//
// A parent set matters only if it is within `window` nats of the best one whose type is a part of its own:
// that one could stand in its place in any DAG. The others are left out. Which ones depends on the rest of
// the DAG, not on the block's present parents; if one of these is left out, nothing happens, so that the
// limit is exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "posterior/chains/family_index.hpp"
#include "posterior/chains/heated_rows.hpp"
#include "posterior/chains/walking_dag.hpp"
#include "xoshiro.hpp"

namespace arcwise {

class BlockStep {
  public:
    static constexpr std::size_t most = 4, types = std::size_t{1} << most;

    // What is given must outlive the step.
    BlockStep(const FamilyIndex& index, const HeatedRows& heated, double window);

    // Draws new rows for the nodes of the block, which are different, at most `most`; false if nothing may
    // be drawn.
    bool draw(std::span<const std::size_t> block, WalkingDag& dag, std::span<const std::int64_t> rows,
              Xoshiro& random);
    // The rows that were drawn, one for each node of the block.
    std::int64_t drawn(std::size_t place) const { return drawn_[place]; }

  private:
    struct Entry {
        std::int32_t row;
        std::uint32_t type;
        double weight;
    };
    // The rows of one node that may be drawn, by falling score, with sums by type.
    struct Rows {
        std::vector<Entry> entries;
        std::array<double, types> limits, sums, logs;  // limits: the least score that matters
    };

    std::uint32_t type_of(std::span<const std::int32_t> parents) const {
        std::uint32_t type = 0;
        for (const auto parent : parents) type |= cones_[static_cast<std::size_t>(parent)];
        return type;
    }
    template <std::size_t size, bool narrow>
    void collect(std::size_t place, std::size_t node);
    std::size_t draw_types(std::size_t size, Xoshiro& random);

    const FamilyIndex& index_;
    const HeatedRows& heated_;
    double window_;
    std::vector<std::uint8_t> cones_;  // per node: the places of the block in whose cone it is
    std::vector<LongSet> reached_;     // the cones
    std::array<Rows, most> rows_;
    std::array<std::int64_t, most> drawn_{};
    std::vector<double> logs_, sums_;  // per DAG of types
};

}  // namespace arcwise
