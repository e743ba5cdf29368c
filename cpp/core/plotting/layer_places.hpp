// Where the places of each layer stand, from left to right, once their order is known.
#pragma once

#include <span>
#include <vector>

#include "plotting/layers.hpp"

namespace arcwise {

// Returns the centre of every place: near the weighted mean of its neighbours', without overlap and in the
// given order. For fixed wishes this is a problem of least squares with an order constraint, which pooling
// adjacent violators solves exactly; wishes come from the layers in turns, `rounds` times. `weights` has one
// number per step, which may occur more than once, `sizes` one per place.
std::vector<double> place_layers(const LayerView& given, std::span<const double> weights,
                                 std::span<const double> sizes, int rounds);

}  // namespace arcwise
