#include "model/inference/elimination_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "xoshiro.hpp"

namespace arcwise {

namespace {

// Up to this many cells, no other order is worth the search for it.
constexpr double small_total = 1 << 11;
// Beyond, blurred restarts may take this share of the cells' number in steps ...
constexpr double search_share = 0.05;
// ... but no more steps, and no more restarts, than this: about a tenth of a second.
constexpr double most_steps = 5e7;
constexpr std::size_t most_restarts = 300;

enum class Rule { weight, fill, weighted_fill };

class GreedyElimination {
  public:
    GreedyElimination(const BitRows& graph, std::span<const std::int32_t> arities,
                      std::span<const std::uint8_t> kept)
        : start_(graph), arities_(arities), kept_(kept), logs_(graph.size()) {
        for (std::size_t v = 0; v < logs_.size(); ++v) logs_[v] = std::log(static_cast<double>(arities[v]));
    }

    // Eliminates, again and again, the variable that is cheapest by the rule; ties by number. With a
    // generator, costs are blurred. Gives up (total = infinity) once the total exceeds `bound`.
    EliminationOrder run(Rule rule, Xoshiro* blur, double bound);

    double steps() const { return steps_; }

  private:
    double cost(const BitRows& graph, std::size_t v, Rule rule);

    const BitRows& start_;
    std::span<const std::int32_t> arities_;
    std::span<const std::uint8_t> kept_;
    std::vector<double> logs_;
    double steps_ = 0;
};

double GreedyElimination::cost(const BitRows& graph, std::size_t v, Rule rule) {
    const auto words = graph.width();
    const auto own = graph[v];
    double result = 0;
    if (rule == Rule::weight) {
        // The logarithm of the size of the table that eliminating v makes.
        own.for_each([&](std::size_t u) { result += logs_[u]; });
        steps_ += static_cast<double>(words);
        return result;
    }
    // The edges that eliminating v adds; or each weighted by the product of its ends' numbers of states.
    own.for_each([&](std::size_t u) {
        const auto other = graph[u];
        steps_ += static_cast<double>(words);
        for (std::size_t w = u / 64; w < words; ++w) {
            auto missing = own.words()[w] & ~other.words()[w];
            if (w == u / 64) missing &= ~Word{0} << (u % 64) << 1;
            if (rule == Rule::fill) {
                result += std::popcount(missing);
            } else {
                for (; missing != 0; missing &= missing - 1)
                    result += static_cast<double>(arities_[u]) *
                              arities_[w * 64 + static_cast<std::size_t>(std::countr_zero(missing))];
            }
        }
    });
    return result;
}

EliminationOrder GreedyElimination::run(Rule rule, Xoshiro* blur, double bound) {
    BitRows graph = start_;
    const auto n = graph.size();
    const auto words = graph.width();
    const auto priced = [&](std::size_t v) {
        const auto exact = cost(graph, v, rule);
        return blur == nullptr ? exact : exact * (1 + 0.2 * blur->uniform());
    };
    std::vector<double> costs(n);
    std::vector<std::int32_t> left;
    for (std::size_t v = 0; v < n; ++v) {
        if (kept_[v]) continue;
        left.push_back(static_cast<std::int32_t>(v));
        costs[v] = priced(v);
    }
    EliminationOrder result;
    result.variables.reserve(left.size());
    auto changed = long_set(n);
    while (!left.empty()) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < left.size(); ++i) {
            const auto u = static_cast<std::size_t>(left[i]), v = static_cast<std::size_t>(left[best]);
            if (costs[u] < costs[v] || (costs[u] == costs[v] && u < v)) best = i;
        }
        steps_ += static_cast<double>(left.size());
        const auto v = static_cast<std::size_t>(left[best]);
        left[best] = left.back();
        left.pop_back();
        result.variables.push_back(static_cast<std::int32_t>(v));
        const auto own = graph[v];
        double cells = arities_[v];
        std::size_t neighbours = 0;
        own.for_each([&](std::size_t u) {
            cells *= arities_[u];
            ++neighbours;
        });
        result.largest = std::max(result.largest, cells);
        result.total += cells;
        result.width = std::max(result.width, neighbours);
        if (result.total > bound) {
            result.total = std::numeric_limits<double>::infinity();
            return result;
        }
        // A variable's cost changes only if its neighbours or, for the rules of fill, the edges among them
        // did.
        changed.fill(false);
        changed |= own;
        own.for_each([&](std::size_t u) {
            auto other = graph[u];
            other.add(u);  // for a moment: no node is its own neighbour
            const bool new_edges = !own.within(other);
            other |= own;
            other.remove(u);
            other.remove(v);
            steps_ += static_cast<double>(words);
            if (new_edges && rule != Rule::weight) changed |= other;
        });
        changed.for_each([&](std::size_t u) {
            if (!kept_[u] && u != v) costs[u] = priced(u);
        });
        graph[v].fill(false);
    }
    return result;
}

}  // namespace

void join_members(BitRows& graph, std::span<const std::int32_t> members) {
    for (const auto a : members)
        for (const auto b : members)
            if (a != b) graph[static_cast<std::size_t>(a)].add(static_cast<std::size_t>(b));
}

EliminationOrder find_elimination_order(const BitRows& graph, std::span<const std::int32_t> arities,
                                        std::span<const std::uint8_t> kept, bool with_restarts) {
    GreedyElimination greedy(graph, arities, kept);
    const auto infinity = std::numeric_limits<double>::infinity();
    auto best = greedy.run(Rule::weight, nullptr, infinity);
    if (best.total <= small_total) return best;
    const auto improve = [&](Rule rule, Xoshiro* blur) {
        auto other = greedy.run(rule, blur, best.total);
        if (other.total < best.total) best = std::move(other);
    };
    improve(Rule::weighted_fill, nullptr);
    improve(Rule::fill, nullptr);
    Xoshiro blur(1);
    const auto steps = with_restarts ? std::min(search_share * best.total, most_steps) : 0;
    for (std::size_t restart = 0; restart < most_restarts && greedy.steps() < steps; ++restart)
        improve(restart % 3 == 0 ? Rule::weight : Rule::weighted_fill, &blur);
    return best;
}

}  // namespace arcwise
