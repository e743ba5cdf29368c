#include "ensemble/all_dags/dag_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "ensemble/all_dags/block_order.hpp"
#include "ensemble/all_dags/block_weights.hpp"
#include "ensemble/all_dags/bound_steps.hpp"
#include "ensemble/all_dags/large_array.hpp"
#include "ensemble/all_dags/parent_weights.hpp"
#include "ensemble/all_dags/set_bounds.hpp"
#include "ensemble/all_dags/sink_walk.hpp"
#include "parallel_for.hpp"
#include "xoshiro.hpp"

namespace arcwise {

namespace {

// Nodes whose presence in W splits the forward terms into parts that write to different places.
constexpr std::size_t splitting_nodes = 2;
// A certificate that would leave more than this share open is none.
constexpr double largest_share = 1e-3;
// The estimate of the number of terms looks at this many sets, in at least so many blocks, and at this many
// terms of each.
constexpr std::size_t sampled_sets = 2048, sampled_blocks = 256;
constexpr double sampled_terms = 20'000;
// Seconds that a term takes, both ways, and from which factor on a forecast beyond the limit is believed.
constexpr double term_seconds = 1.2e-8;
// Seconds that bounds and weights take for each node and set, whatever is within the cut.
constexpr double set_seconds = 2.5e-8;
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
        if (!rows_.prepare(table_)) {
            result_.too_wide = true;
            return result_;
        }
        const BlockRows blocks(rows_, table_);
        blocks_ = &blocks;
        width_ = std::min<std::size_t>(8, blocks.length());
        const std::size_t per_set = 24 + (options_.blankets ? 4 + 8 * options_.threads : 0);
        result_.bytes = sets_ * per_set +
                        std::min(most_together, blocks.blocks()) * BlockWeights::bytes_for(blocks) +
                        52 * table_.rows() + (options_.blankets ? WholeWeights::bytes_for(n_) : 0);
        if (result_.bytes > options_.memory) {
            ticker_.stop(Status::memory_limit);
            return stopped();
        }
        if (!within_limits(0, 1) || !bounds_.find(blocks, options_.threads, ticker_)) return stopped();
        if (bounds_.optimum == ParentWeights::impossible) {  // no DAG at all
            result_.log_total = -std::numeric_limits<double>::infinity();
            return result_;
        }
        floor_ = rows_.floor_of(bounds_.optimum, options_.cut);
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

    bool within_cut(std::size_t set) const { return bounds_.best[set] + bounds_.completion[set] >= floor_; }

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

    // Estimates the number of terms from sets here and there, and stops where a limit is far too low.
    bool affordable() {
        for (std::size_t set = 0; set < sets_; ++set) result_.sets += within_cut(set) ? 1 : 0;
        BlockWeights weights(*blocks_);
        auto walk = make_walk();
        double seen = 0, looked_at = 0;
        const std::size_t blocks = blocks_->blocks(), length = blocks_->length();
        const std::size_t step = std::max<std::size_t>(1, result_.sets / sampled_sets);
        // All blocks, if they are few; else some, from each of which more sets are taken.
        const std::size_t skipped = std::max<std::size_t>(1, blocks / sampled_blocks);
        const std::size_t within = std::max<std::size_t>(1, step / skipped);
        for (std::size_t block = 0; block < blocks; ++block) {
            if (block != 0 && Xoshiro::mix(block) % skipped != 0) continue;
            weights.find_levels(block);
            for (std::size_t set = block * length; set < (block + 1) * length; ++set) {
                if (!within_cut(set) || (set != 0 && Xoshiro::mix(set) % within != 0)) continue;
                walk.enter(weights, set);
                // What was not counted is taken to be as in a walk without a cut.
                const double most = std::ldexp(1.0, std::popcount(walk.candidates()));
                const double count = walk.count(set, bounds_.best[set], sampled_terms);
                seen += count < sampled_terms ? count : std::max(count, most / 2);
                ++looked_at;
            }
            if (ticker_.poll_now({sets_, 4 * sets_})) return false;
        }
        result_.terms = seen / looked_at * static_cast<double>(result_.sets);
        const double pairs = options_.blankets ? static_cast<double>(n_ * (n_ - 1) / 2) : 0;
        return within_limits(result_.terms * (1 + pairs / 2), certain_excess);
    }

