#include "posterior/all_dags/dag_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "posterior/all_dags/block_order.hpp"
#include "posterior/all_dags/block_weights.hpp"
#include "posterior/all_dags/bound_steps.hpp"
#include "posterior/all_dags/large_array.hpp"
#include "posterior/all_dags/parent_weights.hpp"
#include "posterior/all_dags/set_bounds.hpp"
#include "posterior/all_dags/sink_walk.hpp"
#include "posterior/all_dags/term_estimate.hpp"
#include "worker_team.hpp"

namespace arcwise {

namespace {

// A block's sets in so many slices, of which terms that lead to other blocks can be summed at the same time.
constexpr std::size_t slices = 16;
// A certificate that would leave more than this share open is none.
constexpr double largest_share = 1e-3;
// Seconds that a term takes, both ways, and from which factor on a forecast beyond the limit is believed.
constexpr double term_seconds = 1.2e-8;
// Seconds that bounds and weights take for each node and set, whatever is within the cut.
constexpr double set_seconds = 2.5e-8;
constexpr double certain_excess = 3;

// What the way back finds in one block.
struct Pulled {
    bool idle = true;     // none of its sets is within the cut
    bool sliced = false;  // the terms that lead to other blocks are in `beyond` already
    double left_out = 0;
    std::array<double, 32 * 32> reached;  // at [v, w]: that v is an ancestor of w
    std::vector<double> beyond;           // per set: G as far as it comes from other blocks
};

class Summation {
  public:
    Summation(const TableView& table, const DagSumOptions& options, Ticker& ticker)
        : table_(table),
          options_(options),
          ticker_(ticker),
          n_(table.variables),
          sets_(std::size_t{1} << n_),
          all_(sets_ - 1),
          team_(options.threads),
          together_(options.threads == 1 ? 1 : 2 * options.threads) {}

    DagSums run() {
        if (!rows_.prepare(table_)) {
            result_.too_wide = true;
            return result_;
        }
        const BlockRows blocks(rows_, table_);
        blocks_ = &blocks;
        width_ = std::min<std::size_t>(8, blocks.length());
        together_ = std::min(together_, blocks.blocks());
        const std::size_t per_set = 24 + (options_.blankets ? 4 + 8 * options_.threads : 0);
        result_.bytes = sets_ * per_set + together_ * BlockWeights::bytes_for(blocks) + 52 * table_.rows() +
                        (options_.blankets ? WholeWeights::bytes_for(n_) : 0);
        if (result_.bytes > options_.memory) {
            ticker_.stop(Status::memory_limit);
            return stopped();
        }
        if (!within_limits(0, 1) || !bounds_.find(blocks, team_, ticker_)) return stopped();
        if (bounds_.optimum == ParentWeights::impossible) {  // no DAG at all
            result_.log_total = -std::numeric_limits<double>::infinity();
            return result_;
        }
        floor_ = rows_.floor_of(bounds_.optimum, options_.cut);
        for (std::size_t i = 0; i < together_; ++i) weights_.emplace_back(blocks);
        if (!affordable() || !push_all() || !find_blankets() || !pull_all()) return stopped();
        finish();
        return result_;
    }

  private:
    DagSums& stopped() {
        result_.status = ticker_.reason();
        return result_;
    }

    SinkWalk make_walk() const { return {rows_, bounds_, floor_}; }

    bool within_cut(std::size_t set) const { return bounds_.within_cut(set, floor_); }

    // Whether so many terms, and the work on all sets, are within the limit of terms, and within that of time
    // by a factor.
    bool within_limits(double terms, double excess) {
        const double fixed = set_seconds * static_cast<double>(n_ * sets_);
        const double needed = terms == 0 ? fixed : terms * term_seconds;
        if (fixed / term_seconds + terms > options_.most_terms)
            ticker_.stop(Status::count_limit);
        else if (needed / static_cast<double>(options_.threads) > excess * ticker_.remaining())
            ticker_.stop(Status::time_limit);
        return ticker_.reason() == Status::complete;
    }

