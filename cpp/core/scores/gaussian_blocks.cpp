#include "scores/gaussian_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A column with less than this part of its variance left is a sum of the others, as far as doubles can tell:
// among parents it adds nothing, and of a child this much is left.
constexpr double nothing_left = 1e-12;

// log G(x) for x > 0: Stirling's series, from 16 on, where its terms end below the digits of a double.
double log_gamma(double x) {
    double product = 1.0;
    for (; x < 16.0; x += 1.0) product *= x;
    const double y = 1.0 / (x * x);
    const double series =
        (1.0 / 12 -
         y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * 691.0 / 360360))))) /
        x;
    return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) + series - std::log(product);
}

// What is kept of the weighted rows.
struct Moments {
    double cases = 0.0;         // N
    std::vector<double> means;  // of each column
    std::vector<double> sums;   // columns x columns: the centred sums of products
};

// Row by row, so that a row is read once for all pairs: the inner loop runs over columns, side by side. The
// columns have mean 0 in the data, so that the means of a sample are small and taken off without loss.
Moments moments_of(std::span<const double> rows, std::size_t columns, std::span<const std::int64_t> weights) {
    Moments found;
    found.means.assign(columns, 0.0);
    found.sums.assign(columns * columns, 0.0);
    const std::size_t count = columns == 0 ? weights.size() : rows.size() / columns;
    double* const sums = found.sums.data();
    double* const means = found.means.data();
    for (std::size_t r = 0; r < count; ++r) {
        const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[r]);
        if (weight == 0.0) continue;
        found.cases += weight;
        const double* const row = rows.data() + r * columns;
        for (std::size_t i = 0; i < columns; ++i) {
            const double scaled = weight * row[i];
            means[i] += scaled;
            double* const target = sums + i * columns;
            for (std::size_t j = 0; j <= i; ++j) target[j] += scaled * row[j];
        }
    }
    for (std::size_t i = 0; i < columns; ++i) means[i] /= found.cases;
    for (std::size_t i = 0; i < columns; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            auto& value = sums[i * columns + j];
            value -= found.cases * means[i] * means[j];
            sums[j * columns + i] = value;
        }
    return found;
}

// What is known of a family: the logs of |C_PP| and of |C_SS| / |C_PP|, and the columns of parents and child.
struct FamilyDeterminants {
    std::size_t parent_columns;
    std::size_t child_columns;
    double log_parents;
    double log_residual;
};

class GaussianScore final : public DataScore {
  public:
    GaussianScore(std::shared_ptr<const GaussianBlocks> blocks, const GaussianTerms& terms,
                  std::span<const std::int64_t> weights)
        : blocks_(std::move(blocks)), terms_(terms), begins_{0} {
        for (const auto width : blocks_->widths)
            begins_.push_back(begins_.back() + static_cast<std::size_t>(width));
        auto moments = moments_of(blocks_->rows, columns(), weights);
        cases_ = moments.cases;
        matrix_ = std::move(moments.sums);
        // A variable that never varies in these rows, as a sample may have it, says nothing in them.
        for (std::size_t v = 0; v < variables(); ++v) {
            bool varies = false;
            for (std::size_t i = begins_[v]; i < begins_[v + 1]; ++i)
                varies |= at(i, i) > nothing_left * cases_ * (1.0 + moments.means[i] * moments.means[i]);
            ends_.push_back(varies ? begins_[v + 1] : begins_[v]);
        }
        price_ = terms_.penalty * 0.5 * std::log(cases_);
        if (terms_.law != GaussianLaw::marginal) {
            for (auto& value : matrix_) value /= cases_;
            for (std::size_t i = 0; i < columns(); ++i) matrix_[i * columns() + i] += terms_.ridge;
            return;
        }
        // R = T + S + N a / (N + a) (m - nu)(m - nu)', with T = t I in the units of the score, and nu the
        // means of the data, which are 0 here.
        const double alpha = terms_.mean_cases;
        log_prior_ = std::log(alpha * (terms_.freedom - 1.0) / (alpha + 1.0));
        const double pull = cases_ * alpha / (cases_ + alpha);
        for (std::size_t i = 0; i < columns(); ++i) {
            for (std::size_t j = 0; j < columns(); ++j)
                matrix_[i * columns() + j] += pull * moments.means[i] * moments.means[j];
            matrix_[i * columns() + i] += std::exp(log_prior_ - blocks_->log_scales[i]);
        }
        // Of l columns: all of g(S) but the determinant of R.
        constants_.push_back(0.0);
        for (std::size_t l = 1; l <= columns(); ++l) {
            const auto size = static_cast<double>(l);
            const double prior = terms_.freedom + size;  // alpha_w - n + l
            const double before = terms_.freedom + size - 1.0;
            constants_.push_back(constants_.back() - 0.5 * cases_ * std::log(std::numbers::pi) +
                                 0.5 * (std::log(alpha) - std::log(cases_ + alpha)) +
                                 log_gamma(0.5 * (cases_ + prior)) - log_gamma(0.5 * prior) +
                                 0.5 * (prior * size - before * (size - 1.0)) * log_prior_);
        }
    }

