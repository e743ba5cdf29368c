#include "credible/diagram/diagram_arrays.hpp"

#include <algorithm>
#include <stdexcept>

namespace arcwise {

namespace {

template <class T>
bool ascends_to(std::span<const T> begins, std::size_t end) {
    return !begins.empty() && begins.front() == 0 && begins.back() == end &&
           std::is_sorted(begins.begin(), begins.end());
}

// The edges of every layer lead to the next, and from the last nowhere.
bool leads_on(const DiagramArrays& arrays) {
    const auto& layers = arrays.layer_begin;
    for (std::size_t d = 0; d + 1 < layers.size(); ++d) {
        const auto first = arrays.edge_begin[layers[d]];
        const auto last = arrays.edge_begin[layers[d + 1]];
        if (d + 2 == layers.size()) return first == last;
        for (auto e = first; e < last; ++e)
            if (arrays.edge_target[e] < layers[d + 1] || arrays.edge_target[e] >= layers[d + 2]) return false;
    }
    return false;
}

bool is_diagram(const DiagramArrays& arrays) {
    const std::size_t edges = arrays.edge_target.size();
    if (arrays.edge_row.size() != edges || arrays.edge_detour.size() != edges) return false;
    if (arrays.edge_begin.empty()) return arrays.layer_begin.empty() && edges == 0;
    return arrays.layer_begin.size() == arrays.nodes + 2 &&
           ascends_to(arrays.layer_begin, arrays.edge_begin.size() - 1) &&
           ascends_to(arrays.edge_begin, edges) && leads_on(arrays) &&
           std::all_of(arrays.edge_detour.begin(), arrays.edge_detour.end(),
                       [](double detour) { return detour >= 0; });
}

}  // namespace

NetworkDiagram diagram_of(const DiagramArrays& arrays, double optimum, double slack, std::uint64_t explored) {
    if (!is_diagram(arrays)) throw std::invalid_argument("these arrays are no diagram of networks");
    NetworkDiagram diagram;
    diagram.nodes = arrays.nodes;
    diagram.layer_begin.assign(arrays.layer_begin.begin(), arrays.layer_begin.end());
    diagram.edge_begin.assign(arrays.edge_begin.begin(), arrays.edge_begin.end());
    diagram.edge_target.assign(arrays.edge_target.begin(), arrays.edge_target.end());
    diagram.edge_row.assign(arrays.edge_row.begin(), arrays.edge_row.end());
    diagram.edge_detour.assign(arrays.edge_detour.begin(), arrays.edge_detour.end());
    diagram.optimum = optimum;
    diagram.slack = slack;
    diagram.explored = explored;
    return diagram;
}

}  // namespace arcwise
