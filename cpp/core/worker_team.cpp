#include "worker_team.hpp"

#include <new>
#include <system_error>

#include "system_memory.hpp"

namespace arcwise {

namespace {

bool has_room_for_a_thread() {
    constexpr std::size_t stack_and_state = std::size_t{16} << 20;
    // Asked of the system: what the allocator has kept from earlier is no room for a stack.
    void* probe = take_pages(stack_and_state, Pages::reserved);
    if (probe == nullptr) return false;
    give_back_pages(probe, stack_and_state);
    return true;
}

}  // namespace

void await_change(const std::atomic<std::uint32_t>& number, std::uint32_t from) {
    constexpr int looks = 2000;
    for (int look = 0; look < looks; ++look) {
        if (number.load(std::memory_order_acquire) != from) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    number.wait(from, std::memory_order_acquire);
}

// Nothing between the start of a thread and its join may throw, for a thread that is destroyed before it is
// joined ends the process. (The list of them finds its memory before a thread is started.) Nor may a thread
// find no memory for its thread-local data, on which the C library ends the process, too: exceptions have
// such data, and those of memory come when there is none left. So a thread is started only if there is room
// for it, and its first act is to use them.
WorkerTeam::WorkerTeam(std::size_t threads) {
    try {
        for (std::size_t worker = 1; worker < threads; ++worker)
            if (has_room_for_a_thread())
                others_.emplace_back([this, number = others_.size() + 1] { serve(number); });
    } catch (const std::system_error&) {  // the system gives no more threads
    } catch (const std::bad_alloc&) {     // nor memory for their state
    }
}

WorkerTeam::~WorkerTeam() {
    if (others_.empty()) return;
    begin(nullptr, nullptr);
    for (auto& thread : others_) thread.join();
}

void WorkerTeam::begin(Work work, void* batch) {
    work_ = work;
    batch_ = batch;
    busy_.store(static_cast<std::uint32_t>(others_.size()), std::memory_order_relaxed);
    rounds_.fetch_add(1, std::memory_order_release);
    rounds_.notify_all();
}

void WorkerTeam::wait() {
    while (const auto busy = busy_.load(std::memory_order_acquire)) await_change(busy_, busy);
}

void WorkerTeam::serve(std::size_t worker) {
    static_cast<void>(std::uncaught_exceptions());
    for (std::uint32_t round = 0;; ++round) {
        await_change(rounds_, round);
        if (work_ == nullptr) return;
        work_(batch_, worker);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

}  // namespace arcwise
