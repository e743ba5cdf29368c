#include "local/walk.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace arcwise {

namespace {

constexpr double not_known = std::numeric_limits<double>::infinity();

}  // namespace

Walk::Walk(FamilyScores& scores, std::vector<Parents> start)
    : scores_(&scores),
      dag_(scores.variables()),
      rows_(scores.variables()),
      own_(scores.variables(), 0.0),
      adding_(scores.variables(), not_known),
      most_(scores.variables(), not_known),
      looked_(scores.variables(), 0),
      turning_(scores.variables(), not_known) {
    for (auto& parents : start) std::ranges::sort(parents);
    [[maybe_unused]] const bool acyclic = dag_.assign(start);
    assert(acyclic);
    for (std::size_t node = 0; node < rows_.size(); ++node) refresh(node);
}

double Walk::score() const {
    double total = 0.0;
    for (const double own : own_) total += own;
    return total;
}

bool is_legal(const ChangingDag& dag, const ArcRules& rules, const Move& move) {
    const auto has_room = [&](std::size_t node) { return dag.parents(node).size() < rules.limit(node); };
    switch (move.kind) {
        case MoveKind::add:
            return rules.allowed(move.from, move.to) && has_room(move.to) &&
                   dag.can_add(move.from, move.to) && !dag.has_arc(move.from, move.to);
        case MoveKind::remove:
            return dag.has_arc(move.from, move.to) && !rules.required(move.from, move.to);
        case MoveKind::reverse:
            return dag.has_arc(move.from, move.to) && !rules.required(move.from, move.to) &&
                   rules.allowed(move.to, move.from) && has_room(move.from) &&
                   dag.can_reverse(move.from, move.to);
    }
    return false;
}

double Walk::gain(const Move& move) const {
    const auto settle = [this](std::size_t node, std::size_t other) {
        scores_->settle(*rows_[node], node, dag_.parents(node), other);
    };
    settle(move.to, move.from);
    if (move.kind == MoveKind::reverse) settle(move.from, move.to);
    return gain_bound(move);
}

std::uint64_t Walk::hash_after(const Move& move) const {
    const std::uint64_t changed = dag_.hash() ^ ChangingDag::arc_key(move.from, move.to);
    return move.kind == MoveKind::reverse ? changed ^ ChangingDag::arc_key(move.to, move.from) : changed;
}

void apply(ChangingDag& dag, const Move& move) {
    switch (move.kind) {
        case MoveKind::add:
            dag.add(move.from, move.to);
            break;
        case MoveKind::remove:
            dag.remove(move.from, move.to);
            break;
        case MoveKind::reverse:
            dag.reverse(move.from, move.to);
            break;
    }
}

void Walk::refresh(std::size_t node) {
    rows_[node] = scores_->row(node, dag_.parents(node));
    own_[node] = rows_[node]->own;
    adding_[node] = rows_[node]->best_gain;
    most_[node] = not_known;
    turning_[node] = not_known;
    for (const auto child : dag_.children(node)) {
        most_[static_cast<std::size_t>(child)] = not_known;
        turning_[static_cast<std::size_t>(child)] = not_known;
    }
}

void Walk::allow_what_opened() {
    const auto raise = [this](std::size_t node, double gain) { most_[node] = std::max(most_[node], gain); };
    dag_.opened().for_each([&](std::size_t node) { raise(node, adding_[node]); });
    for (const auto below : dag_.looked_below()) {
        const auto node = static_cast<std::size_t>(below);
        raise(node, turning_[node]);
    }
}

// At least what any removal or reversal of an arc into `node` gains, legal or not: it changes only with the
// rows of the node and of its parents, and at a local optimum it says of nearly all nodes that there is
// nothing to look for.
double Walk::turning(std::size_t node) const {
    double& most = turning_[node];
    if (most != not_known) return most;
    most = -std::numeric_limits<double>::infinity();
    for (const auto parent : dag_.parents(node)) {
        const auto from = static_cast<std::size_t>(parent);
        for (const auto kind : {MoveKind::remove, MoveKind::reverse}) {
            const double gain = gain_bound({kind, from, node});
            if (gain > most) most = gain;  // not a number where the rules forbid the change
        }
    }
    return most;
}

