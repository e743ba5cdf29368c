#include "exact/separation.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <set>

#include "exact/cluster_flow.hpp"
#include "exact/four_node_facets.hpp"
#include "exact/support.hpp"

namespace arcwise {
namespace {

// A cluster that knows its violation, and what adding or dropping a node would do to it.
class GrowingCluster {
  public:
    explicit GrowingCluster(const Support& support)
        : support_(support),
          member_(support.of_node.size(), 0),
          hits_(support.entries.size(), 0),
          gain_(support.of_node.size(), -1) {}

    void start(std::int32_t k, const std::vector<std::size_t>& nodes) {
        for (const std::size_t v : members_) {
            member_[v] = 0;
            for (const std::size_t e : support_.of_parent[v]) --hits_[e];
        }
        members_.clear();
        std::fill(gain_.begin(), gain_.end(), -1);
        k_ = k;
        hit_ = 0;
        for (const std::size_t v : nodes) add(v);
    }
    std::int32_t k() const { return k_; }
    bool contains(std::size_t v) const { return member_[v] != 0; }
    const std::vector<std::size_t>& members() const { return members_; }
    double violation() const { return hit_ - static_cast<double>(members_.size()) + static_cast<double>(k_); }
    // What adding an outside node does to the violation: kept up to date, because growing asks for all of
    // them at every step.
    double add_gain(std::size_t v) const { return gain_[v]; }
    double drop_gain(std::size_t v) const {
        double gain = 1;
        for (const std::size_t e : support_.of_node[v])
            if (hits_[e] >= k_) gain -= support_.entries[e].value;
        for (const std::size_t e : support_.of_parent[v])
            if (hits_[e] == k_ && member_[support_.entries[e].node]) gain -= support_.entries[e].value;
        return gain;
    }
    void add(std::size_t v) {
        hit_ += gain_[v] + 1;
        member_[v] = 1;
        members_.push_back(v);
        shift(v, 1);
        for (const std::size_t e : support_.of_parent[v]) {
            ++hits_[e];
            if (hits_[e] == k_) change_entry(e, 1, v);
            if (hits_[e] == k_ - 1 && member_[support_.entries[e].node]) offer(e, 1, v);
        }
    }
    void drop(std::size_t v) {
        const double gain = drop_gain(v);
        hit_ += gain - 1;
        for (const std::size_t e : support_.of_parent[v]) {
            if (hits_[e] == k_ - 1 && member_[support_.entries[e].node]) offer(e, -1, v);
            if (hits_[e] == k_) change_entry(e, -1, v);
            --hits_[e];
        }
        shift(v, -1);
        member_[v] = 0;
        members_.erase(std::find(members_.begin(), members_.end(), v));
        gain_[v] = -gain;
    }

  private:
    const Support& support_;
    std::vector<std::uint8_t> member_;
    std::vector<std::int32_t> hits_;  // per entry: parents inside
    std::vector<std::size_t> members_;
    // v joins (sign 1) or leaves (-1): its entries that lack one parent inside are offered to, or withdrawn
    // from, outsiders.
    void shift(std::size_t v, double sign) {
        for (const std::size_t e : support_.of_node[v])
            if (hits_[e] == k_ - 1) offer(e, sign, v);
    }
    void offer(std::size_t e, double sign, std::size_t except) {
        for (const std::size_t p : support_.entries[e].parents)
            if (p != except && !member_[p]) gain_[p] += sign * support_.entries[e].value;
    }
    // Entry e comes to have k parents inside (or no longer has): it counts for its node, and its other
    // parents add nothing more.
    void change_entry(std::size_t e, double sign, std::size_t except) {
        const std::size_t node = support_.entries[e].node;
        if (member_[node])
            offer(e, -sign, except);
        else
            gain_[node] += sign * support_.entries[e].value;
    }

