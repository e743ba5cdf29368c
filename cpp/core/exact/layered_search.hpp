// The best network by depth-first search over layered orders, for tables of few variables with many sets.
//
// The layer of a node is the length of the longest path to it. Each network has one order in which layers
// come one after the other and the nodes of a layer by their labels; the search places nodes in such orders
// (van Beek and Hoffmann 2015, "Machine learning of Bayesian networks using constraint programming", have
// the depths, and the two kinds of dominance below in other forms). Where a plain search over orders meets
// every network near the best one in each of its topological orders, this one meets it once, and what is
// placed says much about the rest: a node that could have been placed in an earlier layer, or before in this
// one, must have a parent that makes it wait. The sets for which that fails are dropped; then
//
//   * those that cost more than the best set among the nodes placed, which can replace them;
//   * those that no acyclic completion has (search_domain.hpp);
//   * those that cannot be in a network better than the incumbent, by reduced cost (cluster_ascent.hpp).
//
// A beginning is given up if its bound is no better than the incumbent, if the same nodes are known to have a
// cheaper network (from the beginnings seen so far, with one node moved to the end), or if an arc x -> y of
// it is covered, its nodes are in consecutive layers, and the reversed arc costs less, or as much while
// label(y) < label(x). That leaves of most equivalence classes one member or a few.
//
// Why nothing is lost. Costs are whole numbers (units of 2^-36, rounded), so comparisons are exact. Of the
// networks of least cost take one whose layers, written as a sequence of labels, come first. It is in no
// dominated set or beginning, since what dominates is cheaper. A covered arc x -> y of it with
// label(y) < label(x) and the same cost reversed contradicts the choice: turned round, the layers before that
// of x stay as they are, and that of x has y in place of x, which comes first. Where two sets of a node in
// the same layer cost the same, either may stand for the other: the layers are the same. So it, or one as
// good, is found, unless it is not better than the incumbent by more than the margin that the caller grants.
// No score equivalence is assumed: any table will do, with any constraints that it obeys.
//
// Times. autos_BIC (25 variables, 2,390 sets) takes 20 ms and about 100 nodes, wdbc_BIC (31, 14,613) 0.4 s
// and about 400. Where the bound is poor (many cases, dozens of sparse variables) it does not end; the caller
// limits the work, which is counted in sets looked at and so the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "exact/cluster_ascent.hpp"
#include "exact/search_domain.hpp"
#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

class LayeredSearch {
  public:
    static constexpr std::size_t largest = 64;

    // `order` is that of an incumbent: every node has a set among those before it. Networks that are better
    // by less than `margin` (which the rounding of costs is taken off) are not looked for.
    // The root is bounded at once, which may take a second; if the ticker says to stop, its bound is poor.
    LayeredSearch(const CandidateSets& sets, std::span<const std::int32_t> order, double margin,
                  Ticker& ticker);

    // Whether the scores are close enough to each other for whole numbers; without that it must not be run.
    bool is_exact() const { return is_exact_; }
    // How much better than the incumbent a network may be, by the bound of the root.
    double gap() const;
    // How much it may look at, expand and keep before it gives up.
    struct Limits {
        std::uint64_t work, nodes, bytes;
    };
    // Searches until the end (true), or until it gives up or is stopped (false).
    bool run(const Limits& limits, Ticker& ticker);
    // The order of the best network found: that of the incumbent if none is better.
    const std::vector<std::int32_t>& order() const { return order_; }
    // The part of the search that is over: an estimate, 1 at the end.
    double done() const { return done_; }
    std::uint64_t nodes() const { return nodes_; }
    std::uint64_t work() const { return work_ + ascent_.work(); }

  private:
    // A beginning of an order.
    struct Beginning {
        Mask placed = 0;
        Mask before = 0;   // the layer before the last one
        Mask current = 0;  // the last layer
        bool first_layer = true;
        std::size_t last = 0;  // the node placed last
        Cost cost = 0;
    };
    struct Level {
        SearchDomain domain;
        std::array<std::size_t, largest> fitting{};  // of a node: its first row among the nodes placed
    };
    struct Choice {
        std::size_t node;
        std::size_t entry;  // of the domain
    };
    enum class Layer : std::uint8_t { earlier, current, next };

    Layer layer_of(const Beginning& beginning, Mask set) const;
    Cost best_within(std::size_t v, Mask placed);
    bool has_exactly(std::size_t v, Mask set, Cost cost) const;
    bool expand(const Beginning& beginning, std::size_t depth, double share, Ticker& ticker);
    bool follow(const Beginning& from, const Choice& choice, std::size_t depth, double share, Ticker& ticker);
    std::vector<Choice> choices(const Beginning& beginning, const SearchDomain& domain) const;
    bool gives_up() const;
    std::uint64_t bytes() const;
    bool has_better_arc(std::size_t y, Mask before);
    bool is_dominated(const Beginning& beginning);
    bool fill(const Beginning& beginning, std::size_t depth);
    bool prune(const Beginning& beginning, SearchDomain& domain, Ticker& ticker);

    std::size_t n_;
    Mask all_;
    bool is_exact_ = true;
    Cost incumbent_ = 0, margin_ = 0;
    SearchDomain table_;
    std::vector<std::int32_t> order_, branching_;
    std::array<std::size_t, largest> label_{};
    ClusterAscent ascent_;
    std::vector<Level> levels_;
    std::array<Mask, largest> parents_{};      // of the nodes placed
    std::array<Cost, largest> cost_{};         // of their sets
    std::vector<std::int32_t> path_;           // the nodes placed
    std::unordered_map<Mask, Cost> cheapest_;  // of a set of nodes: the least cost known of a network over it
    Cost root_bound_ = 0;
    bool root_open_ = false;
    double done_ = 0;  // the part of the search that is over, by estimate
    Limits limits_{};
    std::uint64_t nodes_ = 0, work_ = 0;
};

}  // namespace arcwise
