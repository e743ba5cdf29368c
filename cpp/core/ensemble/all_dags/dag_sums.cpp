#include "ensemble/all_dags/dag_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "ensemble/all_dags/completion_order.hpp"
#include "ensemble/all_dags/parent_weights.hpp"
#include "ensemble/all_dags/set_bounds.hpp"
#include "ensemble/all_dags/sink_walk.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

// A layer's sets are worked on in this many pieces, whatever the number of threads, so that sums over them
// have one order.
constexpr std::size_t pieces = 64;
// Nodes whose presence in W splits the forward terms into parts that write to different places.
constexpr std::size_t splitting_nodes = 2;
// A certificate that would leave more than this share open is none.
constexpr double largest_share = 1e-3;
// The estimate of the number of terms looks at this many sets, and at this many terms of each.
constexpr std::size_t sampled_sets = 2048;
constexpr double sampled_terms = 20'000;
// Seconds that a term takes, both ways, and from which factor on a forecast beyond the limit is believed.
constexpr double term_seconds = 1.2e-8;
constexpr double certain_excess = 3;

class Summation {
  public:
    Summation(const TableView& table, const DagSumOptions& options, Ticker& ticker)
        : table_(table),
          options_(options),
          ticker_(ticker),
          n_(table.variables),
          sets_(std::size_t{1} << n_),
          all_(sets_ - 1),
          splitters_(n_ < 8 ? 0 : all_ ^ (all_ >> splitting_nodes)) {}

    DagSums run() {
        const std::size_t per_thread = options_.blankets ? 8 * options_.threads : 0;
        result_.bytes = sets_ * (12 * n_ / 2 + 36 + per_thread) + 20 * table_.rows();
        if (result_.bytes > options_.memory) {
            ticker_.stop(Status::memory_limit);
            return stopped();
        }
        if (!weights_.prepare(table_)) {
            result_.too_wide = true;
            return result_;
        }
        if (!weights_.sum(table_, options_.threads, ticker_) || !bounds_.find(weights_, ticker_))
            return stopped();
        if (bounds_.optimum == ParentWeights::impossible) {  // no DAG at all
            result_.log_total = -std::numeric_limits<double>::infinity();
            return result_;
        }
        floor_ = weights_.floor_of(bounds_.optimum, options_.cut);
        sort_sets();
        if (!affordable() || !push_all() || !find_blankets() || !pull_all()) return stopped();
        finish();
        return result_;
    }

  private:
    DagSums& stopped() {
        result_.status = ticker_.reason();
        return result_;
    }

    SinkWalk make_walk() const { return {weights_, bounds_, floor_}; }

    bool within_cut(std::size_t set) const { return bounds_.best[set] + bounds_.completion[set] >= floor_; }

    // All sets by size, and those within the cut.
    void sort_sets() {
        layer_begin_.assign(n_ + 2, 0);
        active_begin_.assign(n_ + 2, 0);
        for (std::size_t set = 0; set < sets_; ++set) {
            const auto size = static_cast<std::size_t>(std::popcount(set));
            ++layer_begin_[size + 1];
            active_begin_[size + 1] += within_cut(set) ? 1 : 0;
        }
        for (std::size_t size = 0; size <= n_; ++size) {
            layer_begin_[size + 1] += layer_begin_[size];
            active_begin_[size + 1] += active_begin_[size];
        }
        order_.resize(sets_);
        active_.resize(active_begin_.back());
        auto next = layer_begin_, next_active = active_begin_;
        for (std::size_t set = 0; set < sets_; ++set) {
            const auto size = static_cast<std::size_t>(std::popcount(set));
            order_[next[size]++] = static_cast<std::uint32_t>(set);
            if (within_cut(set)) active_[next_active[size]++] = static_cast<std::uint32_t>(set);
        }
        result_.sets = active_.size();
    }

