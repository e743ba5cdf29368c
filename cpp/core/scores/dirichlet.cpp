#include "scores/dirichlet.hpp"

#include <cmath>

#include "scores/term_tables.hpp"

namespace arcwise {

namespace {

double symmetric_bd(const TermTables& tables, const Family& family, double alpha, double row_alpha) {
    const Terms cell(tables, alpha);
    const Terms row(tables, row_alpha);
    double sum = 0.0;
    for (std::size_t j = 0; j < family.observed(); ++j) {
        std::int64_t total = 0;
        double cells = 0.0;
        for (const auto count : family.row(j)) {
            total += count;
            cells += cell(count);
        }
        sum += cells - row(total);
    }
    return sum;
}

class Bd final : public LocalScore {
  public:
    Bd(std::int64_t cases, double alpha) : tables_(cases), alpha_(alpha) {}

    double local(const Family& family) const override {
        return symmetric_bd(tables_, family, alpha_, alpha_ * static_cast<double>(family.arity));
    }
    // The score is the logarithm of a product of predictive probabilities, one per case: a state seen c times
    // among w cases of its configuration has (alpha + c) / (r alpha + w) <= (alpha + c) / (r alpha + c),
    // which grows with c. Refining the configurations makes each c smaller, never larger. So a superset
    // scores at most what this family would score if every cell (j, k) had a configuration of its own.
    double superset_bound(const Family& family) const override {
        const Terms cell(tables_, alpha_);
        const Terms row(tables_, alpha_ * static_cast<double>(family.arity));
        double sum = 0.0;
        for (const auto count : family.counts) sum += cell(count) - row(count);
        return sum;
    }

  private:
    TermTables tables_;
    double alpha_;
};

class Bdeu final : public LocalScore, public SetScore {
  public:
    Bdeu(std::int64_t cases, double ess) : tables_(cases), ess_(ess) {}

    double local(const Family& family) const override {
        const double alpha = ess_ / family.parent_cells;
        return symmetric_bd(tables_, family, ess_ / (family.parent_cells * static_cast<double>(family.arity)),
                            alpha);
    }
    // The first case of each cell (j, k) has predictive probability alpha / (r alpha + w) <= 1/r, every other
    // at most 1; a superset has at least as many cells that occur. (Stronger than the count of configurations
    // that occur, which de Campos & Ji 2011 use: a configuration has as many first cases as states seen.)
    double superset_bound(const Family& family) const override {
        std::size_t cells = 0;
        for (const auto count : family.counts) cells += count > 0;
        return -static_cast<double>(cells) * std::log(static_cast<double>(family.arity));
    }
    double shape_bound(double, double occupied_cells, std::size_t arity) const override {
        return -occupied_cells * std::log(static_cast<double>(arity));
    }
    const SetScore* set_score() const override { return this; }

    double cell_term(std::int64_t count, double cells) const override {
        return tables_.compute(ess_ / cells, count);
    }
    double constant(double) const override { return 0.0; }
    bool terms_are_universal() const override { return false; }
    std::span<const double> terms(double cells) const override { return tables_.find(ess_ / cells); }

  private:
    TermTables tables_;
    double ess_;
};

}  // namespace

std::unique_ptr<LocalScore> make_bd(std::int64_t cases, double alpha) {
    return std::make_unique<Bd>(cases, alpha);
}

std::unique_ptr<LocalScore> make_bdeu(std::int64_t cases, double ess) {
    return std::make_unique<Bdeu>(cases, ess);
}

}  // namespace arcwise