    // Stops where an estimate of the terms says that a limit is far too low.
    bool affordable() {
        const auto estimate = estimate_terms(*blocks_, bounds_, floor_, team_, ticker_);
        result_.sets = estimate.sets;
        result_.terms = estimate.terms;
        if (ticker_.reason() != Status::complete) return false;
        const double pairs = options_.blankets ? static_cast<double>(n_ * (n_ - 1) / 2) : 0;
        return within_limits(result_.terms * (1 + pairs / 2), certain_excess);
    }

    // alpha of some blocks, into the weights of the same numbers, and slopes of 0 if they are wanted.
    template <class Poll>
    bool find_weights(const std::vector<std::size_t>& group, bool slopes, Poll poll) {
        return team_.run(
            group.size() * n_,
            [&](std::size_t, std::size_t task) {
                const std::size_t i = task / n_, v = task % n_;
                if (blocks_->in_block(v, group[i])) return;
                weights_[i].find_levels(v, group[i]);
                weights_[i].find_sums(v, group[i]);
                if (slopes) weights_[i].clear_slopes(v);
            },
            poll);
    }

    // The last nodes by which the forward terms are split into parts that write to different places: W has
    // some of them. With all of them it is the most likely; there are enough parts for threads to end
    // together.
    std::vector<std::size_t> parts() {
        const auto wanted =
            options_.threads == 1 ? 0 : static_cast<std::size_t>(std::bit_width(options_.threads)) + 1;
        const std::size_t splitting = std::min(wanted, n_ - blocks_->first_nodes());
        splitters_ = all_ ^ (all_ >> splitting);
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < std::size_t{1} << splitting; ++i) found.push_back(i << (n_ - splitting));
        std::ranges::stable_sort(found, std::ranges::greater{},
                                 [](std::size_t part) { return std::popcount(part); });
        return found;
    }

    // R, from small sets to large ones, and A with it. Terms within a block first, which makes its sums
    // whole, and then those that go to other blocks; several blocks at a time in either step.
    bool push_all() {
        sums_ = LargeArray<double>(sets_);
        leaks_ = LargeArray<float>(sets_);
        bound_ = LargeArray<float>(sets_);
        sums_[0] = 1;
        const auto parts = this->parts();
        std::vector<SinkWalk> walks(together_, make_walk()), beyond(parts.size(), make_walk());
        for (auto& walk : walks) walk.into(sums_.data(), leaks_.data());
        for (auto& walk : beyond) walk.into(sums_.data(), leaks_.data());
        std::size_t done = 0;
        for (const auto& group : rising_blocks(blocks_->blocks(), together_)) {
            const auto poll = [&](std::size_t) {
                return ticker_.poll_now({sets_ + done * blocks_->length(), 4 * sets_});
            };
            const auto inside = [&](std::size_t, std::size_t task) {
                push_inside(walks[task], weights_[task], group[task]);
            };
            const auto outside = [&](std::size_t, std::size_t task) {
                for (std::size_t i = 0; i < group.size(); ++i)
                    push_beyond(beyond[task], weights_[i], group[i], parts[task]);
            };
            if (!find_weights(group, false, poll) || !team_.run(group.size(), inside, poll) ||
                !team_.run(parts.size(), outside, poll))
                return false;
            done += group.size();
        }
        result_.terms = 0;
        for (const auto& walk : walks) result_.terms += static_cast<double>(walk.terms());
        for (const auto& walk : beyond) result_.terms += static_cast<double>(walk.terms());
        return true;
    }

    // How much what the walk leaves out weighs: R~ + 2 A, divided by R~.
    double leaking(std::size_t set) const {
        return 1 + 2 * static_cast<double>(bound_[set]) / std::abs(sums_[set]);
    }

