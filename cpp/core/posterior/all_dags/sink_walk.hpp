// The walk over the sets S of sinks above one set X: see dag_sums.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "cache_line.hpp"
#include "posterior/all_dags/parent_weights.hpp"
#include "posterior/all_dags/power_of_two.hpp"
#include "posterior/all_dags/set_bounds.hpp"

namespace arcwise {

// What one X offers to the nodes above it, and what all walks share. The last nodes come first in a walk: the
// sets that it jumps to from one term to the next then lie close together.
class alignas(cache_line_padding) SinkWalk {
  public:
    SinkWalk(const ParentWeights& rows, const SetBounds& bounds, std::int32_t floor)
        : fraction_(rows.fraction),
          completion_(bounds.completion.data()),
          optimum_(bounds.optimum),
          floor_(floor),
          all_((std::size_t{1} << rows.nodes) - 1) {}

    // The exponent that R(W) is scaled by.
    std::int32_t scale(std::size_t set) const { return (optimum_ - completion_[set]) >> fraction_; }

    // Gathers alpha_v(X) of all v outside X that have a parent set within it.
    template <class Weights>
    void enter(const Weights& weights, std::size_t set) {
        candidates_ = 0;
        for (std::size_t left = all_ ^ set; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            step_[v] = weights.level(v, set);
            if (step_[v] == ParentWeights::impossible) continue;
            exponent_[v] = step_[v] >> fraction_;
            factor_[v] = weights.mantissa(v, set);
            candidates_ |= std::size_t{1} << v;
        }
    }

    // Where the terms go, and what the cut leaves out of them (or nullptr).
    void into(double* sums, float* leaks) {
        sums_ = sums;
        leaks_ = leaks;
    }

    // Adds the terms of X to the sums of the larger sets W, and what the cut leaves out to their leaks; only
    // terms whose S lies within `allowed`.
    void push_within(std::size_t set, std::int32_t best, double sum, double leaking, std::size_t allowed) {
        leaking_ = leaking;
        push_on(set, best, -sum, scale(set), candidates_ & allowed);
    }

    // The other terms, those with a node outside `done`; only sets W with W and `splitters` = `part`, so that
    // parts can be worked on at the same time. Splitters are the very last nodes and come first in the walk,
    // so that a part is the walk below some of them: together, parts do what one walk without splitters does.
    void push_beyond(std::size_t set, std::int32_t best, double sum, double leaking, std::size_t done,
                     std::size_t splitters, std::size_t part) {
        leaking_ = leaking;
        double product = -sum;
        std::int32_t level = best, exponent = scale(set);
        std::size_t forced = part & ~set;
        if ((forced & ~candidates_) != 0) return;  // no such term
        if (forced == 0) {
            const std::size_t kept =
                add_terms(set, level, product, exponent, candidates_ & ~splitters & ~done);
            const std::size_t rest = kept == 0 ? 0 : within_cut(set, level, candidates_ & done);
            descend(set, level, product, exponent, kept, rest);
            return;
        }
        std::size_t above = set, before = set;  // with the splitters so far, and without the last of them
        std::int32_t level_before = level;
        while (forced != 0) {
            const auto v = last_of(forced);
            const std::size_t bit = std::size_t{1} << v;
            // One that was beyond the cut before the last splitter came is not tried after it.
            if (above != set && level_before + step_[v] + completion_[before | bit] < floor_) return;
            forced ^= bit;
            before = above;
            level_before = level;
            above |= bit;
            level += step_[v];
            exponent += exponent_[v];
            product *= -factor_[v];
            if (level + completion_[above] >= floor_) continue;
            // Where one turns back that is not the last of the part, a smaller part has noted it.
            if (forced == 0) leak(above, product * clamped_power_of_two(exponent - scale(above)));
            return;
        }
        sums_[above] += product * power_of_two(exponent - scale(above));
        ++terms_;
        push_on(above, level, product, exponent, within_cut(before, level_before, candidates_ & ~splitters));
    }

    // Sums over the terms of X: returns G(X) as far as X offers it, and adds to node_sums[v] the part of the
    // terms with v. First those with a node outside `inside`, which lead to other blocks, then those without.
    double pull(std::size_t set, std::int32_t best, const double* completions, double* node_sums,
                std::size_t inside) {
        const double beyond = pull_beyond(set, best, completions, node_sums, inside);
        return beyond + pull_within(set, best, completions, node_sums, inside);
    }
    double pull_beyond(std::size_t set, std::int32_t best, const double* completions, double* node_sums,
                       std::size_t inside) {
        completions_ = completions;
        node_sums_ = node_sums;
        return pull_from(set, best, -1, scale(set), within_cut(set, best, candidates_), inside);
    }
    double pull_within(std::size_t set, std::int32_t best, const double* completions, double* node_sums,
                       std::size_t inside) {
        completions_ = completions;
        node_sums_ = node_sums;
        return pull_from(set, best, -1, scale(set), within_cut(set, best, candidates_ & inside), 0);
    }

