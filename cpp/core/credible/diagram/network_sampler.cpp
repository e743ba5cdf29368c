#include "credible/diagram/network_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "xoshiro.hpp"

namespace arcwise {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
// The exponent only has to be good: the share of proposals that are kept is flat around the best one.
constexpr int doublings = 60, halvings = 8;
constexpr double near = 0.02;

// The probabilities with which a walk takes the edges of each state.
class Walk {
  public:
    explicit Walk(const NetworkDiagram& diagram) : diagram_(diagram) {}

    static std::size_t bytes_for(const NetworkDiagram& diagram) {
        return (diagram.edges() + 2 * diagram.states()) * sizeof(double);
    }

    // The backward pass with exponent t; false if it was stopped. Logarithms, because the masses of diagrams
    // over hundreds of nodes leave the range of doubles.
    bool prepare(double t, Ticker& ticker) {
        reached_.resize(diagram_.edges());
        log_mass_.assign(diagram_.states(), nothing);
        mean_.assign(diagram_.states(), 0);
        const std::size_t last = diagram_.layer_begin[diagram_.nodes];
        for (std::size_t s = diagram_.states(); s-- > 0;) {
            if (ticker.poll({})) return false;
            if (s >= last) {
                log_mass_[s] = 0;
                continue;
            }
            const auto begin = diagram_.edge_begin[s], end = diagram_.edge_begin[s + 1];
            double top = nothing;
            for (auto e = begin; e < end; ++e) top = std::max(top, log_weight(e, t));
            if (top == nothing) continue;
            double total = 0, loss = 0;
            for (auto e = begin; e < end; ++e) {
                const double weight = std::exp(log_weight(e, t) - top);
                loss += weight * (diagram_.edge_detour[e] + mean_[diagram_.edge_target[e]]);
                reached_[e] = total += weight;
            }
            for (auto e = begin; e < end; ++e) reached_[e] /= total;  // the last is 1 exactly
            log_mass_[s] = top + std::log(total);
            mean_[s] = loss / total;
        }
        return true;
    }

    // The mean loss of the walks from the first state.
    double mean() const { return mean_[0]; }

    std::uint64_t step(std::uint32_t state, double uniform) const {
        const auto first = reached_.begin();
        const auto begin = static_cast<std::ptrdiff_t>(diagram_.edge_begin[state]);
        const auto end = static_cast<std::ptrdiff_t>(diagram_.edge_begin[state + 1]);
        return static_cast<std::uint64_t>(std::upper_bound(first + begin, first + end, uniform) - first);
    }

  private:
    double log_weight(std::uint64_t e, double t) const {
        return log_mass_[diagram_.edge_target[e]] - t * diagram_.edge_detour[e];
    }

    const NetworkDiagram& diagram_;
    std::vector<double> reached_;  // per edge: the probability of it and those before it in its state
    std::vector<double> log_mass_, mean_;
};

// Prepares the walk with the exponent, at least `power`, with which the most proposals are kept; returns it.
double choose_exponent(Walk& walk, double power, double slack, Ticker& ticker) {
    double high = power;
    if (!walk.prepare(high, ticker) || walk.mean() <= slack) return high;
    double low = high, step = 1;
    for (int i = 0; i < doublings && walk.mean() > slack; ++i, step *= 2) {
        low = high;
        high = power + step;
        if (!walk.prepare(high, ticker)) return high;
    }
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        if (!walk.prepare(middle, ticker)) return high;
        (walk.mean() > slack ? low : high) = middle;
        if (walk.mean() <= slack && walk.mean() >= (1 - near) * slack) return high;
    }
    walk.prepare(high, ticker);
    return high;
}

}  // namespace

DrawnNetworks draw_networks(const NetworkDiagram& diagram, std::span<const std::int64_t> node_offsets,
                            const DrawOptions& options, Ticker& ticker) {
    DrawnNetworks drawn;
    const std::size_t n = diagram.nodes;
    const auto stopped = [&] {
        drawn.status = ticker.reason();
        return std::move(drawn);
    };
    if (ticker.poll_now({0, options.count})) return stopped();
    if (diagram.states() == 0 || options.count == 0) return drawn;
    const std::size_t held = diagram.bytes() + Walk::bytes_for(diagram);
    const std::size_t each = n * sizeof(std::uint32_t) + sizeof(double);
    const std::size_t room = options.memory > held ? (options.memory - held) / each : 0;
    const std::size_t count = std::min(room, options.count);
    if (count < options.count) drawn.status = Status::memory_limit;
    if (count == 0) return drawn;

    const double slack = std::min(options.slack, diagram.slack);
    const double power = options.by_score ? 1 : 0;
    Walk walk(diagram);
    drawn.exponent = choose_exponent(walk, power, slack, ticker);
    if (ticker.poll_now({0, count})) return stopped();
    std::vector<std::uint32_t> row_node;
    for (std::size_t v = 0; v < n; ++v)
        row_node.resize(static_cast<std::size_t>(node_offsets[v + 1]), static_cast<std::uint32_t>(v));
    drawn.rows.reserve(count * n);
    drawn.losses.reserve(count);

    Xoshiro random(options.seed);
    std::vector<std::uint32_t> rows(n);
    while (drawn.losses.size() < count) {
        const std::size_t kept = drawn.losses.size();
        if (ticker.poll({kept, count})) return stopped();
        if (drawn.proposals > 0 && drawn.proposals % options.patience == 0 &&
            kept < drawn.proposals / options.most_per_draw) {
            drawn.hopeless = true;
            return drawn;
        }
        ++drawn.proposals;
        std::uint32_t state = 0;
        double loss = 0;
        for (std::size_t d = 0; d < n && loss <= slack; ++d) {  // losses only grow
            const auto edge = walk.step(state, random.uniform());
            const auto row = diagram.edge_row[edge];
            const auto node = row_node[row];
            rows[node] = row - static_cast<std::uint32_t>(node_offsets[node]);
            loss += diagram.edge_detour[edge];
            state = diagram.edge_target[edge];
        }
        if (loss > slack) continue;
        if (drawn.exponent > power && random.uniform() >= std::exp((drawn.exponent - power) * (loss - slack)))
            continue;
        drawn.rows.insert(drawn.rows.end(), rows.begin(), rows.end());
        drawn.losses.push_back(loss);
    }
    return drawn;
}

}  // namespace arcwise
