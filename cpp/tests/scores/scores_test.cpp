#include <array>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "check.hpp"
#include "scores/averaged_bdeu.hpp"
#include "scores/bde.hpp"
#include "scores/contaminated_bdeu.hpp"
#include "scores/dirichlet.hpp"
#include "scores/likelihood.hpp"
#include "scores/local_hypotheses.hpp"
#include "scores/log_rising.hpp"
#include "scores/nml.hpp"
#include "scores/nml_normaliser.hpp"
#include "scores/node_average.hpp"
#include "scores/qbdj.hpp"
#include "scores/score_families.hpp"

using namespace arcwise;

namespace {

bool close(double a, double b) {
    return std::fabs(a - b) <= 1e-12 * std::max(1.0, std::fabs(b));
}

// A child of three states; two of four parent configurations occur.
struct Example {
    std::array<std::int32_t, 2> parents{1, 2};
    std::array<std::int64_t, 6> counts{4, 0, 1, 2, 2, 2};
    std::array<std::uint64_t, 2> configurations{0, 3};
    Family family() const { return {0, parents, counts, 3, 4.0, 11, configurations}; }
};

// g(S) - g(P), the way tables are built.
double by_sets(const SetScore& score, const Family& family) {
    const double cells = family.parent_cells * static_cast<double>(family.arity);
    double value = score.constant(cells) - score.constant(family.parent_cells);
    for (std::size_t j = 0; j < family.observed(); ++j) {
        std::int64_t total = 0;
        for (const auto n : family.row(j)) {
            value += score.cell_term(n, cells);
            total += n;
        }
        value -= score.cell_term(total, family.parent_cells);
    }
    return value;
}

}  // namespace

TEST(log_rising_is_a_sum_of_logarithms) {
    for (const double alpha : {1e-9, 0.3, 4.0, 15.9, 16.0, 1e4})
        for (const std::int64_t count : {0, 1, 2, 16, 17, 40, 1000}) {
            double sum = 0.0;
            for (std::int64_t w = 0; w < count; ++w) sum += std::log((alpha + static_cast<double>(w)) / 2.5);
            CHECK(std::fabs(log_rising(alpha, count, 2.5) - sum) < 1e-11 * std::max(1.0, std::fabs(sum)));
        }
}

TEST(bic_of_a_family_by_hand) {
    const Example example;
    const auto score = make_penalised_likelihood(11, std::log(11.0) / 2);
    const double likelihood = 4 * std::log(0.8) + std::log(0.2) + 6 * std::log(1.0 / 3);
    CHECK(close(score->local(example.family()), likelihood - 8 * std::log(11.0) / 2));
    CHECK(close(score->superset_bound(example.family()), -8 * std::log(11.0) / 2));
}

TEST(bdeu_of_a_family_by_hand) {
    const Example example;
    const auto score = make_bdeu(11, 6.0);  // alpha = 1/2 in each of 12 cells
    const auto g = [](double a, double n) { return std::lgamma(a + n) - std::lgamma(a); };
    const double value = g(0.5, 4) + g(0.5, 1) - g(1.5, 5) + 3 * g(0.5, 2) - g(1.5, 6);
    CHECK(close(score->local(example.family()), value));
    CHECK(close(score->superset_bound(example.family()), -5 * std::log(3.0)));
    CHECK(close(make_bd(11, 0.5)->local(example.family()), value));
}

TEST(set_scores_are_differences_of_sets) {
    const Example example;
    std::vector<std::unique_ptr<LocalScore>> scores;
    scores.push_back(make_penalised_likelihood(11, 0.7));
    scores.push_back(make_bdeu(11, 2.0));
    scores.push_back(make_qnml(11));
    scores.push_back(make_qbdj(11));
    for (const auto& score : scores) {
        const SetScore* sets = score->set_score();
        CHECK(sets != nullptr);
        CHECK(close(by_sets(*sets, example.family()), score->local(example.family())));
        const auto table = sets->terms(12.0);
        for (std::size_t n = 0; n < table.size(); ++n)
            CHECK(table[n] == sets->cell_term(static_cast<std::int64_t>(n), 12.0));
    }
}

