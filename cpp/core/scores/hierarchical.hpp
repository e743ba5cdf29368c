// The score of related data sets: rows come from sites that are alike and not the same.
#pragma once

#include <memory>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// Which variable tells the sites apart, and the prior: `ess` is the sample size of what the sites share,
// `alike` how many cases that is worth in each site.
struct SitePrior {
    std::vector<std::int32_t> arities;
    std::int32_t site;
    double ess;
    double alike;
};

// g(P + i) - g(P), g(T) the logarithm of the marginal likelihood of the columns T under the hierarchical
// model of Azzimonti, Corani & Scutari (2022): in each site Dirichlet(s kappa), kappa Dirichlet(ess / |T|).
std::unique_ptr<LocalScore> make_hierarchical(std::int64_t cases, SitePrior prior);

}  // namespace arcwise
