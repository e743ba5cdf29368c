#include "credible/diagram/diagram_join.hpp"

#include <algorithm>
#include <limits>

namespace arcwise {

namespace {

constexpr double out_of_reach = std::numeric_limits<double>::infinity();

// What the best path through each state of a part loses against the best network of all, which is better by
// `behind` than the best of the part: the best way on is free, so only the way to the state counts.
std::vector<double> least_losses(const NetworkDiagram& part, double behind, double slack) {
    std::vector<double> loss(part.states(), out_of_reach);
    loss[0] = behind;
    for (std::size_t s = 0; s < part.states(); ++s) {
        if (loss[s] > slack) continue;
        for (auto e = part.edge_begin[s]; e < part.edge_begin[s + 1]; ++e) {
            auto& next = loss[part.edge_target[e]];
            next = std::min(next, loss[s] + part.edge_detour[e]);
        }
    }
    return loss;
}

struct Placed {
    const NetworkDiagram* part;
    double behind;
    std::vector<double> loss;
    std::vector<std::uint32_t> number;  // of each state in the whole; only where the loss is within the slack
};

}  // namespace

NetworkDiagram join_diagrams(std::span<const NetworkDiagram* const> parts, double slack) {
    NetworkDiagram whole;
    whole.slack = slack;
    whole.optimum = -std::numeric_limits<double>::infinity();
    for (const auto* part : parts) {
        whole.nodes = std::max(whole.nodes, part->nodes);
        whole.explored += part->explored;
        if (whole.status == Status::complete) whole.status = part->status;
        if (!part->empty()) whole.optimum = std::max(whole.optimum, part->optimum);
    }
    if (whole.status != Status::complete) return whole;
    std::vector<Placed> placed;
    for (const auto* part : parts) {
        if (part->empty() || whole.optimum - part->optimum > slack) continue;
        const double behind = whole.optimum - part->optimum;
        placed.push_back(
            {part, behind, least_losses(*part, behind, slack), std::vector<std::uint32_t>(part->states())});
    }
    if (placed.empty()) return whole;
    std::uint32_t count = 1;  // the first states are number 0
    whole.layer_begin.push_back(0);
    for (std::size_t d = 1; d < whole.nodes; ++d) {
        whole.layer_begin.push_back(count);
        for (auto& [part, behind, loss, number] : placed)
            for (auto s = part->layer_begin[d]; s < part->layer_begin[d + 1]; ++s)
                if (loss[s] <= slack) number[s] = count++;
    }
    whole.layer_begin.push_back(count);
    for (auto& [part, behind, loss, number] : placed)
        for (std::size_t s = part->layer_begin[whole.nodes]; s < part->states(); ++s) number[s] = count;
    whole.layer_begin.push_back(++count);

    struct Edge {
        double detour;
        std::uint32_t target, row;
    };
    std::vector<Edge> own;
    const auto take = [&](const Placed& from, std::size_t s) {
        const auto& [part, behind, loss, number] = from;
        for (auto e = part->edge_begin[s]; e < part->edge_begin[s + 1]; ++e)
            if (loss[s] + part->edge_detour[e] <= slack)
                own.push_back({(s == 0 ? behind : 0.0) + part->edge_detour[e], number[part->edge_target[e]],
                               part->edge_row[e]});
    };
    const auto finish_state = [&] {
        whole.edge_begin.push_back(whole.edge_target.size());
        std::stable_sort(own.begin(), own.end(),
                         [](const Edge& a, const Edge& b) { return a.detour < b.detour; });
        for (const Edge& edge : own) {
            whole.edge_target.push_back(edge.target);
            whole.edge_row.push_back(edge.row);
            whole.edge_detour.push_back(edge.detour);
        }
        own.clear();
    };
    for (const auto& from : placed) take(from, 0);
    finish_state();
    for (std::size_t d = 1; d < whole.nodes; ++d)
        for (const auto& from : placed)
            for (auto s = from.part->layer_begin[d]; s < from.part->layer_begin[d + 1]; ++s) {
                if (from.loss[s] > slack) continue;
                take(from, s);
                finish_state();
            }
    finish_state();  // nothing leads on from the last
    whole.edge_begin.push_back(whole.edge_target.size());
    return whole;
}

}  // namespace arcwise
