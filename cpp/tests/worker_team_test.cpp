#include "worker_team.hpp"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace arcwise;

namespace {

const auto never = [](std::size_t) { return false; };

}  // namespace

TEST(a_team_does_one_row_of_tasks_after_another) {
    for (const std::size_t threads : {0, 1, 2, 5}) {
        WorkerTeam team(threads);
        CHECK(team.size() >= 1);
        CHECK(team.size() <= std::max<std::size_t>(1, threads));
        std::vector<int> sums(64);  // each task adds to its own place, which another thread wrote to before
        for (std::size_t row = 0; row < 500; ++row)
            CHECK(team.run(
                row % 65,
                [&](std::size_t worker, std::size_t task) {
                    CHECK(worker < team.size());
                    ++sums[task];
                },
                never));
        for (std::size_t task = 0; task < 64; ++task) {
            int expected = 0;
            for (std::size_t row = 0; row < 500; ++row) expected += task < row % 65 ? 1 : 0;
            CHECK(sums[task] == expected);
        }
    }
}

TEST(a_team_goes_on_after_a_failure_and_after_a_stop) {
    WorkerTeam team(3);
    for (int row = 0; row < 50; ++row) {
        bool failed = false;
        try {
            team.run(
                20,
                [](std::size_t, std::size_t task) {
                    if (task == 7) throw std::runtime_error("seven");
                },
                never);
        } catch (const std::runtime_error&) {
            failed = true;
        }
        CHECK(failed);
        CHECK(!team.run(1000, [](std::size_t, std::size_t) {}, [](std::size_t) { return true; }));
        std::atomic<int> done{0};
        CHECK(team.run(20, [&](std::size_t, std::size_t) { ++done; }, never));
        CHECK(done == 20);
    }
}
