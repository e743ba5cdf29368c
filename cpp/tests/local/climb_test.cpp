#include "local/climb.hpp"

#include <algorithm>
#include <cmath>

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

namespace {

// A weighted sample of variables with as many states each, scored by BIC with at most three parents.
struct SampleScores {
    SampleScores(std::size_t rows, std::size_t n, std::int32_t arity)
        : sample(make_sample(rows, std::vector<std::int32_t>(n, arity), 3, 1)), rules(n, 3) {}

    decltype(make_sample(0, {}, 0, 0)) sample;
    StateBlocks blocks{sample.columns()};
    SetBic bic{static_cast<double>(sample.columns().cases())};
    CellTermTables tables{bic, sample.columns().cases()};
    ArcRules rules;
    NeighbourScores scores{blocks, sample.weights, bic, &tables, rules, 1 << 20};
};

}  // namespace

// Every move by itself, of a walk that adds, removes, reverses and jumps: no bound is below a legal gain.
TEST(bounds_of_gains_hold_after_every_change) {
    const std::size_t n = 9;
    SampleScores given(300, n, 2);
    const auto& rules = given.rules;
    FamilyScores scores(given.scores);
    Walk walk(scores, required_start(rules));
    Xoshiro random(7);
    for (int step = 0; step < 1500; ++step) {
        const Move move{static_cast<MoveKind>(random.below(3)), random.below(n), random.below(n)};
        if (step % 50 == 49) {
            CHECK(walk.assign(random_start(rules, 0.3, random)));
        } else if (move.from != move.to && walk.is_legal(move)) {
            walk.apply(move);
        }
        for (std::size_t to = 0; to < n; ++to) {
            double most = 0.0;
            for (std::size_t from = 0; from < n; ++from)
                for (const auto kind : {MoveKind::add, MoveKind::remove, MoveKind::reverse}) {
                    const Move other{kind, from, to};
                    if (from != to && walk.is_legal(other)) most = std::max(most, walk.gain_bound(other));
                }
            // Below the bar it may be an old bound, but it is one; otherwise it is the largest gain.
            const double bar = 1e-6 + 40.0 * random.uniform();
            const double told = walk.most_gain(to, bar);
            if (told < bar)
                CHECK(most < bar);
            else
                CHECK(told == most);
        }
    }
}

TEST(narrow_rows_are_parts_of_wide_ones) {
    const std::size_t n = 12;
    SampleScores given(500, n, 3);
    auto& all = given.scores;
    const Parents one{0};
    const Parents two{0, 1};
    std::vector<NeighbourScores::Row> wide;
    for (std::size_t child = 2; child < n; ++child) {
        all.row(child, {});
        wide.push_back(all.row(child, one));
        all.row(child, two);
    }
    for (const std::size_t most : {std::size_t{0}, std::size_t{2}, n}) {
        const auto before = all.families_scored();
        std::vector<Parents> lists(n);
        all.gains().choose(most, lists);
        for (auto& list : lists) {
            std::ranges::sort(list);
            const auto rest = std::ranges::unique(list);
            list.erase(rest.begin(), rest.end());
        }
        all.narrow(lists);
        for (std::size_t child = 2; child < n; ++child) {
            const auto row = all.row(child, one);
            CHECK(row->members != nullptr && row->toggled.size() == row->members->size());
            CHECK(std::ranges::binary_search(*row->members, 0) &&
                  std::ranges::binary_search(*row->members, 1));
            CHECK(row->own == wide[child - 2]->own);
            for (std::size_t x = 0; x < n; ++x) {
                const double value = row->at(x);
                if (!std::isnan(value)) CHECK(value == wide[child - 2]->at(x));
            }
        }
        CHECK(all.families_scored() - before < (n - 2) * n);
        all.widen();
        CHECK(all.row(2, one) == wide[0]);
    }
    CHECK(all.families_meant() > all.families_scored());
}
