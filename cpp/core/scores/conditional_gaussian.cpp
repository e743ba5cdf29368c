#include "scores/conditional_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <unordered_map>
#include <utility>

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nothing_left =
    1e-14;  // of a variance, in squares: bnlearn's 1.5e-8, of a standard deviation
constexpr std::size_t most_held = std::size_t{1} << 22;  // numbers that an evaluator keeps
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

class Score final : public DataScore {
  public:
    Score(std::shared_ptr<const MixedRows> rows, double penalty, bool joint,
          std::span<const std::int64_t> weights)
        : rows_(std::move(rows)), penalty_(penalty), joint_(joint), weights_(weights.begin(), weights.end()) {
        if (weights_.empty()) weights_.assign(count(), 1);
        for (const auto weight : weights_) cases_ += static_cast<double>(weight);
        for (std::size_t v = 0; v < variables(); ++v)
            varies_.push_back(!is_number(v) || variance(v) > nothing_left);
    }
    std::size_t variables() const override { return rows_->arities.size(); }
    std::unique_ptr<FamilyEvaluator> evaluator() const override;
    std::unique_ptr<DataScore> weighted(std::span<const std::int64_t> weights) const override {
        return std::make_unique<Score>(rows_, penalty_, joint_, weights);
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
    bool is_joint() const { return joint_; }
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
    bool joint_;
    std::vector<std::int64_t> weights_;
    double cases_ = 0.0;
    std::vector<bool> varies_;
};

// The rows by the configuration of some categories, and of each configuration what its regressions are made
// from.
struct Cells {
    std::size_t seen = 1;               // configurations that have cases
    std::vector<std::uint32_t> of_row;  // the configuration of each row
    std::vector<double> sums;  // of products of 1 and all numbers, by configuration; made when asked for
};

class Evaluator final : public FamilyEvaluator {
  public:
    explicit Evaluator(const Score& score) : score_(score), place_(score.variables(), 0) {
        for (std::size_t v = 0; v < score_.variables(); ++v) {
            if (!score_.is_number(v)) continue;
            all_.push_back(score_.column(v));
            place_[v] = all_.size();
        }
    }

    double local(std::size_t child, std::span<const std::int32_t> parents) override {
        if (!score_.varies(child)) return 0.0;
        if (held_ > most_held) known_.clear(), held_ = 0;
        numbers_.clear();
        categories_.clear();
        double configurations = 1.0;  // q, seen or not
        for (const auto p : parents) {
            const auto parent = static_cast<std::size_t>(p);
            (score_.is_number(parent) ? numbers_ : categories_).push_back(parent);
            if (!score_.is_number(parent)) configurations *= score_.arity(parent);
        }
        const auto slopes = static_cast<double>(numbers_.size());
        Cells& cells = cells_of(categories_);
        if (score_.is_number(child)) {
            numbers_.push_back(child);
            return gaussians(cells, numbers_.size() - 1) - score_.price() * configurations * (slopes + 2.0);
        }
        if (!numbers_.empty() && !score_.is_joint()) return -infinity;
        const double arity = score_.arity(child);
        const double found = multinomial(child, cells) - score_.price() * configurations * (arity - 1.0);
        if (numbers_.empty()) return found;
        // By Bayes: the numbers given the states of the child, too, for the numbers given the others.
        const double before = gaussians(cells, 0);
        categories_.insert(std::ranges::lower_bound(categories_, child), child);
        const double after = gaussians(cells_of(categories_), 0);
        if (before == -infinity || after == -infinity) return -infinity;
        return found + after - before -
               score_.price() * configurations * (arity - 1.0) * (0.5 * slopes * (slopes + 3.0));
    }

  private:
    // Categories ascend. The configurations of all but the last are split by it, and are numbered as they
    // come.
    Cells& cells_of(const std::vector<std::size_t>& categories) {
        const auto found = known_.find(categories);
        if (found != known_.end()) return found->second;
        Cells made;
        made.of_row.assign(score_.count(), 0);
        if (!categories.empty()) {
            const Cells& before = cells_of({categories.begin(), categories.end() - 1});
            const auto codes = score_.column(categories.back());
            const auto weights = score_.weights();
            const auto arity = static_cast<std::uint64_t>(score_.arity(categories.back()));
            std::unordered_map<std::uint64_t, std::uint32_t> numbered;
            for (std::size_t r = 0; r < made.of_row.size(); ++r) {
                if (weights[r] == 0) continue;
                const auto key = static_cast<std::uint64_t>(before.of_row[r]) * arity +
                                 static_cast<std::uint64_t>(codes[r]);
                made.of_row[r] =
                    numbered.try_emplace(key, static_cast<std::uint32_t>(numbered.size())).first->second;
            }
            made.seen = numbered.size();
        }
        held_ += made.of_row.size();
        return known_.emplace(categories, std::move(made)).first->second;
    }

