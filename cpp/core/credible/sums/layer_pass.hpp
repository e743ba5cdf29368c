// A pass over the states of a layer, by several threads, as if by one.
//
// What is found for a state depends on layers that are there already; what becomes of it (the next layer,
// sums of floating-point numbers, layers that give way) depends on the order of the states. So any thread
// produces results, and the calling thread consumes them in the order of the states (ordered_pipeline.hpp).
// Consuming includes to ask the store for all that one thread would ask it for, so sums, the layers that are
// made again, the peak and where a limit of memory ends the work do not depend on threads.
//
// Results, and what helpers work with, take memory that one thread would not. They have a part of what the
// store has left and never count for it. Where they have no room, the calling thread produces and consumes
// state by state, in the memory that it has asked for.
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
#include "credible/sums/loss_store.hpp"
#include "monitor.hpp"
#include "ordered_pipeline.hpp"

namespace arcwise {

// The results of one chunk of states, in memory that is used again.
class alignas(cache_line_padding) ResultPage {
  public:
    // Forgets what was kept; gives back memory beyond the limit, which holds from now on.
    void clear(std::size_t limit) {
        if (held_ > limit) {
            blocks_.clear();
            held_ = 0;
        }
        limit_ = limit;
        block_ = used_ = 0;
    }
    // Whether there is room for this many bytes.
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
    std::size_t block_ = 0, used_ = 0;  // where the next result goes
};

class LayerPass {
  public:
    LayerPass(std::size_t threads, const LossStore& store, Ticker& ticker)
        : pipeline_(threads), store_(store), ticker_(ticker), pages_(pipeline_.slots()) {}

    std::size_t workers() const { return pipeline_.workers(); }

    // To be told of every step; true if the work must stop. For the calling thread.
    bool worked(std::size_t steps) {
        work_ += steps + 1;
        done_ += steps;
        if (work_ < work_per_poll) return false;
        work_ = 0;
        return stop();
    }

    // A job says what is done for each state:
    //   - Result: what is found for it, at first in the memory of the worker that found it; keep_in(page)
    //     moves it to where it stays;
    //   - measure(worker, state, result): how much there is to be done;
    //   - scratch_bytes(result), result_bytes(result): what `produce` will take, at most, of the worker's
    //     memory, and of a page;
    //   - produce(worker, state, result), after `measure`;
    //   - reserve(result): whether the store has what one thread takes to produce this; consume(state,
    //     result): false if the work must stop. Both are called by the calling thread, in the order of the
    //     states;
    //   - shrink(worker, bytes): gives back the worker's memory if that is more than so many bytes, above
    //     what the store was asked for.
    // `work` are its steps, about: threads are woken for many. Returns false if the work must stop.
    template <class Job>
    bool run(Job& job, std::size_t states, std::size_t work) {
        if (workers() < 2 || work < fewest_steps) return run_alone(job, 0, states);
        set_limits();
        struct alignas(cache_line_padding) Chunk {
            std::array<typename Job::Result, most_per_chunk> results;
        };
        std::vector<Chunk> chunks(pages_.size());
        const auto produce = [&](std::size_t worker, std::size_t slot, std::size_t begin, std::size_t end) {
            ResultPage& page = pages_[slot];
            page.clear(page_limit_.load(std::memory_order_relaxed));
            const std::size_t scratch = scratch_limit_.load(std::memory_order_relaxed);
            job.shrink(worker, scratch);
            std::size_t s = begin;
            for (; s < end; ++s) {
                auto& result = chunks[slot].results[s - begin] = {};
                job.measure(worker, s, result);
                if (job.scratch_bytes(result) > scratch || !page.has_room(job.result_bytes(result))) break;
                job.produce(worker, s, result);
                if (!result.keep_in(page)) break;
            }
            return s - begin;
        };
        const auto consume = [&](std::size_t slot, std::size_t begin, std::size_t produced, std::size_t end) {
            for (std::size_t s = begin; s < produced; ++s) {
                const auto& result = chunks[slot].results[s - begin];
                if (!job.reserve(result) || !job.consume(s, result)) return false;
            }
            if (!run_alone(job, produced, end)) return false;
            set_limits();
            return true;
        };
        return pipeline_.run(states, most_per_chunk, workers(), produce, consume, [&] { return stop(); });
    }

    // Calls body(worker, begin, end) for parts of 0 .. count, in any order: each writes only what is its own.
    // `work` are the steps, about. False if the work must stop.
    template <class Body>
    bool split(std::size_t count, std::size_t work, Body body) {
        const std::size_t pieces = std::max(workers() * 16, work / most_per_piece);
        const std::size_t part = std::max<std::size_t>(1, count / pieces);
        const auto work_on = [&](std::size_t worker, std::size_t i) {
            body(worker, i * part, std::min(count, (i + 1) * part));
        };
        done_ += work;
        return pipeline_.team().run((count + part - 1) / part, work_on, [&](std::size_t) { return stop(); },
                                    work < fewest_steps ? 1 : workers());
    }

  private:
    bool stop() { return ticker_.poll_now({done_, 0}); }
    void set_limits() {
        const std::size_t part = store_.room() / part_of_room / 2;
        page_limit_.store(
            std::min(part, most_produced) / pages_.size() / cache_line_padding * cache_line_padding,
            std::memory_order_relaxed);
        scratch_limit_.store(part / workers(), std::memory_order_relaxed);
    }

    template <class Job>
    bool run_alone(Job& job, std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            typename Job::Result result;
            job.measure(0, s, result);
            if (!job.reserve(result)) return false;
            job.produce(0, s, result);
            if (!job.consume(s, result)) return false;
        }
        return true;
    }

    static constexpr std::size_t most_per_chunk = 32;  // states
    // Some tenths of a millisecond.
    static constexpr std::size_t work_per_poll = std::size_t{1} << 15;
    static constexpr std::size_t fewest_steps = std::size_t{1} << 12;
    static constexpr std::size_t most_per_piece = std::size_t{1} << 15;
    static constexpr std::size_t part_of_room = 8;  // half of it for results, half for what workers need
    static constexpr std::size_t most_produced = std::size_t{1} << 25;

    OrderedPipeline pipeline_;
    const LossStore& store_;
    Ticker& ticker_;
    std::vector<ResultPage> pages_;                                       // by slot
    alignas(cache_line_padding) std::atomic<std::size_t> page_limit_{0};  // bytes
    std::atomic<std::size_t> scratch_limit_{0};
    alignas(cache_line_padding) std::size_t work_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace arcwise
