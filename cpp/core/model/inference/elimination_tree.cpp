#include "model/inference/elimination_tree.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace arcwise {

namespace {

// Divides each distribution of `variable` by its sum; where that is 0, nothing is to be expected.
void normalise(Factor& table, std::int32_t variable, std::span<const std::int32_t> arities) {
    std::size_t stride = 1;
    for (std::size_t k = table.variables.size(); table.variables[--k] != variable;)
        stride *= static_cast<std::size_t>(arities[static_cast<std::size_t>(table.variables[k])]);
    const auto states = static_cast<std::size_t>(arities[static_cast<std::size_t>(variable)]);
    for (std::size_t block = 0; block < table.values.size(); block += stride * states)
        for (std::size_t begin = block; begin < block + stride; ++begin) {
            double sum = 0;
            for (std::size_t s = 0; s < states; ++s) sum += table.values[begin + s * stride];
            if (sum > 0)
                for (std::size_t s = 0; s < states; ++s) table.values[begin + s * stride] /= sum;
        }
}

// The variables of factors and who their neighbours are, while one after the other is eliminated.
class Neighbours {
  public:
    Neighbours(std::span<const Factor> factors, std::span<const std::int32_t> variables,
               std::span<const std::int32_t> arities)
        : near_(variables.size()), cells_(variables.size()) {
        for (const auto v : variables) own_.push_back(arities[static_cast<std::size_t>(v)]);
        std::vector<std::int32_t> local;
        for (const auto& factor : factors) {
            local.clear();
            for (const auto v : factor.variables)
                local.push_back(
                    static_cast<std::int32_t>(std::ranges::lower_bound(variables, v) - variables.begin()));
            for (const auto v : local) join(static_cast<std::size_t>(v), local);
        }
        for (std::size_t v = 0; v < near_.size(); ++v) size(v);
    }

    // The variable whose clique has the fewest cells, and that number.
    std::pair<std::size_t, double> smallest() const {
        const auto place = std::ranges::min_element(cells_);
        return {static_cast<std::size_t>(place - cells_.begin()), *place};
    }

    // Joins the neighbours of a variable and takes it away; returns them, ascending.
    std::vector<std::int32_t> eliminate(std::size_t variable) {
        std::vector<std::int32_t> around = std::move(near_[variable]);
        cells_[variable] = std::numeric_limits<double>::infinity();
        for (const auto v : around) {
            auto& own = near_[static_cast<std::size_t>(v)];
            own.erase(std::ranges::lower_bound(own, static_cast<std::int32_t>(variable)));
            join(static_cast<std::size_t>(v), around);
        }
        for (const auto v : around) size(static_cast<std::size_t>(v));
        return around;
    }

  private:
    void join(std::size_t variable, std::span<const std::int32_t> others) {
        auto& own = near_[variable];
        merged_.clear();
        std::ranges::set_union(own, others, std::back_inserter(merged_));
        std::erase(merged_, static_cast<std::int32_t>(variable));
        std::swap(own, merged_);
    }
    void size(std::size_t variable) {
        double cells = own_[variable];
        for (const auto v : near_[variable]) cells *= own_[static_cast<std::size_t>(v)];
        cells_[variable] = cells;
    }

    std::vector<double> own_;
    std::vector<std::vector<std::int32_t>> near_;
    std::vector<double> cells_;
    std::vector<std::int32_t> merged_;
};

}  // namespace

std::size_t EliminationTree::node_of(std::int32_t variable) const {
    const auto among = std::ranges::lower_bound(variables_, variable) - variables_.begin();
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(among)]);
}

