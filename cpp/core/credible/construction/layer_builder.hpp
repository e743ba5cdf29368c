// The loop that makes a diagram, layer by layer; what a state is, is defined elsewhere.
//
// Three things are apart here, as in TdZdd (Iwashita and Minato 2013, "Efficient top-down ZDD construction
// techniques using recursive specifications"): what a state is and which ways lead on from it (a *problem*:
// sink_states.hpp, source_states.hpp, frontier_states.hpp), how a diagram is made of that (this file: layers,
// states that are joined, limits, progress, edges), and what is summed over it (credible/sums). Only two
// layers of states are held, the one that is expanded and the one that grows.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "credible/construction/growing_layer.hpp"
#include "credible/construction/layer_expansion.hpp"
#include "credible/construction/raw_layers.hpp"
#include "monitor.hpp"

namespace arcwise {

// What a diagram may take.
struct LayerLimits {
    std::size_t memory;  // bytes
    std::uint64_t most_states = std::numeric_limits<std::uint64_t>::max();
    std::size_t threads = 1;  // the diagram does not depend on them
};

// A problem says
//   - Key: what tells the states of a layer apart; Hash: of keys; State: a key and what is best known of the
//     ways to it;
//   - start(): the first state;
//   - expand(state, depth, arrive): calls arrive(key, way, row) for every way on, where `row` is the row of
//     the component that is chosen and `way` is whatever the next two take;
//   - make(key, way): a new state; join(state, way): makes the state stand for one way more, or returns false
//     if that would be wrong;
//   - fixed_bytes(), state_bytes(state), key_bytes(key): what it takes itself, and what its states and their
//     keys take; copy_bytes(): what a copy of it takes;
//   - keeps_ways: whether a way holds until the next layer, so that it may wait
//     (layer_expansion.hpp).
template <class Problem>
concept LayeredProblem = requires(Problem problem, const Problem& fixed, const typename Problem::Key& key,
                                  const typename Problem::State& state) {
    typename Problem::Hash;
    requires std::same_as<const bool, decltype(Problem::keeps_ways)>;
    { problem.start() } -> std::same_as<typename Problem::State>;
    { fixed.fixed_bytes() } -> std::same_as<std::size_t>;
    { fixed.copy_bytes() } -> std::same_as<std::size_t>;
    { fixed.state_bytes(state) } -> std::same_as<std::size_t>;
    { fixed.key_bytes(key) } -> std::same_as<std::size_t>;
};

// The diagram of all networks of the component within `slack` of the best one; stopped() if a limit was
// reached.
template <std::size_t W, LayeredProblem Problem>
NetworkDiagram build_layers(const ComponentProblem<W>& component, Problem problem, double slack,
                            const LayerLimits& limits, Ticker& ticker) {
    std::uint64_t explored = 0;
    RawLayers<W> layers(component);
    GrowingLayer<Problem> next;
    const auto stopped = [&] { return NetworkDiagram::stopped(component.nodes, explored, ticker.reason()); };
    const auto used = [&](std::size_t layer_bytes) {
        return layers.bytes() + problem.fixed_bytes() + layer_bytes + next.bytes();
    };
    const auto is_over = [&](std::size_t layer_bytes) {
        if (used(layer_bytes) > limits.memory)
            ticker.stop(Status::memory_limit);
        else if (explored >= limits.most_states)
            ticker.stop(Status::count_limit);
        return ticker.reason() != Status::complete;
    };
    if (is_over(0)) return stopped();  // before the problem makes its tables
    std::vector<typename Problem::State> layer;
    layer.push_back(problem.start());
    std::size_t layer_bytes = problem.state_bytes(layer[0]);
    const auto room = [&] {
        const std::size_t taken = used(layer_bytes);
        return taken < limits.memory ? limits.memory - taken : 0;
    };
    // False if a limit is reached.
    const auto consume = [&](auto&& ways) {
        layers.begin_state();
        ways([&](const auto& key, const auto& way, std::size_t row) {
            layers.add_edge(next.reach(problem, key, way), row);
        });
        ++explored;
        return !((explored & 63) == 0 && ticker.poll_now({explored, 0})) && !is_over(layer_bytes);
    };
    const auto stop = [&] { return ticker.poll_now({explored, 0}); };
    LayerExpansion<Problem> expansion(problem, Problem::keeps_ways ? limits.threads : 1);
    for (std::size_t depth = 0; depth < component.nodes; ++depth) {
        layers.begin_layer(layer.size());
        const std::uint64_t most = std::min<std::uint64_t>(layer.size(), limits.most_states - explored);
        const std::span states(layer.data(), static_cast<std::size_t>(most));
        if (!expansion.run(states, depth, room, consume, stop)) return stopped();
        layer_bytes = next.settled_bytes();
        next.settle(layer);
    }
    layers.begin_layer(layer.size());
    NetworkDiagram diagram = layers.finish(slack);
    diagram.explored = explored;
    return diagram;
}

}  // namespace arcwise
