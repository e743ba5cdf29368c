// The edges of a diagram from behind: a state knows where its edges lead, not which lead to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/diagram/network_diagram.hpp"

namespace arcwise {

// An edge as seen from the state at one of its ends: the state at the other, counted within its layer.
struct Link {
    std::uint32_t state;
    std::uint32_t edge;  // counted from the first edge between the two layers
};

// The edges between a layer and the next, by target.
class IncomingEdges {
  public:
    static std::size_t bytes_for(std::size_t targets, std::size_t edges) {
        return (targets + 1) * sizeof(std::uint64_t) + edges * sizeof(Link);
    }
    void build(const NetworkDiagram& diagram, std::size_t layer) {
        const auto first = diagram.layer_begin[layer], next = diagram.layer_begin[layer + 1];
        begin_.assign(diagram.layer_begin[layer + 2] - next + 1, 0);
        links_.resize(diagram.edge_begin[next] - diagram.edge_begin[first]);
        for (auto e = diagram.edge_begin[first]; e < diagram.edge_begin[next]; ++e)
            ++begin_[diagram.edge_target[e] - next];
        std::uint64_t sum = 0;
        for (auto& begin : begin_) begin = sum += begin;  // the ends, which filling from behind moves down
        for (auto s = next; s-- > first;)
            for (auto e = diagram.edge_begin[s + 1]; e-- > diagram.edge_begin[s];)
                links_[--begin_[diagram.edge_target[e] - next]] = {
                    s - first, static_cast<std::uint32_t>(e - diagram.edge_begin[first])};
    }
    std::span<const Link> of(std::size_t target) const {
        return std::span(links_).subspan(begin_[target], begin_[target + 1] - begin_[target]);
    }

  private:
    std::vector<std::uint64_t> begin_;
    std::vector<Link> links_;
};

}  // namespace arcwise
