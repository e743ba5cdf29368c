// The raw layers of a diagram while it is built, and the pass that removes what leads nowhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "credible/construction/component_problem.hpp"
#include "credible/diagram/network_diagram.hpp"

namespace arcwise {

template <std::size_t W>
class RawLayers {
  public:
    explicit RawLayers(const ComponentProblem<W>& problem) : problem_(problem) {}

    // Layers are given one after the other: begin_layer with its number of states, then for each state
    // begin_state and its edges; targets count within the next layer.
    void begin_layer(std::size_t states) {
        layer_begin_.push_back(next_begin_);
        next_begin_ += static_cast<std::uint32_t>(states);
    }
    void begin_state() { edge_begin_.push_back(targets_.size()); }
    void add_edge(std::uint32_t target, std::size_t row) {
        targets_.push_back(next_begin_ + target);
        rows_.push_back(static_cast<std::uint32_t>(row));
    }
    // What is held here, and what `finish` will add to it.
    std::size_t bytes() const {
        return (targets_.capacity() + rows_.capacity()) * 4 + edge_begin_.capacity() * 8 +
               targets_.size() * 16 + edge_begin_.size() * 28;
    }

    // Best ways on in exact scores, then the least detour of each state; the paths of the set remain: those
    // whose detours sum to at most slack. Call after the last layer (nothing left) has begun.
    NetworkDiagram finish(double slack) {
        constexpr double lost = -std::numeric_limits<double>::infinity();
        const std::size_t states = next_begin_;
        const std::size_t last = layer_begin_[problem_.nodes];
        while (edge_begin_.size() <= states) edge_begin_.push_back(targets_.size());
        std::vector<double> ahead(states, lost);
        for (std::size_t s = last; s < states; ++s) ahead[s] = 0;
        for (std::size_t s = last; s-- > 0;)
            for (auto e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e)
                ahead[s] = std::max(ahead[s], problem_.rows[rows_[e]].score + ahead[targets_[e]]);
        NetworkDiagram diagram;
        diagram.nodes = problem_.nodes;
        diagram.slack = slack;
        diagram.optimum = states == 0 ? lost : ahead[0];
        if (diagram.optimum == lost) return diagram;
        const auto detour = [&](std::size_t s, std::uint64_t e) {
            return std::max(0.0, ahead[s] - (problem_.rows[rows_[e]].score + ahead[targets_[e]]));
        };
        std::vector<double> loss(states, std::numeric_limits<double>::infinity());
        loss[0] = 0;
        for (std::size_t s = 0; s < last; ++s) {
            if (loss[s] > slack) continue;
            for (auto e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e)
                if (ahead[targets_[e]] != lost)
                    loss[targets_[e]] = std::min(loss[targets_[e]], loss[s] + detour(s, e));
        }
        std::vector<std::uint32_t> number(states, 0);
        std::uint32_t count = 0;
        for (std::size_t d = 0; d <= problem_.nodes; ++d) {
            diagram.layer_begin.push_back(count);
            const std::size_t end = d < problem_.nodes ? layer_begin_[d + 1] : states;
            for (std::size_t s = layer_begin_[d]; s < end; ++s)
                if (loss[s] <= slack) number[s] = count++;
        }
        diagram.layer_begin.push_back(count);
        // The diagram is the largest thing here: its exact size first, as growing would take twice as much.
        std::size_t edges = 0;
        for (std::size_t s = 0; s < last; ++s) {
            if (loss[s] > slack) continue;
            for (auto e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e)
                edges += ahead[targets_[e]] != lost && loss[s] + detour(s, e) <= slack;
        }
        diagram.edge_begin.reserve(count + std::size_t{1});
        diagram.edge_target.reserve(edges);
        diagram.edge_row.reserve(edges);
        diagram.edge_detour.reserve(edges);
        struct Edge {
            double detour;
            std::uint32_t target, row;
        };
        std::vector<Edge> own;
        for (std::size_t s = 0; s < states; ++s) {
            if (loss[s] > slack) continue;
            diagram.edge_begin.push_back(diagram.edge_target.size());
            own.clear();
            for (auto e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e) {
                if (ahead[targets_[e]] == lost) continue;
                const double step = detour(s, e);
                if (loss[s] + step <= slack)
                    own.push_back({step, number[targets_[e]],
                                   static_cast<std::uint32_t>(problem_.rows[rows_[e]].origin)});
            }
            std::stable_sort(own.begin(), own.end(),
                             [](const Edge& a, const Edge& b) { return a.detour < b.detour; });
            for (const Edge& edge : own) {
                diagram.edge_target.push_back(edge.target);
                diagram.edge_row.push_back(edge.row);
                diagram.edge_detour.push_back(edge.detour);
            }
        }
        diagram.edge_begin.push_back(diagram.edge_target.size());
        return diagram;
    }

  private:
    const ComponentProblem<W>& problem_;
    std::vector<std::uint32_t> layer_begin_;
    std::vector<std::uint64_t> edge_begin_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint32_t> rows_;
    std::uint32_t next_begin_ = 0;
};

}  // namespace arcwise
