// A score that holds its data: of a family it needs to know the members alone, and no counts.
//
// Scores of numbers are such scores: what they ask of the data is a matrix of cross products, made once, or
// the rows themselves. Whoever builds tables or searches asks a `DataScore` for an evaluator for each thread;
// everything after that sees scores only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "scores/local_score.hpp"

namespace arcwise {

// Of one thread: it may keep what families have in common. What it returns depends on the family alone, to
// the last bit, and not on what it was asked before.
class FamilyEvaluator {
  public:
    virtual ~FamilyEvaluator() = default;
    // The local score; minus infinity for a family that the score does not know. Parents ascend.
    virtual double local(std::size_t child, std::span<const std::int32_t> parents) = 0;
    // At least the local score of the child with any strict superset of the parents.
    virtual double superset_bound(std::size_t /*child*/, std::span<const std::int32_t> /*parents*/) {
        return std::numeric_limits<double>::infinity();
    }
};

class DataScore : public LocalScore {
  public:
    virtual std::size_t variables() const = 0;
    // The score must outlive its evaluators.
    virtual std::unique_ptr<FamilyEvaluator> evaluator() const = 0;
    // The same score of the same rows with other weights.
    virtual std::unique_ptr<DataScore> weighted(std::span<const std::int64_t> weights) const = 0;

    double local(const Family& family) const override {
        return evaluator()->local(static_cast<std::size_t>(family.child), family.parents);
    }
    const DataScore* data_score() const override { return this; }
};

}  // namespace arcwise