    std::size_t variables() const override { return blocks_->widths.size(); }
    std::unique_ptr<FamilyEvaluator> evaluator() const override;
    std::unique_ptr<DataScore> weighted(std::span<const std::int64_t> weights) const override {
        return std::make_unique<GaussianScore>(blocks_, terms_, weights);
    }

    std::size_t columns() const { return begins_.back(); }
    std::size_t begin_of(std::size_t variable) const { return begins_[variable]; }
    std::size_t end_of(std::size_t variable) const { return ends_[variable]; }
    std::size_t width_of(std::size_t variable) const { return end_of(variable) - begin_of(variable); }
    std::size_t narrowest() const {
        std::size_t found = columns();
        for (std::size_t v = 0; v < variables(); ++v) found = std::min(found, width_of(v));
        return found;
    }
    double at(std::size_t i, std::size_t j) const { return matrix_[i * columns() + j]; }
    double log_scale(std::size_t column) const { return blocks_->log_scales[column]; }

    double score(const FamilyDeterminants& family) const {
        const auto child = static_cast<double>(family.child_columns);
        const auto parents = static_cast<double>(family.parent_columns);
        switch (terms_.law) {
            case GaussianLaw::degenerate:
                return -0.5 * cases_ * family.log_residual - price_ * child * (parents + 0.5 * (child + 1.0));
            case GaussianLaw::residual: {
                const double freedom = cases_ - parents - 1.0;
                if (freedom < 1.0) return -infinity;
                const double log_variance = family.log_residual + std::log(cases_ / freedom);
                return -0.5 * cases_ * (std::log(2.0 * std::numbers::pi) + log_variance) - 0.5 * freedom -
                       price_ * (parents + 2.0);
            }
            case GaussianLaw::marginal:
                break;
        }
        const double power = 0.5 * (cases_ + terms_.freedom + parents);
        return constants_[family.parent_columns + family.child_columns] - constants_[family.parent_columns] -
               power * family.log_residual - 0.5 * child * (family.log_parents + family.log_residual);
    }
    // At least the score of a family of more parents: no parents leave less than all others do, and more
    // columns cost more. BGe has no such bound.
    double bound(std::size_t child, std::size_t parent_columns, double least_residual) const {
        if (terms_.law == GaussianLaw::marginal) return infinity;
        return score({parent_columns, width_of(child), 0.0, least_residual});
    }

  private:
    std::shared_ptr<const GaussianBlocks> blocks_;
    GaussianTerms terms_;
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> ends_;  // of the columns of each variable; where they begin: it says nothing
    std::vector<double> matrix_;
    double cases_ = 0.0;
    double price_ = 0.0;
    double log_prior_ = 0.0;
    std::vector<double> constants_;
};

// Parents enter the factor from the last to the first, then the child: families that share their last parents
// share the beginning of the factor, and a family has one order, so that its score has one value. That is how
// sets come one after the other, with the first member changing fastest.
class GaussianEvaluator final : public FamilyEvaluator {
  public:
    explicit GaussianEvaluator(const GaussianScore& score) : score_(score) {}

    double local(std::size_t child, std::span<const std::int32_t> parents) override {
        if (score_.width_of(child) == 0) return 0.0;
        turn_to(parents);
        return score_.score(determinants(child));
    }

