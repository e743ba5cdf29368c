#include "scores/family_prior.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "scores/local_score.hpp"

namespace arcwise {

FamilyPrior::FamilyPrior(std::vector<double> weights, std::vector<double> sizes)
    : weights_(std::move(weights)), sizes_(std::move(sizes)), falling_(sizes_.size()) {
    const std::size_t n = variables();
    assert(weights_.size() == n * n);
    for (std::size_t child = 0; child < n; ++child) {
        for (std::size_t p = 0; p < n; ++p)
            if (p != child) falling_[child].push_back(static_cast<std::int32_t>(p));
        std::stable_sort(falling_[child].begin(), falling_[child].end(), [&](std::int32_t a, std::int32_t b) {
            return weight(static_cast<std::size_t>(a), child) > weight(static_cast<std::size_t>(b), child);
        });
    }
}

double FamilyPrior::of(std::size_t child, std::span<const std::int32_t> parents) const {
    double sum = sizes_[parents.size()];
    for (const auto p : parents) sum += weight(static_cast<std::size_t>(p), child);
    return sum;
}

// Of the supersets with k members, the best adds the k - |P| heaviest of the others.
double FamilyPrior::most(std::size_t child, std::span<const std::int32_t> parents) const {
    double sum = 0.0;
    for (const auto p : parents) sum += weight(static_cast<std::size_t>(p), child);
    std::size_t size = parents.size();
    double best = sizes_[size] + sum;
    for (const auto p : falling_[child]) {
        if (std::ranges::binary_search(parents, p)) continue;
        sum += weight(static_cast<std::size_t>(p), child);
        ++size;
        best = std::max(best, sizes_[size] + sum);
    }
    return best;
}

namespace {

class Believed final : public LocalScore {
  public:
    Believed(const LocalScore& score, FamilyPrior prior) : score_(score), prior_(std::move(prior)) {}

    double local(const Family& family) const override {
        return score_.local(family) + prior_.of(static_cast<std::size_t>(family.child), family.parents);
    }
    // A superset's score is at most the bound of the data's part plus the largest prior of a superset.
    double superset_bound(const Family& family) const override {
        const double bound = score_.superset_bound(family);
        if (bound == std::numeric_limits<double>::infinity()) return bound;
        return bound + prior_.most(static_cast<std::size_t>(family.child), family.parents);
    }
    double shape_bound(double parent_cells, double occupied_cells, std::size_t arity) const override {
        return score_.shape_bound(parent_cells, occupied_cells, arity);
    }
    const SetScore* set_score() const override { return score_.set_score(); }
    const DataScore* data_score() const override { return score_.data_score(); }
    double penalty_weight() const override { return score_.penalty_weight(); }
    bool needs_configurations() const override { return score_.needs_configurations(); }
    const FamilyPrior* prior() const override { return &prior_; }

  private:
    const LocalScore& score_;
    FamilyPrior prior_;
};

}  // namespace

std::unique_ptr<LocalScore> make_believed(const LocalScore& score, FamilyPrior prior) {
    return std::make_unique<Believed>(score, std::move(prior));
}

}  // namespace arcwise