    void push_inside(SinkWalk& walk, const BlockWeights& weights, std::size_t block) {
        const std::size_t length = blocks_->length(), end = (block + 1) * length;
        for (std::size_t begin = block * length; begin < end; begin += width_) {
            for (std::size_t set = begin; set < begin + width_; ++set) {
                // A(X): what leaked into X, and into X - v, whence it came here with v.
                if (leaks_[set] != 0)
                    bound_[set] = rounded_up(static_cast<double>(bound_[set]) + leaks_[set]);
                for (std::size_t left = (width_ - 1) & ~set; left != 0; left &= left - 1)
                    pass_up(step(weights, set, static_cast<std::size_t>(std::countr_zero(left))),
                            &bound_[set], &bound_[set | (left & (~left + 1))], 1);
                if (!within_cut(set) || sums_[set] == 0) continue;
                walk.enter(weights, set);
                walk.push_within(set, bounds_.best[set], sums_[set], leaking(set), length - 1);
            }
            for (std::size_t left = (length - 1) & ~begin & ~(width_ - 1); left != 0; left &= left - 1)
                pass_up(step(weights, begin, static_cast<std::size_t>(std::countr_zero(left))),
                        &bound_[begin], &bound_[begin | (left & (~left + 1))], width_);
        }
    }

    void push_beyond(SinkWalk& walk, const BlockWeights& weights, std::size_t block, std::size_t part) {
        const std::size_t length = blocks_->length(), first = block * length;
        if ((first & splitters_ & ~part) != 0) return;
        for (std::size_t v = blocks_->first_nodes(); v < n_; ++v) {
            const std::size_t above = first | (std::size_t{1} << v);
            if (!blocks_->in_block(v, block) && (above & splitters_) == part)
                pass_up(step(weights, first, v), &bound_[first], &bound_[above], length);
        }
        for (std::size_t set = first; set < first + length; ++set) {
            if (!within_cut(set) || sums_[set] == 0) continue;
            walk.enter(weights, set);
            walk.push_beyond(set, bounds_.best[set], sums_[set], leaking(set), length - 1, splitters_, part);
        }
    }

    // From some sets, the first of which is given, to those with v.
    BoundStep step(const BlockWeights& weights, std::size_t set, std::size_t v) const {
        const std::size_t inside = set & (blocks_->length() - 1);
        return {weights.mantissas(v) + inside,
                weights.levels(v) + inside,
                &bounds_.completion[set],
                &bounds_.completion[set | (std::size_t{1} << v)],
                bounds_.optimum,
                rows_.fraction};
    }

    std::int32_t scale(std::size_t set) const {
        return rows_.exponent(bounds_.optimum - bounds_.completion[set]);
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
        std::vector<std::uint32_t> active;
        for (std::size_t set = 0; set < sets_; ++set)
            if (within_cut(set)) active.push_back(static_cast<std::uint32_t>(set));
        WholeWeights weights;
        if (!weights.find(rows_, table_, options_.threads, ticker_)) return false;
        std::vector<std::vector<double>> sums(options_.threads, std::vector<double>(sets_));
        std::atomic<bool> stop{false};
        team_.run(
            pairs.size(),
            [&](std::size_t worker, std::size_t task) {
                const auto [a, b] = pairs[task];
                auto& mine = sums[worker];
                std::fill(mine.begin(), mine.end(), 0.0);
                mine[0] = 1;
                auto walk = make_walk();
                walk.into(mine.data(), nullptr);
                for (std::size_t i = 0; i < active.size() && !stop; ++i) {
                    if (worker == 0 && ticker_.poll({3 * sets_, 4 * sets_})) stop = true;
                    const std::size_t set = active[i];
                    if (mine[set] == 0 || set == all_) continue;
                    walk.enter(weights, set);
                    separate(walk, weights, set, a, b);
                    walk.push_within(set, bounds_.best[set], mine[set], 0, all_);
                }
                const double share = std::clamp(1 - mine[all_] / sums_[all_], 0.0, 1.0);
                result_.blankets[a * n_ + b] = result_.blankets[b * n_ + a] = share;
            },
            [](std::size_t) { return false; });
        return !stop;
    }

