// The states of a layer, expanded by several threads.
//
// What leads on from a state depends on that state alone, and finding it is nearly all of the work; which of
// the new states are the same depends on the order in which they come. So threads only note the ways, each
// with a problem of its own, and the builder takes them afterwards state by state, in the order in which one
// thread would have found them: the diagram, what was looked at and where a limit of states or memory ends it
// are the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "parallel_for.hpp"

namespace arcwise {

// A problem (layer_builder.hpp) whose ways hold as long as the layer does says `keeps_ways`.
template <class Problem>
class LayerExpansion {
  public:
    using State = typename Problem::State;

    // `problem` has started.
    LayerExpansion(Problem& problem, std::size_t threads) : own_(problem), threads_(threads) {}

    // How many of the states at hand to expand together; 0 if threads do not pay. What is noted of them takes
    // a few megabytes, whatever they are.
    std::size_t block(std::size_t left, std::uint64_t most, std::size_t state_bytes) const {
        if (threads_ < 2) return 0;
        std::size_t states = std::min(left, threads_ * most_per_thread);
        if (most < states) states = static_cast<std::size_t>(most);
        states = std::min(states, noted_bytes / std::max<std::size_t>(1, state_bytes));
        return states < fewest ? 0 : states;
    }

    // False if the ticker says to stop.
    bool run(std::span<const State> states, std::size_t depth, std::uint64_t explored, Ticker& ticker) {
        while (copies_.size() + 1 < threads_) copies_.push_back(own_);
        const std::size_t chunks = (states.size() + chunk_states - 1) / chunk_states;
        if (noted_.size() < chunks) noted_.resize(chunks);
        return parallel_for(
            threads_, chunks,
            [&](std::size_t worker, std::size_t chunk) {
                const auto first = chunk * chunk_states;
                const auto own = states.subspan(first, std::min(chunk_states, states.size() - first));
                noted_[chunk].fill(worker == 0 ? own_ : copies_[worker - 1], own, depth);
            },
            [&](std::size_t) { return ticker.poll_now({explored, 0}); });
    }

    // Calls arrive(key, way, row) for every way on from a state of the last run.
    template <class Arrive>
    void for_each(std::size_t state, Arrive&& arrive) const {
        noted_[state / chunk_states].for_each(state % chunk_states, arrive);
    }

  private:
    class Noted {
      public:
        void fill(Problem& problem, std::span<const State> states, std::size_t depth) {
            used_ = 0;
            ways_.clear();
            rows_.clear();
            ends_.clear();
            for (const auto& state : states) {
                problem.expand(state, depth, [&](const auto& key, const auto& way, std::size_t row) {
                    if (used_ < keys_.size())
                        keys_[used_] = key;  // in the memory of an earlier one
                    else
                        keys_.push_back(key);
                    ++used_;
                    ways_.push_back(way);
                    rows_.push_back(row);
                });
                ends_.push_back(used_);
            }
        }
        template <class Arrive>
        void for_each(std::size_t state, Arrive& arrive) const {
            for (auto at = state == 0 ? 0 : ends_[state - 1]; at < ends_[state]; ++at)
                arrive(keys_[at], ways_[at], rows_[at]);
        }

      private:
        std::size_t used_ = 0;
        std::vector<typename Problem::Key> keys_;
        std::vector<typename Problem::Way> ways_;
        std::vector<std::size_t> rows_;
        std::vector<std::size_t> ends_;  // per state
    };

    static constexpr std::size_t chunk_states = 8;
    static constexpr std::size_t most_per_thread = 1024;
    static constexpr std::size_t fewest = 64;  // states that take longer than to start a thread
    static constexpr std::size_t noted_bytes = std::size_t{1} << 22;

    Problem& own_;
    std::size_t threads_;
    std::vector<Problem> copies_;
    std::vector<Noted> noted_;
};

}  // namespace arcwise
