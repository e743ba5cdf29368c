#include "local_search/climb.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

namespace arcwise {

namespace {

class Climber {
  public:
    Climber(NeighbourScores& scores, const ClimbOptions& options, Ticker& ticker)
        : scores_(scores),
          options_(options),
          ticker_(ticker),
          random_(options.seed),
          rank_(scores.variables()) {
        std::iota(rank_.begin(), rank_.end(), std::size_t{0});
        if (options.random_ties) random_.shuffle(std::span(rank_));
    }

    SearchOutcome run() {
        for (const auto& start : options_.starts) {
            if (!climb_from(start)) return finish();
        }
        for (std::uint64_t i = 0; i < options_.restarts; ++i) {
            if (!climb_from(next_start())) return finish();
        }
        return finish();
    }

  private:
    struct Choice {
        Move move;
        double gain;
    };

    auto order(const Move& move) const { return std::tuple(move.kind, rank_[move.from], rank_[move.to]); }

    SearchOutcome finish() {
        outcome_.families = scores_.families_scored();
        outcome_.status = ticker_.reason() != Status::complete ? ticker_.reason() : limit_;
        return std::move(outcome_);
    }

    std::vector<Parents> next_start() {
        if (options_.perturbations > 0) return perturbed(outcome_.parents);
        if (options_.perturbations < 0) return random_start(scores_.rules(), options_.density, random_);
        random_.shuffle(std::span(rank_));
        return options_.starts.front();
    }

    // False if the search was stopped.
    bool climb_from(const std::vector<Parents>& start) {
        Walk walk(scores_, start);
        if (!outcome_.history.empty())
            outcome_.restarts.push_back(static_cast<std::int64_t>(outcome_.history.size()));
        recent_.assign(options_.tabu, 0);
        filled_ = 0;
        double score = walk.score();
        double best = score;  // of this climb
        const double tolerance = score_tolerance(score);
        note(walk, score, tolerance);
        std::uint64_t losses = 0;
        for (std::uint64_t iteration = 0;; ++iteration) {
            if (ticker_.poll_now({outcome_.iterations, 0, outcome_.score})) return false;
            if (options_.max_iterations != 0 && iteration >= options_.max_iterations) {
                limit_ = Status::count_limit;
                return true;
            }
            if (options_.tabu > 0) recent_[filled_++ % options_.tabu] = walk.dag().hash();
            auto choice = best_move(walk, tolerance, tolerance);
            if (!choice) {
                if (losses >= options_.patience || options_.tabu == 0) return true;
                ++losses;
                choice = best_move(walk, -std::numeric_limits<double>::infinity(), tolerance);
                if (!choice) return true;
            }
            walk.apply(choice->move);
            score = walk.score();
            ++outcome_.iterations;
            if (score > best + tolerance) {
                best = score;
                losses = 0;
            }
            note(walk, score, tolerance);
        }
    }

    void note(const Walk& walk, double score, double tolerance) {
        const bool first = outcome_.history.empty();
        outcome_.history.push_back(score);
        if (first || score > outcome_.score + tolerance) {
            outcome_.score = score;
            outcome_.parents = walk.dag().all_parents();
        }
    }

    bool is_tabu(std::uint64_t hash) const {
        const auto known = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(filled_, recent_.size()));
        return std::find(recent_.begin(), recent_.begin() + known, hash) != recent_.begin() + known;
    }

    // The legal move with the largest gain, if any gains at least `least`.
    std::optional<Choice> best_move(const Walk& walk, double least, double tolerance) {
        std::optional<Choice> best;
        const auto consider = [&](const Move& move, double gain) {
            ++outcome_.operations;
            if (!(gain >= least)) return;
            if (best) {
                if (gain < best->gain - tolerance) return;
                if (gain <= best->gain + tolerance && order(move) > order(best->move)) return;
            }
            if (walk.is_legal(move) && !is_tabu(walk.hash_after(move))) best = Choice{move, gain};
        };
        const auto& dag = walk.dag();
        for (std::size_t to = 0; to < dag.nodes(); ++to) {
            const auto& row = walk.row(to);
            const auto parents = dag.parents(to);
            // No addition to this node can be better than the best so far: most nodes end here.
            const double bar = best ? best->gain - tolerance : least;
            if (row.best_gain >= bar)
                for (std::size_t from = 0; from < dag.nodes(); ++from)
                    if (row.toggled[from] - row.own >= bar && !dag.has_arc(from, to))
                        consider({MoveKind::add, from, to}, row.toggled[from] - row.own);
            for (const auto parent : parents) {
                const auto from = static_cast<std::size_t>(parent);
                consider({MoveKind::remove, from, to}, row.toggled[from] - row.own);
                const Move reversal{MoveKind::reverse, from, to};
                consider(reversal, walk.gain(reversal));
            }
        }
        return best;
    }

    // Random moves, as many as asked for; one that is not legal is drawn again, but not without end: a graph
    // may have no legal move at all.
    std::vector<Parents> perturbed(const std::vector<Parents>& network) {
        const std::size_t n = scores_.variables();
        ChangingDag dag(n);
        dag.assign(network);
        std::int64_t made = 0;
        for (std::int64_t tries = 0; made < options_.perturbations && tries < 1000 * options_.perturbations;
             ++tries) {
            const auto kind = static_cast<MoveKind>(random_.below(3));
            const Move move{kind, random_.below(n), random_.below(n)};
            if (!is_legal(dag, scores_.rules(), move)) continue;
            apply(dag, move);
            ++made;
        }
        return dag.all_parents();
    }

    NeighbourScores& scores_;
    const ClimbOptions& options_;
    Ticker& ticker_;
    Xoshiro random_;
    std::vector<std::size_t> rank_;  // of each node, for ties
    SearchOutcome outcome_;
    Status limit_ = Status::complete;
    std::vector<std::uint64_t> recent_;  // hashes of the last structures, in a ring
    std::uint64_t filled_ = 0;
};

}  // namespace

SearchOutcome climb(NeighbourScores& scores, const ClimbOptions& options, Ticker& ticker) {
    return Climber(scores, options, ticker).run();
}

}  // namespace arcwise
