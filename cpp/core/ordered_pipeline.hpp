// Work that several threads produce and one consumes, in order.
//
// Items are produced chunk by chunk, by any thread, and the calling thread consumes the chunks in the order
// of their items while the others produce what follows; where no thread has begun the next chunk, it does
// that one itself. It never waits for a thread that has not begun. So what depends on the order is the same
// for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cache_line.hpp"
#include "worker_team.hpp"

namespace arcwise {

class OrderedPipeline {
  public:
    explicit OrderedPipeline(std::size_t threads) : team_(threads) {}

    WorkerTeam& team() { return team_; }
    std::size_t workers() const { return team_.size(); }
    // Chunks are produced at most so far ahead; 0 if there is only one thread.
    std::size_t slots() const { return workers() < 2 ? 0 : workers() * slots_per_worker; }

    // Splits the items into chunks and calls
    //   - produce(worker, slot, begin, end), worker < `workers`: how many of a chunk's items, from the first
    //     one on, are in the slot now;
    //   - consume(slot, begin, produced, end) in the order of the items, of which those from `produced` on
    //     are not in the slot; false if the work must stop;
    //   - stop(): whether the work must stop.
    // The last two are called by the calling thread. Returns false if the work must stop.
    template <class Produce, class Consume, class Stop>
    bool run(std::size_t items, std::size_t most_per_chunk, std::size_t workers, Produce produce,
             Consume consume, Stop stop) {
        Run<Produce, Consume, Stop> run(items, most_per_chunk, workers * slots_per_worker, produce, consume,
                                        stop);
        return team_.run_beside([&] { return run.consume_all(); }, workers - 1,
                                [&](std::size_t worker, std::size_t) { run.produce_all(worker); },
                                [](std::size_t) { return false; }, workers);
    }

  private:
    static constexpr std::size_t slots_per_worker = 8;

    template <class Produce, class Consume, class Stop>
    class Run {
      public:
        Run(std::size_t items, std::size_t most_per_chunk, std::size_t slots, Produce& produce,
            Consume& consume, Stop& stop)
            : produce_(produce),
              consume_(consume),
              stop_(stop),
              items_(items),
              chunk_items_(std::clamp<std::size_t>(items / (4 * slots), 1, most_per_chunk)),
              chunks_((items + chunk_items_ - 1) / chunk_items_),
              slots_(std::min(slots, chunks_)) {}

        // What the calling thread does.
        bool consume_all() {
            const Ending ending{*this};
            for (std::size_t c = 0; c < chunks_;) {
                Slot& slot = slots_[c % slots_.size()];
                const auto round = static_cast<std::uint32_t>(c / slots_.size());
                if (slot.rounds.load(std::memory_order_acquire) == round) {
                    const std::size_t own = claim();
                    if (own != c) {
                        if (own != none)
                            produce(0, own);
                        else
                            await_change(slot.rounds, round);
                        if (stop_()) return false;
                        continue;
                    }
                    slot.produced = 0;
                    slot.rounds.store(round + 1, std::memory_order_relaxed);
                }
                const std::size_t begin = c * chunk_items_;
                if (failed_.load(std::memory_order_relaxed) ||
                    !consume_(c % slots_.size(), begin, begin + slot.produced, end_of(c)))
                    return false;
                consumed_.store(static_cast<std::uint32_t>(++c), std::memory_order_release);
                consumed_.notify_all();
            }
            return true;
        }
        // What the others do.
        void produce_all(std::size_t worker) {
            for (;;) {
                const auto consumed = consumed_.load(std::memory_order_acquire);
                const std::size_t c = claim();
                if (c != none)
                    produce(worker, c);
                else if (next_.load(std::memory_order_relaxed) >= chunks_)
                    return;
                else
                    await_change(consumed_, consumed);
            }
        }

      private:
        static constexpr std::size_t none = ~std::size_t{0};
        struct alignas(cache_line_padding) Slot {
            std::size_t produced = 0;              // items, from the first of its chunk on
            std::atomic<std::uint32_t> rounds{0};  // how many chunks it has had
        };
        // However the calling thread ends, the others do, too.
        struct Ending {
            Run& run;
            ~Ending() {
                run.next_.store(run.chunks_, std::memory_order_relaxed);
                run.consumed_.store(~std::uint32_t{0}, std::memory_order_release);
                run.consumed_.notify_all();
            }
        };

        std::size_t end_of(std::size_t c) const { return std::min(items_, (c + 1) * chunk_items_); }
        // The next chunk that no thread has taken, if there is a slot for it.
        std::size_t claim() {
            std::size_t c = next_.load(std::memory_order_relaxed);
            do
                if (c >= chunks_ || c >= consumed_.load(std::memory_order_acquire) + slots_.size())
                    return none;
            while (!next_.compare_exchange_weak(c, c + 1, std::memory_order_relaxed));
            return c;
        }
        void produce(std::size_t worker, std::size_t c) {
            Slot& slot = slots_[c % slots_.size()];
            const auto end = [&] {
                slot.rounds.fetch_add(1, std::memory_order_release);
                slot.rounds.notify_one();
            };
            try {
                slot.produced = produce_(worker, c % slots_.size(), c * chunk_items_, end_of(c));
            } catch (...) {
                failed_.store(true, std::memory_order_relaxed);
                end();
                throw;
            }
            end();
        }

        Produce& produce_;
        Consume& consume_;
        Stop& stop_;
        std::size_t items_, chunk_items_, chunks_;
        std::vector<Slot> slots_;
        alignas(cache_line_padding) std::atomic<std::size_t> next_{0};
        alignas(cache_line_padding) std::atomic<std::uint32_t> consumed_{0};
        std::atomic<bool> failed_{false};
    };

    WorkerTeam team_;
};

}  // namespace arcwise