    // R, from small sets to large ones, and A with it. Terms within a block first, which makes its sums
    // whole, and then those that go to other blocks; several blocks at a time in either step.
    bool push_all() {
        sums_ = LargeArray<double>(sets_);
        leaks_ = LargeArray<float>(sets_);
        bound_ = LargeArray<float>(sets_);
        sums_[0] = 1;
        const std::size_t parts = splitters_ == 0 ? 1 : std::size_t{1} << splitting_nodes;
        std::vector<SinkWalk> walks(most_together, make_walk()), beyond(parts, make_walk());
        for (auto& walk : walks) walk.into(sums_.data(), leaks_.data());
        for (auto& walk : beyond) walk.into(sums_.data(), leaks_.data());
        std::vector<BlockWeights> weights(std::min(most_together, blocks_->blocks()), BlockWeights(*blocks_));
        std::size_t done = 0;
        for (const auto& group : rising_blocks(blocks_->blocks())) {
            const auto poll = [&](std::size_t) {
                return ticker_.poll_now({sets_ + done * blocks_->length(), 4 * sets_});
            };
            if (!parallel_for(
                    options_.threads, group.size(),
                    [&](std::size_t, std::size_t task) {
                        push_inside(walks[task], weights[task], group[task]);
                    },
                    poll))
                return false;
            if (!parallel_for(
                    options_.threads, parts,
                    [&](std::size_t, std::size_t task) {
                        // The part with all splitters is the largest: it goes first.
                        const std::size_t part =
                            splitters_ == 0 ? 0 : (parts - 1 - task) << (n_ - splitting_nodes);
                        for (std::size_t i = 0; i < group.size(); ++i)
                            push_beyond(beyond[task], weights[i], group[i], part);
                    },
                    poll))
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

    void push_inside(SinkWalk& walk, BlockWeights& weights, std::size_t block) {
        weights.find_levels(block);
        weights.find_sums(block);
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
        parallel_for(
            options_.threads, pairs.size(),
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
        std::vector<BlockWeights> weights(std::min(most_together, blocks_->blocks()), BlockWeights(*blocks_));
        std::vector<SinkWalk> walks(weights.size(), make_walk());
        std::vector<std::array<double, 32 * 32>> reached(weights.size());
        std::vector<double> left_out(weights.size());
        std::vector<char> idle(weights.size());  // none of the block's sets is within the cut
        double share = 0;
        std::size_t done = 0;
        for (const auto& group : falling_blocks(blocks_->blocks())) {
            const auto poll = [&](std::size_t) {
                return ticker_.poll_now({3 * sets_ + done * blocks_->length(), 4 * sets_});
            };
            if (!parallel_for(
                    options_.threads, group.size(),
                    [&](std::size_t, std::size_t task) {
                        reached[task].fill(0);
                        idle[task] = is_idle(group[task]);
                        if (!idle[task]) weights[task].clear_slopes();
                        left_out[task] =
                            pull_block(walks[task], weights[task], group[task], reached[task].data());
                    },
                    poll))
                return false;
            if (!parallel_for(
                    options_.threads, n_,
                    [&](std::size_t, std::size_t v) {
                        for (std::size_t i = 0; i < group.size(); ++i)
                            if (!idle[i]) weights[i].add_shares(v, group[i], shares.data());
                    },
                    poll))
                return false;
            for (std::size_t i = 0; i < group.size(); ++i) {
                share += left_out[i];
                for (std::size_t v = 0; v < n_; ++v)
                    for (std::size_t w = 0; w < n_; ++w)
                        result_.ancestors[v * n_ + w] += reached[i][v * 32 + w];
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

    bool is_idle(std::size_t block) const {
        const std::size_t length = blocks_->length();
        for (std::size_t set = block * length; set < (block + 1) * length; ++set)
            if (within_cut(set)) return false;
        return true;
    }

    double pull_block(SinkWalk& walk, BlockWeights& weights, std::size_t block, double* reached) {
        weights.find_levels(block);
        weights.find_sums(block);
        const std::size_t length = blocks_->length(), first = block * length;
        double left_out = 0;
        for (std::size_t begin = first + length; begin > first;) {
            begin -= width_;
            double bounds[8] = {};  // of G(X), by the first node of the completion
            for (std::size_t left = all_ & ~begin & ~(width_ - 1); left != 0; left &= left - 1)
                pass_down(step(weights, begin, static_cast<std::size_t>(std::countr_zero(left))),
                          &bound_[begin | (left & (~left + 1))], bounds, width_);
            for (std::size_t set = begin + width_; set-- > begin;)
                left_out += pull(walk, weights, set, bounds[set - begin], reached);
        }
        return left_out;
    }

    // Finds G(X), the bound of it, and what v does not reach with which probability; returns the share that
    // leaked at X.
    double pull(SinkWalk& walk, BlockWeights& weights, std::size_t set, double bound, double* reached) {
        if (set == all_) {
            sums_[set] = 1 / sums_[set];
            bound_[set] = rounded_up(std::max(sums_[set], 0.0));
            return static_cast<double>(leaks_[set]) * bound_[set];
        }
        for (std::size_t left = (width_ - 1) & ~set; left != 0; left &= left - 1)
            pass_down(step(weights, set, static_cast<std::size_t>(std::countr_zero(left))),
                      &bound_[set | (left & (~left + 1))], &bound, 1);
        if (within_cut(set)) {
            const double least = least_sum(set);
            spread(walk, weights, set, reached);
            bound = std::min(bound, std::max(sums_[set], 0.0) + largest_share / least);
        }
        bound_[set] = rounded_up(bound);
        return static_cast<double>(leaks_[set]) * bound_[set];
    }

    void spread(SinkWalk& walk, BlockWeights& weights, std::size_t set, double* reached) {
        double node_sums[32] = {};
        walk.enter(weights, set);
        const double sum = sums_[set];
        sums_[set] = walk.pull(set, bounds_.best[set], sums_.data(), node_sums);
        for (std::size_t left = all_ ^ set; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const double share = sum * node_sums[v];
            if (share == 0) continue;
            weights.set_slope(v, set, share / weights.mantissa(v, set));
            for (std::size_t others = all_ ^ set ^ (std::size_t{1} << v); others != 0; others &= others - 1)
                reached[v * 32 + static_cast<std::size_t>(std::countr_zero(others))] += share;
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
    std::size_t n_, sets_, all_, splitters_;
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
