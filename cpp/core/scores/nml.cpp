#include "scores/nml.hpp"

#include <algorithm>
#include <numeric>

#include "scores/entropy_terms.hpp"
#include "scores/nml_normaliser.hpp"
#include "scores/term_tables.hpp"

namespace arcwise {

namespace {

class Fnml final : public LocalScore {
  public:
    explicit Fnml(std::int64_t cases)
        : terms_(cases), length_(static_cast<std::size_t>(std::min<std::int64_t>(cases, 1023)) + 1) {}

    double local(const Family& family) const override {
        return terms_.log_likelihood(family) + superset_bound(family);
    }
    // LL <= 0, and the penalty only grows when configurations are split: the maximised likelihood of a whole
    // is at most the product of those of its parts, so C(n + m, r) <= C(n, r) C(m, r).
    double superset_bound(const Family& family) const override {
        const auto regrets = regrets_.find(static_cast<double>(family.arity), [&] {
            std::vector<double> table(length_);
            for (std::size_t n = 0; n < length_; ++n)
                table[n] = regret(static_cast<std::int64_t>(n), family.arity);
            return table;
        });
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            const auto row = family.row(j);
            const std::int64_t total = std::accumulate(row.begin(), row.end(), std::int64_t{0});
            const auto n = static_cast<std::size_t>(total);
            sum += n < regrets.size() ? regrets[n] : regret(total, family.arity);
        }
        return -sum;
    }

  private:
    static double regret(std::int64_t cases, std::size_t arity) {
        return log_nml_normaliser(cases, static_cast<double>(arity));
    }
    EntropyTerms terms_;
    std::size_t length_;
    KeyedTables regrets_;
};

class Qnml final : public LocalScore, public SetScore {
  public:
    explicit Qnml(std::int64_t cases) : terms_(cases), cases_(cases) {}

    double local(const Family& family) const override {
        return terms_.log_likelihood(family) + superset_bound(family);
    }
    // LL <= 0, and the penalty log C(N, q r) - log C(N, q) grows with q. It is the logarithm of the mean of
    // prod_j C(n_j, r) over parent sequences drawn by their NML distribution; splitting configurations makes
    // every such product larger (see Fnml) and gives more weight to sequences that are spread out, for
    // which it is larger.
    double superset_bound(const Family& family) const override {
        return shape_bound(family.parent_cells, 0.0, family.arity);
    }
    double shape_bound(double parent_cells, double, std::size_t arity) const override {
        return constant(parent_cells * static_cast<double>(arity)) - constant(parent_cells);
    }
    const SetScore* set_score() const override { return this; }

    double cell_term(std::int64_t count, double) const override { return terms_(count); }
    double constant(double cells) const override {
        const auto make = [&] { return std::vector<double>{-log_nml_normaliser(cases_, cells)}; };
        const auto known = constants_.find(cells, make);
        return known.empty() ? make().front() : known.front();
    }
    bool terms_are_universal() const override { return true; }
    std::span<const double> terms(double) const override { return terms_.table(); }

  private:
    EntropyTerms terms_;
    std::int64_t cases_;
    KeyedTables constants_;
};

}  // namespace

std::unique_ptr<LocalScore> make_fnml(std::int64_t cases) {
    return std::make_unique<Fnml>(cases);
}

std::unique_ptr<LocalScore> make_qnml(std::int64_t cases) {
    return std::make_unique<Qnml>(cases);
}

}  // namespace arcwise
