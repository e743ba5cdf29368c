#include "local/local_learner.hpp"

#include <cmath>

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

// The weights of the rows that tell of a group: as in `told`, times those of the sample.
Sample masked(const Sample& sample, std::span<const std::uint8_t> told) {
    Sample part = sample;
    part.weights.assign(sample.rows, 0);
    for (std::size_t row = 0; row < sample.rows; ++row)
        if (told[row] != 0) part.weights[row] = sample.weights.empty() ? 1 : sample.weights[row];
    return part;
}

}  // namespace

// Variables 1 and 3 were set in the second half of the rows, variable 4 in all of them.
TEST(every_child_is_scored_by_the_rows_that_tell_of_it) {
    for (int weighting = 0; weighting < 3; ++weighting) {
        const auto sample = make_sample(600, {3, 2, 3, 2, 3}, 7, weighting);
        const StateBlocks blocks(sample.columns());
        std::vector<std::uint8_t> told(3 * 600, 1);
        std::fill(told.begin() + 900, told.end(), std::uint8_t{0});
        const auto all = masked(sample, std::span(told).subspan(0, 600));
        const auto half = masked(sample, std::span(told).subspan(600, 600));
        const SetBic whole_bic(static_cast<double>(all.columns().cases()));
        const SetBic half_bic(static_cast<double>(half.columns().cases()));
        const ArcRules everything(5, 5);
        LocalLearner learner(blocks, {{&whole_bic, &half_bic, nullptr}, {0, 1, 0, 1, 2}, told},
                             everything.into([](std::size_t child) { return child != 4; }), 1 << 20);
        learner.with_scores(sample.weights, [&](FamilyScores& scores) {
            for (std::size_t child = 0; child < 4; ++child) {
                const bool is_half = child % 2 == 1;
                const auto& part = is_half ? half : all;
                const LocalScore& bic = is_half ? half_bic : whole_bic;
                for (const Parents& parents : {Parents{}, Parents{4}}) {
                    const auto row = scores.row(child, parents);
                    scores.settle_all(*row, child, parents);
                    const auto c = static_cast<std::int32_t>(child);
                    CHECK(std::abs(row->own - brute_force(part, bic, c, parents)) < 1e-7);
                    CHECK(std::abs(scores.local(child, parents) - row->own) < 1e-7);
                    for (std::int32_t x = 0; x < 4; ++x) {
                        if (x == c) continue;
                        const double expected =
                            brute_force(part, bic, c, with(parents, static_cast<std::size_t>(x)));
                        CHECK(std::abs(row->toggled[static_cast<std::size_t>(x)] - expected) < 1e-7);
                    }
                }
            }
            const auto silent = scores.row(4, Parents{});
            CHECK(silent->own == 0.0);
            CHECK(scores.local(4, Parents{}) == 0.0);
            for (const double value : silent->toggled) CHECK(std::isnan(value));
            SilentMonitor monitor;
            Ticker ticker(monitor, 1e9);
            ClimbOptions options;
            options.starts = {required_start(scores.rules())};
            options.tabu = options.patience = 5;
            const auto found = climb(scores, options, ticker);
            CHECK(found.parents[4].empty());
            double total = 0.0;
            for (std::size_t v = 0; v < 4; ++v)
                total += brute_force(v % 2 == 1 ? half : all, v % 2 == 1 ? half_bic : whole_bic,
                                     static_cast<std::int32_t>(v), found.parents[v]);
            CHECK(std::abs(total - found.score) < 1e-6);
            return found;
        });
    }
}

TEST(rules_into_some_children_keep_what_is_required) {
    const std::vector<Word> required{0, Word{1}, 0};
    const std::vector<Word> forbidden{0, 0, Word{2}};
    const std::vector<std::int32_t> limits{2, 2, 2};
    const auto rules =
        ArcRules(3, required, forbidden, limits).into([](std::size_t child) { return child == 2; });
    CHECK(rules.required(0, 1) && rules.allowed(0, 1) && !rules.allowed(2, 1));
    CHECK(!rules.allowed(1, 0) && rules.allowed(0, 2) && !rules.allowed(1, 2));
}
