// The prior of one child's parent sets as the builder of tables needs it: by position, with bounds that cost
// a step per set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "scores/family_prior.hpp"

namespace arcwise {

class ChildPrior {
  public:
    // Of some of the variables that may be parents, without those that must be.
    struct Sum {
        double weight = 0.0;   // of all
        double loss = 0.0;     // of those below zero
        std::size_t free = 0;  // how many they are
    };

    // `weights` by position, `sizes` by the number of parents.
    ChildPrior(std::vector<double> weights, std::vector<double> sizes, std::span<const std::int32_t> required,
               std::span<const std::int32_t> allowed, std::size_t limit)
        : weights_(std::move(weights)), sizes_(std::move(sizes)), base_(required.size()) {
        for (const auto p : required) required_ += weight(p);
        std::vector<double> falling;
        for (const auto p : allowed) falling.push_back(weight(p));
        std::sort(falling.begin(), falling.end(), std::greater<>());
        for (const double w : falling) gains_ += std::max(w, 0.0);
        const std::size_t largest = std::min({base_ + allowed.size(), limit, sizes_.size() - 1});
        std::vector<double> later(sizes_);  // the largest term of this size or a larger one
        for (std::size_t k = largest; k-- > base_;) later[k] = std::max(later[k], later[k + 1]);
        for (std::size_t s = base_; s <= std::max(base_, largest); ++s) {
            double ahead = sizes_[s], sum = 0.0;
            for (std::size_t k = s + 1; k <= largest; ++k) {
                const double next = falling[k - s - 1];
                if (next <= 0.0 && sum + later[k] <= ahead) break;  // more of them only lose
                sum += next;
                ahead = std::max(ahead, sizes_[k] + sum);
            }
            ahead_.push_back(ahead);
            largest_size_.push_back(later[s]);
        }
    }

    double weight(std::int32_t position) const { return weights_[static_cast<std::size_t>(position)]; }
    Sum with(const Sum& sum, std::int32_t position) const {
        const double w = weight(position);
        return {sum.weight + w, sum.loss + std::min(w, 0.0), sum.free + 1};
    }
    Sum sum(std::span<const std::int32_t> positions) const {
        Sum found;
        for (const auto p : positions) found = with(found, p);
        return found;
    }

    // The prior of the set: of its members and of those that are required.
    double value(const Sum& set) const { return sizes_[base_ + set.free] + (required_ + set.weight); }
    // No superset of the set has a larger prior. A superset of k members adds at most the k - |P| heaviest of
    // all; and it has at most all weights above zero, and those of the set that are below. Either holds; the
    // first is better where sizes matter or weights are below zero, the second where most are above.
    double most(const Sum& set) const {
        return required_ +
               std::min(set.weight + ahead_[set.free], set.loss + gains_ + largest_size_[set.free]);
    }

  private:
    std::vector<double> weights_;
    std::vector<double> sizes_;
    std::size_t base_;
    double required_ = 0.0;
    double gains_ = 0.0;                // the weights above zero
    std::vector<double> ahead_;         // by the number of free members: see `most`
    std::vector<double> largest_size_;  // by the same: the largest term of this size or a larger one
};

}  // namespace arcwise
