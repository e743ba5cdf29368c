// Runs one batch of numbered tasks on a few threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "worker_team.hpp"

namespace arcwise {

// A team for this batch alone: what `WorkerTeam::run` says holds, worker < threads.
template <class Body, class Poll>
bool parallel_for(std::size_t threads, std::size_t tasks, Body body, Poll poll) {
    WorkerTeam team(std::min(threads, tasks));
    return team.run(tasks, body, poll);
}

}  // namespace arcwise
