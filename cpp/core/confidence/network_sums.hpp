// Weighted sums over many DAGs of what an analyst asks about a pair of variables: an arc, an edge of the
// equivalence class, a place in the Markov blanket, a directed path (Friedman, Goldszmidt, Wyner 1999).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"

namespace arcwise {

// DAG d gives node v the parents members[set_offsets[r] .. set_offsets[r + 1]) with
// r = node_offsets[v] + choices[d * nodes + v].
template <class Choice>
struct Networks {
    std::size_t nodes;
    std::span<const std::int64_t> node_offsets;
    std::span<const std::int64_t> set_offsets;
    std::span<const std::int32_t> members;
    std::span<const Choice> choices;

    std::size_t count() const { return nodes == 0 ? 0 : choices.size() / nodes; }
    std::span<const std::int32_t> parents(std::size_t network, std::size_t node) const {
        const auto row =
            static_cast<std::size_t>(node_offsets[node]) + std::size_t{choices[network * nodes + node]};
        const auto begin = static_cast<std::size_t>(set_offsets[row]);
        return members.subspan(begin, static_cast<std::size_t>(set_offsets[row + 1]) - begin);
    }
};

// Each returns nodes x nodes sums of the weights; networks are added in their order, so the bits are fixed.

// Of the networks' classes: arcs that all members have, at [tail, head] of the first half; edges that they
// turn, at [i, j] and [j, i], in the second half. `fixed`: see graph/class_kernel.hpp; empty for Markov
// classes.
template <class Choice>
std::vector<double> sum_classes(const Networks<Choice>& networks, std::span<const double> weights,
                                std::span<const Word> fixed = {});

// At [i, j] and [j, i]: j is a parent, a child or the other parent of a child of i.
template <class Choice>
std::vector<double> sum_blankets(const Networks<Choice>& networks, std::span<const double> weights);

// At [i, j]: a directed path leads from i to j.
template <class Choice>
std::vector<double> sum_paths(const Networks<Choice>& networks, std::span<const double> weights);

}  // namespace arcwise
