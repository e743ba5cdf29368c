// The terms n log(n / N) from which every maximised likelihood is summed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// LL = sum over cells of n log n minus the sum over parent configurations. Dividing by N inside the logarithm
// cancels in the difference and keeps the terms small. Counts up to 2^16 come from a table.
class EntropyTerms {
  public:
    explicit EntropyTerms(std::int64_t cases) : cases_(std::max<double>(1.0, static_cast<double>(cases))) {
        const auto length = static_cast<std::size_t>(std::min<std::int64_t>(cases, 65535)) + 1;
        table_.reserve(length);
        for (std::size_t n = 0; n < length; ++n) table_.push_back(compute(static_cast<std::int64_t>(n)));
    }
    double operator()(std::int64_t count) const {
        const auto n = static_cast<std::size_t>(count);
        return n < table_.size() ? table_[n] : compute(count);
    }
    std::span<const double> table() const { return table_; }

    // The maximised log likelihood of the family.
    double log_likelihood(const Family& family) const {
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            std::int64_t total = 0;
            double row = 0.0;
            for (const auto count : family.row(j)) {
                total += count;
                row += (*this)(count);
            }
            sum += row - (*this)(total);
        }
        return sum;
    }

  private:
    double compute(std::int64_t count) const {
        const auto n = static_cast<double>(count);
        if (count == 0) return 0.0;
        return n > 0.5 * cases_ ? n * std::log1p((n - cases_) / cases_) : n * std::log(n / cases_);
    }
    double cases_;
    std::vector<double> table_;
};

}  // namespace arcwise
