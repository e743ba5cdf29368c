// What a thread works with while it sums over the paths through one state: see diagram_sums.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "cache_line.hpp"
#include "credible/sums/count_column.hpp"
#include "credible/sums/incoming_edges.hpp"
#include "credible/sums/loss_layer.hpp"

namespace arcwise {

// What the paths over an edge add to the sums.
struct EdgeShare {
    BigCount count;
    double mass;
    std::uint32_t row;
    bool crosses;  // the level: these paths were not counted yet
};

// The entries of one state, and what is found for them.
struct alignas(cache_line_padding) StateEntries {
    std::vector<double> losses, weights, masses;
    std::vector<BigCount> ways, counts;
    std::vector<EdgeShare> edges;
    std::vector<Link> links;
    bool overflow = false;

    static constexpr std::size_t of_entry = 2 * sizeof(BigCount) + 3 * sizeof(double);
    std::size_t bytes() const { return losses.capacity() * of_entry + edges.capacity() * sizeof(EdgeShare); }
    std::size_t size() const { return losses.size(); }

    // Counts and masses begin at zero; there is room for this many edges.
    void weigh(const LossLayer& layer, std::size_t state, std::size_t edge_room) {
        const auto begin = layer.begin(state), size = layer.end(state) - begin;
        losses.assign(layer.losses() + begin, layer.losses() + begin + size);
        weights.resize(size);
        ways.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            ways[i] = layer.ways<BigCount>(begin + i);
            weights[i] = static_cast<double>(ways[i]) * std::exp(-losses[i]);
        }
        counts.assign(size, 0);
        masses.assign(size, 0);
        edges.clear();
        edges.reserve(edge_room);
        overflow = false;
    }
};

}  // namespace arcwise
