// A network on its way through a local search: the graph, the score rows of its nodes, and the three moves.
#pragma once

#include <cstddef>
#include <cstdint>
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
        const double change = row.toggled[move.from] - row.own;
        if (move.kind != MoveKind::reverse) return change;
        const auto& other = *rows_[move.from];
        return change + (other.toggled[move.to] - other.own);
    }
    // .. whether that is the gain itself ..
    bool is_settled(const Move& move) const {
        return !rows_[move.to]->is_bounded(move.from) &&
               (move.kind != MoveKind::reverse || !rows_[move.from]->is_bounded(move.to));
    }
    // .. and the gain.
    double gain(const Move& move) const;
    // The hash of the network that a move leads to.
    std::uint64_t hash_after(const Move& move) const;
    void apply(const Move& move);
    // Replaces the network. False, and nothing changes, if the parents have a cycle.
    bool assign(std::vector<Parents> parents);

  private:
    void refresh(std::size_t node) { rows_[node] = scores_->row(node, dag_.parents(node)); }

    FamilyScores* scores_;
    ChangingDag dag_;
    std::vector<FamilyScores::Row> rows_;
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
