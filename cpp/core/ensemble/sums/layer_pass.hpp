// A pass over the states of a layer, by several threads, as if by one.
//
// What is found for a state depends on layers that are there already; what becomes of it (the next layer,
// sums of floating-point numbers, layers that give way) depends on the order of the states. So any thread
// finds and notes, chunk by chunk, and the calling thread takes what was noted, in the order of the states,
// while the others note what follows; where the next chunk is nobody's yet, it does that one itself. It never
// waits for a thread that has not begun. Taking includes to ask the store for all that one thread would ask
// it for, so sums, the layers that are made again, the peak and where a limit of memory ends the work do not
// depend on threads.
//
// Notes, and what helpers work with, take memory that one thread would not. They have a part of what the
// store has left and never count for it. Where they have no room, the calling thread finds and takes state by
// state, in the memory that it has asked for.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "cache_line.hpp"
#include "ensemble/sums/loss_store.hpp"
#include "monitor.hpp"
#include "worker_team.hpp"

namespace arcwise {

// The notes of one chunk of states, in memory that is used again.
class alignas(lines_apart) NotePage {
  public:
    // Forgets what was noted; gives back memory beyond the limit, which holds from now on.
    void clear(std::size_t limit) {
        if (held_ > limit) {
            blocks_.clear();
            held_ = 0;
        }
        limit_ = limit;
        block_ = used_ = 0;
    }
    // Whether there is room for so many bytes.
    bool has_room(std::size_t bytes) const {
        return bytes + slack <= (block_ < blocks_.size() ? blocks_[block_].size() - used_ : 0) ||
               bytes + slack <= limit_ - held_;
    }
    // Copies the items, and lets `items` be the copy; false if there is no room.
    template <class T>
    bool keep(std::span<const T>& items) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= sizeof(Unit));
        if (items.empty()) return true;
        const std::size_t bytes = (items.size_bytes() + sizeof(Unit) - 1) / sizeof(Unit) * sizeof(Unit);
        while (block_ < blocks_.size() && bytes > blocks_[block_].size() - used_) {
            ++block_;
            used_ = 0;
        }
        if (block_ == blocks_.size() && !grow(bytes)) return false;
        std::byte* const at = blocks_[block_].data() + used_;
        std::memcpy(at, items.data(), items.size_bytes());
        items = {reinterpret_cast<const T*>(at), items.size()};
        used_ += bytes;
        return true;
    }

  private:
    struct alignas(16) Unit {
        std::byte bytes[16];
    };
    class Block {
      public:
        explicit Block(std::size_t bytes) : units_(new Unit[bytes / sizeof(Unit)]), size_(bytes) {}
        std::byte* data() const { return units_[0].bytes; }
        std::size_t size() const { return size_; }

      private:
        std::unique_ptr<Unit[]> units_;
        std::size_t size_;
    };
    bool grow(std::size_t bytes) {
        if (bytes > limit_ - held_) return false;
        const std::size_t wanted = std::max({bytes, held_, smallest_block});
        const std::size_t block = std::min(wanted, limit_ - held_) / sizeof(Unit) * sizeof(Unit);
        if (block < bytes) return false;
        blocks_.emplace_back(block);
        held_ += block;
        return true;
    }

    static constexpr std::size_t smallest_block = std::size_t{1} << 12;
    static constexpr std::size_t slack = 4 * sizeof(Unit);  // of spans that end within a unit
    std::vector<Block> blocks_;
    std::size_t held_ = 0, limit_ = 0;  // bytes
    std::size_t block_ = 0, used_ = 0;  // where the next note goes
};

class LayerPass {
  public:
    LayerPass(std::size_t threads, const LossStore& store, Ticker& ticker)
        : team_(threads),
          store_(store),
          ticker_(ticker),
          pages_(team_.size() < 2 ? 0 : team_.size() * chunks_per_worker) {}

    std::size_t workers() const { return team_.size(); }

    // To be told of every step; true if the work must stop. For the calling thread.
    bool worked(std::size_t steps) {
        work_ += steps + 1;
        done_ += steps;
        if (work_ < work_per_poll) return false;
        work_ = 0;
        return stop();
    }

