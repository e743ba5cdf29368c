#include "exact/layered_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arcwise {
namespace {

constexpr int grain_bits = 36;
// Wider, and the sum over 64 nodes might not fit.
const double widest = std::ldexp(1.0, 60 - 6 - grain_bits);

// The part of the work after which an estimate decides whether to go on.
constexpr double trial = 0.02;

}  // namespace

LayeredSearch::LayeredSearch(const CandidateSets& sets, std::span<const std::int32_t> order, double margin,
                             Ticker& ticker)
    : n_(sets.variables()),
      all_(n_ == 64 ? ~Mask{0} : bit(n_) - 1),
      order_(order.begin(), order.end()),
      branching_(order_),
      levels_(n_ + 1) {
    const double rounded = static_cast<double>(n_) * std::ldexp(1.0, -grain_bits);
    if (!(margin >= rounded) || n_ > largest) is_exact_ = false;
    for (std::size_t v = 0; v < n_; ++v)
        if (!(sets.score(sets.begin(v)) - sets.score(sets.end(v) - 1) < widest)) is_exact_ = false;
    if (!is_exact_) return;
    margin_ = std::llround(std::floor(std::ldexp(std::min(margin - rounded, 1.0), grain_bits)));
    std::vector<std::size_t> rows;
    for (std::size_t v = 0; v < n_; ++v) {
        const double top = sets.score(sets.begin(v));
        const auto cost_of = [&](std::size_t row) -> Cost {
            return std::llround(std::ldexp(top - sets.score(row), grain_bits));
        };
        rows.resize(sets.end(v) - sets.begin(v));
        std::iota(rows.begin(), rows.end(), sets.begin(v));
        std::ranges::stable_sort(rows, {}, cost_of);
        table_.begin[v] = table_.sets.size();
        for (const std::size_t row : rows) {
            table_.sets.push_back(sets.set(row).words()[0]);
            table_.costs.push_back(cost_of(row));
        }
        table_.end[v] = table_.sets.size();
    }
    // Labels against the incumbent's order; what is placed first is chosen along it.
    Mask placed = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        const auto v = static_cast<std::size_t>(order_[i]);
        label_[v] = n_ - i;
        const Cost cost = best_within(v, placed);
        if (cost == no_cost) is_exact_ = false;
        if (!is_exact_) return;
        incumbent_ += cost;
        placed |= bit(v);
    }
    levels_[0].domain = table_;
    for (std::size_t v = 0; v < n_; ++v) levels_[0].fitting[v] = table_.end[v];
    cheapest_[0] = 0;
    root_open_ = prune({}, levels_[0].domain, ticker);
    root_bound_ = root_open_ ? ascent_.bound() : incumbent_ - margin_;
}

double LayeredSearch::gap() const {
    const double rounded = static_cast<double>(n_) * std::ldexp(1.0, -grain_bits);
    return std::ldexp(static_cast<double>(incumbent_ - root_bound_), -grain_bits) + rounded;
}

// Of a set among the nodes placed: the layer that its node would come into.
LayeredSearch::Layer LayeredSearch::layer_of(const Beginning& beginning, Mask set) const {
    if ((set & beginning.current) != 0) return Layer::next;
    if (beginning.first_layer || (set & beginning.before) != 0) return Layer::current;
    return Layer::earlier;
}

Cost LayeredSearch::best_within(std::size_t v, Mask placed) {
    std::size_t i = table_.begin[v];
    while (i < table_.end[v] && (table_.sets[i] & ~placed) != 0) ++i;
    work_ += i - table_.begin[v] + 1;
    return i < table_.end[v] ? table_.costs[i] : no_cost;
}

bool LayeredSearch::has_exactly(std::size_t v, Mask set, Cost cost) const {
    const auto costs = std::span(table_.costs).subspan(table_.begin[v], table_.end[v] - table_.begin[v]);
    const auto equal = std::ranges::equal_range(costs, cost);
    const auto first = static_cast<std::size_t>(equal.begin() - costs.begin()) + table_.begin[v];
    for (std::size_t i = first; i < first + equal.size(); ++i)
        if (table_.sets[i] == set) return true;
    return false;
}

