// The best DAG over every set of nodes, and the best completion of it, in levels (parent_weights.hpp).
#pragma once

#include <cstdint>

#include "monitor.hpp"
#include "posterior/all_dags/block_weights.hpp"
#include "posterior/all_dags/large_array.hpp"
#include "worker_team.hpp"

namespace arcwise {

struct SetBounds {
    LargeArray<std::int32_t> best, completion;  // per set; at most ParentWeights::impossible if there is none
    std::int32_t optimum = 0;

    // The sum of two levels; of none, if one of them is none.
    static std::int32_t add(std::int32_t a, std::int32_t b) {
        return std::max(a + b, ParentWeights::impossible);
    }

    // Whether some DAG with all of the set's nodes before the others is no lower than a level.
    bool within_cut(std::size_t set, std::int32_t floor) const {
        return best[set] + completion[set] >= floor;
    }

    // False if stopped. Threads do not change the result.
    bool find(const BlockRows& rows, WorkerTeam& team, Ticker& ticker);

  private:
    bool find_best(const BlockRows& rows, WorkerTeam& team, Ticker& ticker);
    bool find_completions(const BlockRows& rows, WorkerTeam& team, Ticker& ticker);
};

}  // namespace arcwise