    // A job says what is done for each state:
    //   - Note: what is found for it, at first in the memory of the worker that found it; keep_in(page)
    //     moves it to where it stays;
    //   - look(worker, state, note): how much there is to be done;
    //   - scratch_bytes(note), note_bytes(note): what `find` will take, at most, of the worker's memory, and
    //     of a page;
    //   - find(worker, state, note), after `look`;
    //   - admit(note): whether the store has what one thread takes to find this; take(state, note): false if
    //     the work must stop. Both are called by the calling thread, in the order of the states;
    //   - shrink(worker, bytes): gives back the worker's memory if that is more than so many bytes, above
    //     what the store was asked for.
    // `work` are its steps, about: threads are woken for many. Returns false if the work must stop.
    template <class Job>
    bool run(Job& job, std::size_t states, std::size_t work) {
        if (team_.size() < 2 || work < fewest_steps) return run_alone(job, 0, states);
        set_limits();
        Relay<Job> relay(*this, job, states);
        return team_.run_beside([&] { return relay.lead(); }, team_.size() - 1,
                                [&](std::size_t worker, std::size_t) { relay.help(worker); },
                                [](std::size_t) { return false; }, team_.size());
    }

    // Calls body(worker, begin, end) for parts of 0 .. count, in any order: each writes only what is its own.
    // `work` are the steps, about. False if the work must stop.
    template <class Body>
    bool split(std::size_t count, std::size_t work, Body body) {
        const std::size_t pieces = std::max(team_.size() * 16, work / most_per_piece);
        const std::size_t part = std::max<std::size_t>(1, count / pieces);
        const auto work_on = [&](std::size_t worker, std::size_t i) {
            body(worker, i * part, std::min(count, (i + 1) * part));
        };
        done_ += work;
        return team_.run((count + part - 1) / part, work_on, [&](std::size_t) { return stop(); },
                         work < fewest_steps ? 1 : team_.size());
    }

  private:
    static constexpr std::size_t most_per_chunk = 32;  // states

    // Chunks are noted at most so far ahead as there are pages.
    template <class Job>
    class Relay {
        static constexpr std::size_t nobody = ~std::size_t{0};
        struct alignas(lines_apart) Chunk {
            std::array<typename Job::Note, most_per_chunk> notes;
            std::size_t noted = 0;               // states, from its first one on
            std::atomic<std::uint32_t> ends{0};  // how often it was noted, by whomever
        };

      public:
        Relay(LayerPass& pass, Job& job, std::size_t states)
            : pass_(pass),
              job_(job),
              states_(states),
              chunk_(std::clamp<std::size_t>(states / (4 * pass.pages_.size()), 1, most_per_chunk)),
              count_((states + chunk_ - 1) / chunk_),
              chunks_(std::min(pass.pages_.size(), count_)) {}

        // What the calling thread does.
        bool lead() {
            const Ending ending{*this};
            for (std::size_t c = 0; c < count_;) {
                Chunk& next = chunk(c);
                const auto round = static_cast<std::uint32_t>(c / chunks_.size());
                if (next.ends.load(std::memory_order_acquire) == round) {
                    const std::size_t own = claim();
                    if (own != c) {
                        if (own != nobody)
                            note(0, own);
                        else
                            await_change(next.ends, round);
                        if (pass_.stop()) return false;
                        continue;
                    }
                    next.noted = 0;
                    next.ends.store(round + 1, std::memory_order_relaxed);
                }
                if (failed_.load(std::memory_order_relaxed) || !take(c, next)) return false;
                taken_.store(static_cast<std::uint32_t>(++c), std::memory_order_release);
                taken_.notify_all();
                pass_.set_limits();
            }
            return true;
        }
        // What the others do.
        void help(std::size_t worker) {
            for (;;) {
                const auto taken = taken_.load(std::memory_order_acquire);
                const std::size_t c = claim();
                if (c != nobody)
                    note(worker, c);
                else if (next_.load(std::memory_order_relaxed) >= count_)
                    return;
                else
                    await_change(taken_, taken);
            }
        }

