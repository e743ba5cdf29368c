// A network on its way through a local search: the graph, the score rows of its nodes, and the three moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "local/changing_dag.hpp"
#include "local/family_scores.hpp"
#include "monitor.hpp"
#include "xoshiro.hpp"

namespace arcwise {

enum class MoveKind : std::int32_t { add = 0, remove = 1, reverse = 2 };

struct Move {
    MoveKind kind;
    std::size_t from;
    std::size_t to;
};

// Can the move be made: does the arc exist or not, do the rules allow it, does it close no cycle?
bool is_legal(const ChangingDag& dag, const ArcRules& rules, const Move& move);
void apply(ChangingDag& dag, const Move& move);

class Walk {
  public:
    // The start must be acyclic and keep the rules: Python has checked it.
    Walk(FamilyScores& scores, std::vector<Parents> start);

    const ChangingDag& dag() const { return dag_; }
    const NeighbourRow& row(std::size_t node) const { return *rows_[node]; }
    // The score of the network: the sum of its local scores.
    double score() const;

    bool is_legal(const Move& move) const { return arcwise::is_legal(dag_, scores_->rules(), move); }
    // What a legal move adds to the score: at most, without counting anything ..
    double gain_bound(const Move& move) const {
        const auto& row = *rows_[move.to];
        const double change = row.at(move.from) - row.own;
        if (move.kind != MoveKind::reverse) return change;
        const auto& other = *rows_[move.from];
        return change + (other.at(move.to) - other.own);
    }
    // .. whether that is the gain itself ..
    bool is_settled(const Move& move) const {
        return !rows_[move.to]->is_bounded(move.from) &&
               (move.kind != MoveKind::reverse || !rows_[move.from]->is_bounded(move.to));
    }
    // .. and the gain.
    double gain(const Move& move) const;
    // At least what any legal move into `node` gains, of those that gain anything. A bound that is below
    // `bar` may be an old one, of when more moves were legal.
    //
    // A search asks this of all nodes before every move, and a move changes little: the rows of one or two
    // nodes, and what closes a cycle. An arc that comes makes no move legal. An arc u -> v that goes can do
    // so only where a path led through it: for additions x -> y, if y is no longer above x; for reversals of
    // a -> b, if b is v or below it. Everything else keeps its bound, and even there no move gains more than
    // the best of its kind, legal or not, which is known: a step costs what it changes and not the whole
    // network.
    double most_gain(std::size_t node, double bar) const {
        if (most_[node] >= bar && looked_[node] != changes_) look_into(node, bar);
        return most_[node];
    }
    // The first node from `node` on for which most_gain may not be below `bar`; how many there are if none
    // is. Where little is left to gain, nearly all nodes are passed over, eight at a time.
    std::size_t next_gaining(std::size_t node, double bar) const {
        constexpr std::size_t at_once = 8;
        for (; node + at_once <= most_.size(); node += at_once) {
            bool any = false;
            for (std::size_t k = 0; k < at_once; ++k) any |= !(most_[node + k] < bar);
            if (any) break;
        }
        while (node < most_.size() && most_[node] < bar) ++node;
        return node;
    }
    // The hash of the network that a move leads to.
    std::uint64_t hash_after(const Move& move) const;
    void apply(const Move& move);
    // Replaces the network; the parents of a node are ascending. False, and nothing changes, if they have a
    // cycle.
    bool assign(const std::vector<Parents>& parents);
    // The same where only these nodes can have other parents than now, each listed once.
    bool assign(const std::vector<Parents>& parents, std::span<const std::size_t> nodes);

  private:
    void refresh(std::size_t node);
    // Arcs have gone: moves may be legal now that were not.
    void allow_what_opened();
    void look_into(std::size_t node, double bar) const;
    double turning(std::size_t node) const;

    FamilyScores* scores_;
    ChangingDag dag_;
    std::vector<FamilyScores::Row> rows_;
    std::vector<double> own_;                    // the local score in each row: rows are all over the memory
    std::vector<double> adding_;                 // the best addition in each row, legal or not
    std::uint64_t changes_ = 1;                  // how often the network has changed
    mutable std::vector<double> most_;           // see most_gain; infinite where nothing is known
    mutable std::vector<std::uint64_t> looked_;  // at which change the bound was found
    mutable std::vector<double> turning_;        // see turning; infinite where it is not known
};

// What a search hands back.
struct SearchOutcome {
    std::vector<Parents> parents;
    double score = 0.0;
    std::vector<double> history;         // the score at the start and after each iteration
    std::vector<std::int64_t> restarts;  // positions in `history` where a new start begins
    std::uint64_t iterations = 0;        // moves made and kept
    std::uint64_t operations = 0;        // moves looked at
    std::uint64_t families = 0;          // local scores computed
    Status status = Status::complete;
};

// Differences below this are rounding, not progress: equivalent networks have equal scores that sums in
// another order do not show as equal.
double score_tolerance(double score);

// A DAG at random that keeps the rules: a random order of the nodes, and each arc along it with probability
// `density`, until a node's parents are full. Required arcs are always there.
std::vector<Parents> random_start(const ArcRules& rules, double density, Xoshiro& random);

// The required arcs alone.
std::vector<Parents> required_start(const ArcRules& rules);

}  // namespace arcwise