// Whether an arc x -> y into the node placed last is covered and better, or as good and earlier, reversed.
bool LayeredSearch::has_better_arc(std::size_t y, Mask before) {
    const Mask set = parents_[y];
    for (Mask left = set & before; left != 0; left &= left - 1) {
        const std::size_t x = lowest(left);
        if ((parents_[x] | bit(x)) != set) continue;
        const Cost now = cost_[x] + cost_[y];
        const Cost of_y = best_within(y, parents_[x]);
        const Cost of_x = best_within(x, parents_[x] | bit(y));
        if (of_x + of_y < now) return true;
        if (label_[y] < label_[x] && of_x + of_y == now && has_exactly(y, parents_[x], of_y) &&
            has_exactly(x, parents_[x] | bit(y), of_x))
            return true;
    }
    return false;
}

// Whether a cheaper network over the same nodes is known, or comes of one with a node less.
bool LayeredSearch::is_dominated(const Beginning& beginning) {
    Cost least = beginning.cost;
    if (const auto known = cheapest_.find(beginning.placed); known != cheapest_.end())
        least = std::min(least, known->second);
    for_each_bit(beginning.placed, [&](std::size_t v) {
        const auto known = cheapest_.find(beginning.placed & ~bit(v));
        if (known != cheapest_.end() && known->second < least)
            least = std::min(least, known->second + best_within(v, beginning.placed & ~bit(v)));
    });
    cheapest_[beginning.placed] = least;
    return least < beginning.cost;
}

// Fills the level of a beginning with what is left of the level before; false if a node has nothing left.
bool LayeredSearch::fill(const Beginning& beginning, std::size_t depth) {
    const Level& from = levels_[depth - 1];
    Level& to = levels_[depth];
    to.domain.sets.clear();
    to.domain.costs.clear();
    for (Mask left = all_ & ~beginning.placed; left != 0; left &= left - 1) {
        const std::size_t v = lowest(left);
        // The best set among the nodes placed comes no later than it did with fewer of them.
        std::size_t best = table_.begin[v];
        while (best < from.fitting[v] && (table_.sets[best] & ~beginning.placed) != 0) ++best;
        to.fitting[v] = best;
        const Cost most = best < table_.end[v] ? table_.costs[best] : no_cost;
        work_ += best - table_.begin[v] + 1;
        to.domain.begin[v] = to.domain.sets.size();
        for (std::size_t i = from.domain.begin[v]; i < from.domain.end[v]; ++i) {
            if (from.domain.costs[i] > most) break;
            const Mask set = from.domain.sets[i];
            if ((set & ~beginning.placed) == 0) {
                const Layer layer = layer_of(beginning, set);
                if (layer == Layer::earlier) continue;
                if (layer == Layer::current && label_[v] < label_[beginning.last]) continue;
            }
            to.domain.sets.push_back(set);
            to.domain.costs.push_back(from.domain.costs[i]);
        }
        to.domain.end[v] = to.domain.sets.size();
        if (to.domain.begin[v] == to.domain.end[v]) return false;
        work_ += to.domain.end[v] - to.domain.begin[v];
    }
    return true;
}

// Bounds a beginning and drops what it leaves out; false if it has nothing better than the incumbent. Once
// the ticker says to stop, that is found out of fewer beginnings, never of more.
bool LayeredSearch::prune(const Beginning& beginning, SearchDomain& domain, Ticker& ticker) {
    const Mask free = all_ & ~beginning.placed;
    const Cost goal = incumbent_ - margin_;
    if (!domain.drop_early_sets(beginning.placed, free, work_, ticker)) return false;
    if (!ascent_.raise(domain, beginning.placed, free, beginning.cost, goal, ticker)) return false;
    const Cost room = goal - ascent_.bound();
    const auto& reduced = ascent_.reduced();
    for_each_bit(free,
                 [&](std::size_t v) { domain.keep_of(v, [&](std::size_t i) { return reduced[i] < room; }); });
    return true;
}

