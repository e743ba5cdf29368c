#include "local/refinement.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
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

// A network that is tried out: what is changed since it was last kept can be undone, and costs as much as has
// changed. Of thousands of variables, a try changes a handful.
class Trial {
  public:
    explicit Trial(std::vector<Parents> network)
        : parents_(std::move(network)), children_(parents_.size()), is_changed_(parents_.size(), 0) {
        for (const auto& [from, to] : arcs_of(parents_)) {
            children_[from].push_back(static_cast<std::int32_t>(to));
            ++arcs_;
        }
    }

    const std::vector<Parents>& parents() const { return parents_; }
    const Parents& parents(std::size_t node) const { return parents_[node]; }
    const Parents& children(std::size_t node) const { return children_[node]; }  // ascending
    std::size_t arcs() const { return arcs_; }
    // The nodes that may have other parents than in the network that was last kept.
    std::span<const std::size_t> changed() const { return changed_; }

    void set_parents(std::size_t node, Parents parents) {
        if (is_changed_[node] == 0) {
            is_changed_[node] = 1;
            changed_.push_back(node);
            before_.push_back(parents_[node]);
        }
        replace(node, std::move(parents));
    }
    void keep() { forget(); }
    void undo() {
        for (std::size_t i = 0; i < changed_.size(); ++i) replace(changed_[i], std::move(before_[i]));
        forget();
    }

  private:
    void replace(std::size_t node, Parents parents) {
        for (const auto p : parents_[node]) {
            auto& list = children_[static_cast<std::size_t>(p)];
            list.erase(std::ranges::lower_bound(list, static_cast<std::int32_t>(node)));
        }
        for (const auto p : parents) {
            auto& list = children_[static_cast<std::size_t>(p)];
            const auto value = static_cast<std::int32_t>(node);
            list.insert(std::ranges::lower_bound(list, value), value);
        }
        arcs_ += parents.size();
        arcs_ -= parents_[node].size();
        parents_[node] = std::move(parents);
    }
    void forget() {
        for (const auto node : changed_) is_changed_[node] = 0;
        changed_.clear();
        before_.clear();
    }

    std::vector<Parents> parents_;
    std::vector<Parents> children_;
    std::size_t arcs_ = 0;
    std::vector<std::size_t> changed_;
    std::vector<Parents> before_;  // of `changed_`
    std::vector<std::uint8_t> is_changed_;
};

// The arcs of a network near one of them, where the network is large; all of them otherwise.
class NearArcs {
  public:
    NearArcs(RefinementRange range, std::size_t nodes) : range_(range), seen_(nodes, 0) {}

    // By child and parent, as arcs_of has them. In a large network those among the variables that are the
    // fewest steps away from the ends of `arc`, along arcs in either direction.
    std::vector<Arc> of(const Trial& network, const Arc& arc) {
        if (network.arcs() <= range_.whole) return arcs_of(network.parents());
        std::vector<std::size_t> near{arc.from, arc.to};
        for (const auto node : near) seen_[node] = 1;
        const auto go_to = [&](std::int32_t other) {
            const auto node = static_cast<std::size_t>(other);
            if (seen_[node] != 0 || near.size() >= range_.near) return;
            seen_[node] = 1;
            near.push_back(node);
        };
        for (std::size_t i = 0; i < near.size() && near.size() < range_.near; ++i) {
            const std::size_t node = near[i];
            for (const auto parent : network.parents(node)) go_to(parent);
            for (const auto child : network.children(node)) go_to(child);
        }
        std::ranges::sort(near);
        std::vector<Arc> arcs;
        for (const auto to : near)
            for (const auto from : network.parents(to))
                if (seen_[static_cast<std::size_t>(from)] != 0)
                    arcs.push_back({static_cast<std::size_t>(from), to});
        for (const auto node : near) seen_[node] = 0;
        return arcs;
    }

  private:
    RefinementRange range_;
    std::vector<std::uint8_t> seen_;
};

// Have the ends of an arc the same other parents? `to` has one parent more than `from`.
bool is_covered(const Trial& network, const Arc& arc) {
    const auto& others = network.parents(arc.from);
    auto other = others.begin();
    for (const auto parent : network.parents(arc.to)) {
        if (parent == static_cast<std::int32_t>(arc.from)) continue;
        if (other == others.end() || *other++ != parent) return false;
    }
    return true;
}