void Walk::look_into(std::size_t node, double bar) const {
    const auto& row = *rows_[node];
    double most = -std::numeric_limits<double>::infinity();
    const auto consider = [&](const Move& move) {
        const double gain = gain_bound(move);
        if (gain > most && is_legal(move)) most = gain;
    };
    // The first that closes no cycle gains most. The rules allow all of them, and there is room for one more.
    for (const auto from : row.by_gain) {
        const auto tail = static_cast<std::size_t>(from);
        if (!dag_.can_add(tail, node)) continue;
        most = row.at(tail) - row.own;
        break;
    }
    const double turned = turning(node);
    if (turned > most && turned < bar) {
        most_[node] = turned;  // a bound, which is enough for this bar: whoever has a lower one looks again
        return;
    }
    if (turned > most) {
        for (const auto parent : dag_.parents(node)) {
            consider({MoveKind::remove, static_cast<std::size_t>(parent), node});
            consider({MoveKind::reverse, static_cast<std::size_t>(parent), node});
        }
    }
    most_[node] = most;
    looked_[node] = changes_;
}

void Walk::apply(const Move& move) {
    arcwise::apply(dag_, move);
    ++changes_;
    if (move.kind != MoveKind::add) allow_what_opened();
    if (move.kind == MoveKind::reverse) refresh(move.from);
    refresh(move.to);
}

bool Walk::assign(const std::vector<Parents>& parents) {
    std::vector<std::size_t> nodes(rows_.size());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    return assign(parents, nodes);
}

bool Walk::assign(const std::vector<Parents>& parents, std::span<const std::size_t> nodes) {
    std::vector<std::size_t> changed;
    for (const auto node : nodes)
        if (dag_.all_parents()[node] != parents[node]) changed.push_back(node);
    if (!dag_.assign(parents, changed)) return false;
    ++changes_;
    allow_what_opened();
    for (const auto node : changed) refresh(node);
    return true;
}

double score_tolerance(double score) {
    return std::max(1e-8, 1e-11 * std::abs(score));
}

std::vector<Parents> required_start(const ArcRules& rules) {
    std::vector<Parents> parents(rules.variables());
    for (std::size_t to = 0; to < parents.size(); ++to)
        for (std::size_t from = 0; from < parents.size(); ++from)
            if (rules.required(from, to)) parents[to].push_back(static_cast<std::int32_t>(from));
    return parents;
}

std::vector<Parents> random_start(const ArcRules& rules, double density, Xoshiro& random) {
    const std::size_t n = rules.variables();
    const auto required = required_start(rules);
    // A random order that the required arcs agree with: of the nodes that may come next, any.
    std::vector<std::size_t> missing(n);
    std::vector<std::size_t> ready;
    for (std::size_t v = 0; v < n; ++v) {
        missing[v] = required[v].size();
        if (missing[v] == 0) ready.push_back(v);
    }
    std::vector<Parents> parents(n);
    std::vector<std::size_t> placed;
    while (!ready.empty()) {
        std::swap(ready[random.below(ready.size())], ready.back());
        const std::size_t node = ready.back();
        ready.pop_back();
        auto& own = parents[node] = required[node];
        std::vector<std::size_t> others = placed;
        random.shuffle(std::span(others));
        for (const auto other : others) {
            if (own.size() >= rules.limit(node)) break;
            if (rules.required(other, node) || !rules.allowed(other, node)) continue;
            if (random.uniform() < density) own.push_back(static_cast<std::int32_t>(other));
        }
        std::ranges::sort(own);
        placed.push_back(node);
        for (std::size_t v = 0; v < n; ++v)
            if (rules.required(node, v) && --missing[v] == 0) ready.push_back(v);
    }
    assert(placed.size() == n);
    return parents;
}

}  // namespace arcwise
