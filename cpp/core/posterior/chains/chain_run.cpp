#include "posterior/chains/chain_run.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <utility>

#include "parallel_for.hpp"

namespace arcwise {

ChainRun::ChainRun(const TableView& table, ChainOptions options, std::span<const std::uint64_t> seeds,
                   std::span<const std::uint32_t> starts)
    : options_(std::move(options)), index_(table) {
    const std::size_t n = index_.variables();
    assert(starts.size() == seeds.size() * n && !options_.heats.empty());
    for (const double heat : options_.heats) heated_.emplace_back(index_, heat);
    chains_.reserve(seeds.size());
    for (std::size_t chain = 0; chain < seeds.size(); ++chain) {
        chains_.emplace_back(index_, heated_, options_, seeds[chain]);
        for (auto& walker : chains_.back().walkers()) place(walker, starts.subspan(chain * n, n));
    }
}

void ChainRun::place(Walker& walker, std::span<const std::uint32_t> rows) const {
    std::vector<std::int64_t> absolute(rows.size());
    for (std::size_t v = 0; v < rows.size(); ++v) absolute[v] = index_.first_row(v) + rows[v];
    walker.assign(absolute);
}

ChainSegment ChainRun::advance(std::size_t count, const JumpTargets& jumps, std::size_t threads,
                               Ticker& ticker) {
    const std::size_t n = index_.variables();
    ChainSegment made;
    made.done.assign(chains_.size(), 0);
    made.rows.resize(chains_.size() * count * n);
    made.scores.resize(chains_.size() * count);
    std::atomic<bool> stop{false};
    const auto work = [&](std::size_t worker, std::size_t chain) {
        std::vector<std::int64_t> target;
        std::size_t draw = 0;
        for (; draw < count; ++draw) {
            if (worker == 0 && ticker.poll_now({chain * count + draw, chains_.size() * count})) stop = true;
            if (stop.load(std::memory_order_relaxed)) break;
            const std::size_t place = chain * count + draw;
            if (!jumps.rows.empty()) {
                target.resize(n);
                for (std::size_t v = 0; v < n; ++v)
                    target[v] = index_.first_row(v) + jumps.rows[place * n + v];
            }
            chains_[chain].advance(target, jumps.least);
            const Walker& walker = chains_[chain].walkers()[0];
            for (std::size_t v = 0; v < n; ++v)
                made.rows[place * n + v] = static_cast<std::uint32_t>(walker.rows()[v] - index_.first_row(v));
            made.scores[place] = walker.score();
        }
        made.done[chain] = draw;
    };
    parallel_for(threads, chains_.size(), work, [](std::size_t) { return false; });
    made.status = ticker.reason();
    return made;
}

std::vector<std::uint32_t> ChainRun::positions() const {
    std::vector<std::uint32_t> found;
    for (const auto& chain : chains_)
        for (const auto& walker : chain.walkers())
            for (std::size_t v = 0; v < index_.variables(); ++v)
                found.push_back(static_cast<std::uint32_t>(walker.rows()[v] - index_.first_row(v)));
    return found;
}

std::vector<std::uint64_t> ChainRun::random_states() const {
    std::vector<std::uint64_t> found;
    for (const auto& chain : chains_) {
        const auto state = chain.random().state();
        found.insert(found.end(), state.begin(), state.end());
    }
    return found;
}

void ChainRun::restore(std::span<const std::uint32_t> positions,
                       std::span<const std::uint64_t> random_states) {
    const std::size_t n = index_.variables();
    assert(positions.size() == chains_.size() * options_.heats.size() * n);
    assert(random_states.size() == 4 * chains_.size());
    std::size_t at = 0;
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
        for (auto& walker : chains_[chain].walkers()) {
            place(walker, positions.subspan(at, n));
            at += n;
        }
        chains_[chain].random().restore(random_states.subspan(4 * chain).first<4>());
    }
}

std::vector<std::uint64_t> ChainRun::counts() const {
    std::vector<std::uint64_t> found;
    for (const auto& chain : chains_) {
        found.insert(found.end(), chain.counts().tried.begin(), chain.counts().tried.end());
        found.insert(found.end(), chain.counts().accepted.begin(), chain.counts().accepted.end());
    }
    return found;
}

}  // namespace arcwise
