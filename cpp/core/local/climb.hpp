// Greedy hill climbing and tabu search.
#pragma once

#include <cstdint>
#include <vector>

#include "local/refinement.hpp"
#include "local/walk.hpp"

namespace arcwise {

struct ClimbOptions {
    std::vector<std::vector<Parents>> starts;  // at least one; each is climbed from
    std::uint64_t restarts = 0;                // after the starts, further climbs from ..
    std::int64_t perturbations = 1;            // .. the best network after this many random moves; if 0, ..
                                               // .. the first start, ties broken again; if negative, ..
    double density = 0.0;                      // .. a random DAG of this density
    std::uint64_t tabu = 0;                    // how many of the last structures are tabu; 0: hill climbing
    std::uint64_t patience = 0;                // moves without a new best network before tabu search ends
    std::uint64_t max_iterations = 0;          // of each climb; 0: no limit
    RefinementRange refinement;                // of the best network
    bool random_ties = false;                  // break ties by a random order of the nodes, not by theirs
    std::uint64_t seed = 0;
};

// Hill climbing makes the best of all additions, removals and reversals as long as it improves the score.
// Tabu search (Glover 1986, in the form of R's bnlearn) then goes on with the least bad move that leads to
// none of the last `tabu` structures, for `patience` such moves since it last found a new best network, and
// returns the best network seen. What is tabu are structures, not moves: none of them can be better than the
// best seen, so the aspiration criterion (a tabu move may be made if it leads to a new best) is always met.
// Of moves with equal gain, additions come before removals before reversals, then the smaller arc. Equivalent
// scores make many such ties, and the order of the columns then decides directions: a bootstrap should not
// let it, and breaks ties by a random order in every replicate (bnlearn shuffles the columns). For the same
// reason a restart that only breaks ties in another order ends elsewhere, often in a better place than one
// that leaves the local optimum by random moves. At the end the best network is refined (refinement.hpp),
// with random numbers that do not depend on the seed unless `random_ties` says so. A climb that a limit ended
// is not at a local optimum, and is not refined.
SearchOutcome climb(FamilyScores& scores, const ClimbOptions& options, Ticker& ticker);

}  // namespace arcwise
