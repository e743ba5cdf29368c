// A random walk over networks by Metropolis' rule, arc by arc.
#pragma once

#include <cstdint>
#include <vector>

#include "local/arc_rules.hpp"
#include "local/changing_dag.hpp"
#include "monitor.hpp"
#include "sampled/arc_gains.hpp"

namespace arcwise {

// The moves that are proposed, one after the other: the arc tails[m] -> heads[m] is added or deleted, or
// turned where turns[m] is not 0, if the logarithm of a random number is below what that gains.
struct ProposedMoves {
    std::vector<std::int32_t> tails;
    std::vector<std::int32_t> heads;
    std::vector<std::uint8_t> turns;
    std::vector<double> chances;
};

// The network after the moves; every move is proposed as often as its opposite, so that, if all gains were
// differences of one score, the networks that the walk is at would have probabilities as exp(score). (Gains
// over available cases are such differences only where nothing is missing.) Stopped, it is at some network on
// the way.
template <class Code>
std::vector<Parents> walk_structures(ArcGains<Code>& gains, const ArcRules& rules, std::vector<Parents> start,
                                     const ProposedMoves& moves, Ticker& ticker);

}  // namespace arcwise