// Turns some of these arcs at random, half as many tries as there are arcs: covered ones, whose ends have the
// same other parents, so that the network stays in its equivalence class (Chickering 1995).
void turn_covered_arcs(Trial& network, std::vector<Arc> arcs, const ArcRules& rules, Xoshiro& random) {
    for (std::size_t tried = 0; tried < arcs.size() / 2; ++tried) {
        auto& arc = arcs[random.below(arcs.size())];
        const auto [from, to] = arc;
        const auto& above = network.parents(from);
        if (network.parents(to).size() != above.size() + 1 || above.size() >= rules.limit(from)) continue;
        if (rules.required(from, to) || !rules.allowed(to, from)) continue;
        if (!is_covered(network, arc)) continue;
        network.set_parents(from, with(above, to));
        network.set_parents(to, without(network.parents(to), from));
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
bool turn(Trial& network, const Arc& arc, const ArcRules& rules) {
    if (rules.required(arc.from, arc.to) || !rules.allowed(arc.to, arc.from)) return false;
    const auto kept = required_parents(network.parents(arc.from), arc.from, rules);
    if (kept.size() >= rules.limit(arc.from)) return false;
    network.set_parents(arc.from, with(kept, arc.to));
    network.set_parents(arc.to, required_parents(network.parents(arc.to), arc.to, rules));
    return true;
}

void take_out(Trial& network, std::size_t node, const ArcRules& rules) {
    network.set_parents(node, required_parents(network.parents(node), node, rules));
    const Parents children = network.children(node);
    for (const auto number : children) {
        const auto child = static_cast<std::size_t>(number);
        if (!rules.required(node, child)) network.set_parents(child, without(network.parents(child), node));
    }
}

// Turns other arcs where that changes nothing, and then this one, or takes the node that it leads to out.
// False if the rules forbid it.
bool change(Trial& network, const Arc& arc, bool out, NearArcs& near, const ArcRules& rules,
            Xoshiro& random) {
    turn_covered_arcs(network, near.of(network, arc), rules, random);
    if (!out) return turn(network, arc, rules);
    take_out(network, arc.to, rules);
    return true;
}

// A climb from one network after another that is tried out. It knows where its network differs from the one
// that was last kept, so that going to the next costs what differs.
class TrialClimb {
  public:
    TrialClimb(FamilyScores& scores, const std::vector<Parents>& start)
        : walk_(scores, start), is_away_(start.size(), 0) {}

    // Climbs from the network, and returns the score; nothing if required arcs close a cycle.
    std::optional<double> from(const Trial& network, BestMove& best_move, double tolerance) {
        for (const auto node : network.changed()) leave(node);
        if (!walk_.assign(network.parents(), away_)) return std::nullopt;
        while (const auto choice = best_move.find(walk_, tolerance, tolerance)) {
            walk_.apply(choice->move);
            leave(choice->move.to);
            if (choice->move.kind == MoveKind::reverse) leave(choice->move.from);
        }
        return walk_.score();
    }
    // The network that the climb has come to is kept.
    void keep_in(Trial& network) {
        for (const auto node : away_) {
            is_away_[node] = 0;
            if (!std::ranges::equal(network.parents(node), walk_.dag().parents(node)))
                network.set_parents(node, walk_.dag().all_parents()[node]);
        }
        away_.clear();
        network.keep();
    }

  private:
    void leave(std::size_t node) {
        if (is_away_[node] != 0) return;
        is_away_[node] = 1;
        away_.push_back(node);
    }

    Walk walk_;
    std::vector<std::size_t> away_;  // where the network of the walk may differ from the one last kept
    std::vector<std::uint8_t> is_away_;
};

// The rounds of `refine`, on the rows that the scores have now.
void turn_in_rounds(FamilyScores& scores, const RefinementRange& range, BestMove& best_move, Xoshiro& random,
                    Ticker& ticker, SearchOutcome& outcome) {
    const auto& rules = scores.rules();
    const std::uint64_t most_families = (1 + range.effort) * scores.families_meant();
    const double tolerance = score_tolerance(outcome.score);
    Trial network(outcome.parents);
    TrialClimb climb(scores, outcome.parents);
    NearArcs near(range, outcome.parents.size());
    for (std::uint64_t idle = 0; idle < range.rounds; ++idle) {
        auto arcs = arcs_of(network.parents());
        random.shuffle(std::span(arcs));
        for (const auto& arc : arcs) {
            if (scores.families_meant() > most_families) return;
            if (ticker.poll_now({outcome.iterations, 0, outcome.score})) return;
            // An equally good network may have taken the place of the one whose arcs these are.
            if (!arc.is_in(network.parents())) continue;
            best_move.shuffle_ties(random);
            std::optional<double> score;
            if (change(network, arc, idle % 2 == 1, near, rules, random))
                score = climb.from(network, best_move, tolerance);
            if (!score || *score < outcome.score - tolerance) {
                network.undo();
                continue;
            }
            climb.keep_in(network);
            if (*score <= outcome.score + tolerance) continue;
            outcome.score = *score;
            outcome.parents = network.parents();
            outcome.history.push_back(*score);
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
        for (const auto node : {choice->move.from, choice->move.to})
            outcome.parents[node] = walk.dag().all_parents()[node];
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
