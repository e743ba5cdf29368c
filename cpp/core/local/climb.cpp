#include "local/climb.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "local/best_move.hpp"

namespace arcwise {

namespace {

class Climber {
  public:
    Climber(FamilyScores& scores, const ClimbOptions& options, Ticker& ticker)
        : scores_(scores),
          options_(options),
          ticker_(ticker),
          random_(options.seed),
          best_move_(scores.variables()) {
        if (options.random_ties) best_move_.shuffle_ties(random_);
    }

    SearchOutcome run() {
        for (const auto& start : options_.starts) {
            if (!climb_from(start)) return finish();
        }
        for (std::uint64_t i = 0; i < options_.restarts; ++i) {
            if (!climb_from(next_start())) return finish();
        }
        if (limit_ == Status::complete) {
            Xoshiro fixed(0);
            refine(scores_, options_.refinement, best_move_, options_.random_ties ? random_ : fixed, ticker_,
                   outcome_);
        }
        return finish();
    }

  private:
    SearchOutcome finish() {
        outcome_.operations = best_move_.moves_compared();
        outcome_.families = scores_.families_scored();
        outcome_.status = ticker_.reason() != Status::complete ? ticker_.reason() : limit_;
        return std::move(outcome_);
    }

    std::vector<Parents> next_start() {
        if (options_.perturbations > 0) return perturbed(outcome_.parents);
        if (options_.perturbations < 0) return random_start(scores_.rules(), options_.density, random_);
        best_move_.shuffle_ties(random_);
        return options_.starts.front();
    }

    // False if the search was stopped.
    bool climb_from(const std::vector<Parents>& start) {
        scores_.listen(&ticker_);
        Walk walk(scores_, start);
        scores_.listen(nullptr);
        if (!outcome_.history.empty())
            outcome_.restarts.push_back(static_cast<std::int64_t>(outcome_.history.size()));
        recent_.assign(options_.tabu, 0);
        filled_ = 0;
        double score = walk.score();
        double best = score;  // of this climb
        const double tolerance = score_tolerance(score);
        unnoted_.resize(walk.dag().nodes());
        std::iota(unnoted_.begin(), unnoted_.end(), std::size_t{0});
        note(walk, score, tolerance);
        std::uint64_t losses = 0;
        for (std::uint64_t iteration = 0;; ++iteration) {
            if (ticker_.poll_now({outcome_.iterations, 0, outcome_.score})) return false;
            if (options_.max_iterations != 0 && iteration >= options_.max_iterations) {
                limit_ = Status::count_limit;
                return true;
            }
            if (options_.tabu > 0) recent_[filled_++ % options_.tabu] = walk.dag().hash();
            const auto tabu = std::span(recent_).first(std::min<std::size_t>(filled_, recent_.size()));
            auto choice = best_move_.find(walk, tolerance, tolerance, tabu);
            if (!choice) {
                if (losses >= options_.patience || options_.tabu == 0) return true;
                ++losses;
                choice = best_move_.find(walk, -std::numeric_limits<double>::infinity(), tolerance, tabu);
                if (!choice) return true;
            }
            walk.apply(choice->move);
            unnoted_.push_back(choice->move.to);
            if (choice->move.kind == MoveKind::reverse) unnoted_.push_back(choice->move.from);
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
            outcome_.parents.resize(walk.dag().nodes());
            for (const auto node : unnoted_) outcome_.parents[node] = walk.dag().all_parents()[node];
            unnoted_.clear();
        }
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

    FamilyScores& scores_;
    const ClimbOptions& options_;
    Ticker& ticker_;
    Xoshiro random_;
    BestMove best_move_;
    SearchOutcome outcome_;
    Status limit_ = Status::complete;
    std::vector<std::uint64_t> recent_;  // hashes of the last structures, in a ring
    std::uint64_t filled_ = 0;
    std::vector<std::size_t> unnoted_;  // where the climb's network may differ from the one noted last
};

}  // namespace

SearchOutcome climb(FamilyScores& scores, const ClimbOptions& options, Ticker& ticker) {
    return Climber(scores, options, ticker).run();
}

}  // namespace arcwise