    double superset_bound(std::size_t child, std::span<const std::int32_t> parents) override {
        if (score_.width_of(child) == 0) return 0.0;
        if (least_.empty()) least_.assign(score_.variables(), infinity);
        if (least_[child] == infinity) {
            std::vector<std::int32_t> others;
            for (std::size_t v = 0; v < score_.variables(); ++v)
                if (v != child) others.push_back(static_cast<std::int32_t>(v));
            turn_to(others);
            least_[child] = determinants(child).log_residual;
        }
        std::size_t columns = score_.narrowest();  // of one more parent, at least
        for (const auto p : parents) columns += score_.width_of(static_cast<std::size_t>(p));
        return score_.bound(child, columns, least_[child]);
    }

  private:
    struct Step {
        std::int32_t variable;
        std::size_t rows;     // of the factor, before it
        std::size_t columns;  // of the variables before it
        double log;           // of the determinant before it
    };

    void turn_to(std::span<const std::int32_t> parents) {
        std::size_t shared = 0;
        while (shared < steps_.size() && shared < parents.size() &&
               steps_[shared].variable == parents[parents.size() - 1 - shared])
            ++shared;
        if (shared < steps_.size()) {
            const Step step = steps_[shared];
            forget(step.rows);
            columns_ = step.columns;
            log_ = step.log;
            steps_.resize(shared);
        }
        for (; shared < parents.size(); ++shared) {
            const auto variable = parents[parents.size() - 1 - shared];
            steps_.push_back({variable, members_.size(), columns_, log_});
            const auto v = static_cast<std::size_t>(variable);
            for (auto column = score_.begin_of(v); column < score_.end_of(v); ++column) {
                const double left = append(column);
                if (left <= nothing_left * score_.at(column, column)) {
                    forget(members_.size() - 1);
                    continue;
                }
                log_ += std::log(left) + score_.log_scale(column);
            }
            columns_ += score_.width_of(v);
        }
    }

    FamilyDeterminants determinants(std::size_t child) {
        const std::size_t before = members_.size();
        double residual = 0.0;
        for (auto column = score_.begin_of(child); column < score_.end_of(child); ++column) {
            const double least = nothing_left * score_.at(column, column);
            const double left = append(column);
            residual += std::log(std::max(left, least)) + score_.log_scale(column);
            if (left <= least) forget(members_.size() - 1);
        }
        forget(before);
        return {columns_, score_.width_of(child), log_, residual};
    }

    // Adds a row to the Cholesky factor; returns what the rows before it leave of the column's variance.
    double append(std::size_t column) {
        const std::size_t m = members_.size();
        const std::size_t start = factor_.size();
        factor_.resize(start + m + 1);
        double* const own = factor_.data() + start;
        double left = score_.at(column, column);
        const double* other = factor_.data();
        for (std::size_t i = 0; i < m; ++i) {
            double value = score_.at(column, members_[i]);
            for (std::size_t k = 0; k < i; ++k) value -= own[k] * other[k];
            value /= other[i];
            own[i] = value;
            left -= value * value;
            other += i + 1;
        }
        own[m] = std::sqrt(std::max(left, 0.0));
        members_.push_back(column);
        return left;
    }
    void forget(std::size_t rows) {
        members_.resize(rows);
        factor_.resize(rows * (rows + 1) / 2);
    }

    const GaussianScore& score_;
    std::vector<Step> steps_;           // the parents in the factor
    std::vector<std::size_t> members_;  // the column of each of its rows
    std::vector<double> factor_;        // the rows of the lower triangle, one after the other
    std::size_t columns_ = 0;
    double log_ = 0.0;
    std::vector<double> least_;  // of each child: the log of what all others leave
};

std::unique_ptr<FamilyEvaluator> GaussianScore::evaluator() const {
    return std::make_unique<GaussianEvaluator>(*this);
}

}  // namespace

std::unique_ptr<LocalScore> make_gaussian(GaussianBlocks blocks, const GaussianTerms& terms) {
    const auto shared = std::make_shared<const GaussianBlocks>(std::move(blocks));
    return std::make_unique<GaussianScore>(shared, terms, shared->weights);
}

}  // namespace arcwise
