// Exchanges: choices of parents for two nodes, an arc apart, that another choice always replaces.
//
// Let v be a parent of u, S the parents of u and T those of v. Whatever the rest of the network is,
//
//   * u may have any part of S + T instead: all of these are its ancestors already;
//   * u may have any part of T, and v any part of T + u: the arc is reversed, or left out.
//
// Both keep the network acyclic. The first is plain. In the second, no member of T is reached from u or v in
// the old network, since T -> v -> u would close a cycle; nor in the new one, since the rest of a path after
// it leaves u or v for the last time is old. So no cycle goes through what is new: into u come arcs from T
// only, into v arcs from T, and from u, which v does not reach.
//
// If such an exchange makes the network better, then no best network has S and T together, so
// x(u, S) + x(v, T) <= 1; and if that holds for all S in a family A and all T in a family B, then
// sum over A + sum over B <= 1. With A the sets of u that have v, and B those of v that have u, this is the
// cluster of two nodes; exchanges add to it whatever is known to be useless.
//
// Why they matter. Most scores are the same for all networks of an equivalence class, so a covered arc (S = T
// + v) can be turned round for nothing: a branch-and-bound tree must close each member of the class, and a
// linear program mixes them, half of an arc this way and half the other. A class has a member in which no
// covered arc goes against a given order of the nodes, as each reversal leaves one arc less against it
// (Chickering 1995 has the reversals). Here that is the same as a better network: sets are worth a little
// less for every parent that the order has later. Alarm with 50,000 cases needs 1,600 nodes and two minutes
// without, and about 20 nodes with these cuts.
//
// What holds, exactly. The worth of a set is a whole number: its score in units of `grain`, rounded, less a
// few units for each parent against the order. Sums of these are compared, without any rounding, so the best
// network by worth satisfies every cut, whatever the scores are and wherever they come from. It is not the
// best by score, but loses at most `loss`, which is a small part of the tolerance of proofs. Nothing of this
// holds for the second best network: credible sets are searched without.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "exact/cut_pool.hpp"
#include "exact/lp_point.hpp"
#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

class Exchanges {
  public:
    // `sets` are all that the networks are made of; copies with fewer rows may be asked about later. `order`
    // is that of the nodes; `most_lost` limits loss().
    Exchanges(const CandidateSets& sets, std::span<const std::int32_t> order, double most_lost);

    // Whether the scores are close enough to each other for whole numbers; without that nothing is excluded.
    bool is_exact() const { return is_exact_; }
    // What the best network that satisfies all cuts is worse than the best of all, at most.
    double loss() const { return loss_; }
    // Whether no best network has both rows, of different nodes.
    bool excludes(const CandidateSets& sets, std::size_t row, std::size_t other) const;
    // Adds the most violated cuts, at most `limit`, one for each arc; returns how many.
    std::size_t add_violated(CutPool& pool, const CandidateSets& sets, const LpPoint& point,
                             std::size_t limit, double threshold, Ticker& ticker) const;

  private:
    using Worth = std::int64_t;
    // A row as one end of an arc.
    struct Choice {
        std::size_t row;
        SetView set;
        Worth worth;
        double weight = 0;    // in the point
        Worth exchanged = 0;  // of a parent: the best of both nodes with the arc turned round or left out
    };
    // The choices of the ends of one arc that exclude each other.
    struct Family {
        std::vector<Choice> of_child, of_parent;
        double weight = 0;
    };
    class Search;

    Worth worth_of(std::size_t node, SetView set, double score) const;
    Choice choice_of(const CandidateSets& sets, std::size_t node, std::size_t row) const;

    std::size_t n_;
    BitRows later_;  // of each node, those that the order has after it
    std::vector<double> top_;
    std::vector<std::size_t> offsets_;  // of each node's rows
    BitRows sets_;                      // of each node by falling worth
    std::vector<Worth> worth_;
    Worth against_ = 0;  // for each parent that the order has later
    double loss_ = 0;
    bool is_exact_ = true;
};

}  // namespace arcwise
