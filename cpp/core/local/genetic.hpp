// Genetic search over networks (Lau and Bush 2004, section 6).
#pragma once

#include <cstdint>
#include <vector>

#include "local/walk.hpp"

namespace arcwise {

struct GeneticOptions {
    std::uint64_t population = 16;  // of which `unconnected` start without arcs, the others at random
    std::uint64_t unconnected = 1;
    std::uint64_t dropped = 3;        // the worst, removed in every round
    std::uint64_t promoted = 3;       // the best, kept as they are; also the mates of all others
    std::uint64_t mating_tries = 20;  // how often an offspring with a cycle is drawn again
    std::uint64_t patience = 5;       // rounds without progress before the end
    std::uint64_t max_rounds = 0;     // 0: no limit
    bool mutate = true;               // one first-ascent step of every genome in every round
    double density = 0.0;             // of the random starts
    std::uint64_t seed = 0;
};

// A genome is the list of the nodes' parent sets. In every round the worst are dropped, the best are
// promoted, and each survivor in turn, best first and around again, mates with one of the best until the
// population is full: it takes over the parents of 1 to n random nodes from its mate, drawn again while that
// makes a cycle and given up after `mating_tries`. Then every genome takes one first-ascent step. (Lau drops
// 3 of 16, promotes 3 and mates "the remaining 12": 13 remain, and 13 offspring keep the population at 16.)
// `history` holds the best score after each round; iterations are rounds.
SearchOutcome evolve(FamilyScores& scores, const GeneticOptions& options, Ticker& ticker);

}  // namespace arcwise
