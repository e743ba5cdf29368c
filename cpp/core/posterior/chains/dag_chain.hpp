// A Markov chain over the DAGs whose families are rows of a table, with the posterior as its limit.
//
// The weight of a DAG is exp(b score), b = 1 but for tempered replicas. One step is one of these moves:
//
// toggle     An arc of the table, drawn uniformly, is added or taken away.
// reversal   An arc of the DAG, drawn uniformly, is turned; the number of arcs stays, so no factor is needed.
// redraw     A node draws a row by weight among all of its rows, and has it if that closes no cycle.
//            Weights and proposals cancel; it costs the search in sums that are made once, however many rows
//            there are.
// parents    A node draws its parents anew from their conditional distribution given all other families: the
//            rows without its descendants, each with its weight. Always accepted (a Gibbs step).
// block      Four nodes draw their parents anew, together, in the same way (block_step.hpp).
// edge       New edge reversal (Grzegorczyk and Husmeier 2008, Machine Learning 71, section 4.2): an arc
//            u -> v is drawn and u and v lose their parents; u draws new ones among the sets with v, then v
//            among all. Accepted by the ratio of the sums that the draws were made from, and of the numbers
//            of arcs.
// blanket    Markov blanket resampling (Su and Borsuk 2016, JMLR 17(118), section 3): a node draws new
//            parents among the sets that share none with the old ones, and then each child, in random order,
//            new parents besides the node. Accepted by the ratio of the sums.
//
// Toggles and reversals are cheap and local; "parents" mixes what one node can do; the last three cross the
// valleys between DAGs that differ in a whole neighbourhood. Each leaves the posterior as it is, so any
// mixture does.
//
// A draw looks at the rows by falling score and ends `window` nats below the best that is allowed. That
// proposal, too, is a function of the rest of the DAG alone; a move whose way back would need a row beyond
// the window is rejected, so that the limit stays exact, and toggles reach what draws do not.
//
// After every `thin` steps a draw is recorded. Replicas at b < 1 cross valleys more easily; neighbours
// exchange their DAGs by the ratio of weights (parallel tempering, Geyer 1991). A DAG of a set that
// independent draws are at hand from (a credible set, drawn by weight) jumps to the next of these: the ratio
// of weights and proposals is 1 within the set, and 0 from outside, where nothing happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cache_line.hpp"
#include "posterior/chains/block_step.hpp"
#include "posterior/chains/family_index.hpp"
#include "posterior/chains/heated_rows.hpp"
#include "posterior/chains/walking_dag.hpp"
#include "xoshiro.hpp"

namespace arcwise {

enum ChainMove : std::size_t { toggle, reversal, redraw, parents, block, edge, blanket, swap, jump, moves };

// How blocks of nodes are drawn, whatever the DAG: the first by weight, each other one as a partner of one
// that is there already.
struct BlockChoice {
    std::vector<double> firsts;          // per node: the sum of the weights up to it
    std::vector<std::size_t> offsets;    // per node, into:
    std::vector<std::int32_t> partners;  // and
    std::vector<double> sums;            // the sums of the partners' weights, of the node's up to this one
};

struct ChainOptions {
    std::array<double, swap> mixture{};  // probabilities of the moves before `swap`; they sum to 1
    double window = 0;
    std::size_t thin = 1;
    std::vector<double> heats;  // b of every replica; the first is 1
    BlockChoice blocks;
};

struct MoveCounts {
    std::array<std::uint64_t, moves> tried{}, accepted{};
};

// One DAG that moves at one heat.
class alignas(cache_line_padding) Walker {
  public:
    Walker(const FamilyIndex& index, const HeatedRows& heated, const ChainOptions& options);

    const std::vector<std::int64_t>& rows() const { return rows_; }
    double score() const;
    void assign(std::span<const std::int64_t> rows);  // they must be acyclic
    void step(Xoshiro& random, MoveCounts& counts);

  private:
    struct Sum {
        bool any = false;
        double top = 0;  // the score of the best row that is allowed
        double log = 0;  // the log of the sum of the weights
    };

    bool try_toggle(Xoshiro& random);
    bool try_reversal(Xoshiro& random);
    bool try_redraw(Xoshiro& random);
    bool try_block(std::size_t size, Xoshiro& random);
    bool try_edge(Xoshiro& random);
    bool try_blanket(Xoshiro& random);

    bool is_accepted(double log_ratio, Xoshiro& random) const;
    void replace_row(std::size_t node, std::int64_t row);  // where the arcs are changed already
    void set_row(std::size_t node, std::int64_t row);
    std::pair<std::size_t, std::size_t> draw_arc(Xoshiro& random) const;
    // The rows of a node, or those with a parent, that avoid the node's descendants and `also`, summed up.
    Sum sum_all(std::size_t node, const SetView* also = nullptr);
    Sum sum_with(std::size_t node, std::size_t parent);
    Sum sum_below(std::size_t node, std::span<const std::int32_t> list);  // that avoid `below_`
    template <class Allows>
    Sum sum_allowed(std::size_t node, std::span<const std::int32_t> list, Allows allows);
    bool is_within(const Sum& sum, std::int64_t row) const;
    std::int64_t draw_row(Xoshiro& random) const;  // of the last sum

    const FamilyIndex& index_;
    const HeatedRows& heated_;
    const ChainOptions& options_;
    double heat_;
    BlockStep blocks_;
    WalkingDag dag_;
    std::vector<std::int64_t> rows_;
    std::size_t arcs_ = 0;
    LongSet below_, alone_;
    // The rows that the last sum went through, and the weights so far of those that are allowed.
    std::span<const std::int32_t> listed_;
    std::vector<double> sums_;
    std::vector<std::size_t> children_;
    std::vector<std::int64_t> kept_;
};

// A chain with its replicas, its random numbers and what it has done so far. It writes to them at every step:
// chains of other threads lie apart.
class alignas(cache_line_padding) DagChain {
  public:
    DagChain(const FamilyIndex& index, const std::vector<HeatedRows>& heated, const ChainOptions& options,
             std::uint64_t seed);

    std::vector<Walker>& walkers() { return walkers_; }
    const std::vector<Walker>& walkers() const { return walkers_; }
    Xoshiro& random() { return random_; }
    const Xoshiro& random() const { return random_; }
    const MoveCounts& counts() const { return counts_; }
    // Walks `thin` steps with every replica, exchanges, jumps (if a network to jump to is given and the chain
    // is at `least` score or more), and is then at its next draw.
    void advance(std::span<const std::int64_t> target, double least);

  private:
    const ChainOptions& options_;
    std::vector<Walker> walkers_;
    Xoshiro random_;
    MoveCounts counts_, ignored_;
};

}  // namespace arcwise
