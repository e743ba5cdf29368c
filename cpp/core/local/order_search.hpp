// Local search over orders: the incumbent of the exact solver.
//
// Given an order, every node takes its best candidate set among its predecessors, so a network is the optimum
// for its order and the search space is that of orders (Teyssier and Koller 2005). The neighbourhood is
// insertion: take one node out and put it back anywhere, evaluated by walking it past one neighbour at a
// time, where only the two that change places can change sets (Lee and van Beek 2017, "Metaheuristics for
// score-and-search Bayesian network structure learning", MINOBS; Scanagatta et al. 2015, "window"). Local
// optima are left by iterated local search: a few random insertions around one place of the best order, then
// descent of only the nodes whose situation changed. On the published instances this finds the optimum in
// milliseconds to seconds; MINOBS adds a population with
// crossover, which has not been tried here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"
#include "xoshiro.hpp"

namespace arcwise {

// An order of the nodes and the best candidate set of each among its predecessors. A node that has none (the
// constraints left only sets with late parents) carries the row `missing_row` and makes the order infeasible.
struct OrderedNetwork {
    static constexpr std::int64_t missing_row = -1;
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> rows;  // per node
    double score = 0;                // of the nodes that have a set
    std::size_t missing = 0;         // nodes that have none

    bool better_than(const OrderedNetwork& other) const {
        return missing != other.missing ? missing < other.missing : score > other.score;
    }
};

class OrderSearch {
  public:
    OrderSearch(const CandidateSets& sets, std::uint64_t seed);

    // Each node's best set given its predecessors.
    OrderedNetwork evaluate(std::span<const std::int32_t> order) const;

    // Insertion moves from `order` until none helps, or it is stopped.
    OrderedNetwork descend(std::span<const std::int32_t> order, Ticker& ticker,
                           const Progress& progress = {});

    // Iterated local search: from `start` (empty: a random order), `iterations` perturbations; starts again
    // from a random order after `patience` iterations without a gain. Returns the best network seen.
    OrderedNetwork iterate(std::span<const std::int32_t> start, std::uint64_t iterations,
                           std::uint64_t patience, Ticker& ticker);

    // How many insertions, a node and a place for it, have been evaluated.
    std::uint64_t operations() const { return operations_; }

  private:
    struct Move {
        std::size_t position;
        double gain;
    };

    void load(std::span<const std::int32_t> order);
    std::int64_t first_row(std::size_t node, SetView before, std::size_t from) const;
    std::int64_t gained_row(std::size_t node, std::size_t parent, SetView before, std::int64_t current) const;
    double value(std::size_t node, std::int64_t row) const;
    bool related(std::size_t u, std::size_t v) const;
    Move best_insertion(std::size_t node);
    void insert(std::size_t node, std::size_t position);
    void settle(std::size_t node, std::int64_t row);
    void touch(std::size_t node);
    void descend_touched(Ticker& ticker, const Progress& progress);
    OrderedNetwork current() const;

    const CandidateSets& sets_;
    Xoshiro random_;
    std::uint64_t operations_ = 0;
    std::size_t n_;
    double penalty_;      // for a node without a set: more than any sum of scores
    BitRows candidates_;  // all candidate parents of a node
    std::vector<std::size_t>
        with_offsets_;  // rows of node u that contain v: with_rows_[with_offsets_[u n + v] ..)
    std::vector<std::uint32_t> with_rows_;
    bool indexed_;

    std::vector<std::int32_t> order_;
    std::vector<std::size_t> position_;
    std::vector<std::int64_t> rows_;
    std::vector<std::size_t> queue_;
    std::vector<std::uint8_t> queued_;
    LongSet before_node_;
};

}  // namespace arcwise
