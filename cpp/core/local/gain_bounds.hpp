// What one more parent can gain at most: additions below it are not scored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/neighbour_row.hpp"
#include "local/state_blocks.hpp"
#include "scores/family_prior.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// For a score LL - w q (r - 1), as BIC and AIC, the gain of the parent x is
//   N I(c; x | P) - w q (r_c - 1)(r_x - 1),
//   and N I(c; x | P) <= N min{H(c | P), H(x | P)} <= min{-LL(c | P), N H(x)}
// (de Campos & Ji 2011 prune tables of parent sets by the same entropies). Both are known before anything is
// counted. Where the bound is a loss, the row gets the bound in place of the score: an ascent never looks at
// it again, and a search that considers losses too settles the few bounds that could win. It pays
// where variables have many states or parents: the penalty leaves less to count. What a prior adds to the
// gain is known exactly.
class GainBounds {
  public:
    GainBounds(const StateBlocks& data, const LocalScore& score)
        : data_(data), prior_(score.prior()), penalty_(score.penalty_weight()) {}

    // Whether N H(x) is known of all x, or nothing is bounded.
    bool are_known() const { return penalty_ <= 0.0 || !information_.empty(); }
    // `own`: the score of x without parents and prior.
    void set(std::size_t x, double own) {
        information_.resize(data_.variables());
        information_[x] = -(own + penalty_ * static_cast<double>(data_.arity(x) - 1));
    }
    void forget() { information_.clear(); }

    // Whether the addition of x is a clear loss; if so, the row has the bound.
    bool is_hopeless(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                     std::size_t x) const {
        if (penalty_ <= 0.0) return false;
        const double penalty = penalty_ * data_.cells(parents) * static_cast<double>(data_.arity(child) - 1);
        double most = std::min(-(row.own - row.prior + penalty), information_[x]) -
                      penalty * static_cast<double>(data_.arity(x) - 1);
        if (prior_ != nullptr) most += prior_->gain(child, parents.size(), x);
        if (most >= clear_loss) return false;
        row.set(x, row.own + most);
        row.set_bounded(x, true);
        return true;
    }

  private:
    static constexpr double clear_loss = -1.0;  // beyond any rounding

    const StateBlocks& data_;
    const FamilyPrior* prior_;
    double penalty_;                   // w, if the score is LL - w q (r - 1); else 0
    std::vector<double> information_;  // N H(x) of each variable, as soon as a bound needs it
};

}  // namespace arcwise
