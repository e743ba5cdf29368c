#include "scores/likelihood.hpp"

#include <cmath>

#include "scores/entropy_terms.hpp"

namespace arcwise {

namespace {

double parameters(const Family& family) {
    return family.parent_cells * static_cast<double>(family.arity - 1);
}

class PenalisedLikelihood final : public LocalScore, public SetScore {
  public:
    PenalisedLikelihood(std::int64_t cases, double weight) : terms_(cases), weight_(weight) {}

    double local(const Family& family) const override {
        return terms_.log_likelihood(family) - weight_ * parameters(family);
    }
    // A superset has at least as many parameters, and no likelihood exceeds one.
    double superset_bound(const Family& family) const override { return -weight_ * parameters(family); }
    double shape_bound(double parent_cells, double, std::size_t arity) const override {
        return -weight_ * parent_cells * static_cast<double>(arity - 1);
    }
    const SetScore* set_score() const override { return this; }
    double penalty_weight() const override { return weight_; }

    double cell_term(std::int64_t count, double) const override { return terms_(count); }
    // q (r - 1) = |S| - |P|.
    double constant(double cells) const override { return -weight_ * cells; }
    bool terms_are_universal() const override { return true; }
    std::span<const double> terms(double) const override { return terms_.table(); }

  private:
    EntropyTerms terms_;
    double weight_;
};

class CorrectedLikelihood final : public LocalScore {
  public:
    explicit CorrectedLikelihood(double weight) : weight_(weight) {}

    double local(const Family& family) const override {
        const auto arity = static_cast<double>(family.arity);
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            double total = arity;
            for (const auto count : family.row(j)) total += static_cast<double>(count);
            for (const auto count : family.row(j)) {
                const auto n = static_cast<double>(count);
                if (count > 0) sum += n * std::log((n + 1.0) / total);
            }
        }
        return sum - weight_ * parameters(family);
    }
    // The corrected parameters are no likelier than the maximum, so the bound of BIC holds.
    double superset_bound(const Family& family) const override { return -weight_ * parameters(family); }

  private:
    double weight_;
};

}  // namespace

std::unique_ptr<LocalScore> make_penalised_likelihood(std::int64_t cases, double weight) {
    return std::make_unique<PenalisedLikelihood>(cases, weight);
}

std::unique_ptr<LocalScore> make_corrected_likelihood(double weight) {
    return std::make_unique<CorrectedLikelihood>(weight);
}

}  // namespace arcwise
