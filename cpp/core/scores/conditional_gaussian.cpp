#include "scores/conditional_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <unordered_map>
#include <utility>

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nothing_left =
    1e-14;  // of a variance, in squares: bnlearn's 1.5e-8, of a standard deviation
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

class Score final : public DataScore {
  public:
    Score(std::shared_ptr<const MixedRows> rows, double penalty, std::span<const std::int64_t> weights)
        : rows_(std::move(rows)), penalty_(penalty), weights_(weights.begin(), weights.end()) {
        if (weights_.empty()) weights_.assign(count(), 1);
        for (const auto weight : weights_) cases_ += static_cast<double>(weight);
        for (std::size_t v = 0; v < variables(); ++v)
            varies_.push_back(!is_number(v) || variance(v) > nothing_left);
    }
    std::size_t variables() const override { return rows_->arities.size(); }
    std::unique_ptr<FamilyEvaluator> evaluator() const override;
    std::unique_ptr<DataScore> weighted(std::span<const std::int64_t> weights) const override {
        return std::make_unique<Score>(rows_, penalty_, weights);
    }

    std::size_t count() const { return rows_->values.size() / variables(); }
    std::span<const double> column(std::size_t v) const {
        return std::span(rows_->values).subspan(v * count(), count());
    }
    bool is_number(std::size_t v) const { return rows_->arities[v] == 0; }
    // Whether a variable has a say: a number that never varies in these rows, as a sample may have it, has
    // none.
    bool varies(std::size_t v) const { return varies_[v]; }
    double arity(std::size_t v) const { return static_cast<double>(rows_->arities[v]); }
    double log_scale(std::size_t v) const { return rows_->log_scales[v]; }
    std::span<const std::int64_t> weights() const { return weights_; }
    double cases() const { return cases_; }
    double price() const { return penalty_ * 0.5 * std::log(cases_); }

  private:
    double variance(std::size_t v) const {
        const auto values = column(v);
        double mean = 0.0, squares = 0.0;
        for (std::size_t r = 0; r < values.size(); ++r) mean += static_cast<double>(weights_[r]) * values[r];
        mean /= cases_;
        for (std::size_t r = 0; r < values.size(); ++r)
            squares += static_cast<double>(weights_[r]) * (values[r] - mean) * (values[r] - mean);
        return squares / cases_;
    }

    std::shared_ptr<const MixedRows> rows_;
    double penalty_;
    std::vector<std::int64_t> weights_;
    double cases_ = 0.0;
    std::vector<bool> varies_;
};

class Evaluator final : public FamilyEvaluator {
  public:
    explicit Evaluator(const Score& score) : score_(score) {}

    double local(std::size_t child, std::span<const std::int32_t> parents) override {
        if (!score_.varies(child)) return 0.0;
        numbers_.clear();
        double configurations = 1.0;  // q, seen or not
        of_row_.assign(score_.count(), 0);
        std::size_t seen = 1;
        for (const auto p : parents) {
            const auto parent = static_cast<std::size_t>(p);
            if (score_.is_number(parent)) {
                numbers_.push_back(parent);
                continue;
            }
            configurations *= score_.arity(parent);
            seen = refine(score_.column(parent), score_.arity(parent));
        }
        if (!score_.is_number(child)) {
            if (!numbers_.empty()) return -infinity;
            return multinomial(child, seen) - score_.price() * configurations * (score_.arity(child) - 1.0);
        }
        const auto slopes = static_cast<double>(numbers_.size());
        return regressions(child, seen) - score_.price() * configurations * (slopes + 2.0);
    }

  private:
    // Splits the configurations by one more parent; they are numbered as they come.
    std::size_t refine(std::span<const double> codes, double arity) {
        numbered_.clear();
        const auto weights = score_.weights();
        for (std::size_t r = 0; r < of_row_.size(); ++r) {
            if (weights[r] == 0) continue;
            const auto key = static_cast<std::uint64_t>(of_row_[r]) * static_cast<std::uint64_t>(arity) +
                             static_cast<std::uint64_t>(codes[r]);
            of_row_[r] = static_cast<std::uint32_t>(
                numbered_.try_emplace(key, static_cast<std::uint32_t>(numbered_.size())).first->second);
        }
        return numbered_.size();
    }

