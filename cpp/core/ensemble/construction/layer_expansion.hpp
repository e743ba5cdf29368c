// The states of a layer, expanded by several threads.
//
// What leads on from a state depends on that state alone, and finding it is most of the work; which of the
// new states are the same depends on the order in which they come. So threads only note the ways, each with a
// problem of its own, and the builder takes them afterwards state by state, in the order in which one thread
// would have found them: the diagram, what was looked at and where a limit of states or memory ends it are
// the same for any number of threads. While the builder takes the ways of some states, the other threads note
// those of the next: of states that are cheap to expand (frontiers), taking the ways is two fifths of the
// work.
//
// Notes and problems take memory that one thread would not. They have a part of what the diagram has left of
// its limit, and never count for it, or threads would change where it ends: a state whose ways do not fit is
// expanded again, with those after it, and the last ones by one thread alone. A part, as the ways become
// states of the next layer, in about three times the memory of their notes, while these are still held.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "cache_line.hpp"
#include "monitor.hpp"
#include "worker_team.hpp"

namespace arcwise {

// A problem (layer_builder.hpp) whose ways hold as long as the layer does says `keeps_ways`.
template <class Problem>
class LayerExpansion {
  public:
    using State = typename Problem::State;

    // `problem` has started.
    LayerExpansion(Problem& problem, std::size_t threads)
        : own_(problem),
          team_(threads),
          copy_bytes_(threads < 2 ? 0 : std::max<std::size_t>(1, problem.copy_bytes())) {}

    // The states differ from layer to layer in how much there is to note of them.
    void begin_layer() {
        of_state_ = 0;
        notes_.ready = later_.ready = 0;
    }

    // How many of the states at hand, which are `left`, at most `most`, to expand together while the diagram
    // may take `room` bytes more; 0 if threads do not pay or have no room.
    std::size_t block(std::size_t left, std::uint64_t most, std::size_t state_bytes, std::size_t room) {
        if (team_.size() < 2) return 0;
        const std::size_t part = room / part_of_room;
        helpers_ = std::min(team_.size() - 1, part / copy_bytes_);
        // What is noted already and not yet taken, and what will be noted, share the part.
        if (notes_.ready == 0 && notes_.held > later_.held) std::swap(notes_, later_);
        const std::size_t both = std::min(part, most_noted);
        allowed_ = both - std::min(both, notes_.held);
        while (copies_.size() > helpers_) copies_.pop_back();
        if (later_.held > allowed_) later_ = {};
        std::size_t states = std::min(left, (helpers_ + 1) * most_per_thread);
        if (most < states) states = static_cast<std::size_t>(most);
        const std::size_t of_state = std::max({of_state_, state_bytes, std::size_t{1}});
        states = std::min({states, allowed_ / of_state, std::max(fewest, both / 2 / of_state)});
        if (states >= fewest && helpers_ > 0) return states;
        return 0;
    }

    // Notes the ways of as many of the states as there is room for, for later, while `taking()` takes those
    // that are noted already; false if it says so, or the ticker says to stop.
    template <class Taking>
    bool run(std::span<const State> states, std::size_t depth, std::uint64_t explored, Ticker& ticker,
             Taking taking) {
        while (copies_.size() < helpers_) copies_.push_back({own_});
        const std::size_t chunks = (states.size() + chunk_states - 1) / chunk_states;
        if (later_.chunks.size() < chunks) later_.chunks.resize(chunks);
        for (auto& chunk : later_.chunks) chunk.clear();
        Room room(allowed_ - std::min(allowed_, later_.held));
        const bool finished = team_.run_beside(
            taking, chunks,
            [&](std::size_t worker, std::size_t chunk) {
                const auto first = chunk * chunk_states;
                const auto own = states.subspan(first, std::min(chunk_states, states.size() - first));
                later_.chunks[chunk].fill(worker == 0 ? own_ : copies_[worker - 1].problem, own, depth, room);
            },
            [&](std::size_t) { return ticker.poll_now({explored, 0}); }, helpers_ + 1);
        later_.ready = 0;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            later_.ready += later_.chunks[chunk].states();
            if (later_.chunks[chunk].states() < chunk_states) break;
        }
        later_.held = 0;
        for (const auto& chunk : later_.chunks) later_.held += chunk.held();
        if (later_.ready > 0) of_state_ = later_.held / later_.ready + 1;
        std::swap(notes_, later_);
        later_.ready = 0;  // they are taken
        return finished;
    }

