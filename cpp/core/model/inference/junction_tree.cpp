#include "model/inference/junction_tree.hpp"

#include <algorithm>
#include <numeric>

#include "model/inference/elimination_order.hpp"

namespace arcwise {

namespace {

std::size_t index(std::int32_t v) {
    return static_cast<std::size_t>(v);
}

}  // namespace

JunctionTree::JunctionTree(const ProbabilityTables& tables, const TreeRequest& request) : tables_(tables) {
    find_relevant(request);
    if (request.connected_only) drop_unconnected(request.targets);
    eliminate(!request.estimate);
}

void JunctionTree::find_relevant(const TreeRequest& request) {
    const auto n = tables_.variables();
    std::vector<std::uint8_t> relevant(n, 0);
    std::vector<std::size_t> stack;
    const auto want = [&](std::int32_t v) {
        if (relevant[index(v)]) return;
        relevant[index(v)] = 1;
        stack.push_back(index(v));
    };
    for (const auto v : request.asked) want(v);
    for (const auto v : request.targets) want(v);
    for (const auto v : request.observed) want(v);
    while (!stack.empty()) {
        const auto v = stack.back();
        stack.pop_back();
        for (const auto p : tables_.parents(v)) want(p);
    }
    observed_.assign(n, 0);
    for (const auto v : request.observed) observed_[index(v)] = 1;
    local_.assign(n, -1);
    const auto free = [&](std::size_t v) {
        // A variable of one state is as good as observed: no axis, however many there are.
        if (!relevant[v] || observed_[v] || tables_.arity(v) == 1 || local_[v] >= 0) return;
        local_[v] = static_cast<std::int32_t>(free_.size());
        free_.push_back(static_cast<std::int32_t>(v));
    };
    for (const auto v : request.asked) free(index(v));
    asked_ = free_.size();
    for (std::size_t v = 0; v < n; ++v) free(v);
    for (std::size_t v = 0; v < n; ++v)
        if (relevant[v]) factors_.push_back(v);
}

void JunctionTree::drop_unconnected(std::span<const std::int32_t> targets) {
    // Tables that share free variables belong together: the parts are found by joining sets.
    std::vector<std::size_t> part(free_.size());
    std::iota(part.begin(), part.end(), 0);
    const auto find = [&](std::size_t v) {
        while (part[v] != v) v = part[v] = part[part[v]];
        return v;
    };
    constexpr auto none = static_cast<std::size_t>(-1);
    const auto first_free = [&](std::size_t v) {
        for (const auto u : tables_.family(v))
            if (local_[index(u)] >= 0) return index(local_[index(u)]);
        return none;
    };
    for (const auto v : factors_) {
        const auto first = first_free(v);
        for (const auto u : tables_.family(v))
            if (local_[index(u)] >= 0) part[find(index(local_[index(u)]))] = find(first);
    }
    std::vector<std::uint8_t> kept(free_.size(), 0);
    for (std::size_t v = 0; v < asked_; ++v) kept[find(v)] = 1;
    for (const auto v : targets)
        if (local_[index(v)] >= 0) kept[find(index(local_[index(v)]))] = 1;
    std::erase_if(factors_, [&](std::size_t v) {
        const auto first = first_free(v);
        return first == none || !kept[find(first)];
    });
    std::vector<std::int32_t> stay;
    for (std::size_t v = 0; v < free_.size(); ++v)
        if (kept[find(v)]) stay.push_back(free_[v]);
    std::fill(local_.begin(), local_.end(), -1);
    free_ = std::move(stay);
    for (std::size_t i = 0; i < free_.size(); ++i) local_[index(free_[i])] = static_cast<std::int32_t>(i);
}

void JunctionTree::eliminate(bool with_restarts) {
    const auto m = free_.size();
    BitRows graph(m, m);
    std::vector<std::int32_t> scope;
    for (const auto v : factors_) {
        scope.clear();
        for (const auto u : tables_.family(v))
            if (local_[index(u)] >= 0) scope.push_back(local_[index(u)]);
        join_members(graph, scope);
    }
    std::vector<std::int32_t> arities(m);
    for (std::size_t i = 0; i < m; ++i)
        arities[i] = static_cast<std::int32_t>(tables_.arity(index(free_[i])));
    std::vector<std::uint8_t> kept(m, 0);
    std::fill_n(kept.begin(), asked_, 1);
    const auto order = find_elimination_order(graph, arities, kept, with_restarts);
    position_.resize(m);
    for (std::size_t i = 0; i < asked_; ++i) position_[i] = i;
    const auto steps = order.variables.size();
    for (std::size_t i = 0; i < steps; ++i) position_[index(order.variables[i])] = m - 1 - i;

    // The clique of every step, by going through the elimination once more.
    buckets_.resize(steps + 1);
    bucket_of_.assign(m, steps);
    for (std::size_t i = 0; i < steps; ++i) bucket_of_[index(order.variables[i])] = i;
    const auto by_position = [this](std::int32_t a, std::int32_t b) {
        return position_[index(a)] < position_[index(b)];
    };
    for (std::size_t i = 0; i < steps; ++i) {
        const auto v = index(order.variables[i]);
        auto& bucket = buckets_[i];
        graph[v].for_each([&](std::size_t u) { bucket.scope.push_back(static_cast<std::int32_t>(u)); });
        join_members(graph, bucket.scope);
        for (const auto u : bucket.scope) graph[index(u)].remove(v);
        std::sort(bucket.scope.begin(), bucket.scope.end(), by_position);
        bucket.separator = bucket.scope.size();
        bucket.last = i;
        bucket.scope.push_back(static_cast<std::int32_t>(v));
    }
    auto& root = buckets_[steps];
    for (std::size_t i = 0; i < asked_; ++i) root.scope.push_back(static_cast<std::int32_t>(i));
    root.separator = asked_;
    root.last = steps;
    merge_buckets();
    const auto cells = [&](std::span<const std::int32_t> members) {
        double product = 1;
        for (const auto u : members) product *= arities[index(u)];
        return product;
    };
    for (const auto& bucket : buckets_) {
        const auto size = cells(bucket.scope);
        if (size > largest_) {
            largest_ = size;
            width_ = bucket.scope.size() - 1;
        }
        total_ += size;
        message_cells_ += cells(std::span(bucket.scope).first(bucket.separator));
    }
}

// A step whose clique is just what an earlier step left over is the same clique: its variable is summed out
// there.
void JunctionTree::merge_buckets() {
    const auto steps = buckets_.size() - 1;
    std::vector<std::uint8_t> merged(steps + 1, 0);
    for (std::size_t i = 0; i < steps; ++i) {
        if (merged[i]) continue;
        auto& bucket = buckets_[i];
        while (bucket.separator > 0) {
            const auto next = bucket_of_[index(bucket.scope[bucket.separator - 1])];
            if (next == steps || next < bucket.last || merged[next] ||
                buckets_[next].scope.size() != bucket.separator)
                break;
            bucket_of_[index(bucket.scope[bucket.separator - 1])] = i;
            bucket.separator = buckets_[next].separator;
            bucket.last = next;
            merged[next] = 1;
        }
    }
    // Children before parents: a message is due when the last variable of its clique is summed out.
    std::vector<std::size_t> kept, number(steps + 1, 0);
    for (std::size_t i = 0; i <= steps; ++i)
        if (!merged[i]) kept.push_back(i);
    std::sort(kept.begin(), kept.end(),
              [this](std::size_t a, std::size_t b) { return buckets_[a].last < buckets_[b].last; });
    std::vector<Bucket> ordered;
    for (const auto i : kept) {
        number[i] = ordered.size();
        ordered.push_back(std::move(buckets_[i]));
    }
    buckets_ = std::move(ordered);
    for (auto& bucket : bucket_of_) bucket = number[bucket];
}

std::size_t JunctionTree::parent_of(const Bucket& bucket) const {
    return bucket.separator == 0 ? buckets_.size() - 1
                                 : bucket_of_[index(bucket.scope[bucket.separator - 1])];
}

double JunctionTree::most_message_cells() const {
    std::vector<double> of_children(buckets_.size(), 0);
    double now = 0, most = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const auto& bucket = buckets_[i];
        double cells = 1;
        for (std::size_t l = 0; l < bucket.separator; ++l)
            cells *= static_cast<double>(tables_.arity(index(free_[index(bucket.scope[l])])));
        now += cells;
        most = std::max(most, now);
        now -= of_children[i];
        if (i + 1 < buckets_.size()) of_children[parent_of(bucket)] += cells;
    }
    return most;
}

