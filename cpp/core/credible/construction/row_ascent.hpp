// What the rows that are left cost in one state of a diagram under construction: a lower bound by dual
// ascent.
//
// Costs are reduced costs of the relaxation's cut multipliers (exact/cut_bound.hpp). In a state the builder
// names the rows that are still possible for each waiting node, with the waiting nodes that have to come
// before it ("parents" below). Two things raise the bound then: the multipliers that a network pays again for
// clusters that have got their k nodes, and dual ascent on the rows that cost nothing more (ELSA: Troesser,
// de Givry and Katsirelos 2021, section 4).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "credible/construction/component_problem.hpp"

namespace arcwise {

// A cluster inequality with its multiplier: at least k members of C have fewer than k parents in C.
template <std::size_t W>
struct WeightedCluster {
    NodeSet<W> members;
    std::size_t k;
    double multiplier;
};

// What networks may cost: costs are reduced costs against an upper bound on every network's score, and those
// networks are sought that stay within `amount`.
template <std::size_t W>
struct CostBudget {
    std::span<const WeightedCluster<W>> clusters;
    double amount;
};

template <std::size_t W>
class RowAscent {
  public:
    // A row that is still thought possible in the state at hand, and what it costs beyond the cheapest.
    struct Active {
        std::uint32_t row;
        double extra;
        double cost;
        NodeSet<W> parents;
    };

    RowAscent(const ComponentProblem<W>& problem, std::span<const WeightedCluster<W>> clusters)
        : clusters_(clusters.begin(), clusters.end()),
          counted_(clusters.size(), problem.rows.size()),
          hit_(long_set(clusters.size())),
          active_(problem.nodes),
          free_rows_(problem.nodes) {
        for (std::size_t v = 0; v < problem.nodes; ++v)
            for (auto row = problem.offsets[v]; row < problem.offsets[v + 1]; ++row)
                for (std::size_t c = 0; c < clusters.size(); ++c)
                    if (clusters[c].members.has(v) &&
                        (clusters[c].members & problem.rows[row].parents).size() < clusters[c].k)
                        counted_[row].add(c);
    }

    const std::vector<WeightedCluster<W>>& clusters() const { return clusters_; }
    // What it takes, if all rows are active.
    std::size_t bytes() const {
        return counted_.size() * (counted_.width() * 8 + sizeof(Active) + sizeof(NodeSet<W>)) +
               clusters_.size() * sizeof(WeightedCluster<W>);
    }

    // Begins a state that may cost `room` more, in which those clusters have got their k nodes for which
    // is_hit(c) holds.
    template <class IsHit>
    void begin(double room, IsHit&& is_hit) {
        room_ = room;
        hit_.fill(false);
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            if (is_hit(c)) hit_.add(c);
    }

    // The multipliers of the clusters that have got their k nodes and that the row counts for once more.
    double paid_again(std::size_t row) const {
        double sum = 0;
        counted_[row].for_each_shared(hit_, [&](std::size_t c) { sum += clusters_[c].multiplier; });
        return sum;
    }

    // Calls visit(c) for the clusters that the row counts for.
    template <class Visit>
    void for_each_counted(std::size_t row, Visit&& visit) const {
        counted_[row].for_each(visit);
    }

    std::vector<Active>& active(std::size_t node) { return active_[node]; }
    double room() const { return room_; }

    // Pays for the node's cheapest row, after all its rows have been put into active(node) with extra = cost;
    // false if it has none or that costs too much.
    bool settle(std::size_t node) {
        double cheapest = std::numeric_limits<double>::infinity();
        for (const auto& row : active_[node]) cheapest = std::min(cheapest, row.cost);
        if (active_[node].empty() || !pay(cheapest)) return false;
        free_rows_[node].clear();
        for (auto& row : active_[node]) {
            row.extra -= cheapest;
            if (row.extra <= free_) free_rows_[node].push_back(row.parents);
        }
        return true;
    }

    // Dual ascent: a set C of nodes that the free rows cannot put in order costs at least its cheapest way
    // out, a row without parents in C; this is paid once and makes these rows cheaper. False if the room does
    // not suffice.
    bool ascend(const NodeSet<W>& waiting) {
        NodeSet<W> cluster = stuck(waiting);
        while (!cluster.empty()) {
            // A smaller cluster is worth more: fewer rows have no parents in it.
            NodeSet<W> tried = cluster;
            while (!tried.empty()) {
                const auto w = tried.lowest();
                tried.remove(w);
                NodeSet<W> smaller = cluster;
                smaller.remove(w);
                smaller = stuck(smaller);
                if (!smaller.empty()) {
                    cluster = smaller;
                    tried = tried & cluster;
                }
            }
            double cheapest = std::numeric_limits<double>::infinity();
            cluster.for_each([&](std::size_t w) {
                for (const auto& row : active_[w])
                    if (row.extra < cheapest && !row.parents.meets(cluster)) cheapest = row.extra;
            });
            if (!pay(cheapest)) return false;
            cluster.for_each([&](std::size_t w) {
                for (auto& row : active_[w]) {
                    if (row.extra <= free_ || row.parents.meets(cluster)) continue;
                    row.extra -= cheapest;
                    if (row.extra <= free_) free_rows_[w].push_back(row.parents);
                }
            });
            cluster = stuck(waiting);
        }
        return true;
    }

  private:
    bool pay(double amount) {
        room_ -= amount;
        return room_ >= 0;
    }

    // The nodes of `among` that the free rows cannot place one after the other, given all others.
    NodeSet<W> stuck(NodeSet<W> among) const {
        bool moved = true;
        while (moved) {
            moved = false;
            among.for_each([&](std::size_t w) {
                for (const auto& parents : free_rows_[w])
                    if (!parents.meets(among)) {
                        among.remove(w);
                        moved = true;
                        break;
                    }
            });
        }
        return among;
    }

    static constexpr double free_ = 1e-9;
    std::vector<WeightedCluster<W>> clusters_;
    BitRows counted_;  // per row: the clusters that it counts for
    LongSet hit_;      // the clusters that have got their k nodes
    std::vector<std::vector<Active>> active_;
    std::vector<std::vector<NodeSet<W>>>
        free_rows_;  // per node: the parents of the active rows without extra
    double room_ = 0;
};

}  // namespace arcwise