TEST(threads_share_a_score_and_get_the_same_bits) {
    const auto alone = make_bdeu(11, 1.0);
    const auto shared = make_bdeu(11, 1.0);
    const Example example;
    std::vector<std::vector<double>> results(4);
    std::vector<std::thread> threads;
    for (auto& result : results)
        threads.emplace_back([&] {
            // More products of arities than the store of tables has room for.
            for (int q = 1; q <= 3000; ++q) {
                auto family = example.family();
                family.parent_cells = q;
                result.push_back(shared->local(family));
            }
        });
    for (auto& thread : threads) thread.join();
    for (int q = 3000; q >= 1; --q) {
        auto family = example.family();
        family.parent_cells = q;
        const double expected = alone->local(family);
        for (const auto& result : results) CHECK(result[static_cast<std::size_t>(q - 1)] == expected);
    }
}

TEST(counts_a_family_without_its_unseen_configurations) {
    const std::array<std::uint8_t, 12> codes{0, 1, 0, 1, 1, 1, 0, 1, 2, 0, 2, 1};
    const std::array<std::int32_t, 3> arities{2, 2, 3};
    const std::array<std::int64_t, 4> weights{5, 1, 2, 0};
    const Columns<std::uint8_t> data{codes.data(), 3, 4, arities.data(), weights.data()};
    const std::array<std::int32_t, 2> parents{1, 2};
    const auto counted = count_family(data, 0, parents);
    // Rows (child; parents): 0; 1 2 five times, 1; 1 0 once, 0; 0 2 twice, and one of weight zero.
    CHECK((counted.configurations == std::vector<std::uint64_t>{2, 3, 5}));
    CHECK((counted.counts == std::vector<std::int64_t>{2, 0, 0, 1, 5, 0}));
    CHECK(counted.parent_cells == 6.0);
}

TEST(the_normaliser_of_few_cases_by_hand) {
    CHECK(close(log_nml_normaliser(1, 7.0), std::log(7.0)));
    CHECK(close(log_nml_normaliser(2, 2.0), std::log(2.5)));
    CHECK(log_nml_normaliser(0, 5.0) == 0.0);
    CHECK(log_nml_normaliser(9, 1.0) == 0.0);
    CHECK(std::isfinite(log_nml_normaliser(10'000'000, 1e300)));
    for (const double categories : {2.0, 3.0, 64.0, 65.0, 1000.0})
        CHECK(close(log_nml_by_sum(777, categories),
                    log_nml_by_recurrence(777, static_cast<std::int64_t>(categories))));
}

TEST(contamination_encloses_bdeu) {
    const Example example;
    for (const double epsilon : {0.0, 1e-6, 0.3, 0.99}) {
        const double lowest = make_min_bdeu(11, 2.0, epsilon)->local(example.family());
        const double highest = make_max_bdeu(11, 2.0, epsilon)->local(example.family());
        const double middle = make_bdeu(11, 2.0)->local(example.family());
        CHECK(lowest <= middle + 1e-12 && middle <= highest + 1e-12);
        CHECK(epsilon > 0 || (close(lowest, middle) && close(highest, middle)));
    }
}

TEST(the_best_prior_equalises_slopes) {
    const std::vector<std::int64_t> counts{1, 2, 900, 10'000'000};
    for (const double total : {1e-9, 1.0, 1e6})
        for (const double low : {0.0, 0.01 * total, 0.24999 * total}) {
            std::vector<double> alphas(counts.size());
            maximise_prior(counts, low, total, alphas);
            double sum = 0.0;
            double steepest = 0.0;
            for (std::size_t k = 0; k < counts.size(); ++k) {
                sum += alphas[k];
                CHECK(alphas[k] >= low);
                if (alphas[k] > low) steepest = std::max(steepest, digamma_rise(alphas[k], counts[k]));
            }
            CHECK(close(sum, total));
            for (std::size_t k = 0; k < counts.size(); ++k) {
                const double slope = digamma_rise(alphas[k], counts[k]);
                CHECK(slope <= steepest * (1 + 1e-9));
                CHECK(alphas[k] == low || slope >= steepest * (1 - 1e-9));
            }
        }
}

