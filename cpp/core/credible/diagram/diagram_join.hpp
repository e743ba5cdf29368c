// One diagram from those of disjoint parts of a set of networks.
#pragma once

#include <span>

#include "credible/diagram/network_diagram.hpp"

namespace arcwise {

// The parts have the same nodes and no network in common. Their first states become one, and so do their
// last; the others stand side by side. What is further from the best network of all parts than `slack` is
// left out. A part without networks adds what was looked at, and a part that was stopped its status, in which
// case there is nothing but the status.
NetworkDiagram join_diagrams(std::span<const NetworkDiagram* const> parts, double slack);

}  // namespace arcwise