    // Estimates the number of terms from evenly spaced sets, and stops where the time limit is far too short.
    bool affordable() {
        auto walk = make_walk();
        const std::size_t sample = std::min(sampled_sets, active_.size());
        double seen = 0;
        for (std::size_t i = 0; i < sample; ++i) {
            const std::size_t set = active_[i * active_.size() / sample];
            walk.enter(set);
            // What was not counted is taken to be as in a walk without a cut.
            const double most = std::ldexp(1.0, std::popcount(walk.candidates()));
            const double count = walk.count(set, bounds_.best[set], sampled_terms);
            seen += count < sampled_terms ? count : std::max(count, most / 2);
            if (ticker_.poll_now({2 * sets_, 4 * sets_})) return false;
        }
        result_.terms = seen * static_cast<double>(active_.size()) / static_cast<double>(sample);
        const double pairs = options_.blankets ? static_cast<double>(n_ * (n_ - 1) / 2) : 0;
        const double needed =
            result_.terms * term_seconds * (1 + pairs / 2) / static_cast<double>(options_.threads);
        if (needed > certain_excess * ticker_.remaining()) ticker_.stop(Status::time_limit);
        return ticker_.reason() == Status::complete;
    }

    // Calls body(worker, piece, position) for the positions from begin to end, in pieces; false if stopped.
    template <class Body>
    bool in_pieces(std::size_t begin, std::size_t end, std::uint64_t done, Body body) {
        std::atomic<bool> stop{false};
        const std::size_t length = end - begin;
        const auto poll = [&](std::size_t piece) {
            return ticker_.poll({done + length * piece / pieces, 4 * sets_});
        };
        parallel_for(
            length < pieces ? 1 : options_.threads, pieces,
            [&](std::size_t worker, std::size_t piece) {
                const std::size_t last = begin + length * (piece + 1) / pieces;
                for (std::size_t i = begin + length * piece / pieces; i < last && !stop; ++i) {
                    if (worker == 0 && poll(piece)) stop = true;
                    body(worker, piece, i);
                }
            },
            [](std::size_t) { return false; });
        return !stop;
    }

    // R, layer by layer: all terms into a set come from smaller ones.
    bool push_all() {
        sums_.assign(sets_, 0);
        leaks_.assign(sets_, 0);
        bound_.assign(sets_, 0);
        sums_[0] = 1;
        const std::size_t parts = splitters_ == 0 ? 1 : std::size_t{1} << splitting_nodes;
        std::vector<SinkWalk> walks(parts, make_walk());
        std::atomic<bool> stop{false};
        for (std::size_t size = 0; size < n_; ++size) {
            if (!in_pieces(layer_begin_[size], layer_begin_[size + 1], 2 * sets_ + layer_begin_[size],
                           [&](std::size_t, std::size_t, std::size_t i) { gather_leaks(order_[i]); }))
                return false;
            parallel_for(
                options_.threads, parts,
                [&](std::size_t worker, std::size_t task) {
                    // The part with all splitters is the largest: it goes first.
                    const std::size_t part =
                        splitters_ == 0 ? 0 : (parts - 1 - task) << (n_ - splitting_nodes);
                    auto& walk = walks[task];
                    for (std::size_t i = active_begin_[size]; i < active_begin_[size + 1] && !stop; ++i) {
                        if (worker == 0 && ticker_.poll({2 * sets_ + layer_begin_[size], 4 * sets_}))
                            stop = true;
                        const std::size_t set = active_[i];
                        if ((set & splitters_ & ~part) != 0 || sums_[set] == 0) continue;
                        walk.enter(set);
                        walk.push(set, bounds_.best[set], sums_[set],
                                  1 + 2 * bound_[set] / std::abs(sums_[set]), splitters_, part, sums_.data(),
                                  leaks_.data());
                    }
                },
                [](std::size_t) { return false; });
            if (stop) return false;
        }
        result_.terms = 0;
        for (const auto& walk : walks) result_.terms += static_cast<double>(walk.terms());
        return true;
    }

    // A(X): what leaked into X, and into X - v, whence it comes here with v.
    void gather_leaks(std::size_t set) {
        double sum = leaks_[set];
        for (std::size_t left = set; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t rest = set ^ (std::size_t{1} << v);
            if (bound_[rest] != 0) sum += bound_[rest] * passed_on(rest, set, v);
        }
        bound_[set] = sum;
    }

    // alpha_v(X), scaled for the way from X to W = X + v. (An upper bound where it is too small to be held.)
    double passed_on(std::size_t set, std::size_t above, std::size_t v) const {
        const auto at = ParentWeights::place(set, v);
        const std::int32_t level = weights_.level[v][at];
        if (level == ParentWeights::impossible || bounds_.completion[above] == ParentWeights::impossible)
            return 0;
        return weights_.mantissa[v][at] *
               clamped_power_of_two(scale(set) + weights_.exponent(level) - scale(above));
    }

