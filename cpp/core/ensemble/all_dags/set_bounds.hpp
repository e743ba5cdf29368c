// The best DAG over every set of nodes, and the best completion of it, in levels (parent_weights.hpp).
#pragma once

#include <cstdint>

#include "ensemble/all_dags/block_weights.hpp"
#include "ensemble/all_dags/large_array.hpp"
#include "monitor.hpp"

namespace arcwise {

struct SetBounds {
    LargeArray<std::int32_t> best, completion;  // per set; at most ParentWeights::impossible if there is none
    std::int32_t optimum = 0;

    // The sum of two levels; of none, if one of them is none.
    static std::int32_t add(std::int32_t a, std::int32_t b) {
        return std::max(a + b, ParentWeights::impossible);
    }

    // False if stopped. Threads do not change the result.
    bool find(const BlockRows& rows, std::size_t threads, Ticker& ticker);

  private:
    bool find_best(const BlockRows& rows, std::size_t threads, Ticker& ticker);
    bool find_completions(const BlockRows& rows, std::size_t threads, Ticker& ticker);
};

}  // namespace arcwise
