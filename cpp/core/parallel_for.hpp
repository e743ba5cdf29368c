// Runs numbered tasks on a few threads. Which thread runs a task is left open, so tasks write only what is
// theirs.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace arcwise {

// Calls body(worker, task) for task = 0 .. tasks - 1, worker < threads. The calling thread works too and
// calls poll(started tasks) before each of its tasks: true stops everything after the tasks under way. An
// exception in a task stops everything and is thrown again here. Returns true if all tasks were done.
template <class Body, class Poll>
bool parallel_for(std::size_t threads, std::size_t tasks, Body body, Poll poll) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex guard;
    const auto work = [&](std::size_t worker) {
        try {
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
    };
    std::vector<std::thread> others;
    for (std::size_t worker = 1; worker < threads && worker < tasks; ++worker)
        others.emplace_back(work, worker);
    work(0);
    for (auto& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
    return !stop;
}

}  // namespace arcwise
