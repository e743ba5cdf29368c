// How many terms the sums over all DAGs have within a cut: see dag_sums.hpp.
#pragma once

#include <cstdint>

#include "monitor.hpp"
#include "posterior/all_dags/block_weights.hpp"
#include "posterior/all_dags/set_bounds.hpp"
#include "worker_team.hpp"

namespace arcwise {

struct TermEstimate {
    std::uint64_t sets = 0;  // node sets within the cut: counted
    double terms = 0;        // estimated from some of them; 0 if the ticker stopped it
};

// The cost is that of the levels of at most some 256 blocks, and of looking at 2^n sets. Threads do not
// change the result.
TermEstimate estimate_terms(const BlockRows& rows, const SetBounds& bounds, std::int32_t floor,
                            WorkerTeam& team, Ticker& ticker);

}  // namespace arcwise
