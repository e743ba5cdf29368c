// The optimum by dynamic programming over subsets of nodes.
//
// best[U] = max over the last node v of U: best[U - v] + (best candidate set of v within U - v). (Ott, Imoto
// and Miyano 2004; Silander and Myllymaki 2006; the method of Ueno 2012.) The published programs keep a table
// of best parent sets for every (v, U), which is n times larger than best[] and is why they go by layers and
// to disk. We never store it: subsets are visited in numeric order, and the candidate lists that are still
// possible are carried down the binary tree of "high node in or out", so that a block of 2^L subsets sees
// only short lists; within the block the best set of every subset comes from one superset-maximum transform
// of L steps. What is left is best[] alone, 8 bytes per subset: 8.6 GB for 30 nodes, where the middle layer
// of (v, U) scores alone has 15 C(30, 15) numbers, 19 GB. Blocks that differ in the same number of high nodes
// do not depend on each other: the threads share the blocks of a layer. Every best[U] is the maximum of the
// same sums whoever computes it, so the number of threads cannot change a bit of it.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"
#include "search/candidate_sets.hpp"

namespace arcwise {

class SubsetDp {
  public:
    static constexpr std::size_t largest = 32;
    // Bytes that `run` will need.
    static std::size_t memory_for(std::size_t variables) {
        return (std::size_t{8} << variables) + (std::size_t{1} << 20);
    }

    explicit SubsetDp(const CandidateSets& sets);

    // Fills best[]. Returns false if it was stopped.
    bool run(std::size_t threads, Ticker& ticker);

    // best[U]; minus infinity if no acyclic choice over U exists.
    const std::vector<double>& best() const { return best_; }
    double optimum() const { return best_.back(); }

    // The row of every node in the optimal network: of equal choices, the last node with the smallest number
    // and its first row. Only if optimum() is finite.
    std::vector<std::int64_t> rows() const;

  private:
    struct Candidate {
        std::uint32_t set;
        double score;
    };
    class Worker;

    const CandidateSets& sets_;
    std::size_t n_, low_, high_, top_;
    std::vector<double> best_;
};

}  // namespace arcwise
