#include "scores/local_hypotheses.hpp"

#include <algorithm>
#include <utility>

#include "scores/bd_rows.hpp"
#include "scores/log_mean.hpp"
#include "scores/row_groups.hpp"

namespace arcwise {

namespace {

class LocalHypotheses final : public LocalScore {
  public:
    LocalHypotheses(double ess, OwnedData data, std::int32_t largest, Mixture mixture)
        : ess_(ess), data_(std::move(data)), largest_(static_cast<std::size_t>(largest)), mixture_(mixture) {}

    double local(const Family& family) const override {
        const auto columns = view();
        const auto groups = group_rows(columns, family.parents);
        const Tally tally{family, groups, counts_of(columns, family.child, groups)};
        std::vector<std::int32_t> others;
        for (std::size_t v = 0; v < columns.variables; ++v)
            if (static_cast<std::int32_t>(v) != family.child) others.push_back(static_cast<std::int32_t>(v));
        std::vector<double> values;
        std::vector<std::int32_t> chosen;
        for_subsets(others, 0, chosen, [&] { values.push_back(score_under(columns, tally, chosen)); });
        return mixture_ == Mixture::logarithm_of_mean ? log_mean_exp(values) : mean(values);
    }
    double superset_bound(const Family&) const override { return 0.0; }

  private:
    // What does not depend on the hypothesis: the rows by configuration j of P, and n_jk.
    struct Tally {
        const Family& family;
        const RowGroups& groups;
        std::vector<std::int64_t> counts;
    };

    Columns<std::uint32_t> view() const {
        return {data_.codes.data(), data_.arities.size(), data_.weights.size(), data_.arities.data(),
                data_.weights.data()};
    }

    std::vector<std::int64_t> counts_of(const Columns<std::uint32_t>& columns, std::int32_t child,
                                        const RowGroups& groups) const {
        const auto arity = static_cast<std::size_t>(columns.arities[child]);
        const auto column = columns.column(static_cast<std::size_t>(child));
        std::vector<std::int64_t> counts(groups.size * arity, 0);
        for (std::size_t row = 0; row < columns.rows; ++row)
            counts[groups.of_row[row] * arity + column[row]] += columns.weights[row];
        return counts;
    }

    double product_of_arities(std::span<const std::int32_t> members) const {
        double product = 1.0;
        for (const auto member : members) product *= data_.arities[static_cast<std::size_t>(member)];
        return product;
    }

    template <class Function>
    void for_subsets(std::span<const std::int32_t> others, std::size_t next,
                     std::vector<std::int32_t>& chosen, Function function) const {
        function();
        if (chosen.size() == largest_) return;
        for (std::size_t i = next; i < others.size(); ++i) {
            chosen.push_back(others[i]);
            for_subsets(others, i + 1, chosen, function);
            chosen.pop_back();
        }
    }

    // With T = P + H, the smoothed joint of a complete structure over T is (n_T + 1/|T|) / (N + 1): eq.
    // (10)'s parameters telescope. So p(j, k) = sum over l in H \ P of (n_T(j, l) + 1/|T|) theta_k(h) / (N +
    // 1), where h is the part of (j, l) in H. The sum over rows takes what occurs; the rest is the sum of
    // theta over all l, in which an h that does not occur has theta = 1/r.
    double score_under(const Columns<std::uint32_t>& columns, const Tally& tally,
                       const std::vector<std::int32_t>& hypothesis) const {
        const auto& family = tally.family;
        const std::size_t arity = family.arity;
        const double uniform = 1.0 / static_cast<double>(arity);
        std::vector<std::int32_t> common;
        std::set_intersection(hypothesis.begin(), hypothesis.end(), family.parents.begin(),
                              family.parents.end(), std::back_inserter(common));
        const double hypothetical_cells = product_of_arities(hypothesis);           // q of H
        const double free_cells = hypothetical_cells / product_of_arities(common);  // |H \ P|
        const double all_cells = product_of_arities(family.parents) * free_cells;   // |T|
        const auto by_hypothesis = group_rows(columns, hypothesis);
        const auto by_common = group_rows(columns, common);
        const auto counts = counts_of(columns, family.child, by_hypothesis);

        std::vector<double> theta(counts.size());
        for (std::size_t h = 0; h < by_hypothesis.size; ++h) {
            double total = 1.0 / hypothetical_cells;
            for (std::size_t k = 0; k < arity; ++k) total += static_cast<double>(counts[h * arity + k]);
            for (std::size_t k = 0; k < arity; ++k)
                theta[h * arity + k] =
                    (uniform / hypothetical_cells + static_cast<double>(counts[h * arity + k])) / total;
        }
        // The excess of theta over 1/r, summed over the h that occur and agree with a configuration of H and
        // P.
        std::vector<double> excess(by_common.size * arity, 0.0);
        std::vector<char> met(by_hypothesis.size, 0);
        std::vector<std::uint64_t> common_of(tally.groups.size, 0);
        std::vector<double> joint(tally.groups.size * arity, 0.0);
        double cases = 0.0;
        for (std::size_t row = 0; row < columns.rows; ++row) {
            const auto h = by_hypothesis.of_row[row];
            const auto j = tally.groups.of_row[row];
            const auto c = by_common.of_row[row];
            const auto weight = static_cast<double>(columns.weights[row]);
            cases += weight;
            common_of[j] = c;
            for (std::size_t k = 0; k < arity; ++k) {
                if (met[h] == 0) excess[c * arity + k] += theta[h * arity + k] - uniform;
                joint[j * arity + k] += weight * theta[h * arity + k];
            }
            met[h] = 1;
        }
        double sum = 0.0;
        std::vector<double> alphas(arity);
        for (std::size_t j = 0; j < tally.groups.size; ++j) {
            for (std::size_t k = 0; k < arity; ++k) {
                const double unseen = (excess[common_of[j] * arity + k] + free_cells * uniform) / all_cells;
                alphas[k] = ess_ * (joint[j * arity + k] + unseen) / (cases + 1.0);
            }
            sum += bd_row({tally.counts.data() + j * arity, arity}, alphas, cases);
        }
        return sum;
    }

    double ess_;
    OwnedData data_;
    std::size_t largest_;
    Mixture mixture_;
};

}  // namespace

std::unique_ptr<LocalScore> make_local_hypotheses(double ess, OwnedData data, std::int32_t largest,
                                                  Mixture mixture) {
    return std::make_unique<LocalHypotheses>(ess, std::move(data), largest, mixture);
}

}  // namespace arcwise
