// NIP-BDe and expected log-BDe in the local form: hypothetical parent sets of the child instead of
// structures.
#pragma once

#include <memory>
#include <vector>

#include "scores/bde.hpp"

namespace arcwise {

// The data, owned by the score: codes variable by variable, rows collapsed, one weight per row.
struct OwnedData {
    std::vector<std::uint32_t> codes;
    std::vector<std::int64_t> weights;
    std::vector<std::int32_t> arities;
};

// Averages BDe over the hypothetical parent sets H of the child with at most `largest` members (Ueno & Uto
// 2012, Algorithm 1). The hypothetical distribution of child and parents P is that of the structure in which
// P + H is complete and the child has the parents H, with the parameters of their eq. (10).
std::unique_ptr<LocalScore> make_local_hypotheses(double ess, OwnedData data, std::int32_t largest,
                                                  Mixture mixture);

}  // namespace arcwise
