#include "ensemble/construction/diagram_construction.hpp"

#include <stdexcept>
#include <vector>

#include "ensemble/construction/frontier_builder.hpp"
#include "ensemble/construction/sink_builder.hpp"
#include "ensemble/construction/source_builder.hpp"

namespace arcwise {

namespace {

// Calls make.operator()<W>() with the smallest number of words that holds the nodes.
template <class Make>
NetworkDiagram with_words(std::size_t nodes, Make&& make) {
    if (nodes <= 64) return make.template operator()<1>();
    if (nodes <= 128) return make.template operator()<2>();
    if (nodes <= 256) return make.template operator()<4>();
    if (nodes <= 2048) return make.template operator()<32>();
    throw std::invalid_argument("credible sets of more than 2,048 variables are not supported");
}

NetworkDiagram empty_network() {
    NetworkDiagram diagram;
    diagram.layer_begin = {0, 1};
    diagram.edge_begin = {0, 0};
    return diagram;
}

}  // namespace

NetworkDiagram build_from_subsets(const DiagramInput& input, std::span<const double> best, bool classes,
                                  Ticker& ticker) {
    if (input.order.empty()) return empty_network();
    const auto problem = make_component<1>(input.table, input.order, input.keep, {}, classes);
    const SubsetBound bound(problem, input.order, best);
    if (classes) {
        const ClassRule<1> rule(problem);
        return SinkBuilder<1, SubsetBound, ClassRule<1>>(problem, bound, rule, best.back(), input.slack,
                                                         input.memory, ticker)
            .build();
    }
    const DagRule<1> rule(problem);
    return SinkBuilder<1, SubsetBound, DagRule<1>>(problem, bound, rule, best.back(), input.slack,
                                                   input.memory, ticker)
        .build();
}

namespace {

template <std::size_t W>
std::vector<WeightedCluster<W>> clusters_of(const DiagramInput& input, const CutMultipliers& cuts) {
    const std::size_t words = (input.table.variables + 63) / 64;
    std::vector<WeightedCluster<W>> clusters;
    for (std::size_t c = 0; c < cuts.codes.size(); ++c) {
        if (cuts.codes[c] <= 0 || cuts.multipliers[c] <= 0) continue;
        WeightedCluster<W> cluster{{}, static_cast<std::size_t>(cuts.codes[c]), cuts.multipliers[c]};
        for (std::size_t i = 0; i < input.order.size(); ++i) {
            const auto node = static_cast<std::size_t>(input.order[i]);
            if ((cuts.members[c * words + node / 64] >> (node % 64)) & 1U) cluster.members.add(i);
        }
        clusters.push_back(cluster);
    }
    return clusters;
}

}  // namespace

NetworkDiagram build_from_costs(const DiagramInput& input, const RowCosts& costs, const CutMultipliers& cuts,
                                Construction construction, Ticker& ticker) {
    if (input.order.empty()) return empty_network();
    return with_words(input.order.size(), [&]<std::size_t W>() {
        const bool representatives = construction == Construction::representatives;
        const auto problem =
            make_component<W>(input.table, input.order, input.keep, costs.costs, representatives);
        const auto clusters = clusters_of<W>(input, cuts);
        if (construction == Construction::frontier)
            return FrontierBuilder<W>(problem, costs.reference, clusters, costs.at_least, input.slack,
                                      input.memory, input.most_states, ticker)
                .build();
        return SourceBuilder<W>(problem, costs.reference, clusters, costs.at_least, input.slack, input.memory,
                                input.most_states, representatives, ticker)
            .build();
    });
}

}  // namespace arcwise
