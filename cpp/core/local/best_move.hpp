// The best move of all, which hill climbing makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "local/walk.hpp"
#include "xoshiro.hpp"

namespace arcwise {

// Of moves with equal gain, additions come before removals before reversals, then the smaller arc, by a rank
// of the nodes: their own order, until it is shuffled.
class BestMove {
  public:
    struct Choice {
        Move move;
        double gain;
    };

    explicit BestMove(std::size_t nodes);

    void shuffle_ties(Xoshiro& random) { random.shuffle(std::span(rank_)); }
    // The legal move with the largest gain, if any gains at least `least`, that leads to none of the
    // structures with the hashes `tabu`.
    std::optional<Choice> find(const Walk& walk, double least, double tolerance,
                               std::span<const std::uint64_t> tabu = {});
    std::uint64_t moves_compared() const { return moves_compared_; }

  private:
    bool is_before(const Move& move, const Move& other) const;

    std::vector<std::size_t> rank_;  // of each node
    std::vector<Move> unsettled_;    // scratch
    std::uint64_t moves_compared_ = 0;
};

}  // namespace arcwise
