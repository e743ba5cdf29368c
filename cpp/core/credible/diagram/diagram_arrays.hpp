// A diagram as flat arrays, which cross between processes, and back.
#pragma once

#include <cstdint>
#include <span>

#include "credible/diagram/network_diagram.hpp"

namespace arcwise {

struct DiagramArrays {
    std::size_t nodes;
    std::span<const std::uint32_t> layer_begin;
    std::span<const std::uint64_t> edge_begin;
    std::span<const std::uint32_t> edge_target;
    std::span<const std::uint32_t> edge_row;
    std::span<const double> edge_detour;
};

// The complete diagram that had these arrays (none but the nodes: a set without networks). What is not a
// diagram, with layers in order, edges that lead from each to the next, and detours >= 0, throws
// std::invalid_argument: joins and sums rely on it.
NetworkDiagram diagram_of(const DiagramArrays& arrays, double optimum, double slack, std::uint64_t explored);

}  // namespace arcwise
