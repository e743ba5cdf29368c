#include "local/refinement.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace arcwise {

namespace {

struct Arc {
    std::size_t from;
    std::size_t to;

    bool is_in(const std::vector<Parents>& network) const {
        return std::ranges::binary_search(network[to], static_cast<std::int32_t>(from));
    }
};

std::vector<Arc> arcs_of(const std::vector<Parents>& network) {
    std::vector<Arc> arcs;
    for (std::size_t to = 0; to < network.size(); ++to)
        for (const auto from : network[to]) arcs.push_back({static_cast<std::size_t>(from), to});
    return arcs;
}

// The arcs of a network near one of them, where the network is large; all of them otherwise.
class NearArcs {
  public:
    explicit NearArcs(RefinementRange range) : range_(range) {}

    void look_at(const std::vector<Parents>& network) {
        all_ = arcs_of(network);
        if (is_small()) return;
        joined_ = network;
        for (const auto& [from, to] : all_) joined_[from].push_back(static_cast<std::int32_t>(to));
        seen_.assign(network.size(), 0);
    }

    // By child and parent, as arcs_of has them. In a large network those among the variables that are the
    // fewest steps away from the ends of `arc`, along arcs in either direction.
    std::vector<Arc> of(const std::vector<Parents>& network, const Arc& arc) {
        if (is_small()) return all_;
        std::vector<std::size_t> near{arc.from, arc.to};
        for (const auto node : near) seen_[node] = 1;
        for (std::size_t i = 0; i < near.size() && near.size() < range_.near; ++i)
            for (const auto other : joined_[near[i]]) {
                const auto node = static_cast<std::size_t>(other);
                if (seen_[node] != 0 || near.size() >= range_.near) continue;
                seen_[node] = 1;
                near.push_back(node);
            }
        std::ranges::sort(near);
        std::vector<Arc> arcs;
        for (const auto to : near)
            for (const auto from : network[to])
                if (seen_[static_cast<std::size_t>(from)] != 0)
                    arcs.push_back({static_cast<std::size_t>(from), to});
        for (const auto node : near) seen_[node] = 0;
        return arcs;
    }

  private:
    bool is_small() const { return all_.size() <= range_.whole; }

