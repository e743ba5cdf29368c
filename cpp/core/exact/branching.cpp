#include "exact/branching.hpp"

#include <cassert>

namespace arcwise {

FractionalArcs fractional_arcs(const CandidateSets& sets, const LpPoint& point, double tolerance) {
    const std::size_t n = sets.variables();
    std::vector<std::vector<std::size_t>> of_node(n);
    for (std::size_t i = 0; i < point.rows.size(); ++i)
        of_node[sets.node_of(static_cast<std::size_t>(point.rows[i]))].push_back(i);
    FractionalArcs arcs;
    std::vector<double> weight(n, 0);
    for (std::size_t v = 0; v < n; ++v) {
        if (of_node[v].size() < 2) continue;
        for (const std::size_t i : of_node[v])
            sets.set(static_cast<std::size_t>(point.rows[i])).for_each([&](std::size_t p) {
                weight[p] += point.values[i];
            });
        for (std::size_t p = 0; p < n; ++p) {
            if (weight[p] > tolerance && weight[p] < 1 - tolerance) {
                arcs.parents.push_back(static_cast<std::int32_t>(p));
                arcs.children.push_back(static_cast<std::int32_t>(v));
                arcs.weights.push_back(weight[p]);
            }
            weight[p] = 0;
        }
    }
    return arcs;
}

void impose_arc(const CandidateSets& sets, std::span<std::uint8_t> allowed, std::size_t parent,
                std::size_t child, bool present) {
    assert(allowed.size() == sets.rows());
    for (std::size_t row = sets.begin(child); row < sets.end(child); ++row)
        if (sets.set(row).has(parent) != present) allowed[row] = 0;
}

std::vector<std::int32_t> order_of_point(const CandidateSets& sets, const LpPoint& point) {
    const std::size_t n = sets.variables();
    std::vector<std::size_t> nodes(point.rows.size());
    std::vector<std::size_t> missing(point.rows.size());  // parents not placed yet
    std::vector<std::vector<std::size_t>> with(n);
    std::vector<double> ready(n, 0);
    for (std::size_t i = 0; i < point.rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(point.rows[i]);
        nodes[i] = sets.node_of(row);
        missing[i] = sets.set(row).size();
        sets.set(row).for_each([&](std::size_t p) { with[p].push_back(i); });
        if (missing[i] == 0) ready[nodes[i]] += point.values[i];
    }
    std::vector<std::int32_t> order;
    std::vector<std::uint8_t> placed(n, 0);
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t pick = n;
        for (std::size_t v = 0; v < n; ++v)
            if (!placed[v] && (pick == n || ready[v] > ready[pick] + 1e-9)) pick = v;
        placed[pick] = 1;
        order.push_back(static_cast<std::int32_t>(pick));
        for (const std::size_t i : with[pick])
            if (--missing[i] == 0) ready[nodes[i]] += point.values[i];
    }
    return order;
}

}  // namespace arcwise
