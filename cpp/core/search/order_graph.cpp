#include "search/order_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

// A node's rows that are left, in one order of preference, with their sets packed side by side.
struct Ranking {
    struct Choice {
        double value;  // score or reduced cost
        std::size_t row;
    };
    std::vector<bits::Word> sets;
    std::vector<Choice> choices;
};

class OrderGraph {
  public:
    OrderGraph(const CandidateSets& sets, std::span<const std::uint8_t> allowed,
               std::span<const DualView> duals, double floor)
        : n_(sets.variables()), words_(sets.words()), floor_(floor), by_cost_(duals.size()) {
        for (const DualView& dual : duals) gaps_.push_back(dual.bound - floor);
        std::vector<std::size_t> rows;
        for (std::size_t v = 0; v < n_; ++v) {
            rows.clear();
            for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
                bool affordable = allowed[row] != 0;
                for (std::size_t d = 0; affordable && d < duals.size(); ++d)
                    affordable = duals[d].reduced_costs[row] <= gaps_[d];
                if (affordable) rows.push_back(row);
            }
            const auto store = [&](Ranking& ranking, auto value) {
                for (const std::size_t row : rows) {
                    ranking.choices.push_back({value(row), row});
                    ranking.sets.insert(ranking.sets.end(), sets.set(row), sets.set(row) + words_);
                }
            };
            best_sum_ += rows.empty() ? impossible : sets.score(rows.front());
            store(by_score_, [&](std::size_t row) { return sets.score(row); });
            for (std::size_t d = 0; d < duals.size(); ++d) {
                const auto& costs = duals[d].reduced_costs;
                std::stable_sort(rows.begin(), rows.end(),
                                 [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
                store(by_cost_[d], [&](std::size_t row) { return costs[row]; });
            }
            offsets_.push_back(by_score_.choices.size());
        }
        slots_.assign(1024, none);
    }

    OrderGraphResult run(std::uint64_t most_states, Ticker& ticker) {
        OrderGraphResult result;
        if (best_sum_ <= floor_) return result;
        std::vector<bits::Word> scratch(words_, 0);
        std::vector<std::vector<std::uint32_t>> layers(n_ + 1);
        const std::vector<double> nothing(gaps_.size(), 0);
        insert(scratch.data(), {0, best_sum_, none, 0}, nothing.data(), layers);
        std::vector<bits::Word> next(words_);
        for (std::size_t size = 0; size < n_; ++size) {
            for (std::size_t i = 0; i < layers[size].size(); ++i) {
                const std::uint32_t index = layers[size][i];
                if (states_.size() > most_states) {
                    result.outcome = OrderGraphResult::Outcome::too_large;
                    result.states = states_.size();
                    return result;
                }
                if (ticker.poll({states_.size(), 0, floor_, std::numeric_limits<double>::infinity()})) {
                    result.outcome = OrderGraphResult::Outcome::stopped;
                    result.states = states_.size();
                    return result;
                }
                std::copy(key(index), key(index) + words_, scratch.begin());
                expand(index, scratch.data(), next.data(), layers);
            }
            layers[size] = {};
        }
        result.states = states_.size();
        if (layers[n_].empty()) return result;
        const std::uint32_t last = layers[n_].front();
        if (states_[last].score <= floor_) return result;
        result.outcome = OrderGraphResult::Outcome::better;
        result.score = states_[last].score;
        result.rows = rows_of(last);
        return result;
    }

  private:
    static constexpr std::uint32_t none = 0xFFFFFFFFU;

    struct State {
        double score;        // best sum of scores of the nodes in U
        double best_rest;    // sum of the best scores of the nodes outside U
        std::uint32_t from;  // the state that `score` came from
        std::uint32_t node;  // and the node placed after it; nodes placed at once follow from the rules
    };

    const bits::Word* key(std::uint32_t index) const { return keys_.data() + std::size_t{index} * words_; }

    std::size_t slot_of(const bits::Word* set) const {
        std::uint64_t hash = 0x9E3779B97F4A7C15U;
        for (std::size_t w = 0; w < words_; ++w) {
            hash = (hash ^ set[w]) * 0xD6E8FEB86659FD93U;
            hash ^= hash >> 29;
        }
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != none && !std::equal(set, set + words_, key(slots_[slot])))
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    void insert(const bits::Word* set, const State& state, const double* costs,
                std::vector<std::vector<std::uint32_t>>& layers) {
        const std::size_t slot = slot_of(set);
        if (slots_[slot] != none) {
            State& known = states_[slots_[slot]];
            double* least = costs_.data() + std::size_t{slots_[slot]} * gaps_.size();
            for (std::size_t d = 0; d < gaps_.size(); ++d) least[d] = std::min(least[d], costs[d]);
            if (state.score > known.score) {
                known.score = state.score;
                known.from = state.from;
                known.node = state.node;
            }
            return;
        }
        const auto index = static_cast<std::uint32_t>(states_.size());
        slots_[slot] = index;
        states_.push_back(state);
        costs_.insert(costs_.end(), costs, costs + gaps_.size());
        keys_.insert(keys_.end(), set, set + words_);
        layers[bits::count(set, words_)].push_back(index);
        if (states_.size() * 2 > slots_.size()) {
            slots_.assign(slots_.size() * 2, none);
            for (std::uint32_t i = 0; i < states_.size(); ++i) slots_[slot_of(key(i))] = i;
        }
    }

    bool within(const Ranking& ranking, std::size_t i, const bits::Word* set) const {
        return bits::subset(ranking.sets.data() + i * words_, set, words_);
    }

    // The best score of v with parents in U, and the row it comes from.
    Ranking::Choice best_in(std::size_t v, const bits::Word* set) const {
        for (std::size_t i = offsets_[v]; i < offsets_[v + 1]; ++i)
            if (within(by_score_, i, set)) return by_score_.choices[i];
        return {impossible, 0};
    }

    // Adds the least reduced costs of v with parents in U; false if one of the sums exceeds its gap.
    bool afford(std::size_t v, const bits::Word* set, double* costs) const {
        for (std::size_t d = 0; d < gaps_.size(); ++d) {
            const double most = gaps_[d] - costs[d];
            bool found = false;
            for (std::size_t i = offsets_[v]; i < offsets_[v + 1]; ++i) {
                const double cost = by_cost_[d].choices[i].value;
                if (cost > most) break;
                if (!within(by_cost_[d], i, set)) continue;
                costs[d] += cost;
                found = true;
                break;
            }
            if (!found) return false;
        }
        return true;
    }

    // Places all nodes whose best set lies within U. Returns false if U then costs more than a gap.
    bool close(bits::Word* set, State& state, double* costs) const {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t v = 0; v < n_; ++v) {
                if (bits::test(set, v) || !within(by_score_, offsets_[v], set)) continue;
                if (!afford(v, set, costs)) return false;
                const double score = by_score_.choices[offsets_[v]].value;
                state.score += score;
                state.best_rest -= score;
                bits::add(set, v);
                changed = true;
            }
        }
        return true;
    }

    void expand(std::uint32_t index, const bits::Word* set, bits::Word* next,
                std::vector<std::vector<std::uint32_t>>& layers) {
        const State state = states_[index];
        const std::vector<double> before(
            costs_.begin() + static_cast<std::ptrdiff_t>(index * gaps_.size()),
            costs_.begin() + static_cast<std::ptrdiff_t>((index + 1) * gaps_.size()));
        std::vector<double> costs(gaps_.size());
        for (std::size_t v = 0; v < n_; ++v) {
            if (bits::test(set, v)) continue;
            const double score = best_in(v, set).value;
            const double best = by_score_.choices[offsets_[v]].value;
            State follower{state.score + score, state.best_rest - best, index, static_cast<std::uint32_t>(v)};
            if (follower.score + follower.best_rest <= floor_) continue;
            costs = before;
            if (!afford(v, set, costs.data())) continue;
            std::copy(set, set + words_, next);
            bits::add(next, v);
            if (close(next, follower, costs.data())) insert(next, follower, costs.data(), layers);
        }
    }

    std::vector<std::int64_t> rows_of(std::uint32_t last) const {
        std::vector<std::uint32_t> path;
        for (std::uint32_t at = last; states_[at].from != none; at = states_[at].from) path.push_back(at);
        std::reverse(path.begin(), path.end());
        std::vector<std::int64_t> rows(n_, -1);
        std::vector<bits::Word> set(words_, 0);
        for (const std::uint32_t at : path) {
            const std::size_t v = states_[at].node;
            rows[v] = static_cast<std::int64_t>(best_in(v, set.data()).row);
            bits::add(set.data(), v);
            for (bool changed = true; changed;) {
                changed = false;
                for (std::size_t u = 0; u < n_; ++u) {
                    if (bits::test(set.data(), u) || !within(by_score_, offsets_[u], set.data())) continue;
                    rows[u] = static_cast<std::int64_t>(by_score_.choices[offsets_[u]].row);
                    bits::add(set.data(), u);
                    changed = true;
                }
            }
        }
        return rows;
    }

    std::size_t n_, words_;
    double floor_;
    double best_sum_ = 0;
    std::vector<double> gaps_;  // per dual solution
    Ranking by_score_;
    std::vector<Ranking> by_cost_;
    std::vector<std::size_t> offsets_{0};
    std::vector<State> states_;
    std::vector<double> costs_;  // per state and dual solution: least sum of reduced costs of the nodes in U
    std::vector<bits::Word> keys_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace

std::vector<DualView> dual_views(std::span<const double> reduced_costs, std::span<const double> bounds) {
    std::vector<DualView> views;
    const std::size_t rows = bounds.empty() ? 0 : reduced_costs.size() / bounds.size();
    for (std::size_t d = 0; d < bounds.size(); ++d)
        views.push_back({reduced_costs.subspan(d * rows, rows), bounds[d]});
    return views;
}

OrderGraphResult search_order_graph(const CandidateSets& sets, std::span<const std::uint8_t> allowed,
                                    std::span<const DualView> duals, double floor, std::uint64_t most_states,
                                    Ticker& ticker) {
    return OrderGraph(sets, allowed, duals, floor).run(most_states, ticker);
}

}  // namespace arcwise