// Places a node with a set of the level's domain; false if the search must stop. `share` of the whole search
// is done afterwards.
bool LayeredSearch::follow(const Beginning& from, const Choice& choice, std::size_t depth, double share,
                           Ticker& ticker) {
    if (gives_up() || ticker.poll_now({nodes_, 0})) return false;
    const std::size_t v = choice.node;
    const Mask set = levels_[depth].domain.sets[choice.entry];
    const bool next = layer_of(from, set) == Layer::next;
    Beginning to = from;
    to.placed |= bit(v);
    to.before = next ? from.current : from.before;
    to.current = (next ? 0 : from.current) | bit(v);
    to.first_layer = from.first_layer && !next;
    to.last = v;
    parents_[v] = set;
    cost_[v] = levels_[depth].domain.costs[choice.entry];
    to.cost += cost_[v];
    if (has_better_arc(v, to.before) || is_dominated(to) || !fill(to, depth + 1) ||
        !prune(to, levels_[depth + 1].domain, ticker)) {
        done_ += share;
        return true;
    }
    path_.push_back(static_cast<std::int32_t>(v));
    const bool ended = expand(to, depth + 1, share, ticker);
    path_.pop_back();
    return ended;
}

// The nodes that may come next, with the cheapest set for the current layer and for the next one. The domain
// has no set for an earlier place.
std::vector<LayeredSearch::Choice> LayeredSearch::choices(const Beginning& beginning,
                                                          const SearchDomain& domain) const {
    std::vector<Choice> found;
    for (const std::int32_t each : branching_) {
        const auto v = static_cast<std::size_t>(each);
        if ((beginning.placed & bit(v)) != 0) continue;
        std::array<bool, 2> has{};
        for (std::size_t i = domain.begin[v]; i < domain.end[v] && !(has[0] && has[1]); ++i) {
            if ((domain.sets[i] & ~beginning.placed) != 0) continue;
            bool& seen = has[layer_of(beginning, domain.sets[i]) == Layer::next ? 1 : 0];
            if (!seen) found.push_back({v, i});
            seen = true;
        }
    }
    return found;
}

bool LayeredSearch::expand(const Beginning& beginning, std::size_t depth, double share, Ticker& ticker) {
    if (++nodes_ > limits_.nodes) return false;
    if (beginning.placed == all_) {
        // Its bound, which is its cost, was better than the incumbent's.
        incumbent_ = beginning.cost;
        order_ = path_;
    }
    const std::vector<Choice> next = choices(beginning, levels_[depth].domain);
    if (next.empty()) done_ += share;
    const double each = share / static_cast<double>(next.size());
    return std::ranges::all_of(
        next, [&](const Choice& choice) { return follow(beginning, choice, depth, each, ticker); });
}

// What it keeps, at most: a domain for each level, and the networks known.
std::uint64_t LayeredSearch::bytes() const {
    constexpr std::uint64_t of_entry = sizeof(Mask) + sizeof(Cost), of_network = 64;
    return (n_ + 3) * table_.sets.size() * of_entry + (cheapest_.size() + ascent_.clusters()) * of_network;
}

// Whether it has worked too much, or looks as if it will: each choice counts as the same part of what it is
// one of, as in Knuth's estimates of search trees (1975).
bool LayeredSearch::gives_up() const {
    const auto spent = static_cast<double>(work());
    const auto most = static_cast<double>(limits_.work);
    return spent > most || (spent > trial * most && spent > done_ * most) || bytes() > limits_.bytes;
}

bool LayeredSearch::run(const Limits& limits, Ticker& ticker) {
    limits_ = limits;
    return !root_open_ || expand({}, 0, 1, ticker);
}

}  // namespace arcwise