    // How many of the states of the last run are noted, from its first one on.
    std::size_t ready() const { return notes_.ready; }

    // Calls arrive(key, way, row) for every way on from one of these states.
    template <class Arrive>
    void for_each(std::size_t state, Arrive&& arrive) const {
        notes_.chunks[state / chunk_states].for_each(state % chunk_states, arrive);
    }

  private:
    // What all threads together may note.
    class Room {
      public:
        explicit Room(std::size_t bytes) : left_(bytes) {}
        // False if there is no room for so many bytes more, nor for anything after them.
        bool take(std::size_t bytes) {
            if (is_full()) return false;
            std::size_t left = left_.load(std::memory_order_relaxed);
            while (bytes <= left)
                if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
            full_.store(true, std::memory_order_relaxed);
            return false;
        }
        bool is_full() const { return full_.load(std::memory_order_relaxed); }

      private:
        std::atomic<std::size_t> left_;
        std::atomic<bool> full_{false};
    };

    // Of a thread that works beside others.
    struct alignas(lines_apart) Copy {
        Problem problem;
    };

    class alignas(lines_apart) Noted {
      public:
        // How many states are noted whole.
        std::size_t states() const { return ends_.size(); }
        // What it holds, also of earlier states, whose memory is used again.
        std::size_t held() const { return held_; }
        void clear() {
            used_ = 0;
            ways_.clear();
            rows_.clear();
            ends_.clear();
        }
        void fill(Problem& problem, std::span<const State> states, std::size_t depth, Room& room) {
            for (const auto& state : states) {
                if (room.is_full()) return;
                bool fits = true;
                problem.expand(state, depth, [&](const auto& key, const auto& way, std::size_t row) {
                    fits = fits && make_room(problem.key_bytes(key), room);
                    if (!fits) return;
                    if (used_ < keys_.size())
                        keys_[used_] = key;  // in the memory of an earlier one
                    else
                        keys_.push_back(key);
                    ++used_;
                    ways_.push_back(way);
                    rows_.push_back(row);
                });
                if (!fits) return;
                ends_.push_back(used_);
            }
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
        bool make_room(std::size_t key_bytes, Room& room) {
            const bool is_new = used_ == key_bytes_.size();
            const std::size_t had = is_new ? 0 : key_bytes_[used_];
            const std::size_t more = (key_bytes > had ? key_bytes - had : 0) + (is_new ? of_way : 0);
            if (more > 0 && !room.take(more)) return false;
            held_ += more;
            if (is_new)
                key_bytes_.push_back(key_bytes);
            else
                key_bytes_[used_] = std::max(had, key_bytes);
            return true;
        }

        std::size_t used_ = 0, held_ = 0;
        std::vector<typename Problem::Key> keys_;
        std::vector<std::size_t> key_bytes_;  // per key: of the longest that was there
        std::vector<typename Problem::Way> ways_;
        std::vector<std::size_t> rows_;
        std::vector<std::size_t> ends_;  // per state
    };

    // Of the states of one run.
    struct Notes {
        std::vector<Noted> chunks;
        std::size_t ready = 0;  // states, from the first on, that are noted whole
        std::size_t held = 0;   // bytes
    };

    static constexpr std::size_t chunk_states = 8;
    static constexpr std::size_t most_per_thread = 256;
    static constexpr std::size_t fewest = 64;       // states that take longer than to wake a thread
    static constexpr std::size_t part_of_room = 8;  // one part for problems, one for notes
    static constexpr std::size_t most_noted = std::size_t{1} << 25;

    Problem& own_;
    WorkerTeam team_;
    std::size_t copy_bytes_;
    std::size_t helpers_ = 0;   // threads besides this one
    std::size_t allowed_ = 0;   // bytes that the notes of one run may hold
    std::size_t of_state_ = 0;  // bytes that a state of this layer took
    std::vector<Copy> copies_;
    Notes notes_, later_;
};

}  // namespace arcwise
