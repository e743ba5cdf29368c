// What the builder of parent sets holds while it makes a level.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "parent_sets/builder.hpp"

namespace arcwise {

struct ParentSetBuilder::Level {
    std::size_t size;                    // parents per set
    std::vector<Candidates> candidates;  // one per job
    std::vector<ChildState> next;
    SetIndex parent_index;
    SetValues parent_values;
    std::vector<std::vector<float>> room;  // for each set score and parent set: see parent_adds_too_little
    SetIndex family_index;
    SetValues family_values;
    std::vector<FamilyValues> families;  // for each family score
    double held = 0.0;                   // bytes of the levels before
    double bytes = 0.0;                  // of everything but the results
    std::atomic<double> results{0.0};    // bytes of what the level adds to the tables and keeps alive
    std::uint64_t scored = 0;
    std::atomic<std::uint64_t> dense_families{0};  // scored by finish_densely
    std::uint64_t counted = 0;
    const CountElsewhere* elsewhere = nullptr;
    Progress shown;  // what the monitor was told last: counting is nearly all of the work
};

}  // namespace arcwise