bool EliminationTree::build(std::span<const Factor> factors, std::span<const std::int32_t> arities,
                            double max_cells, double& log_sum) {
    std::vector<const Factor*> used;
    for (const auto& factor : factors) used.push_back(&factor);
    unite(used, variables_);
    nodes_.assign(variables_.size(), {});
    places_.assign(variables_.size(), -1);
    log_sum = 0;
    // The order, each node's clique and parent.
    Neighbours neighbours(factors, variables_, arities);
    std::vector<std::vector<std::int32_t>> above(nodes_.size());
    for (std::size_t step = 0; step < nodes_.size(); ++step) {
        const auto [local, cells] = neighbours.smallest();
        if (cells > max_cells) return false;
        places_[local] = static_cast<std::int32_t>(step);
        nodes_[step].variable = variables_[local];
        above[step] = neighbours.eliminate(local);
    }
    // Up: a factor belongs to the first of its variables that is eliminated, a message to the sender's
    // parent.
    std::vector<std::vector<const Factor*>> inputs(nodes_.size());
    const auto first_of = [&](std::span<const std::int32_t> variables) {
        std::size_t first = nodes_.size();
        for (const auto v : variables) first = std::min(first, node_of(v));
        return first;
    };
    for (const auto& factor : factors) inputs[first_of(factor.variables)].push_back(&factor);
    std::vector<Factor> messages(nodes_.size());
    std::vector<std::int32_t> around;
    for (std::size_t step = 0; step < nodes_.size(); ++step) {
        Node& node = nodes_[step];
        around.clear();
        for (const auto local : above[step]) around.push_back(variables_[static_cast<std::size_t>(local)]);
        std::vector<std::int32_t> members = around;
        members.insert(std::ranges::lower_bound(members, node.variable), node.variable);
        contract(inputs[step], members, arities, node.given);
        const Factor* whole[] = {&node.given};
        contract(whole, around, arities, messages[step]);
        const double top = std::ranges::max(messages[step].values);
        log_sum += std::log(top);
        if (!(top > 0)) return true;
        for (auto& value : messages[step].values) value /= top;
        normalise(node.given, node.variable, arities);
        if (around.empty()) {
            node.clique = node.given;
            continue;
        }
        const std::size_t parent = first_of(around);
        node.parent = static_cast<std::int32_t>(parent);
        inputs[parent].push_back(&messages[step]);
    }
    // Down: the clique's marginal is that of what it shares with its parent, times the conditional.
    Factor shared;
    for (std::size_t step = nodes_.size(); step-- > 0;) {
        Node& node = nodes_[step];
        if (node.parent < 0) continue;
        around = node.given.variables;
        std::erase(around, node.variable);
        const Factor* from[] = {&nodes_[static_cast<std::size_t>(node.parent)].clique};
        contract(from, around, arities, shared);
        const Factor* both[] = {&node.given, &shared};
        contract(both, node.given.variables, arities, node.clique);
    }
    return true;
}

bool EliminationTree::marginal(std::span<const std::int32_t> asked, std::span<const std::int32_t> arities,
                               double max_cells, Factor& result) const {
    // Where the paths begin; a later node takes the place of an earlier one until all have met.
    thread_local std::vector<std::size_t> open;
    thread_local std::vector<Factor> messages;  // by node: what it sends to its parent
    thread_local std::vector<std::vector<std::size_t>> senders;
    thread_local std::vector<const Factor*> used;
    thread_local std::vector<std::int32_t> kept;
    open.clear();
    for (const auto v : asked) open.push_back(node_of(v));
    std::ranges::sort(open);
    const auto within = [&](const Factor& clique) { return std::ranges::includes(clique.variables, asked); };
    if (within(nodes_[open.front()].clique)) {
        const Factor* whole[] = {&nodes_[open.front()].clique};
        contract(whole, asked, arities, result);
        return true;
    }
    if (messages.size() < nodes_.size()) messages.resize(nodes_.size());
    if (senders.size() < nodes_.size()) senders.resize(nodes_.size());
    while (true) {
        const std::size_t step = open.front();
        const Node& node = nodes_[step];
        const bool is_top = open.size() == 1;
        used.assign(1, is_top ? &node.clique : &node.given);
        for (const auto sender : senders[step]) used.push_back(&messages[sender]);
        unite(used, kept);
        const bool fits = cells_of(kept, arities) <= max_cells;
        if (is_top || !fits) {
            if (fits) contract(used, asked, arities, result);
            senders[step].clear();
            for (const auto other : open) senders[other].clear();
            return fits;
        }
        if (!std::ranges::binary_search(asked, node.variable)) std::erase(kept, node.variable);
        contract(used, kept, arities, messages[step]);
        senders[step].clear();
        const auto parent = static_cast<std::size_t>(node.parent);
        senders[parent].push_back(step);
        open.erase(open.begin());
        const auto place = std::ranges::lower_bound(open, parent);
        if (place == open.end() || *place != parent) open.insert(place, parent);
    }
}

std::size_t EliminationTree::bytes() const {
    std::size_t total = 0;
    for (const auto& node : nodes_)
        total +=
            sizeof(Node) + 2 * (node.given.values.size() * sizeof(double) + node.given.variables.size() * 4);
    return total;
}

}  // namespace arcwise