    RefinementRange range_;
    std::vector<Arc> all_;
    std::vector<Parents> joined_;  // parents, then children
    std::vector<std::uint8_t> seen_;
};

// Have the ends of an arc the same other parents? `to` has one parent more than `from`.
bool is_covered(const std::vector<Parents>& network, const Arc& arc) {
    auto other = network[arc.from].begin();
    for (const auto parent : network[arc.to]) {
        if (parent == static_cast<std::int32_t>(arc.from)) continue;
        if (other == network[arc.from].end() || *other++ != parent) return false;
    }
    return true;
}

// Turns some of these arcs at random, half as many tries as there are arcs: covered ones, whose ends have the
// same other parents, so that the network stays in its equivalence class (Chickering 1995).
void turn_covered_arcs(std::vector<Parents>& network, std::vector<Arc> arcs, const ArcRules& rules,
                       Xoshiro& random) {
    for (std::size_t tried = 0; tried < arcs.size() / 2; ++tried) {
        auto& arc = arcs[random.below(arcs.size())];
        const auto [from, to] = arc;
        if (network[to].size() != network[from].size() + 1 || network[from].size() >= rules.limit(from))
            continue;
        if (rules.required(from, to) || !rules.allowed(to, from)) continue;
        if (!is_covered(network, arc)) continue;
        network[from] = with(network[from], to);
        network[to] = without(network[to], from);
        arc = {to, from};
    }
}

Parents required_parents(const Parents& parents, std::size_t node, const ArcRules& rules) {
    Parents kept;
    std::ranges::copy_if(parents, std::back_inserter(kept), [&](std::int32_t parent) {
        return rules.required(static_cast<std::size_t>(parent), node);
    });
    return kept;
}

// Makes the arc from -> to the arc to -> from, and leaves both ends no other parents than the required ones.
// False, and nothing changes, if the rules forbid it.
bool turn(std::vector<Parents>& network, const Arc& arc, const ArcRules& rules) {
    if (rules.required(arc.from, arc.to) || !rules.allowed(arc.to, arc.from)) return false;
    const auto kept = required_parents(network[arc.from], arc.from, rules);
    if (kept.size() >= rules.limit(arc.from)) return false;
    network[arc.from] = with(kept, arc.to);
    network[arc.to] = required_parents(network[arc.to], arc.to, rules);
    return true;
}

void take_out(std::vector<Parents>& network, std::size_t node, const ArcRules& rules) {
    network[node] = required_parents(network[node], node, rules);
    for (std::size_t child = 0; child < network.size(); ++child)
        if (!rules.required(node, child)) std::erase(network[child], static_cast<std::int32_t>(node));
}

// Makes `changed` the network with other arcs turned where that changes nothing, and with this one turned, or
// the node that it leads to taken out. False if the rules forbid it. (`changed` is the caller's, for its
// memory.)
bool change(const std::vector<Parents>& network, const Arc& arc, bool out, NearArcs& near,
            const ArcRules& rules, Xoshiro& random, std::vector<Parents>& changed) {
    changed = network;
    turn_covered_arcs(changed, near.of(network, arc), rules, random);
    if (!out) return turn(changed, arc, rules);
    take_out(changed, arc.to, rules);
    return true;
}

// The rounds of `refine`, on the rows that the scores have now.
void turn_in_rounds(FamilyScores& scores, const RefinementRange& range, BestMove& best_move, Xoshiro& random,
                    Ticker& ticker, SearchOutcome& outcome) {
    const auto& rules = scores.rules();
    const std::uint64_t most_families = (1 + range.effort) * scores.families_meant();
    const double tolerance = score_tolerance(outcome.score);
    Walk walk(scores, outcome.parents);
    std::vector<Parents> current = outcome.parents;
    std::vector<Parents> changed;
    NearArcs near(range);
    near.look_at(current);
    for (std::uint64_t idle = 0; idle < range.rounds; ++idle) {
        auto arcs = arcs_of(current);
        random.shuffle(std::span(arcs));
        for (const auto& arc : arcs) {
            if (scores.families_meant() > most_families) return;
            if (ticker.poll_now({outcome.iterations, 0, outcome.score})) return;
            // An equally good network may have taken the place of the one whose arcs these are.
            if (!arc.is_in(current)) continue;
            best_move.shuffle_ties(random);
            if (!change(current, arc, idle % 2 == 1, near, rules, random, changed)) continue;
            if (!walk.assign(changed)) continue;  // required arcs can close a cycle
            while (const auto choice = best_move.find(walk, tolerance, tolerance)) walk.apply(choice->move);
            const double score = walk.score();
            if (score < outcome.score - tolerance) continue;
            current = walk.dag().all_parents();
            near.look_at(current);
            if (score <= outcome.score + tolerance) continue;
            outcome.score = score;
            outcome.parents = current;
            outcome.history.push_back(score);
            ++outcome.iterations;
            idle = static_cast<std::uint64_t>(-1);  // the rounds begin again
            break;
        }
    }
}

// Climbs on from the network at hand, as long as a single change gains.
void climb_on(FamilyScores& scores, BestMove& best_move, Ticker& ticker, SearchOutcome& outcome) {
    const double tolerance = score_tolerance(outcome.score);
    Walk walk(scores, outcome.parents);
    while (!ticker.poll_now({outcome.iterations, 0, outcome.score})) {
        const auto choice = best_move.find(walk, tolerance, tolerance);
        if (!choice) return;
        walk.apply(choice->move);
        outcome.score = walk.score();
        outcome.parents = walk.dag().all_parents();
        outcome.history.push_back(outcome.score);
        ++outcome.iterations;
    }
}

}  // namespace

void refine(FamilyScores& scores, const RefinementRange& range, BestMove& best_move, Xoshiro& random,
            Ticker& ticker, SearchOutcome& outcome) {
    if (range.rounds == 0) return;
    const bool is_narrow = range.candidates > 0 && scores.variables() > range.narrow;
    if (is_narrow) scores.narrow(range.candidates);
    turn_in_rounds(scores, range, best_move, random, ticker, outcome);
    if (!is_narrow) return;
    scores.widen();
    climb_on(scores, best_move, ticker, outcome);
}

}  // namespace arcwise