      private:
        // However the calling thread ends, the others do, too.
        struct Ending {
            Relay& relay;
            ~Ending() {
                relay.next_.store(relay.count_, std::memory_order_relaxed);
                relay.taken_.store(~std::uint32_t{0}, std::memory_order_release);
                relay.taken_.notify_all();
            }
        };

        Chunk& chunk(std::size_t c) { return chunks_[c % chunks_.size()]; }
        // The next chunk that nobody has, if there is a page for it.
        std::size_t claim() {
            std::size_t c = next_.load(std::memory_order_relaxed);
            do
                if (c >= count_ || c >= taken_.load(std::memory_order_acquire) + chunks_.size())
                    return nobody;
            while (!next_.compare_exchange_weak(c, c + 1, std::memory_order_relaxed));
            return c;
        }
        void note(std::size_t worker, std::size_t c) {
            Chunk& own = chunk(c);
            const auto end = [&] {
                own.ends.fetch_add(1, std::memory_order_release);
                own.ends.notify_one();
            };
            try {
                NotePage& page = pass_.pages_[c % chunks_.size()];
                page.clear(pass_.page_limit_.load(std::memory_order_relaxed));
                const std::size_t scratch = pass_.scratch_limit_.load(std::memory_order_relaxed);
                job_.shrink(worker, scratch);
                const std::size_t first = c * chunk_, last = std::min(states_, first + chunk_);
                own.noted = 0;
                for (std::size_t s = first; s < last; ++s, ++own.noted) {
                    auto& note = own.notes[s - first] = {};
                    job_.look(worker, s, note);
                    if (job_.scratch_bytes(note) > scratch || !page.has_room(job_.note_bytes(note))) break;
                    job_.find(worker, s, note);
                    if (!note.keep_in(page)) break;
                }
            } catch (...) {
                failed_.store(true, std::memory_order_relaxed);
                end();
                throw;
            }
            end();
        }
        // What is not noted is found now.
        bool take(std::size_t c, const Chunk& noted) {
            const std::size_t first = c * chunk_;
            for (std::size_t i = 0; i < noted.noted; ++i)
                if (!job_.admit(noted.notes[i]) || !job_.take(first + i, noted.notes[i])) return false;
            return pass_.run_alone(job_, first + noted.noted, std::min(states_, first + chunk_));
        }

        LayerPass& pass_;
        Job& job_;
        std::size_t states_, chunk_, count_;
        std::vector<Chunk> chunks_;
        alignas(lines_apart) std::atomic<std::size_t> next_{0};
        alignas(lines_apart) std::atomic<std::uint32_t> taken_{0};
        std::atomic<bool> failed_{false};
    };

    bool stop() { return ticker_.poll_now({done_, 0}); }
    void set_limits() {
        const std::size_t part = store_.room() / part_of_room / 2;
        page_limit_.store(std::min(part, most_noted) / pages_.size() / lines_apart * lines_apart,
                          std::memory_order_relaxed);
        scratch_limit_.store(part / team_.size(), std::memory_order_relaxed);
    }

    template <class Job>
    bool run_alone(Job& job, std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            typename Job::Note note;
            job.look(0, s, note);
            if (!job.admit(note)) return false;
            job.find(0, s, note);
            if (!job.take(s, note)) return false;
        }
        return true;
    }

    // Some tenths of a millisecond.
    static constexpr std::size_t work_per_poll = std::size_t{1} << 15;
    static constexpr std::size_t fewest_steps = std::size_t{1} << 12;
    static constexpr std::size_t most_per_piece = std::size_t{1} << 15;
    static constexpr std::size_t chunks_per_worker = 8;
    static constexpr std::size_t part_of_room = 8;  // half of it for notes, half for what workers need
    static constexpr std::size_t most_noted = std::size_t{1} << 25;

    WorkerTeam team_;
    const LossStore& store_;
    Ticker& ticker_;
    std::vector<NotePage> pages_;
    alignas(lines_apart) std::atomic<std::size_t> page_limit_{0};  // bytes
    std::atomic<std::size_t> scratch_limit_{0};
    alignas(lines_apart) std::size_t work_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace arcwise