    std::vector<double> gain_;  // per node outside
    std::int32_t k_ = 1;
    double hit_ = 0;  // weight of the members' entries with k or more parents inside
};

class Separator {
  public:
    Separator(const CandidateSets& sets, const LpPoint& point, double threshold, Ticker& ticker)
        : ticker_(ticker),
          support_(sets, point),
          n_(sets.variables()),
          threshold_(threshold),
          cluster_(support_),
          most_steps_(std::max<std::size_t>(60, 100'000 / (n_ + 1))),
          marked_(n_, 0),
          released_(n_, 0) {}

    std::vector<ViolatedCut> run(std::size_t limit, int effort, bool flows) {
        for (std::size_t v = 0; v < n_ && !ticker_.poll_now({}); ++v) {
            if (support_.of_node[v].size() == 1 && support_.entries[support_.of_node[v][0]].parents.empty())
                continue;
            grow_from(1, {v});
            const std::vector<std::size_t> cycle = shortest_cycle(v);
            if (!cycle.empty()) grow_from(1, cycle);
        }
        if (flows) cut_flows();
        grow_triples();
        if (effort == 2 || (effort == 1 && found_.empty())) {
            for (const auto& entry : support_.entries) {
                if (ticker_.poll_now({})) break;
                if (entry.parents.empty()) continue;
                std::vector<std::size_t> start(entry.parents);
                start.push_back(entry.node);
                walk_from(1, start);
                if (entry.parents.size() >= 2 && entry.value < 1 - 1e-6) walk_from(2, start);
            }
        }
        if (effort == 2 || (effort == 1 && found_.size() < n_ / 8 + 2)) separate_facets();
        std::sort(found_.begin(), found_.end(), [](const ViolatedCut& a, const ViolatedCut& b) {
            if (a.violation != b.violation) return a.violation > b.violation;
            return a.code != b.code ? a.code < b.code : a.members < b.members;
        });
        if (found_.size() > limit) found_.resize(limit);
        return std::move(found_);
    }

  private:
    void cut_flows() {
        for (const auto& members : flow_clusters(support_, threshold_, ticker_)) {
            cluster_.start(1, members);
            shrink();
            record();
        }
    }

    void record() {
        if (cluster_.members().size() < static_cast<std::size_t>(cluster_.k()) + 1) return;
        if (cluster_.violation() <= threshold_) return;
        LongSet members = long_set(n_);
        for (const std::size_t v : cluster_.members()) members.add(v);
        if (seen_.insert({cluster_.k(), members}).second)
            found_.push_back({std::move(members), cluster_.k(), cluster_.violation()});
    }

    // Nodes outside the cluster that share an entry of the support with it.
    const std::vector<std::size_t>& neighbours() {
        candidates_.clear();
        const auto offer = [&](std::size_t u) {
            if (marked_[u] || cluster_.contains(u)) return;
            marked_[u] = 1;
            candidates_.push_back(u);
        };
        for (const std::size_t m : cluster_.members()) {
            for (const auto& [p, weight] : support_.arcs[m]) offer(p);
            for (const std::size_t e : support_.of_parent[m]) offer(support_.entries[e].node);
        }
        for (const std::size_t u : candidates_) marked_[u] = 0;
        return candidates_;
    }

    // Adds the best node until four steps have made things worse in a row, then drops what does not pay.
    void grow_from(std::int32_t k, const std::vector<std::size_t>& start) {
        cluster_.start(k, start);
        record();
        std::size_t patience = 4;
        double best_violation = cluster_.violation();
        std::vector<std::size_t> best_members = cluster_.members();
        for (std::size_t step = 0; step < most_steps_ && patience > 0; ++step) {
            std::size_t pick = n_;
            double best = -1 + 1e-9;  // -1: shares nothing with the cluster
            for (std::size_t u = 0; u < n_; ++u) {
                if (cluster_.add_gain(u) > best && !cluster_.contains(u)) {
                    best = cluster_.add_gain(u) + 1e-12;
                    pick = u;
                }
            }
            if (pick == n_) break;
            // A node all of whose weight meets the cluster costs nothing: violated clusters may be long
            // chains of such nodes.
            if (best < -1e-9) --patience;
            cluster_.add(pick);
            if (cluster_.violation() > best_violation + 1e-9) {
                best_violation = cluster_.violation();
                best_members = cluster_.members();
                patience = 4;
                record();
            }
        }
        cluster_.start(k, best_members);
        shrink();
        record();
    }

    // Drops the nodes without which the cluster is violated as much.
    void shrink() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t v : std::vector<std::size_t>(cluster_.members())) {
                if (cluster_.members().size() > static_cast<std::size_t>(cluster_.k()) + 1 &&
                    cluster_.drop_gain(v) >= -1e-9) {
                    cluster_.drop(v);
                    changed = true;
                }
            }
        }
    }

