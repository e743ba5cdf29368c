// The states of a layer, expanded by several threads.
//
// What leads on from a state depends on that state alone, and finding it is most of the work; which of the
// new states are the same depends on the order in which they come. So threads only find the ways, each with a
// problem of its own, and the builder consumes them state by state, in the order in which one thread would
// have found them (ordered_pipeline.hpp): the diagram, what was looked at and where a limit of states or
// memory ends it are the same for any number of threads. Of states that are cheap to expand (frontiers),
// consuming the ways is two fifths of the work.
//
// Ways that wait and problems take memory that one thread would not. They have a part of what the diagram has
// left of its limit, and never count for it, or threads would change where it ends: a state whose ways do not
// fit is expanded by the builder itself. A part, as the ways become states of the next layer, in about three
// times the memory in which they waited, while that is still held.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cache_line.hpp"
#include "ordered_pipeline.hpp"

namespace arcwise {

// A problem (layer_builder.hpp) whose ways hold as long as the layer does says `keeps_ways`.
template <class Problem>
class LayerExpansion {
  public:
    using State = typename Problem::State;

    // `problem` has started.
    LayerExpansion(Problem& problem, std::size_t threads)
        : problem_(problem),
          pipeline_(threads),
          copy_bytes_(problem.copy_bytes()),
          copies_(pipeline_.workers()),
          waiting_(pipeline_.slots()) {}

    // Calls consume(ways) for each of the states, in order, where ways(arrive) calls arrive(key, way, row)
    // for every way on from it. The diagram may take room() bytes more. Returns false if `consume` does, or
    // if stop() says so.
    template <class Room, class Consume, class Stop>
    bool run(std::span<const State> states, std::size_t depth, Room room, Consume consume, Stop stop) {
        const auto expand = [&](std::size_t begin, std::size_t end) {
            for (std::size_t s = begin; s < end; ++s)
                if (!consume([&](auto&& arrive) { problem_.expand(states[s], depth, arrive); })) return false;
            return true;
        };
        const std::size_t workers = states.size() < fewest ? 1 : prepare(room());
        if (workers < 2) {
            for (auto& waiting : waiting_) waiting.clear(0);
            return expand(0, states.size());
        }
        const auto produce = [&](std::size_t worker, std::size_t slot, std::size_t begin, std::size_t end) {
            waiting_[slot].clear(waiting_limit_.load(std::memory_order_relaxed));
            Problem* const own = problem_of(worker);
            return own == nullptr ? 0 : waiting_[slot].fill(*own, states.subspan(begin, end - begin), depth);
        };
        const auto consume_chunk = [&](std::size_t slot, std::size_t begin, std::size_t produced,
                                       std::size_t end) {
            for (std::size_t s = 0; s < produced - begin; ++s)
                if (!consume([&](auto&& arrive) { waiting_[slot].for_each(s, arrive); })) return false;
            if (!expand(produced, end)) return false;
            set_limits(room());
            return true;
        };
        return pipeline_.run(states.size(), chunk_states_, workers, produce, consume_chunk, stop);
    }

  private:
    // The ways on from the states of one chunk, in memory that is used again.
    class alignas(cache_line_padding) WaitingWays {
      public:
        // Forgets the ways; gives back memory beyond the limit, which holds from now on.
        void clear(std::size_t limit) {
            const std::size_t largest = largest_;
            if (held_ > limit) *this = WaitingWays();
            largest_ = largest;
            limit_ = limit;
            used_ = 0;
            ways_.clear();
            rows_.clear();
            ends_.clear();
        }
        // The states of a new layer may have fewer ways. Returns what one of the last layer took at most.
        std::size_t begin_layer() { return std::exchange(largest_, 0); }
        // How many of the states, from the first one on, have room.
        std::size_t fill(Problem& problem, std::span<const State> states, std::size_t depth) {
            std::size_t bytes = 0;
            for (const auto& state : states) {
                if (bytes + largest_ > limit_) break;
                bool fits = true;
                std::size_t own = 0;
                problem.expand(state, depth, [&](const auto& key, const auto& way, std::size_t row) {
                    own += of_way + problem.key_bytes(key);
                    fits = fits && make_room(problem.key_bytes(key));
                    if (!fits) return;
                    if (used_ < keys_.size())
                        keys_[used_] = key;  // in the memory of an earlier one
                    else
                        keys_.push_back(key);
                    ++used_;
                    ways_.push_back(way);
                    rows_.push_back(row);
                });
                bytes += own;
                largest_ = std::max(largest_, own);
                if (!fits) break;
                ends_.push_back(used_);
            }
            return ends_.size();
        }
        template <class Arrive>
        void for_each(std::size_t state, Arrive& arrive) const {
            for (auto at = state == 0 ? 0 : ends_[state - 1]; at < ends_[state]; ++at)
                arrive(keys_[at], ways_[at], rows_[at]);
        }