    // Takes the rows that join a and b out of what a set offers.
    void separate(SinkWalk& walk, const WholeWeights& weights, std::size_t set, std::size_t a,
                  std::size_t b) const {
        const std::size_t bit_a = std::size_t{1} << a, bit_b = std::size_t{1} << b;
        for (std::size_t left = walk.candidates(); left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const auto within = [&](std::size_t smaller) {
                return weights.mantissa(v, smaller) *
                       clamped_power_of_two(rows_.exponent(weights.level(v, smaller)) - walk.exponent(v));
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
        for (const double s : rows_.shift) result_.log_total += s;
        std::vector<double> shares(table_.rows(), 0);
        result_.ancestors.assign(n_ * n_, 0);
        std::vector<SinkWalk> walks(together_ * slices, make_walk());
        std::vector<Pulled> pulled(together_);
        for (auto& block : pulled) block.beyond.resize(blocks_->length());
        double share = 0;
        std::size_t done = 0;
        for (const auto& group : falling_blocks(blocks_->blocks(), together_)) {
            const auto poll = [&](std::size_t) {
                return ticker_.poll_now({3 * sets_ + done * blocks_->length(), 4 * sets_});
            };
            const bool sliced = group.size() < 4 * options_.threads && options_.threads > 1;
            const auto outside = [&](std::size_t, std::size_t task) {
                const std::size_t i = task / slices;
                pull_slice(walks[task], weights_[i], group[i], task % slices, pulled[i]);
            };
            const auto inside = [&](std::size_t, std::size_t task) {
                pull_block(walks[task], weights_[task], group[task], pulled[task]);
            };
            const auto add = [&](std::size_t, std::size_t v) {
                for (std::size_t i = 0; i < group.size(); ++i)
                    if (!pulled[i].idle) weights_[i].add_shares(v, group[i], shares.data());
            };
            for (std::size_t i = 0; i < group.size(); ++i) pulled[i].sliced = sliced;
            if (!find_weights(group, true, poll) ||
                (sliced && !team_.run(group.size() * slices, outside, poll)) ||
                !team_.run(group.size(), inside, poll) || !team_.run(n_, add, poll))
                return false;
            for (std::size_t i = 0; i < group.size(); ++i) {
                share += pulled[i].left_out;
                for (std::size_t v = 0; v < n_; ++v)
                    for (std::size_t w = 0; w < n_; ++w)
                        result_.ancestors[v * n_ + w] += pulled[i].reached[v * 32 + w];
            }
            done += group.size();
        }
        result_.shares.resize(table_.rows());
        for (std::size_t i = 0; i < shares.size(); ++i) result_.shares[blocks_->row_at(i)] = shares[i];
        for (double& p : result_.ancestors) p = std::clamp(p, 0.0, 1.0);
        result_.left_out = share <= largest_share ? share : std::numeric_limits<double>::infinity();
        return true;
    }

    // What R(X) is at least, for a set within the cut. The best DAG alone weighs its level.
    double least_sum(std::size_t set) const {
        const double heaviest = power_of_two(rows_.exponent(bounds_.best[set]) - scale(set));
        return std::max(heaviest, sums_[set] - bound_[set]);
    }

    // The terms of some sets of a block that lead to other blocks.
    void pull_slice(SinkWalk& walk, BlockWeights& weights, std::size_t block, std::size_t slice,
                    Pulled& into) {
        const std::size_t length = blocks_->length(), first = block * length;
        for (std::size_t i = slice * length / slices; i < (slice + 1) * length / slices; ++i) {
            const std::size_t set = first + i;
            if (!within_cut(set)) continue;
            double node_sums[32] = {};
            walk.enter(weights, set);
            into.beyond[i] = walk.pull_beyond(set, bounds_.best[set], sums_.data(), node_sums, length - 1);
            for (std::size_t left = walk.candidates(); left != 0; left &= left - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                weights.slope(v, set) = node_sums[v];
            }
        }
    }

    void pull_block(SinkWalk& walk, BlockWeights& weights, std::size_t block, Pulled& into) {
        const std::size_t length = blocks_->length(), first = block * length;
        into.reached.fill(0);
        into.left_out = 0;
        into.idle = true;
        for (std::size_t begin = first + length; begin > first;) {
            begin -= width_;
            double bounds[8] = {};  // of G(X), by the first node of the completion
            for (std::size_t left = all_ & ~begin & ~(width_ - 1); left != 0; left &= left - 1)
                pass_down(step(weights, begin, static_cast<std::size_t>(std::countr_zero(left))),
                          &bound_[begin | (left & (~left + 1))], bounds, width_);
            for (std::size_t set = begin + width_; set-- > begin;)
                pull(walk, weights, set, bounds[set - begin], into);
        }
    }

    // Finds G(X), the bound of it, what v does not reach with which probability, and the share that leaked
    // at X.
    void pull(SinkWalk& walk, BlockWeights& weights, std::size_t set, double bound, Pulled& into) {
        if (set == all_) {
            sums_[set] = 1 / sums_[set];
            bound = std::max(sums_[set], 0.0);
        } else {
            for (std::size_t left = (width_ - 1) & ~set; left != 0; left &= left - 1)
                pass_down(step(weights, set, static_cast<std::size_t>(std::countr_zero(left))),
                          &bound_[set | (left & (~left + 1))], &bound, 1);
            if (within_cut(set)) {
                const double least = least_sum(set);
                spread(walk, weights, set, into);
                bound = std::min(bound, std::max(sums_[set], 0.0) + largest_share / least);
            }
        }
        bound_[set] = rounded_up(bound);
        into.left_out += static_cast<double>(leaks_[set]) * bound_[set];
    }

    void spread(SinkWalk& walk, BlockWeights& weights, std::size_t set, Pulled& into) {
        const std::size_t inside = blocks_->length() - 1;
        const double sum = sums_[set];
        double node_sums[32] = {};
        into.idle = false;
        walk.enter(weights, set);
        if (into.sliced) {
            for (std::size_t left = walk.candidates(); left != 0; left &= left - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                node_sums[v] = std::exchange(weights.slope(v, set), 0.0);
            }
            sums_[set] = into.beyond[set & inside] +
                         walk.pull_within(set, bounds_.best[set], sums_.data(), node_sums, inside);
        } else {
            sums_[set] = walk.pull(set, bounds_.best[set], sums_.data(), node_sums, inside);
        }
        for (std::size_t left = walk.candidates(); left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const double share = sum * node_sums[v];
            if (share == 0) continue;
            weights.slope(v, set) = share / weights.mantissa(v, set);
            for (std::size_t others = all_ ^ set ^ (std::size_t{1} << v); others != 0; others &= others - 1)
                into.reached[v * 32 + static_cast<std::size_t>(std::countr_zero(others))] += share;
        }
    }

    void finish() {
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
    std::size_t n_, sets_, all_;
    WorkerTeam team_;
    std::size_t together_;  // as many blocks are worked on at a time
    std::size_t splitters_ = 0;
    std::vector<BlockWeights> weights_;
    ParentWeights rows_;
    const BlockRows* blocks_ = nullptr;
    std::size_t width_ = 1;  // neighbouring sets that bounds are found of together
    SetBounds bounds_;
    std::int32_t floor_ = 0;
    LargeArray<double> sums_;  // R, then G
    LargeArray<float> leaks_;  // what the cut left out, at the set where it did
    LargeArray<float> bound_;  // A, then the bound of G
    DagSums result_;
};

}  // namespace

DagSums sum_all_dags(const TableView& table, const DagSumOptions& options, Ticker& ticker) {
    assert(table.variables >= 1 && table.variables <= 30);
    return Summation(table, options, ticker).run();
}

}  // namespace arcwise