    double multinomial(std::size_t child, const Cells& cells) {
        const auto arity = static_cast<std::size_t>(score_.arity(child));
        const auto codes = score_.column(child);
        const auto weights = score_.weights();
        counts_.assign(cells.seen * (arity + 1), 0.0);
        for (std::size_t r = 0; r < codes.size(); ++r) {
            double* const own = counts_.data() + cells.of_row[r] * (arity + 1);
            own[static_cast<std::size_t>(codes[r])] += static_cast<double>(weights[r]);
            own[arity] += static_cast<double>(weights[r]);
        }
        double found = 0.0;
        for (std::size_t j = 0; j < cells.seen; ++j)
            for (std::size_t k = 0; k < arity; ++k) {
                const double n = counts_[j * (arity + 1) + k];
                if (n > 0.0) found += n * std::log(n / counts_[j * (arity + 1) + arity]);
            }
        return found;
    }

    // Sums over the rows once for all families that have these categories.
    void add_sums(Cells& cells) {
        const std::size_t size = all_.size() + 1;
        const auto weights = score_.weights();
        cells.sums.assign(cells.seen * size * size, 0.0);
        held_ += cells.sums.size();
        values_.assign(size, 1.0);
        for (std::size_t r = 0; r < cells.of_row.size(); ++r) {
            if (weights[r] == 0) continue;
            for (std::size_t k = 1; k < size; ++k) values_[k] = all_[k - 1][r];
            double* own = cells.sums.data() + cells.of_row[r] * size * size;
            for (std::size_t i = 0; i < size; ++i) {
                const double scaled = static_cast<double>(weights[r]) * values_[i];
                for (std::size_t j = 0; j <= i; ++j) own[i * size + j] += scaled * values_[j];
            }
        }
    }

    // The log likelihood of the numbers from the given one on, each by a regression on those before it for
    // each configuration, from sums of products of 1 and the numbers, by elimination.
    double gaussians(Cells& cells, std::size_t first) {
        if (cells.sums.empty()) add_sums(cells);
        const std::size_t size = numbers_.size() + 1, whole = all_.size() + 1;
        own_.assign(size * size, 0.0);
        norms_.assign(size, 0.0);
        double found = 0.0;
        for (std::size_t j = 0; j < cells.seen; ++j) {
            const double* const sums = cells.sums.data() + j * whole * whole;
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t k = 0; k <= i; ++k) {
                    const std::size_t a = i == 0 ? 0 : place_[numbers_[i - 1]];
                    const std::size_t b = k == 0 ? 0 : place_[numbers_[k - 1]];
                    own_[i * size + k] = sums[std::max(a, b) * whole + std::min(a, b)];
                }
            double* const own = own_.data();
            const double cases = own[0];
            if (cases - static_cast<double>(size) + 1.0 < 1.0) return -infinity;
            // What rounding leaves of a sum of squares that is explained whole: sums of products lose what
            // they have in common, and a parent that hardly varies here makes the most of it.
            for (std::size_t k = 0; k < size; ++k) norms_[k] = std::sqrt(own[k * size + k]);
            rounded_ = norms_;
            for (std::size_t pivot = 0; pivot < size; ++pivot) {
                const double left = own[pivot * size + pivot];
                if (pivot > first) {
                    const double freedom = cases - static_cast<double>(pivot);
                    const double variance = left / freedom;
                    const bool is_rounding = left <= rounding * rounded_[pivot] * rounded_[pivot];
                    if (is_rounding || !(variance > nothing_left)) return -infinity;
                    const double log_scale = score_.log_scale(numbers_[pivot - 1]);
                    found -= 0.5 * cases * (std::log(2.0 * std::numbers::pi * variance) + log_scale) +
                             0.5 * freedom;
                }
                if (left <= 1e-12 * cases) continue;  // a sum of the others: it explains nothing more
                for (std::size_t row = pivot + 1; row < size; ++row) {
                    const double times = own[row * size + pivot] / left;
                    rounded_[row] += std::abs(times) * norms_[pivot];
                    for (std::size_t k = pivot + 1; k <= row; ++k)
                        own[row * size + k] -= times * own[k * size + pivot];
                }
            }
        }
        return found;
    }

    const Score& score_;
    std::vector<std::span<const double>> all_;  // the columns of numbers
    std::vector<std::size_t> place_;            // of each number among them, from 1 on
    std::map<std::vector<std::size_t>, Cells> known_;
    std::size_t held_ = 0;                 // numbers in what is known
    std::vector<std::size_t> numbers_;     // the parents that are numbers, and a child that is one
    std::vector<std::size_t> categories_;  // the other parents
    std::vector<double> values_;
    std::vector<double> counts_;
    std::vector<double> own_;
    std::vector<double> norms_;
    std::vector<double> rounded_;
};

std::unique_ptr<FamilyEvaluator> Score::evaluator() const {
    return std::make_unique<Evaluator>(*this);
}

}  // namespace

std::unique_ptr<LocalScore> make_conditional_gaussian(MixedRows rows, double penalty, bool joint) {
    const auto shared = std::make_shared<const MixedRows>(std::move(rows));
    return std::make_unique<Score>(shared, penalty, joint, shared->weights);
}

}  // namespace arcwise
