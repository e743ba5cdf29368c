// Random tables of candidate sets on a few nodes, and the enumeration of all their networks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/candidate_sets.hpp"
#include "xoshiro.hpp"

namespace random_table_support {

using namespace arcwise;

// Never stops.
inline Ticker& unwatched() {
    static SilentMonitor monitor;
    static Ticker ticker(monitor);
    return ticker;
}

struct Table {
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;
    TableView view() const { return {node_offsets.size() - 1, node_offsets, scores, set_offsets, members}; }
};

// Random sets per node, falling scores, the empty set last.
inline Table random_table(std::size_t n, std::size_t sets, std::uint64_t seed) {
    Xoshiro random(seed);
    Table table;
    for (std::size_t v = 0; v < n; ++v) {
        double score = 0;
        for (std::size_t s = 0; s < sets; ++s) {
            score -= random.uniform() * 10;
            table.scores.push_back(score);
            for (std::size_t u = 0; u < n; ++u)
                if (u != v && s + 1 < sets && random.below(n) < 3)
                    table.members.push_back(static_cast<std::int32_t>(u));
            table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        }
        table.node_offsets.push_back(static_cast<std::int64_t>(table.scores.size()));
    }
    return table;
}

inline bool acyclic(const std::vector<std::size_t>& masks) {
    std::size_t left = (std::size_t{1} << masks.size()) - 1;
    for (bool progress = true; progress && left != 0;) {
        progress = false;
        for (std::size_t v = 0; v < masks.size(); ++v)
            if (((left >> v) & 1U) && (masks[v] & left) == 0) {
                left &= ~(std::size_t{1} << v);
                progress = true;
            }
    }
    return left == 0;
}

// Calls visit(rows) for every acyclic choice of one row per node.
template <class Visit>
void for_each_network(const CandidateSets& sets, Visit&& visit) {
    std::vector<std::size_t> rows(sets.variables()), masks(sets.variables());
    const auto descend = [&](auto&& self, std::size_t v) -> void {
        if (v == sets.variables()) {
            if (acyclic(masks)) visit(rows);
            return;
        }
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
            rows[v] = row;
            masks[v] = sets.set(row).words().front();
            self(self, v + 1);
        }
    };
    descend(descend, 0);
}

inline double best_of_all(const CandidateSets& sets) {
    double best = -std::numeric_limits<double>::infinity();
    for_each_network(sets, [&](const std::vector<std::size_t>& rows) {
        double score = 0;
        for (const std::size_t row : rows) score += sets.score(row);
        best = std::max(best, score);
    });
    return best;
}

// Tells everything to stop at once.
struct Impatient final : Monitor {
    bool should_stop(const Progress&) override { return true; }
};

}  // namespace random_table_support
