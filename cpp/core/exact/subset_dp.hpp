// The optimum by dynamic programming over subsets of nodes.
//
// best[U] = max over the last node v of U: best[U - v] + (best candidate set of v within U - v). (Ott, Imoto
// and Miyano 2004; Silander and Myllymaki 2006; the method of Ueno 2012.) The published programs keep a table
// of best parent sets for every (v, U), which is n times larger than best[] and is why they go by layers and
// to disk. We never store it: subsets are visited in numeric order, and the candidate lists that are still
// possible are carried down the binary tree of "high node in or out", so that a block of 2^L subsets sees
// only short lists; within the block the best set of every subset comes from one superset-maximum transform
// of L steps. What is left is best[] alone, 8 bytes per subset, where the middle layer of (v, U) scores alone
// has 15 C(30, 15) numbers for 30 nodes, 19 GB.
//
// Layers. The top T nodes divide the subsets into 2^T parts; a part needs itself and the parts with one top
// node less, so the parts with the same number of top nodes are a layer, its parts do not depend on each
// other (the threads share them), and only two layers need be kept (Malone, Yuan and Hansen 2011,
// "Memory-efficient dynamic programming for learning optimal Bayesian networks"). Which node is last in each
// subset takes one byte more and gives the network in the end. For 30 nodes that is 3.4 GiB of two layers and
// 1 GiB of last nodes; best[] as a whole, which the credible sets need, takes 8 GiB.
//
// Every best[U] is the maximum of the same sums whoever computes it, so neither the number of threads nor the
// layers can change a bit of it; of equal choices the last node with the smallest number is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

class SubsetDp {
  public:
    static constexpr std::size_t largest = 32;
    // Bytes that `run` will need.
    static std::size_t memory_for(std::size_t variables, bool layered);

    // If `layered`, best() is not kept.
    SubsetDp(const CandidateSets& sets, bool layered);

    // Fills best[]. Returns false if it was stopped.
    bool run(std::size_t threads, Ticker& ticker);

    // best[U]; minus infinity if no acyclic choice over U exists. Empty if layered.
    const std::vector<double>& best() const { return best_; }
    double optimum() const { return optimum_; }

    // The row of every node in the optimal network: of equal choices, the last node with the smallest number
    // and its first row. Only if optimum() is finite.
    std::vector<std::int64_t> rows() const;

  private:
    struct Candidate {
        std::uint32_t set;
        double score;
    };
    class Worker;

    // best[] of the subsets in a block.
    double* block_values(std::size_t block) {
        return parts_[block >> middle_] + ((block & ((std::size_t{1} << middle_) - 1)) << low_);
    }

    const CandidateSets& sets_;
    bool layered_;
    std::size_t n_, low_, high_, top_, middle_;
    double optimum_;
    std::vector<double> best_;
    std::vector<double*> parts_;      // where the part's values are; null if they are not kept
    std::vector<std::uint8_t> last_;  // per subset, if layered: the last node
};

}  // namespace arcwise