TEST(an_average_over_one_size_is_bdeu) {
    const Example example;
    for (const auto average : {Average::logarithm, Average::family, Average::configuration})
        CHECK(close(make_averaged_bdeu(11, {3.0}, average)->local(example.family()),
                    make_bdeu(11, 3.0)->local(example.family())));
}

TEST(node_averages_leave_out_what_is_missing) {
    const Example example;
    const auto whole = make_node_average(11, 0.0, {3, 2, 2}, {-1, -1, -1});
    CHECK(close(whole->local(example.family()), make_penalised_likelihood(11, 0.0)->local(example.family())));
    // With the last states as gaps, the configuration (1, 1) lacks its parents, and state 2 the child: 4 cases of state 0
    // are left, of two states, given parents of one state each.
    const auto gappy = make_node_average(11, 0.25, {3, 2, 2}, {2, 1, 1});
    CHECK(close(gappy->local(example.family()), 11 * (0.0 - 0.25)));
    CHECK(close(gappy->superset_bound(example.family()), -11 * 0.25));
}

TEST(bde_with_a_uniform_prior_is_bdeu) {
    const Example example;  // child of 3 states, two binary parents
    const std::vector<double> uniform(12, 1.0 / 12);
    const double bdeu = make_bdeu(11, 2.0)->local(example.family());
    const auto dense = make_bde(11, 2.0, {uniform, {1.0}, {3, 2, 2}}, Mixture::mean_of_logarithms);
    CHECK(dense->needs_configurations());
    CHECK(close(dense->local(example.family()), bdeu));
    const auto asked =
        make_bde_of_function(11, 2.0, [&](std::int32_t, std::span<const std::int32_t>) { return uniform; });
    CHECK(close(asked->local(example.family()), bdeu));
}

TEST(bde_averages_over_priors_by_weight) {
    const Example example;
    std::vector<double> first(12, 1.0 / 12);
    std::vector<double> second(12);
    for (std::size_t cell = 0; cell < 12; ++cell) second[cell] = static_cast<double>(cell + 1) / 78;
    const auto alone = [&](const std::vector<double>& joint) {
        return make_bde(11, 2.0, {joint, {1.0}, {3, 2, 2}}, Mixture::logarithm_of_mean)
            ->local(example.family());
    };
    const double a = alone(first);
    const double b = alone(second);
    std::vector<double> both = first;
    both.insert(both.end(), second.begin(), second.end());
    const JointDistributions priors{both, {0.25, 0.75}, {3, 2, 2}};
    CHECK(close(make_bde(11, 2.0, priors, Mixture::mean_of_logarithms)->local(example.family()),
                0.25 * a + 0.75 * b));
    CHECK(close(make_bde(11, 2.0, priors, Mixture::logarithm_of_mean)->local(example.family()),
                std::log(0.25 * std::exp(a) + 0.75 * std::exp(b))));
}

TEST(the_local_form_with_no_hypothetical_parents_is_one_prior) {
    // Two binary variables, rows 00 twice, 01 once, 11 three times; the child is variable 0, its parent 1.
    const OwnedData data{{0, 0, 1, 0, 1, 1}, {2, 1, 3}, {2, 2}};
    const std::array<std::int32_t, 1> parents{1};
    const std::array<std::int64_t, 4> counts{2, 0, 1, 3};
    const Family family{0, parents, counts, 2, 2.0, 6, {}};
    const double value = make_local_hypotheses(1.5, data, 0, Mixture::mean_of_logarithms)->local(family);
    // p(child) = (3.5, 3.5)/7, p(parent) = (2.5, 4.5)/7, independent.
    const auto g = [](double a, double n) { return std::lgamma(a + n) - std::lgamma(a); };
    const double first = 1.5 * 2.5 / 7;
    const double second = 1.5 * 4.5 / 7;
    CHECK(close(value, g(first / 2, 2) - g(first, 2) + g(second / 2, 1) + g(second / 2, 3) - g(second, 4)));
}
