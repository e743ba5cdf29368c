#include "confidence/network_sums.hpp"

#include <stdexcept>

#include "bitset.hpp"
#include "graph/class_kernel.hpp"

namespace arcwise {

namespace {

// The parents of every node of one network.
template <class Choice>
void read_parents(const Networks<Choice>& networks, std::size_t network, std::vector<ParentList>& parents) {
    for (std::size_t node = 0; node < networks.nodes; ++node) parents[node] = networks.parents(network, node);
}

// Adds the weight at every set bit of a nodes x nodes matrix of bits.
void add_bits(const BitRows& bits, std::size_t nodes, double weight, std::vector<double>& sums) {
    for (std::size_t row = 0; row < nodes; ++row)
        bits[row].for_each([&](std::size_t column) { sums[row * nodes + column] += weight; });
}

}  // namespace

template <class Choice>
std::vector<double> sum_classes(const Networks<Choice>& networks, std::span<const double> weights,
                                std::span<const Word> fixed) {
    const auto n = networks.nodes;
    std::vector<double> sums(2 * n * n, 0.0);
    const std::span<double> directed(sums.data(), n * n);
    const std::span<double> undirected(sums.data() + n * n, n * n);
    std::vector<ParentList> parents(n);
    ClassKernel kernel(n, fixed);
    for (std::size_t network = 0; network < networks.count(); ++network) {
        read_parents(networks, network, parents);
        if (!kernel.label(parents)) throw std::invalid_argument("a network has a cycle");
        const double weight = weights[network];
        kernel.for_each_arc([&](std::size_t tail, std::size_t head, bool all_have_it) {
            if (all_have_it) {
                directed[tail * n + head] += weight;
            } else {
                undirected[tail * n + head] += weight;
                undirected[head * n + tail] += weight;
            }
        });
    }
    return sums;
}

template <class Choice>
std::vector<double> sum_blankets(const Networks<Choice>& networks, std::span<const double> weights) {
    const auto n = networks.nodes;
    std::vector<double> sums(n * n, 0.0);
    BitRows blanket(n, n);
    const auto join = [&](std::size_t a, std::size_t b) {
        blanket[a].add(b);
        blanket[b].add(a);
    };
    for (std::size_t network = 0; network < networks.count(); ++network) {
        blanket.clear();
        for (std::size_t head = 0; head < n; ++head) {
            const auto parents = networks.parents(network, head);
            for (std::size_t k = 0; k < parents.size(); ++k) {
                const auto tail = static_cast<std::size_t>(parents[k]);
                join(head, tail);
                for (std::size_t other = 0; other < k; ++other)
                    join(tail, static_cast<std::size_t>(parents[other]));
            }
        }
        add_bits(blanket, n, weights[network], sums);
    }
    return sums;
}

template <class Choice>
std::vector<double> sum_paths(const Networks<Choice>& networks, std::span<const double> weights) {
    const auto n = networks.nodes;
    std::vector<double> sums(n * n, 0.0);
    std::vector<ParentList> parents(n);
    BitRows ancestors(n, n);
    // Depth first from each node: a node's ancestors are its parents and theirs.
    enum class State : std::uint8_t { unseen, open, finished };
    std::vector<State> state(n);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // node, next parent
    for (std::size_t network = 0; network < networks.count(); ++network) {
        read_parents(networks, network, parents);
        ancestors.clear();
        state.assign(n, State::unseen);
        for (std::size_t root = 0; root < n; ++root) {
            if (state[root] != State::unseen) continue;
            path.emplace_back(root, 0);
            state[root] = State::open;
            while (!path.empty()) {
                auto& [node, next] = path.back();
                if (next == parents[node].size()) {
                    for (const auto parent : parents[node]) {
                        const auto tail = static_cast<std::size_t>(parent);
                        ancestors[node].add(tail);
                        ancestors[node] |= ancestors[tail];
                    }
                    state[node] = State::finished;
                    path.pop_back();
                    continue;
                }
                const auto tail = static_cast<std::size_t>(parents[node][next++]);
                if (state[tail] == State::open) throw std::invalid_argument("a network has a cycle");
                if (state[tail] == State::unseen) {
                    state[tail] = State::open;
                    path.emplace_back(tail, 0);
                }
            }
        }
        add_bits(ancestors, n, weights[network], sums);
    }
    // Rows are descendants here; the caller wants [from, to].
    std::vector<double> paths(n * n);
    for (std::size_t to = 0; to < n; ++to)
        for (std::size_t from = 0; from < n; ++from) paths[from * n + to] = sums[to * n + from];
    return paths;
}

#define ARCWISE_INSTANTIATE(Choice)                                                              \
    template std::vector<double> sum_classes(const Networks<Choice>&, std::span<const double>,   \
                                             std::span<const Word>);                             \
    template std::vector<double> sum_blankets(const Networks<Choice>&, std::span<const double>); \
    template std::vector<double> sum_paths(const Networks<Choice>&, std::span<const double>);
ARCWISE_INSTANTIATE(std::uint8_t)
ARCWISE_INSTANTIATE(std::uint16_t)
ARCWISE_INSTANTIATE(std::uint32_t)
#undef ARCWISE_INSTANTIATE

}  // namespace arcwise
