// The terms of a set score, computed once per count.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// g(T) is a sum of cell_term(n, |T|): a logarithm or a log-gamma per cell. Counts are small integers, so
// the score has the terms of the smallest, and every other is computed when it is first needed. One table per
// |T|, or one in all if the terms do not depend on |T|. Not for use by several threads.
class CellTermTable {
  public:
    CellTermTable(const SetScore& score, double cells, std::int64_t cases)
        : score_(score),
          cells_(cells),
          cases_(cases),
          small_(score.terms(cells)),
          values_(static_cast<std::size_t>(cases < largest ? cases + 1 : largest), unknown) {
        values_[0] = 0.0;  // a cell that does not occur has no term
    }

    double operator()(std::int64_t count) {
        if (static_cast<std::size_t>(count) < small_.size()) return small_[static_cast<std::size_t>(count)];
        if (static_cast<std::size_t>(count) >= values_.size()) return score_.cell_term(count, cells_);
        double& value = values_[static_cast<std::size_t>(count)];
        if (std::isnan(value)) [[unlikely]]
            value = score_.cell_term(count, cells_);
        return value;
    }

    // Whether the score itself has the terms of all counts that there can be; they are at `known`.
    bool knows_all() const { return small_.size() > static_cast<std::size_t>(cases_); }
    const double* known() const { return small_.data(); }

  private:
    static constexpr std::int64_t largest = std::int64_t{1} << 20;
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const SetScore& score_;
    double cells_;
    std::int64_t cases_;
    std::span<const double> small_;  // the score's own
    std::vector<double> values_;
};

class CellTermTables {
  public:
    CellTermTables(const SetScore& score, std::int64_t cases) : score_(score), cases_(cases) {}

    CellTermTable& of(double cells) {
        const double key = score_.terms_are_universal() ? 0.0 : cells;
        const auto found = tables_.find(key);
        if (found != tables_.end()) return found->second;
        return tables_.emplace(key, CellTermTable(score_, cells, cases_)).first->second;
    }
    double constant(double cells) const { return score_.constant(cells); }
    std::int64_t cases() const { return cases_; }

  private:
    const SetScore& score_;
    std::int64_t cases_;
    std::unordered_map<double, CellTermTable> tables_;
};

}  // namespace arcwise
