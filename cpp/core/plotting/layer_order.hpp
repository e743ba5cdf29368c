// The order of the places within each layer of a drawing, so that few arcs cross.
#pragma once

#include <cstdint>
#include <vector>

#include "plotting/layers.hpp"

namespace arcwise {

struct LayerOrder {
    std::vector<std::int32_t> members;  // layer by layer, as in the view
    std::int64_t crossings = 0;
};

// Sugiyama, Tagawa and Toda (1981): layers are sorted by the mean place of their members' neighbours,
// downwards and upwards in turns, and neighbours swap places where that avoids crossings. The best order of
// all sweeps is kept.
LayerOrder order_layers(const LayerView& given, int sweeps);

}  // namespace arcwise
