// Additions that are not scored because they cannot gain.
#include <algorithm>

#include "local/neighbour_scores.hpp"

namespace arcwise {

namespace {

// A gain below this is a loss beyond any rounding.
constexpr double clear_loss = -1.0;

}  // namespace

// For a score LL - w q (r - 1), as BIC and AIC, the gain of the parent x is
//   N I(c; x | P) - w q (r_c - 1)(r_x - 1),   and N I(c; x | P) <= N min{H(c | P), H(x | P)} <= min{-LL(c |
//   P), N H(x)}
// (de Campos & Ji 2011 prune tables of parent sets by the same entropies). Both are known before anything is
// counted. Where the bound is a loss, the row gets the bound in place of the score: an ascent never looks at
// it again, and a search that considers losses too settles the few bounds that could win. It pays
// where variables have many states or parents: the penalty leaves less to count. What a prior adds to the
// gain is known exactly.
bool NeighbourScores::is_hopeless(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                                  std::size_t x) {
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

void NeighbourScores::know_information() {
    if (penalty_ <= 0.0 || !information_.empty()) return;
    for (std::size_t x = 0; x < variables(); ++x)
        information_.push_back(-log_likelihood(x, local(x, {}) - believed(x, {})));
}

double NeighbourScores::log_likelihood(std::size_t x, double own) const {
    return own + penalty_ * static_cast<double>(data_.arity(x) - 1);
}

void NeighbourScores::settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                             std::size_t x) {
    if (!row.is_bounded(x)) return;
    row.set(x, local(child, with(parents, x)));
    row.set_bounded(x, false);
}

void NeighbourScores::settle_all(NeighbourRow& row, std::size_t child,
                                 std::span<const std::int32_t> parents) {
    row.for_each([&](std::size_t x) { settle(row, child, parents, x); });
}

}  // namespace arcwise
