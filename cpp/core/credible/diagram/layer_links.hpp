// The edges between the states of a layer and those of the next or the previous one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/diagram/network_diagram.hpp"
#include "credible/sums/incoming_edges.hpp"
#include "credible/sums/loss_store.hpp"

namespace arcwise {

class LayerLinks {
  public:
    LayerLinks(const NetworkDiagram& diagram, std::size_t layer, bool onwards, LossStore& store)
        : diagram_(diagram),
          layer_(layer),
          onwards_(onwards),
          first_edge_(diagram.edge_begin[diagram.layer_begin[onwards ? layer : layer - 1]]),
          store_(store) {}
    LayerLinks(const LayerLinks&) = delete;
    ~LayerLinks() { store_.give(taken_); }

    // To be called first; false if there is no memory for it.
    bool prepare() {
        if (onwards_) return true;
        const auto begin = diagram_.layer_begin[layer_];
        const auto bytes = IncomingEdges::bytes_for(diagram_.layer_begin[layer_ + 1] - begin,
                                                    diagram_.edge_begin[begin] - first_edge_);
        if (!store_.take(bytes)) return false;
        taken_ = bytes;
        incoming_.build(diagram_, layer_ - 1);
        return true;
    }
    // The links of a state, which is counted within the layer; `own` may be used for them.
    std::span<const Link> of(std::size_t state, std::vector<Link>& own) const {
        if (!onwards_) return incoming_.of(state);
        own.clear();
        const auto s = diagram_.layer_begin[layer_] + state;
        const auto next = diagram_.layer_begin[layer_ + 1];
        for (auto e = diagram_.edge_begin[s]; e < diagram_.edge_begin[s + 1]; ++e)
            own.push_back({diagram_.edge_target[e] - next, static_cast<std::uint32_t>(e - first_edge_)});
        return own;
    }
    // How many there are in all.
    std::size_t size() const {
        return diagram_.edge_begin[diagram_.layer_begin[onwards_ ? layer_ + 1 : layer_]] - first_edge_;
    }
    std::size_t count(std::size_t state) const {
        if (!onwards_) return incoming_.of(state).size();
        const auto s = diagram_.layer_begin[layer_] + state;
        return diagram_.edge_begin[s + 1] - diagram_.edge_begin[s];
    }
    double detour(const Link& link) const { return diagram_.edge_detour[first_edge_ + link.edge]; }
    std::uint32_t row(const Link& link) const { return diagram_.edge_row[first_edge_ + link.edge]; }

  private:
    const NetworkDiagram& diagram_;
    std::size_t layer_;
    bool onwards_;
    std::uint64_t first_edge_;
    LossStore& store_;
    std::size_t taken_ = 0;
    IncomingEdges incoming_;
};

}  // namespace arcwise