    // Tabu search: the best add or drop at every step, even if it makes things worse; a node that was just
    // moved rests.
    void walk_from(std::int32_t k, const std::vector<std::size_t>& start) {
        cluster_.start(k, start);
        record();
        std::fill(released_.begin(), released_.end(), 0);
        const std::size_t steps = 12 + 2 * start.size() + n_ / 4;
        double best_violation = cluster_.violation();
        for (std::size_t step = 1; step <= steps; ++step) {
            std::size_t pick = n_;
            bool drop = false;
            double best = -10;
            for (const std::size_t u : neighbours()) {
                const double gain = cluster_.add_gain(u);
                if (gain > best + 1e-12 &&
                    (released_[u] <= step || cluster_.violation() + gain > best_violation + 1e-9)) {
                    best = gain;
                    pick = u;
                    drop = false;
                }
            }
            if (cluster_.members().size() > static_cast<std::size_t>(k) + 1) {
                for (const std::size_t u : cluster_.members()) {
                    const double gain = cluster_.drop_gain(u);
                    if (gain > best + 1e-12 &&
                        (released_[u] <= step || cluster_.violation() + gain > best_violation + 1e-9)) {
                        best = gain;
                        pick = u;
                        drop = true;
                    }
                }
            }
            if (pick == n_) break;
            if (drop)
                cluster_.drop(pick);
            else
                cluster_.add(pick);
            released_[pick] = step + 4 + n_ / 16;
            best_violation = std::max(best_violation, cluster_.violation());
            record();
        }
    }

    // k = 2: every fractional set of two or more parents, with each pair of them; and what they grow into.
    void grow_triples() {
        std::set<std::vector<std::size_t>> tried;
        for (const auto& entry : support_.entries) {
            if (ticker_.poll_now({})) return;
            if (entry.value > 1 - 1e-6) continue;
            for (std::size_t i = 0; i < entry.parents.size(); ++i)
                for (std::size_t j = i + 1; j < entry.parents.size(); ++j) {
                    std::vector<std::size_t> triple{entry.node, entry.parents[i], entry.parents[j]};
                    std::sort(triple.begin(), triple.end());
                    if (tried.insert(triple).second) grow_from(2, triple);
                }
        }
    }

    // Four-node facets on quadruples that are connected by fractional sets, each node with a parent and a
    // child inside.
    void separate_facets() {
        std::vector<std::vector<std::size_t>> near(n_);
        for (const auto& entry : support_.entries) {
            if (entry.value > 1 - 1e-6) continue;
            for (const std::size_t p : entry.parents) {
                near[entry.node].push_back(p);
                near[p].push_back(entry.node);
            }
        }
        for (auto& list : near) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
        std::vector<std::array<std::size_t, 4>> quadruples;
        std::vector<std::size_t> third, fourth;
        for (std::size_t a = 0; a < n_; ++a) {
            for (const std::size_t b : near[a]) {
                if (b < a) continue;
                third = near[a];
                third.insert(third.end(), near[b].begin(), near[b].end());
                for (const std::size_t c : third) {
                    if (c == a || c == b) continue;
                    fourth = third;
                    fourth.insert(fourth.end(), near[c].begin(), near[c].end());
                    for (const std::size_t d : fourth) {
                        if (d == a || d == b || d == c) continue;
                        std::array<std::size_t, 4> quadruple{a, b, c, d};
                        std::sort(quadruple.begin(), quadruple.end());
                        quadruples.push_back(quadruple);
                    }
                }
                if (quadruples.size() > most_quadruples) break;
            }
        }
        std::sort(quadruples.begin(), quadruples.end());
        quadruples.erase(std::unique(quadruples.begin(), quadruples.end()), quadruples.end());
        for (const auto& quadruple : quadruples) {
            if (ticker_.poll({})) return;
            separate_quadruple(quadruple);
        }
    }