void JunctionTree::build() {
    nodes_.reserve(buckets_.size());
    for (const auto& bucket : buckets_) {
        std::vector<std::size_t> arities;
        for (const auto u : bucket.scope) arities.push_back(tables_.arity(index(free_[index(u)])));
        auto& node = nodes_.emplace_back(std::move(arities));
        node.separator = bucket.separator;
        node.parent = parent_of(bucket);
        for (std::size_t l = 0; l < bucket.separator; ++l) node.message_cells *= node.collect.arity(l);
        for (const auto u : bucket.scope) node.scope.push_back(free_[index(u)]);
    }
    for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) nodes_[nodes_[i].parent].children.push_back(i);
    add_tables();
    for (auto& node : nodes_) {
        for (const auto child : node.children) node.collect.add_input(strides_in(nodes_[child], node));
        node.collect.add_output(strides_in(node, node));
        node.collect.prepare();
    }
}

// A table belongs to the clique where its first variable is summed out: no other needs to know it.
void JunctionTree::add_tables() {
    for (const auto v : factors_) {
        auto home = nodes_.size() - 1;
        std::size_t deepest = 0;
        for (const auto u : tables_.family(v)) {
            const auto local = local_[index(u)];
            if (local < 0 || position_[index(local)] < deepest) continue;
            deepest = position_[index(local)];
            home = bucket_of_[index(local)];
        }
        auto& node = nodes_[home];
        TreeTable table{v, {}, {}};
        std::vector<std::size_t> strides(node.scope.size(), 0);
        std::size_t stride = 1;
        const auto family = tables_.family(v);
        for (auto axis = family.size(); axis-- > 0; stride *= tables_.arity(index(family[axis]))) {
            const auto u = family[axis];
            if (observed_[index(u)]) {
                table.observed.push_back(u);
                table.strides.push_back(stride);
            } else if (local_[index(u)] >= 0) {
                strides[static_cast<std::size_t>(std::find(node.scope.begin(), node.scope.end(), u) -
                                                 node.scope.begin())] = stride;
            }
        }
        node.collect.add_input(strides);
        node.tables.push_back(std::move(table));
    }
}