      private:
        // A vector that grows has twice the memory that it needs, at most.
        static constexpr std::size_t of_way =
            2 * (sizeof(typename Problem::Key) + sizeof(typename Problem::Way) + 2 * sizeof(std::size_t));
        bool make_room(std::size_t key_bytes) {
            const bool is_new = used_ == key_bytes_.size();
            const std::size_t had = is_new ? 0 : key_bytes_[used_];
            const std::size_t more = (key_bytes > had ? key_bytes - had : 0) + (is_new ? of_way : 0);
            if (held_ + more > limit_) return false;
            held_ += more;
            if (is_new)
                key_bytes_.push_back(key_bytes);
            else
                key_bytes_[used_] = std::max(had, key_bytes);
            return true;
        }

        std::size_t used_ = 0;
        std::size_t held_ = 0, limit_ = 0;  // bytes, also of earlier ways
        std::size_t largest_ = 0;           // bytes of the ways of one state, in this layer
        std::vector<typename Problem::Key> keys_;
        std::vector<std::size_t> key_bytes_;  // per key: of the longest that was there
        std::vector<typename Problem::Way> ways_;
        std::vector<std::size_t> rows_;
        std::vector<std::size_t> ends_;  // per state
    };

    // Of a thread that works beside others.
    struct alignas(cache_line_padding) Copy {
        std::optional<Problem> problem;
    };

    // How many workers have room for a problem; they have one afterwards.
    std::size_t prepare(std::size_t room) {
        if (pipeline_.workers() < 2) return 1;
        set_limits(room);
        const std::size_t copies = copies_limit_ / std::max<std::size_t>(1, copy_bytes_);
        const std::size_t workers = std::min(pipeline_.workers(), 1 + copies);
        for (std::size_t worker = 1; worker < copies_.size(); ++worker) {
            auto& problem = copies_[worker].problem;
            if (worker >= workers)
                problem.reset();
            else if (!problem)
                problem.emplace(problem_);
        }
        std::size_t largest = 1;
        for (auto& waiting : waiting_) largest = std::max(largest, waiting.begin_layer());
        chunk_states_ = std::clamp<std::size_t>(waiting_limit_ / largest, 1, most_per_chunk);
        return workers;
    }
    void set_limits(std::size_t room) {
        const std::size_t part = room / part_of_room;
        waiting_limit_.store(std::min(part, most_waiting) / waiting_.size(), std::memory_order_relaxed);
        copies_limit_.store(part, std::memory_order_relaxed);
    }
    // Null if there is no room for it any more.
    Problem* problem_of(std::size_t worker) {
        if (worker == 0) return &problem_;
        auto& problem = copies_[worker].problem;
        if (worker * copy_bytes_ > copies_limit_.load(std::memory_order_relaxed)) problem.reset();
        return problem ? &*problem : nullptr;
    }

    static constexpr std::size_t most_per_chunk = 8;  // states
    static constexpr std::size_t fewest = 64;         // states that take longer than to wake a thread
    static constexpr std::size_t part_of_room = 8;    // one part for problems, one for ways
    static constexpr std::size_t most_waiting = std::size_t{1} << 25;

    Problem& problem_;
    OrderedPipeline pipeline_;
    std::size_t copy_bytes_;
    std::size_t chunk_states_ = most_per_chunk;  // as many as fit into a slot, by the last layer
    std::vector<Copy> copies_;                   // by worker
    std::vector<WaitingWays> waiting_;           // by slot
    alignas(cache_line_padding) std::atomic<std::size_t> waiting_limit_{0};  // bytes, of a slot
    std::atomic<std::size_t> copies_limit_{0};
};

}  // namespace arcwise
