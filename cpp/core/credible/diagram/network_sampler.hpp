// Independent random networks of a credible set, drawn from its diagram.
//
// A diagram also has paths that lose more than the slack: its states forget how much was lost on the way to
// them. So a path is proposed, and kept only if it is in the set. Proposals have probability exp(-t loss) / Z
// over all paths, which a walk from the first state gives exactly once one backward pass has found
//
//     mass(s) = sum over the edges e of s of exp(-t detour(e)) mass(target(e)),   mass(last) = 1:
//
// the edge e of s is taken with probability exp(-t detour(e)) mass(target(e)) / mass(s), and along a path all
// masses but Z = mass(first) cancel.
//
// Wanted is exp(-p loss) over the paths with loss <= slack, with p = 1 for draws by posterior weight and 0
// for uniform ones. With t >= p, a proposal within the slack is kept with probability
// exp((t - p) (loss - slack)) <= 1, any other never. What is kept then has a probability proportional to
// exp(-t loss) exp((t - p) loss) = exp(-p loss) within the slack, and 0 beyond: exactly the draws wanted,
// whatever t is. Repetitions until one is kept do not change the proportions (von Neumann 1951).
//
// The exponent t decides only how often a proposal is kept: mass of the set / (Z(t) exp((t - p) slack)).
// Large sets have far more paths beyond the slack than within, and with t = p hardly any proposal would be
// kept. The logarithm of the denominator is convex in t, and least where the mean loss of the proposals is
// the slack (the exponential change of measure of large deviations; Asmussen and Glynn 2007, chapter VI): t
// is found by bisection on the mean, which the backward pass finds as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/diagram/network_diagram.hpp"

namespace arcwise {

struct DrawOptions {
    double slack = 0;      // at most the diagram's own
    bool by_score = true;  // in proportion to exp(-loss); else uniform
    std::size_t count = 0;
    std::uint64_t seed = 0;
    std::size_t memory = 0;  // for the diagram and all that is made here
    // After each `patience` proposals, fewer than one in `most_per_draw` kept is hopeless.
    std::uint64_t patience = 1'000'000;
    std::uint64_t most_per_draw = 10'000;
};

struct DrawnNetworks {
    Status status = Status::complete;
    bool hopeless = false;
    std::uint64_t proposals = 0;
    double exponent = 0;              // t above
    std::vector<std::uint32_t> rows;  // per network and node: the row, counted within the node
    std::vector<double> losses;
};

// The networks depend on the diagram and the seed alone; fewer draws with the same seed are the first of
// more. If a limit ends the work, those that were drawn until then are returned.
DrawnNetworks draw_networks(const NetworkDiagram& diagram, std::span<const std::int64_t> node_offsets,
                            const DrawOptions& options, Ticker& ticker);

}  // namespace arcwise
