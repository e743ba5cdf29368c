#include "scores/averaged_bdeu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scores/log_mean.hpp"
#include "scores/term_tables.hpp"

namespace arcwise {

namespace {

class AveragedBdeu final : public LocalScore, public SetScore {
  public:
    AveragedBdeu(std::int64_t cases, std::vector<double> grid, Average average)
        : tables_(cases),
          length_(static_cast<std::size_t>(std::min<std::int64_t>(cases, 1023)) + 1),
          grid_(std::move(grid)),
          average_(average) {}

    double local(const Family& family) const override {
        const double cells = family.parent_cells * static_cast<double>(family.arity);
        std::vector<Terms> cell;
        std::vector<Terms> row;
        for (const double ess : grid_) {
            cell.emplace_back(tables_, ess / cells);
            row.emplace_back(tables_, ess / family.parent_cells);
        }
        std::vector<double> totals(grid_.size(), 0.0);
        std::vector<double> parts(grid_.size());
        double by_configuration = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            std::int64_t total = 0;
            for (const auto count : family.row(j)) total += count;
            for (std::size_t e = 0; e < grid_.size(); ++e) {
                double part = 0.0;
                for (const auto count : family.row(j)) part += cell[e](count);
                parts[e] = part - row[e](total);
                totals[e] += parts[e];
            }
            if (average_ == Average::configuration) by_configuration += log_mean_exp(parts);
        }
        if (average_ == Average::configuration) return by_configuration;
        return average_ == Average::family ? log_mean_exp(totals) : mean(totals);
    }
    // The bound of BDeu does not depend on the sample size, so it holds for each term of an average.
    double superset_bound(const Family& family) const override {
        std::size_t cells = 0;
        for (const auto count : family.counts) cells += count > 0;
        return -static_cast<double>(cells) * std::log(static_cast<double>(family.arity));
    }

    double shape_bound(double, double occupied_cells, std::size_t arity) const override {
        return -occupied_cells * std::log(static_cast<double>(arity));
    }

    // A mean of log scores is the difference of the mean set functions, so that it costs no more than BDeu:
    // the mean is taken once for each term, not once for each family. Means of likelihoods are not.
    const SetScore* set_score() const override { return average_ == Average::logarithm ? this : nullptr; }
    double cell_term(std::int64_t count, double cells) const override {
        double sum = 0.0;
        for (const double ess : grid_) sum += tables_.compute(ess / cells, count);
        return sum / static_cast<double>(grid_.size());
    }
    double constant(double) const override { return 0.0; }
    bool terms_are_universal() const override { return false; }
    std::span<const double> terms(double cells) const override {
        return means_.find(cells, [&] {
            std::vector<double> made(length_);
            for (std::size_t n = 0; n < length_; ++n)
                made[n] = cell_term(static_cast<std::int64_t>(n), cells);
            return made;
        });
    }

  private:
    TermTables tables_;
    KeyedTables means_;  // by |T|
    std::size_t length_;
    std::vector<double> grid_;
    Average average_;
};

}  // namespace

std::unique_ptr<LocalScore> make_averaged_bdeu(std::int64_t cases, std::vector<double> grid,
                                               Average average) {
    return std::make_unique<AveragedBdeu>(cases, std::move(grid), average);
}

}  // namespace arcwise
