#include "posterior/all_dags/term_estimate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "posterior/all_dags/sink_walk.hpp"
#include "xoshiro.hpp"

namespace arcwise {

namespace {

// It samples this many sets, in at least this many blocks, and this many terms of each.
constexpr std::size_t sampled_sets = 2048, sampled_blocks = 256;
constexpr double sampled_terms = 20'000;

struct Sample {
    std::size_t sets = 0;
    double terms = 0, looked_at = 0;
};

}  // namespace

TermEstimate estimate_terms(const BlockRows& rows, const SetBounds& bounds, std::int32_t floor,
                            WorkerTeam& team, Ticker& ticker) {
    const std::size_t blocks = rows.blocks(), length = rows.length(), sets = blocks * length;
    const auto poll = [&](std::size_t) { return ticker.poll_now({sets, 4 * sets}); };
    std::vector<Sample> samples(blocks);
    TermEstimate found;
    const auto count = [&](std::size_t, std::size_t block) {
        std::size_t own = 0;
        for (std::size_t set = block * length; set < (block + 1) * length; ++set)
            own += bounds.within_cut(set, floor) ? 1 : 0;
        samples[block].sets = own;
    };
    if (!team.run(blocks, count, poll)) return found;
    for (const auto& sample : samples) found.sets += sample.sets;
    // All blocks, if they are few; else some, from each of which more sets are taken.
    const std::size_t step = std::max<std::size_t>(1, found.sets / sampled_sets);
    const std::size_t skipped = std::max<std::size_t>(1, blocks / sampled_blocks);
    const std::size_t within = std::max<std::size_t>(1, step / skipped);
    std::vector<BlockWeights> weights;
    for (std::size_t worker = 0; worker < team.size(); ++worker) weights.emplace_back(rows);
    std::vector<SinkWalk> walks(team.size(), SinkWalk(rows.rows(), bounds, floor));
    const auto look = [&](std::size_t worker, std::size_t block) {
        if (samples[block].sets == 0 || (block != 0 && Xoshiro::mix(block) % skipped != 0)) return;
        auto& walk = walks[worker];
        weights[worker].find_levels(block);
        for (std::size_t set = block * length; set < (block + 1) * length; ++set) {
            if (!bounds.within_cut(set, floor) || (set != 0 && Xoshiro::mix(set) % within != 0)) continue;
            walk.enter(weights[worker], set);
            // What was not counted is taken to be as in a walk without a cut.
            const double most = std::ldexp(1.0, std::popcount(walk.candidates()));
            const double terms = walk.count(set, bounds.best[set], sampled_terms);
            samples[block].terms += terms < sampled_terms ? terms : std::max(terms, most / 2);
            ++samples[block].looked_at;
        }
    };
    if (!team.run(blocks, look, poll)) return found;
    double seen = 0, looked_at = 0;
    for (const auto& sample : samples) {
        seen += sample.terms;
        looked_at += sample.looked_at;
    }
    found.terms = seen / looked_at * static_cast<double>(found.sets);
    return found;
}

}  // namespace arcwise
