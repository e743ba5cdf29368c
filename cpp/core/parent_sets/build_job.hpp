// What the builder of parent sets is asked for, and the jobs that follow: one child under one score each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parent_sets/candidates.hpp"
#include "parent_sets/child_prior.hpp"
#include "parent_sets/set_scorer.hpp"

namespace arcwise {

struct BuildOptions {
    double slack = 0.0;  // infinity: nothing is dropped
    std::size_t threads = 1;
    double memory_bytes = 1e18;
    double dense_from = 1e6;  // families in a level from which on dense_levels.cpp is considered
    // For each variable: what it must have, what it may have (disjoint, ascending), and how many at most.
    std::vector<std::vector<std::int32_t>> required;
    std::vector<std::vector<std::int32_t>> allowed;
    std::vector<std::int32_t> limits;
};

// Where one child stands: everything that is needed to go on with the next level.
struct ChildState {
    Candidates alive;            // sets of the last finished level, without the required parents
    std::vector<double> scores;  // of the parent sets that are kept so far
    std::vector<std::int32_t> sizes;
    std::vector<std::int32_t> members;  // variables, ascending

    // Of what is kept; the alive sets account for themselves.
    double kept_bytes() const {
        return 8.0 * static_cast<double>(scores.capacity()) +
               4.0 * static_cast<double>(sizes.capacity() + members.capacity());
    }
};

struct BuildJob {
    std::size_t score;
    std::size_t child;  // position
    double arity;
    double full_likelihood = 0.0;
    double required_cells = 1.0;
    double smallest_arity = 2.0;         // of the variables that may still be added
    std::vector<std::int32_t> required;  // positions, ascending
    std::vector<std::int32_t> allowed;   // positions, ascending
    std::size_t limit;
    std::optional<ChildPrior> prior;  // what was believed of its parents
    ChildState state;
};

// The jobs of all scores, score-major, the children of each in the order of the variables; `position` is that
// of each variable in the source.
std::vector<BuildJob> make_jobs(const CountSource& source, std::span<const LocalScore* const> scores,
                                const BuildOptions& options, std::span<const std::int32_t> position);

}  // namespace arcwise
