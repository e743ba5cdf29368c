#include "local/first_ascent.hpp"

#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {

ShuffledOperators::ShuffledOperators(std::size_t nodes) : nodes_(nodes), codes_(3 * nodes * (nodes - 1)) {
    assert(3 * nodes * nodes < std::numeric_limits<std::uint32_t>::max());
    std::iota(codes_.begin(), codes_.end(), std::uint32_t{0});
}

// One step of the Fisher-Yates shuffle.
Move ShuffledOperators::next(Xoshiro& random) {
    std::swap(codes_[drawn_], codes_[drawn_ + random.below(codes_.size() - drawn_)]);
    const std::size_t code = codes_[drawn_++];
    const std::size_t pair = code / 3;
    const std::size_t from = pair / (nodes_ - 1);
    const std::size_t other = pair % (nodes_ - 1);
    return {static_cast<MoveKind>(code % 3), from, other < from ? other : other + 1};
}

bool ascend_once(Walk& walk, ShuffledOperators& operators, double tolerance, Xoshiro& random,
                 std::uint64_t& operations) {
    operators.restart();
    while (!operators.exhausted()) {
        const Move move = operators.next(random);
        ++operations;
        if (!walk.is_legal(move) || !(walk.gain_bound(move) > tolerance)) continue;
        if (!(walk.gain(move) > tolerance)) continue;
        walk.apply(move);
        return true;
    }
    return false;
}

SearchOutcome first_ascent(FamilyScores& scores, const FirstAscentOptions& options, Ticker& ticker) {
    SearchOutcome outcome;
    Xoshiro random(options.seed);
    scores.listen(&ticker);
    Walk walk(scores, options.start);
    scores.listen(nullptr);
    ShuffledOperators operators(scores.variables());
    outcome.score = walk.score();
    outcome.history.push_back(outcome.score);
    const double tolerance = score_tolerance(outcome.score);
    while (!ticker.poll_now({outcome.iterations, 0, outcome.score})) {
        if (options.max_iterations != 0 && outcome.iterations >= options.max_iterations) {
            ticker.stop(Status::count_limit);
            break;
        }
        if (!ascend_once(walk, operators, tolerance, random, outcome.operations)) break;
        ++outcome.iterations;
        outcome.score = walk.score();
        outcome.history.push_back(outcome.score);
    }
    outcome.parents = walk.dag().all_parents();
    outcome.families = scores.families_scored();
    outcome.status = ticker.reason();
    return outcome;
}

}  // namespace arcwise
