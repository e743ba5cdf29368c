// The candidate sets that a point of the relaxation takes a part of, indexed both ways.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exact/lp_point.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

struct Support {
    struct Entry {
        std::size_t node;
        double value;
        std::vector<std::size_t> parents;
    };
    std::vector<Entry> entries;
    std::vector<std::vector<std::size_t>> of_node;                  // entries of a node
    std::vector<std::vector<std::size_t>> of_parent;                // entries that contain a node
    std::vector<std::vector<std::pair<std::size_t, double>>> arcs;  // per child: (parent, weight)

    Support(const CandidateSets& sets, const LpPoint& point) {
        const std::size_t n = sets.variables();
        of_node.resize(n);
        of_parent.resize(n);
        arcs.resize(n);
        std::vector<double> weight(n, 0);
        for (std::size_t i = 0; i < point.rows.size(); ++i) {
            const auto row = static_cast<std::size_t>(point.rows[i]);
            const std::size_t node = sets.node_of(row);
            Entry entry{node, point.values[i], {}};
            sets.set(row).for_each([&](std::size_t p) { entry.parents.push_back(p); });
            of_node[node].push_back(entries.size());
            for (const std::size_t p : entry.parents) of_parent[p].push_back(entries.size());
            entries.push_back(std::move(entry));
        }
        for (std::size_t v = 0; v < n; ++v) {
            std::vector<std::size_t> seen;
            for (const std::size_t e : of_node[v])
                for (const std::size_t p : entries[e].parents) {
                    if (weight[p] == 0) seen.push_back(p);
                    weight[p] += entries[e].value;
                }
            for (const std::size_t p : seen) {
                arcs[v].push_back({p, weight[p]});
                weight[p] = 0;
            }
        }
    }
};

}  // namespace arcwise