    std::int32_t scale(std::size_t set) const {
        return weights_.exponent(bounds_.optimum - bounds_.completion[set]);
    }

    // The weight of the DAGs in which a and b are in each other's blanket is what is missing from the sum
    // over those without: no row of a has b, none of b has a, and no row of another node has both. The sums
    // over rows follow from alpha by inclusion and exclusion, and nothing grows, so the cut and its
    // certificate hold. One forward pass per pair.
    bool find_blankets() {
        if (!options_.blankets) return true;
        result_.blankets.assign(n_ * n_, 0);
        std::vector<std::array<std::size_t, 2>> pairs;
        for (std::size_t a = 0; a < n_; ++a)
            for (std::size_t b = a + 1; b < n_; ++b) pairs.push_back({a, b});
        std::vector<std::vector<double>> sums(options_.threads, std::vector<double>(sets_));
        std::atomic<bool> stop{false};
        parallel_for(
            options_.threads, pairs.size(),
            [&](std::size_t worker, std::size_t task) {
                const auto [a, b] = pairs[task];
                auto& mine = sums[worker];
                std::fill(mine.begin(), mine.end(), 0.0);
                mine[0] = 1;
                auto walk = make_walk();
                for (std::size_t i = 0; i < active_.size() && !stop; ++i) {
                    if (worker == 0 && ticker_.poll({3 * sets_, 4 * sets_})) stop = true;
                    const std::size_t set = active_[i];
                    if (mine[set] == 0 || set == all_) continue;
                    walk.enter(set);
                    separate(walk, set, a, b);
                    walk.push(set, bounds_.best[set], mine[set], 0, 0, 0, mine.data(), nullptr);
                }
                const double share = std::clamp(1 - mine[all_] / sums_[all_], 0.0, 1.0);
                result_.blankets[a * n_ + b] = result_.blankets[b * n_ + a] = share;
            },
            [](std::size_t) { return false; });
        return !stop;
    }

    // Takes the rows that join a and b out of what a set offers.
    void separate(SinkWalk& walk, std::size_t set, std::size_t a, std::size_t b) const {
        const std::size_t bit_a = std::size_t{1} << a, bit_b = std::size_t{1} << b;
        for (std::size_t left = walk.candidates(); left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const auto within = [&](std::size_t smaller) {
                const auto at = ParentWeights::place(smaller, v);
                return weights_.mantissa[v][at] *
                       clamped_power_of_two(weights_.exponent(weights_.level[v][at]) - walk.exponent(v));
            };
            if (v == a || v == b) {
                const std::size_t other = v == a ? bit_b : bit_a;
                if ((set & other) != 0) walk.set_factor(v, within(set ^ other));
            } else if ((set & bit_a) != 0 && (set & bit_b) != 0) {
                walk.set_factor(v, std::max(0.0, within(set ^ bit_a) + within(set ^ bit_b) -
                                                     within(set ^ bit_a ^ bit_b)));
            }
        }
    }

    // G, from large sets to small ones, and with it the probability of every set of non-descendants, from
    // which the mantissas become slopes. `bound_`, no longer needed for the leaks, takes the bounds of G.
    bool pull_all() {
        const double total = sums_[all_];
        result_.log_total = std::log(total) + std::numbers::ln2 * scale(all_);
        for (const double s : weights_.shift) result_.log_total += s;
        const CompletionOrder order(n_);
        const std::size_t blocks = order.blocks();
        std::vector<std::array<double, 32 * 32>> reached(blocks);
        for (auto& matrix : reached) matrix.fill(0);
        std::vector<double> left_out(blocks, 0);
        std::vector<SinkWalk> walks(options_.threads, make_walk());
        const auto find = [&](std::size_t worker, std::size_t block, std::size_t set) {
            left_out[block] += pull(walks[worker], set, reached[block].data());
        };
        const auto poll = [&](std::size_t done) { return ticker_.poll({3 * sets_ + done, 4 * sets_}); };
        if (!order.for_all(options_.threads, find, poll)) return false;
        double share = 0;
        result_.ancestors.assign(n_ * n_, 0);
        for (std::size_t block = 0; block < blocks; ++block) {
            share += left_out[block];
            for (std::size_t v = 0; v < n_; ++v)
                for (std::size_t w = 0; w < n_; ++w)
                    result_.ancestors[v * n_ + w] += reached[block][v * 32 + w];
        }
        for (double& p : result_.ancestors) p = std::clamp(p, 0.0, 1.0);
        result_.left_out = share <= largest_share ? share : std::numeric_limits<double>::infinity();
        return true;
    }

