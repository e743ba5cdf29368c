#include "local/climb.hpp"

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

TEST(climbing_finds_the_chain_and_tabu_is_no_worse) {
    const auto sample = make_sample(2000, {3, 3, 3, 3, 3}, 5, 0);
    const StateBlocks blocks(sample.columns());
    const SetBic bic(2000);
    CellTermTables tables(bic, 2000);
    const ArcRules rules(5, 5);
    NeighbourScores all(blocks, {}, bic, &tables, rules, 1 << 20);
    FamilyScores scores(all);
    SilentMonitor monitor;
    Ticker ticker(monitor, 1e9);
    ClimbOptions options;
    options.starts = {required_start(rules)};
    const auto greedy = climb(scores, options, ticker);
    CHECK(greedy.parents[4] == (Parents{3}) || greedy.parents[3] == (Parents{4}) ||
          greedy.parents[3] == (Parents{2, 4}));
    double recomputed = 0;
    for (std::size_t v = 0; v < 5; ++v)
        recomputed += brute_force(sample, bic, static_cast<std::int32_t>(v), greedy.parents[v]);
    CHECK(std::abs(recomputed - greedy.score) < 1e-6);
    CHECK(greedy.history.size() == greedy.iterations + 1);
    options.tabu = options.patience = 10;
    const auto tabu = climb(scores, options, ticker);
    CHECK(tabu.score >= greedy.score);
    CHECK(tabu.iterations >= greedy.iterations + 10);
}

TEST(refinement_is_no_worse_and_says_its_score) {
    for (const std::size_t n : {6, 70}) {
        const auto sample = make_sample(400, std::vector<std::int32_t>(n, 3), n, 1);
        const StateBlocks blocks(sample.columns());
        const SetBic bic(static_cast<double>(sample.columns().cases()));
        CellTermTables tables(bic, sample.columns().cases());
        const ArcRules rules(n, 3);
        NeighbourScores all(blocks, sample.weights, bic, &tables, rules, 1 << 20);
        FamilyScores scores(all);
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        ClimbOptions options;
        options.starts = {required_start(rules)};
        const auto plain = climb(scores, options, ticker);
        options.refinement.rounds = 3;
        options.refinement.effort = 3;
        const auto refined = climb(scores, options, ticker);
        CHECK(refined.score >= plain.score);
        ChangingDag dag(n);
        double recomputed = 0.0;
        for (std::size_t v = 0; v < n; ++v) {
            CHECK(refined.parents[v].size() <= 3);
            for (const auto parent : refined.parents[v]) {
                CHECK(dag.can_add(static_cast<std::size_t>(parent), v));
                dag.add(static_cast<std::size_t>(parent), v);
            }
            recomputed += brute_force(sample, bic, static_cast<std::int32_t>(v), refined.parents[v]);
        }
        CHECK(std::abs(recomputed - refined.score) < 1e-6);
    }
}
