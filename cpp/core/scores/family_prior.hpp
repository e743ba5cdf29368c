// What was believed about networks before the data were seen: one term per family, to be added to its score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// The log prior of the parents P of a child, up to a constant:
//   b(c | P) = size(|P|) + sum over p in P of weight(p, c).
// Its twin, with what the terms mean, is src/arcwise/graph/beliefs.py.
class FamilyPrior {
  public:
    // weights[p * n + c]: the log odds of the arc p -> c; sizes[k]: the term of k parents, k = 0 .. n - 1.
    FamilyPrior(std::vector<double> weights, std::vector<double> sizes);

    std::size_t variables() const { return sizes_.size(); }
    double weight(std::size_t parent, std::size_t child) const {
        return weights_[parent * variables() + child];
    }
    double size(std::size_t parents) const { return sizes_[parents]; }

    // The parents ascend: the terms are added in that order.
    double of(std::size_t child, std::span<const std::int32_t> parents) const;
    // What one more parent changes.
    double gain(std::size_t child, std::size_t parents, std::size_t added) const {
        return weight(added, child) + (sizes_[parents + 1] - sizes_[parents]);
    }
    // The largest prior of the parents and of all their supersets, exactly.
    double most(std::size_t child, std::span<const std::int32_t> parents) const;

  private:
    std::vector<double> weights_;
    std::vector<double> sizes_;
    std::vector<std::vector<std::int32_t>> falling_;  // for each child all others by falling weight
};

class LocalScore;
// `score` and what is believed: the score of every family plus its prior. `score` must outlive it.
std::unique_ptr<LocalScore> make_believed(const LocalScore& score, FamilyPrior prior);

}  // namespace arcwise