    // The number of terms of X, up to a limit.
    double count(std::size_t set, std::int32_t best, double limit) {
        return count_on(set, best, candidates_, limit);
    }

    std::size_t candidates() const { return candidates_; }
    double factor(std::size_t v) const { return factor_[v]; }
    void set_factor(std::size_t v, double value) { factor_[v] = value; }
    std::int32_t step(std::size_t v) const { return step_[v]; }
    std::int32_t exponent(std::size_t v) const { return exponent_[v]; }
    std::uint64_t terms() const { return terms_; }

  private:
    static std::size_t last_of(std::size_t nodes) {
        return static_cast<std::size_t>(std::bit_width(nodes)) - 1;
    }

    // What is left out is bounded from above, so it is rounded up.
    void leak(std::size_t above, double amount) {
        if (leaks_ != nullptr)
            leaks_[above] = rounded_up(leaks_[above] + (amount < 0 ? -amount : amount) * leaking_);
    }

    // The candidates that can join S within the cut.
    std::size_t within_cut(std::size_t set, std::int32_t level, std::size_t candidates) const {
        std::size_t kept = 0;
        for (std::size_t left = candidates; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            if (level + step_[v] + completion_[set | (std::size_t{1} << v)] >= floor_)
                kept |= std::size_t{1} << v;
        }
        return kept;
    }

    // Adds the terms with one candidate more; returns those that are within the cut.
    std::size_t add_terms(std::size_t set, std::int32_t level, double product, std::int32_t exponent,
                          std::size_t candidates) {
        std::size_t kept = 0;
        for (std::size_t left = candidates; left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t above = set | (std::size_t{1} << v);
            const std::int32_t rest = completion_[above];
            const double term = -product * factor_[v];
            const std::int32_t there = exponent + exponent_[v] - ((optimum_ - rest) >> fraction_);
            if (level + step_[v] + rest >= floor_) {
                kept |= std::size_t{1} << v;
                sums_[above] += term * power_of_two(there);
                ++terms_;
            } else {
                leak(above, term * clamped_power_of_two(there));
            }
        }
        return kept;
    }

    // Goes on with each of some nodes, the last first, and then with those before it and with `rest`.
    void descend(std::size_t set, std::int32_t level, double product, std::int32_t exponent,
                 std::size_t nodes, std::size_t rest) {
        while (nodes != 0) {
            const auto v = last_of(nodes);
            nodes ^= std::size_t{1} << v;
            if ((nodes | rest) == 0) return;
            push_on(set | (std::size_t{1} << v), level + step_[v], -product * factor_[v],
                    exponent + exponent_[v], nodes | rest);
        }
    }

    void push_on(std::size_t set, std::int32_t level, double product, std::int32_t exponent,
                 std::size_t candidates) {
        descend(set, level, product, exponent, add_terms(set, level, product, exponent, candidates), 0);
    }

    // Goes on with each of the nodes but `left_out`, which come after them, and then with those after it.
    double pull_from(std::size_t set, std::int32_t level, double product, std::int32_t exponent,
                     std::size_t nodes, std::size_t left_out) {
        double total = 0;
        while ((nodes & ~left_out) != 0) {
            const auto v = last_of(nodes);
            nodes ^= std::size_t{1} << v;
            const std::size_t above = set | (std::size_t{1} << v);
            const double factor = -product * factor_[v];
            const std::int32_t there = exponent + exponent_[v];
            double sum = factor * power_of_two(there - scale(above)) * completions_[above];
            if (nodes != 0) {
                const std::int32_t best = level + step_[v];
                sum += pull_from(above, best, factor, there, within_cut(above, best, nodes), 0);
            }
            node_sums_[v] += sum;
            total += sum;
        }
        return total;
    }

    double count_on(std::size_t set, std::int32_t level, std::size_t candidates, double limit) {
        std::size_t kept = within_cut(set, level, candidates);
        auto found = static_cast<double>(std::popcount(kept));
        for (; (kept & (kept - 1)) != 0 && found < limit; kept &= kept - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(kept));
            found +=
                count_on(set | (std::size_t{1} << v), level + step_[v], kept & (kept - 1), limit - found);
        }
        return found;
    }

    int fraction_;
    const std::int32_t* completion_;
    std::int32_t optimum_, floor_;
    std::size_t all_, candidates_ = 0;
    std::int32_t step_[32] = {}, exponent_[32] = {};
    double factor_[32] = {};
    double* sums_ = nullptr;
    float* leaks_ = nullptr;
    double leaking_ = 1;
    const double* completions_ = nullptr;
    double* node_sums_ = nullptr;
    std::uint64_t terms_ = 0;
};

}  // namespace arcwise
