// How much the prior over structures can gain, at most, by one more parent: what the pruning that compares a
// set with its subsets (step 3 of builder.hpp) has to leave room for, since it knows the data alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "parent_sets/child_prior.hpp"
#include "scores/family_prior.hpp"

namespace arcwise {

class PriorGains {
  public:
    // A prior of parent-set sizes over this many variables; its children are added one by one.
    PriorGains(const FamilyPrior& prior, std::size_t variables)
        : heaviest_(variables, -std::numeric_limits<double>::infinity()),
          steepest_(variables + 1, -std::numeric_limits<double>::infinity()) {
        for (std::size_t k = variables; k-- > 1;)
            steepest_[k] = std::max(steepest_[k + 1], prior.size(k) - prior.size(k - 1));
    }

    void add_child(const ChildPrior& child, std::span<const std::int32_t> allowed) {
        for (const auto p : allowed) {
            auto& heaviest = heaviest_[static_cast<std::size_t>(p)];
            heaviest = std::max(heaviest, child.weight(p));
        }
    }

    // The most that the prior of any child's parent set can gain by the variable at a position, where the set
    // has at least `size` members with it.
    double largest(std::size_t position, std::size_t size) const {
        return heaviest_[position] + steepest_[size];
    }

  private:
    std::vector<double> heaviest_;  // by position: the largest weight as a parent
    std::vector<double> steepest_;  // by k: of all sizes from k on, the largest difference to one parent less
};

}  // namespace arcwise