// How the message of a node lies in its own clique or in its parent's.
std::vector<std::size_t> JunctionTree::strides_in(const TreeNode& of, const TreeNode& in) const {
    std::vector<std::size_t> strides(in.scope.size(), 0);
    std::size_t stride = 1;
    auto l = in.scope.size();
    for (auto i = of.separator; i-- > 0;) {  // both are in the same order
        do --l;
        while (in.scope[l] != of.scope[i]);
        strides[l] = stride;
        stride *= of.collect.arity(i);
    }
    return strides;
}

Clique JunctionTree::distribution(std::size_t number) const {
    const auto& node = nodes_[number];
    Clique clique = node.collect.without_outputs();
    clique.add_input(strides_in(node, node));
    for (const auto child : node.children) clique.add_output(strides_in(nodes_[child], node));
    for (auto l = node.separator; l < node.scope.size(); ++l) {
        std::vector<std::size_t> strides(node.scope.size(), 0);
        strides[l] = 1;
        clique.add_output(strides);
    }
    clique.prepare();
    return clique;
}

std::vector<std::int32_t> JunctionTree::relevant_observed() const {
    std::vector<std::int32_t> found;
    for (const auto v : factors_)
        for (const auto u : tables_.family(v))
            if (observed_[index(u)]) found.push_back(u);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace arcwise
