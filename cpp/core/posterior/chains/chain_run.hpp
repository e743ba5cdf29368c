// Several chains over one table, each with its own random numbers, advanced together on a few threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "posterior/chains/dag_chain.hpp"

namespace arcwise {

// Draws that were asked for at once. If the work is stopped, chains may have made different numbers of them.
struct ChainSegment {
    Status status = Status::complete;
    std::vector<std::uint64_t> done;  // per chain
    std::vector<std::uint32_t> rows;  // per chain, draw and node: the row, counted within the node
    std::vector<double> scores;       // per chain and draw
};

// Networks that chains may jump to: one per chain and draw that is asked for.
struct JumpTargets {
    std::span<const std::uint32_t> rows;  // per chain, draw and node, counted within the node; empty for none
    double least = 0;                     // the lowest score from which a jump is made
};

class ChainRun {
  public:
    // The table must outlive the run. `starts` has a row, counted within the node, for every chain and node.
    ChainRun(const TableView& table, ChainOptions options, std::span<const std::uint64_t> seeds,
             std::span<const std::uint32_t> starts);
    ChainRun(const ChainRun&) = delete;
    ChainRun& operator=(const ChainRun&) = delete;

    std::size_t chains() const { return chains_.size(); }
    // Each chain makes `count` draws. They do not depend on `threads`, nor on how they are divided into
    // calls.
    ChainSegment advance(std::size_t count, const JumpTargets& jumps, std::size_t threads, Ticker& ticker);

    // All that the draws to come follow from: per chain and replica the rows, and the random numbers' state.
    std::vector<std::uint32_t> positions() const;
    std::vector<std::uint64_t> random_states() const;
    void restore(std::span<const std::uint32_t> positions, std::span<const std::uint64_t> random_states);
    // Per chain and move: how often it was tried and accepted.
    std::vector<std::uint64_t> counts() const;

  private:
    void place(Walker& walker, std::span<const std::uint32_t> rows) const;

    ChainOptions options_;
    FamilyIndex index_;
    std::vector<HeatedRows> heated_;
    std::vector<DagChain> chains_;
};

}  // namespace arcwise
