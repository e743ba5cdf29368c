#include "parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

using namespace arcwise;

namespace {

const auto never = [](std::size_t) { return false; };

}  // namespace

TEST(parallel_for_does_every_task_once) {
    for (const std::size_t threads : {0, 1, 2, 5, 64}) {
        std::vector<std::atomic<int>> done(100);
        CHECK(
            parallel_for(threads, done.size(), [&](std::size_t, std::size_t task) { ++done[task]; }, never));
        CHECK(std::ranges::all_of(done, [](const auto& count) { return count == 1; }));
    }
    CHECK(parallel_for(4, 0, [](std::size_t, std::size_t) {}, never));
}

TEST(parallel_for_carries_exceptions_of_any_thread_to_the_caller) {
    for (const std::size_t failing : {0, 1, 7, 99}) {
        bool out_of_memory = false;
        try {
            parallel_for(
                4, 100,
                [&](std::size_t, std::size_t task) {
                    if (task == failing) throw std::bad_alloc();
                },
                never);
        } catch (const std::bad_alloc&) {
            out_of_memory = true;
        }
        CHECK(out_of_memory);
    }
    std::string said;
    try {
        parallel_for(
            3, 50, [](std::size_t, std::size_t) {},
            [](std::size_t) -> bool { throw std::runtime_error("from the poll"); });
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    CHECK(said == "from the poll");
}

TEST(parallel_for_stops_when_told) {
    std::atomic<std::size_t> done{0};
    const bool all = parallel_for(
        2, 1'000'000, [&](std::size_t, std::size_t) { ++done; },
        [](std::size_t started) { return started > 10; });
    CHECK(!all);
    CHECK(done < 1'000'000);
}