    double multinomial(std::size_t child, std::size_t seen) {
        const auto arity = static_cast<std::size_t>(score_.arity(child));
        const auto codes = score_.column(child);
        const auto weights = score_.weights();
        sums_.assign(seen * (arity + 1), 0.0);
        for (std::size_t r = 0; r < of_row_.size(); ++r) {
            double* const own = sums_.data() + of_row_[r] * (arity + 1);
            own[static_cast<std::size_t>(codes[r])] += static_cast<double>(weights[r]);
            own[arity] += static_cast<double>(weights[r]);
        }
        double found = 0.0;
        for (std::size_t j = 0; j < seen; ++j)
            for (std::size_t k = 0; k < arity; ++k) {
                const double n = sums_[j * (arity + 1) + k];
                if (n > 0.0) found += n * std::log(n / sums_[j * (arity + 1) + arity]);
            }
        return found;
    }

    // The log likelihood of a regression for each configuration, from sums of products of 1, the parents and
    // the child, by elimination.
    double regressions(std::size_t child, std::size_t seen) {
        const std::size_t size = numbers_.size() + 2;
        const auto weights = score_.weights();
        sums_.assign(seen * size * size, 0.0);
        columns_.clear();
        for (const auto v : numbers_) columns_.push_back(score_.column(v));
        columns_.push_back(score_.column(child));
        values_.assign(size, 1.0);
        norms_.assign(size, 0.0);
        for (std::size_t r = 0; r < of_row_.size(); ++r) {
            if (weights[r] == 0) continue;
            for (std::size_t k = 1; k < size; ++k) values_[k] = columns_[k - 1][r];
            double* own = sums_.data() + of_row_[r] * size * size;
            for (std::size_t i = 0; i < size; ++i) {
                const double scaled = static_cast<double>(weights[r]) * values_[i];
                for (std::size_t j = 0; j <= i; ++j) own[i * size + j] += scaled * values_[j];
            }
        }
        const double slopes = static_cast<double>(numbers_.size());
        double found = 0.0;
        for (std::size_t j = 0; j < seen; ++j) {
            double* const own = sums_.data() + j * size * size;
            const double cases = own[0];
            const double freedom = cases - slopes - 1.0;
            if (freedom < 1.0) return -infinity;
            // What rounding leaves of a sum of squares that is explained whole: sums of products lose what
            // they have in common, and a parent that hardly varies here makes the most of it.
            for (std::size_t k = 0; k < size; ++k) norms_[k] = std::sqrt(own[k * size + k]);
            double rounded = norms_[size - 1];
            for (std::size_t pivot = 0; pivot + 1 < size; ++pivot) {
                const double left = own[pivot * size + pivot];
                if (left <= 1e-12 * cases) continue;  // a sum of the others: it explains nothing more
                rounded += std::abs(own[(size - 1) * size + pivot] / left) * norms_[pivot];
                for (std::size_t row = pivot + 1; row < size; ++row) {
                    const double times = own[row * size + pivot] / left;
                    for (std::size_t k = pivot + 1; k <= row; ++k)
                        own[row * size + k] -= times * own[k * size + pivot];
                }
            }
            const double residual = own[size * size - 1], variance = residual / freedom;
            const bool is_rounding = residual <= rounding * rounded * rounded;
            if (is_rounding || !(variance > nothing_left)) return -infinity;
            found -= 0.5 * cases * (std::log(2.0 * std::numbers::pi * variance) + score_.log_scale(child)) +
                     0.5 * freedom;
        }
        return found;
    }

    const Score& score_;
    std::vector<std::size_t> numbers_;   // the parents that are numbers
    std::vector<std::uint32_t> of_row_;  // the configuration of each row
    std::unordered_map<std::uint64_t, std::uint32_t> numbered_;
    std::vector<std::span<const double>> columns_;
    std::vector<double> values_;
    std::vector<double> norms_;
    std::vector<double> sums_;
};

std::unique_ptr<FamilyEvaluator> Score::evaluator() const {
    return std::make_unique<Evaluator>(*this);
}

}  // namespace

std::unique_ptr<LocalScore> make_conditional_gaussian(MixedRows rows, double penalty) {
    const auto shared = std::make_shared<const MixedRows>(std::move(rows));
    return std::make_unique<Score>(shared, penalty, shared->weights);
}

}  // namespace arcwise
