// Runs numbered tasks on a few threads. Which thread runs a task is left open, so tasks write only what is
// theirs.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "system_memory.hpp"

namespace arcwise {

inline bool has_room_for_a_thread() {
    constexpr std::size_t stack_and_state = std::size_t{16} << 20;
    // Asked of the system: what the allocator has kept from earlier is no room for a stack.
    void* probe = take_pages(stack_and_state, Pages::reserved);
    if (probe == nullptr) return false;
    give_back_pages(probe, stack_and_state);
    return true;
}

// Calls body(worker, task) for task = 0 .. tasks - 1, worker < threads. The calling thread works too and
// calls poll(started tasks) before each of its tasks: true stops everything after the tasks under way. An
// exception in a task stops everything and is thrown again here. Returns true if all tasks were done.
//
// Threads are help, not a need: where the system gives no more of them (too many, or no address space for
// their stacks), the others do the work. Nothing between the start of a thread and its join may throw, for a
// thread that is destroyed before it is joined ends the process; so the list of them is reserved first. Nor
// may a thread find no memory for its thread-local data, on which the C library ends the process, too:
// exceptions have such data, and those of memory come when there is none left. So a thread is started only if
// there is room for it, and its first act is to use them.
template <class Body, class Poll>
bool parallel_for(std::size_t threads, std::size_t tasks, Body body, Poll poll) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex guard;
    const auto work = [&](std::size_t worker) {
        static_cast<void>(std::uncaught_exceptions());
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
    others.reserve(threads < tasks ? threads : tasks);
    try {
        for (std::size_t worker = 1; worker < threads && worker < tasks; ++worker)
            if (has_room_for_a_thread()) others.emplace_back(work, worker);
    } catch (const std::system_error&) {  // the system gives no more threads
    } catch (const std::bad_alloc&) {     // nor memory for their state
    }
    work(0);
    for (auto& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
    return !stop;
}

}  // namespace arcwise
