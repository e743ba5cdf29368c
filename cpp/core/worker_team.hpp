// Threads that do one batch of numbered tasks after another.
//
// To start a thread and to join it takes about a tenth of a millisecond here, with the memory for its stack;
// to wake one that waits takes a few microseconds. Work that goes back and forth between steps with threads
// and steps without them (sums over all DAGs of 20 variables: 150 such steps in a quarter of a second)
// therefore keeps a team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "cache_line.hpp"

namespace arcwise {

// Looks for some ten microseconds whether a number has changed, and then sleeps until it has, of which it is
// notified.
void await_change(const std::atomic<std::uint32_t>& number, std::uint32_t from);

class WorkerTeam {
  public:
    // The calling thread is one of them. Threads are help, not a need: where the system gives no more of them
    // (too many, or no address space for their stacks), the others do the work.
    explicit WorkerTeam(std::size_t threads);
    WorkerTeam(const WorkerTeam&) = delete;
    WorkerTeam& operator=(const WorkerTeam&) = delete;
    ~WorkerTeam();

    // How many there are.
    std::size_t size() const { return others_.size() + 1; }

    // Calls body(worker, task) for task = 0 .. tasks - 1, worker < size(). Which thread runs a task is left
    // open, so tasks write only what is theirs. The calling thread works too and calls poll(started tasks)
    // before each of its tasks: true stops everything after the tasks under way. An exception in a task stops
    // everything and is thrown again here. Returns true if all tasks were done. One call at a time. At most
    // at most `most` of the team work, worker < most, if that is given.
    template <class Body, class Poll>
    bool run(std::size_t tasks, Body body, Poll poll, std::size_t most = ~std::size_t{0}) {
        return run_beside([] { return true; }, tasks, body, poll, tasks > 1 ? most : 1);
    }

    // The same, but that the calling thread first does something else, beside which the others begin with the
    // tasks; if it returns false, everything is stopped.
    template <class Else, class Body, class Poll>
    bool run_beside(Else first, std::size_t tasks, Body body, Poll poll, std::size_t most) {
        Batch<Body, Poll> batch{body, poll, tasks, most};
        const auto work = [](void* data, std::size_t worker) {
            const auto nothing = [] { return true; };
            static_cast<Batch<Body, Poll>*>(data)->work(worker, nothing);
        };
        const bool shared = tasks > 0 && most > 1 && !others_.empty();
        if (shared) begin(work, &batch);
        batch.work(0, first);
        if (shared) wait();
        if (batch.failure) std::rethrow_exception(batch.failure);
        return !batch.stop;
    }

  private:
    template <class Body, class Poll>
    struct Batch {
        Body& body;
        Poll& poll;
        std::size_t tasks, most;
        alignas(cache_line_padding) std::atomic<std::size_t> next{0};
        std::atomic<bool> stop{false};
        std::exception_ptr failure{};
        std::mutex guard{};

        template <class Else>
        void work(std::size_t worker, Else& first) {
            if (worker >= most) return;
            try {
                if (!first()) stop = true;
                while (!stop.load(std::memory_order_relaxed)) {
                    if (worker == 0 && poll(next.load(std::memory_order_relaxed))) stop = true;
                    if (stop.load(std::memory_order_relaxed)) return;
                    const auto task = next.fetch_add(1, std::memory_order_relaxed);
                    if (task >= tasks) return;
                    body(worker, task);
                }
            } catch (...) {
                const std::lock_guard lock(guard);
                if (!failure) failure = std::current_exception();
                stop = true;
            }
        }
    };

    using Work = void (*)(void*, std::size_t);

    void begin(Work work, void* batch);
    void wait();
    void serve(std::size_t worker);

    std::vector<std::thread> others_;
    Work work_ = nullptr;
    void* batch_ = nullptr;
    alignas(cache_line_padding) std::atomic<std::uint32_t> rounds_{0};
    alignas(cache_line_padding) std::atomic<std::uint32_t> busy_{0};
};

}  // namespace arcwise
