#include "scores/qbdj.hpp"

#include "scores/term_tables.hpp"

namespace arcwise {

namespace {

class Qbdj final : public LocalScore, public SetScore {
  public:
    explicit Qbdj(std::int64_t cases) : tables_(cases), cell_(tables_, 0.5), cases_(cases) {}

    double local(const Family& family) const override {
        double sum = 0.0;
        for (std::size_t j = 0; j < family.observed(); ++j) {
            std::int64_t total = 0;
            double cells = 0.0;
            for (const auto count : family.row(j)) {
                total += count;
                cells += cell_(count);
            }
            sum += cells - cell_(total);
        }
        return sum + superset_bound(family);
    }
    // A configuration's part is at most 0, because the factors 1/2 + w of a rising factorial grow:
    // the product over the states is at most the one over all n_j. And the penalty, the sum over w < N of
    // log((q r / 2 + w) / (q / 2 + w)), grows with q term by term.
    double superset_bound(const Family& family) const override {
        return shape_bound(family.parent_cells, 0.0, family.arity);
    }
    double shape_bound(double parent_cells, double, std::size_t arity) const override {
        return constant(parent_cells * static_cast<double>(arity)) - constant(parent_cells);
    }
    const SetScore* set_score() const override { return this; }

    double cell_term(std::int64_t count, double) const override { return cell_(count); }
    double constant(double cells) const override { return -tables_.compute(cells / 2, cases_); }
    bool terms_are_universal() const override { return true; }
    std::span<const double> terms(double) const override { return tables_.find(0.5); }

  private:
    TermTables tables_;
    Terms cell_;
    std::int64_t cases_;
};

}  // namespace

std::unique_ptr<LocalScore> make_qbdj(std::int64_t cases) {
    return std::make_unique<Qbdj>(cases);
}

}  // namespace arcwise