    // What R(X) is at least, for a set within the cut. The best DAG alone weighs its level.
    double least_sum(std::size_t set) const {
        const double heaviest = power_of_two(weights_.exponent(bounds_.best[set]) - scale(set));
        return std::max(heaviest, sums_[set] - bound_[set]);
    }

    // G(X) by the first node of the completion. The mantissas of sets outside the cut are used here for the
    // last time: they become slopes, which are 0.
    double bound_completion(std::size_t set, bool kept) {
        double sum = 0;
        for (std::size_t left = all_ ^ set; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t above = set | (std::size_t{1} << v);
            sum += passed_on(set, above, v) * bound_[above];
            if (!kept) weights_.mantissa[v][ParentWeights::place(set, v)] = 0;
        }
        return sum;
    }

    // Finds G(X), the bound of it, and what v does not reach with which probability; returns the share that
    // leaked at X.
    double pull(SinkWalk& walk, std::size_t set, double* reached) {
        if (set == all_) {
            bound_[set] = sums_[set] = 1 / sums_[set];
            return leaks_[set] * bound_[set];
        }
        const bool kept = within_cut(set);
        const double least = kept ? least_sum(set) : 0;
        bound_[set] = bound_completion(set, kept);
        if (kept) {
            spread(walk, set, reached);
            bound_[set] = std::min(bound_[set], std::max(sums_[set], 0.0) + largest_share / least);
        }
        return leaks_[set] * bound_[set];
    }

    void spread(SinkWalk& walk, std::size_t set, double* reached) {
        double node_sums[32] = {};
        walk.enter(set);
        const double sum = sums_[set];
        sums_[set] = walk.pull(set, bounds_.best[set], sums_.data(), node_sums);
        for (std::size_t left = all_ ^ set; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const double share = sum * node_sums[v];
            double& mantissa = weights_.mantissa[v][ParentWeights::place(set, v)];
            mantissa = share != 0 ? share / mantissa : 0;
            if (share == 0) continue;
            for (std::size_t others = all_ ^ set ^ (std::size_t{1} << v); others != 0; others &= others - 1)
                reached[v * 32 + static_cast<std::size_t>(std::countr_zero(others))] += share;
        }
    }

    void finish() {
        result_.shares = weights_.shares_of_rows(table_, options_.threads);
        result_.arcs.assign(n_ * n_, 0);
        for (std::size_t v = 0; v < n_; ++v) {
            double sum = 0;
            const auto first = static_cast<std::size_t>(table_.node_offsets[v]);
            const auto last = static_cast<std::size_t>(table_.node_offsets[v + 1]);
            for (std::size_t row = first; row < last; ++row) {
                result_.shares[row] = std::max(result_.shares[row], 0.0);
                sum += result_.shares[row];
            }
            result_.defect = std::max(result_.defect, std::abs(sum - 1));
            for (std::size_t row = first; row < last; ++row) {
                const double share = result_.shares[row] /= sum;
                for (const auto p : table_.parents(row))
                    result_.arcs[static_cast<std::size_t>(p) * n_ + v] += share;
            }
        }
        for (double& p : result_.arcs) p = std::min(p, 1.0);
    }

    const TableView& table_;
    const DagSumOptions& options_;
    Ticker& ticker_;
    std::size_t n_, sets_, all_, splitters_;
    ParentWeights weights_;
    SetBounds bounds_;
    std::int32_t floor_ = 0;
    std::vector<std::size_t> layer_begin_, active_begin_;
    std::vector<std::uint32_t> order_, active_;
    std::vector<double> sums_;   // R, then G
    std::vector<double> leaks_;  // what the cut left out, at the set where it did
    std::vector<double> bound_;  // A, then the bound of G
    DagSums result_;
};

}  // namespace

DagSums sum_all_dags(const TableView& table, const DagSumOptions& options, Ticker& ticker) {
    assert(table.variables >= 1 && table.variables <= 30);
    return Summation(table, options, ticker).run();
}

}  // namespace arcwise
