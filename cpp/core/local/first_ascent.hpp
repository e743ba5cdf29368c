// Randomised first-ascent hill climbing (Lau and Bush 2004, section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "local/walk.hpp"

namespace arcwise {

// All 3 n (n - 1) operators (add, remove, reverse; each ordered pair of nodes) in random order: `next` draws
// them one by one, so that an iteration pays only for the operators it looks at.
class ShuffledOperators {
  public:
    explicit ShuffledOperators(std::size_t nodes);

    void restart() { drawn_ = 0; }
    bool exhausted() const { return drawn_ == codes_.size(); }
    Move next(Xoshiro& random);

  private:
    std::size_t nodes_;
    std::size_t drawn_ = 0;
    std::vector<std::uint32_t> codes_;  // the first `drawn_` are used up; the rest are in any order
};

// Goes through the operators in random order and makes the first that is legal and improves the score by more
// than the tolerance. False if none does: the network is a local maximum. `operations` counts every operator
// that was looked at, legal or not (Lau's line 10).
bool ascend_once(Walk& walk, ShuffledOperators& operators, double tolerance, Xoshiro& random,
                 std::uint64_t& operations);

struct FirstAscentOptions {
    std::vector<Parents> start;
    std::uint64_t max_iterations = 0;  // 0: no limit
    std::uint64_t seed = 0;
};

// Iterations are moves made; the last sweep, which finds no improvement, counts as operations only.
SearchOutcome first_ascent(FamilyScores& scores, const FirstAscentOptions& options, Ticker& ticker);

}  // namespace arcwise