    void separate_quadruple(const std::array<std::size_t, 4>& nodes) {
        struct Part {
            std::size_t position, mask;
            double value;
        };
        Part parts[64];
        std::size_t count = 0;
        std::size_t as_parent = 0;
        for (std::size_t position = 0; position < 4; ++position) {
            double inside = 0;
            for (const std::size_t e : support_.of_node[nodes[position]]) {
                std::size_t mask = 0;
                for (const std::size_t p : support_.entries[e].parents)
                    for (std::size_t c = 0; c < 4; ++c)
                        if (nodes[c] == p) mask |= std::size_t{1} << c;
                if (mask == 0 || count == 64) continue;
                parts[count++] = {position, mask, support_.entries[e].value};
                inside += support_.entries[e].value;
                as_parent |= mask;
            }
            if (inside < 1e-6) return;
        }
        if (as_parent != 15) return;
        const auto& facets = four_node_facets();
        double best = threshold_;
        std::size_t pick = facets.size();
        for (std::size_t f = 0; f < facets.size(); ++f) {
            double violation = -static_cast<double>(facets[f].side);
            for (std::size_t i = 0; i < count; ++i)
                violation += parts[i].value * facets[f].coefficient[parts[i].position][parts[i].mask];
            if (violation > best) {
                best = violation;
                pick = f;
            }
        }
        if (pick == facets.size()) return;
        LongSet members = long_set(n_);
        for (const std::size_t v : nodes) members.add(v);
        found_.push_back({std::move(members), -static_cast<std::int32_t>(pick) - 1, best});
    }

    // The cycle through v of least sum of (1 - weight), by Dijkstra from child to parents, if it is below 1.
    std::vector<std::size_t> shortest_cycle(std::size_t v) {
        distance_.assign(n_, 2);
        previous_.assign(n_, n_);
        using Item = std::pair<double, std::size_t>;
        std::priority_queue<Item, std::vector<Item>, std::greater<>> heap;
        for (const auto& [p, weight] : support_.arcs[v]) {
            const double d = std::max(0.0, 1 - weight);
            if (d < 1) {
                distance_[p] = d;
                previous_[p] = v;
                heap.push({d, p});
            }
        }
        while (!heap.empty()) {
            const auto [d, u] = heap.top();
            heap.pop();
            if (d > distance_[u]) continue;
            if (u == v) break;
            for (const auto& [p, weight] : support_.arcs[u]) {
                const double next = d + std::max(0.0, 1 - weight);
                if (next < 1 && next < distance_[p] - 1e-12) {
                    distance_[p] = next;
                    previous_[p] = u;
                    heap.push({next, p});
                }
            }
        }
        if (distance_[v] >= 1) return {};
        std::vector<std::size_t> cycle;
        for (std::size_t u = previous_[v]; u != v; u = previous_[u]) cycle.push_back(u);
        cycle.push_back(v);
        return cycle;
    }

    static constexpr std::size_t most_quadruples = 2'000'000;

    Ticker& ticker_;
    Support support_;
    std::size_t n_;
    double threshold_;
    GrowingCluster cluster_;
    std::size_t most_steps_;  // of growing, so that a start stays below a millisecond for a thousand nodes
    std::vector<ViolatedCut> found_;
    std::set<std::pair<std::int32_t, LongSet>> seen_;
    std::vector<std::uint8_t> marked_;
    std::vector<std::size_t> released_;
    std::vector<std::size_t> candidates_, previous_;
    std::vector<double> distance_;
};

}  // namespace

std::vector<ViolatedCut> separate_cuts(const CandidateSets& sets, const LpPoint& point, std::size_t limit,
                                       double threshold, int effort, bool flows, Ticker& ticker) {
    return Separator(sets, point, threshold, ticker).run(limit, effort, flows);
}

std::vector<Word> members_of(const std::vector<ViolatedCut>& cuts) {
    std::vector<Word> members;
    for (const auto& cut : cuts)
        members.insert(members.end(), cut.members.words().begin(), cut.members.words().end());
    return members;
}

std::vector<std::int32_t> codes_of(const std::vector<ViolatedCut>& cuts) {
    std::vector<std::int32_t> codes;
    for (const auto& cut : cuts) codes.push_back(cut.code);
    return codes;
}

}  // namespace arcwise
