#include "credible/construction/diagram_construction.hpp"

#include <stdexcept>
#include <vector>

#include "credible/construction/frontier_states.hpp"
#include "credible/construction/layer_builder.hpp"
#include "credible/construction/sink_states.hpp"
#include "credible/construction/source_states.hpp"

namespace arcwise {

namespace {

// Calls make.operator()<W>() with the smallest number of words that holds the nodes.
template <class Make>
NetworkDiagram with_words(std::size_t nodes, Make&& make) {
    if (nodes <= 64) return make.template operator()<1>();
#ifndef ARCWISE_TWO_WIDTHS
    if (nodes <= 128) return make.template operator()<2>();
    if (nodes <= 256) return make.template operator()<4>();
#endif
    if (nodes <= 2048) return make.template operator()<32>();
    throw std::invalid_argument("credible sets of more than 2,048 variables are not supported");
}

NetworkDiagram empty_network() {
    NetworkDiagram diagram;
    diagram.layer_begin = {0, 1};
    diagram.edge_begin = {0, 0};
    return diagram;
}

template <class Rule>
NetworkDiagram build_by_rule(const ComponentProblem<1>& component, const DiagramInput& input,
                             std::span<const double> best, Ticker& ticker) {
    const SubsetBound bound(component, input.order, best);
    const Rule rule(component);
    return build_layers(component,
                        SinkStates<1, SubsetBound, Rule>(component, bound, rule, best.back() - input.slack),
                        input.slack, {input.memory, input.most_states, input.threads}, ticker);
}

template <std::size_t W>
std::vector<WeightedCluster<W>> clusters_of(const DiagramInput& input, const CutMultipliers& cuts) {
    std::vector<WeightedCluster<W>> clusters;
    for (std::size_t c = 0; c < cuts.codes.size(); ++c) {
        if (cuts.codes[c] <= 0 || cuts.multipliers[c] <= 0) continue;
        WeightedCluster<W> cluster{{}, static_cast<std::size_t>(cuts.codes[c]), cuts.multipliers[c]};
        const SetView members = set_at(cuts.members, input.table.variables, c);
        for (std::size_t i = 0; i < input.order.size(); ++i)
            if (members.has(static_cast<std::size_t>(input.order[i]))) cluster.members.add(i);
        clusters.push_back(cluster);
    }
    return clusters;
}

}  // namespace

NetworkDiagram build_from_subsets(const DiagramInput& input, std::span<const double> best, bool classes,
                                  Ticker& ticker) {
    if (input.order.empty()) return empty_network();
    const auto component =
        make_component<1>(input.table, input.order, input.keep, {}, {classes, input.fixed});
    return classes ? build_by_rule<ClassRule<1>>(component, input, best, ticker)
                   : build_by_rule<DagRule<1>>(component, input, best, ticker);
}

NetworkDiagram build_from_costs(const DiagramInput& input, const RowCosts& costs, Construction construction,
                                Ticker& ticker) {
    if (input.order.empty()) return empty_network();
    return with_words(input.order.size(), [&]<std::size_t W>() {
        const bool representatives = construction == Construction::representatives;
        const auto component = make_component<W>(input.table, input.order, input.keep, costs.costs,
                                                 {representatives, input.fixed});
        const auto clusters = clusters_of<W>(input, costs.cuts);
        const CostBudget<W> budget{clusters, costs.reference - (costs.at_least - input.slack)};
        const auto build = [&](auto&& states) {
            return build_layers(component, std::forward<decltype(states)>(states), input.slack,
                                {input.memory, input.most_states, input.threads}, ticker);
        };
        return construction == Construction::frontier
                   ? build(FrontierStates<W>(component, budget))
                   : build(SourceStates<W>(component, budget, representatives));
    });
}

}  // namespace arcwise
