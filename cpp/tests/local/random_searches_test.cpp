// The searches that draw: what they return obeys the rules, has the score that they say, and ends as they
// say.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "local/climb.hpp"
#include "local/first_ascent.hpp"
#include "local/genetic.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

constexpr std::size_t nodes = 5;

struct Problem {
    Sample sample = make_sample(300, {3, 2, 3, 2, 3}, 9, 0);
    StateBlocks blocks{sample.columns()};
    SetBic bic{300};
    CellTermTables tables{bic, 300};
    ArcRules rules;
    NeighbourScores all;
    FamilyScores scores;
    SilentMonitor monitor;
    Ticker ticker{monitor, 1e9};

    explicit Problem(ArcRules given)
        : rules(std::move(given)), all(blocks, {}, bic, &tables, rules, 1 << 20), scores(all) {}

    void check(const SearchOutcome& outcome, Status status) const {
        CHECK(outcome.status == status);
        ChangingDag dag(nodes);
        CHECK(dag.assign(outcome.parents));
        double recomputed = 0;
        for (std::size_t v = 0; v < nodes; ++v) {
            CHECK(outcome.parents[v].size() <= rules.limit(v));
            for (std::size_t u = 0; u < nodes; ++u) {
                if (rules.required(u, v)) CHECK(dag.has_arc(u, v));
                if (dag.has_arc(u, v)) CHECK(rules.allowed(u, v));
            }
            recomputed += brute_force(sample, bic, static_cast<std::int32_t>(v), outcome.parents[v]);
        }
        CHECK(std::abs(recomputed - outcome.score) < 1e-6);
    }
};

// 4 -> 0 and 4 -> 1 are required, 0 -> 1 and 1 -> 0 forbidden.
ArcRules some_rules() {
    const std::vector<Word> required{16, 16, 0, 0, 0}, forbidden{2, 1, 0, 0, 0};
    return ArcRules(nodes, required, forbidden, std::vector<std::int32_t>(nodes, 2));
}

}  // namespace

TEST(climbs_begin_again_in_three_ways) {
    for (const std::int64_t perturbations : {-1, 0, 2}) {
        Problem problem(some_rules());
        ClimbOptions options;
        options.starts = {required_start(problem.rules)};
        options.restarts = 4;
        options.perturbations = perturbations;
        options.density = 0.4;
        const auto outcome = climb(problem.scores, options, problem.ticker);
        problem.check(outcome, Status::complete);
        CHECK(outcome.restarts.size() == 4);
        // Where each begins: at the same network, at one drawn at random, or some moves from the best so far.
        std::size_t elsewhere = 0;
        for (const auto at : outcome.restarts) {
            const double begun = outcome.history[static_cast<std::size_t>(at)];
            const double best = *std::max_element(outcome.history.begin(), outcome.history.begin() + at);
            if (perturbations == 0) CHECK(begun == outcome.history.front());
            if (perturbations > 0) CHECK(begun <= best + 1e-9);
            if (perturbations != 0)
                elsewhere += std::abs(begun - (perturbations > 0 ? best : outcome.history.front())) > 1e-6;
        }
        CHECK(elsewhere >= (perturbations == 0 ? 0U : 3U));
    }
}

TEST(climbs_begin_again_where_nothing_can_be_changed) {
    const std::vector<Word> nothing(nodes, 0);
    Problem fixed(ArcRules(nodes, nothing, nothing, std::vector<std::int32_t>(nodes, 0)));
    ClimbOptions options;
    options.starts = {required_start(fixed.rules)};
    options.restarts = 2;
    const auto outcome = climb(fixed.scores, options, fixed.ticker);
    fixed.check(outcome, Status::complete);
    CHECK(outcome.history.size() == 3);
}

TEST(a_first_ascent_ends_by_its_limit) {
    for (const std::uint64_t most : {0, 1}) {
        Problem problem(some_rules());
        FirstAscentOptions options;
        options.start = required_start(problem.rules);
        options.max_iterations = most;
        const auto outcome = first_ascent(problem.scores, options, problem.ticker);
        problem.check(outcome, most == 0 ? Status::complete : Status::count_limit);
        if (most != 0) CHECK(outcome.iterations == most);
    }
}

TEST(genetic_search_ends_by_patience_and_by_its_limit) {
    for (const std::uint64_t most : {0, 1}) {
        Problem problem(some_rules());
        GeneticOptions options;
        options.density = 0.3;
        options.max_rounds = most;
        const auto outcome = evolve(problem.scores, options, problem.ticker);
        problem.check(outcome, most == 0 ? Status::complete : Status::count_limit);
        CHECK(std::ranges::is_sorted(outcome.history));
        CHECK(outcome.history.size() == outcome.iterations + 1);
    }
}
