#include "local/replicate_counts.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "local/family_counter.hpp"
#include "local/local_learner.hpp"
#include "local/sample.hpp"

using namespace local_support;

namespace {

using Weights = std::vector<std::vector<std::int64_t>>;

// Rows that do not occur, light rows, and some that count more than a byte or two hold.
Weights draw_weights(std::size_t rows, std::size_t replicates, std::uint64_t seed) {
    Xoshiro random(seed);
    Weights weights(replicates, std::vector<std::int64_t>(rows));
    for (auto& one : weights)
        for (auto& weight : one) {
            const std::size_t kind = random.below(50);
            weight = static_cast<std::int64_t>(random.below(kind == 0 ? 70'000 : kind == 1 ? 600 : 5));
        }
    return weights;
}

std::vector<std::span<const std::int64_t>> spans_of(const Weights& weights) {
    return {weights.begin(), weights.end()};
}

// All replicates of bootstraps have the same number of cases.
void level(Weights& weights) {
    std::int64_t most = 0;
    const auto sum = [](const auto& one) {
        std::int64_t total = 0;
        for (const auto weight : one) total += weight;
        return total;
    };
    for (const auto& one : weights) most = std::max(most, sum(one));
    for (auto& one : weights) one[0] += most - sum(one);
}

// With a penalty, additions that cannot gain are bounded by what each variable is known to tell.
class PenalizedBic final : public LocalScore {
  public:
    explicit PenalizedBic(double cases) : bic_(cases), weight_(std::log(cases) / 2) {}
    double local(const Family& family) const override { return bic_.local(family); }
    double penalty_weight() const override { return weight_; }

  private:
    SetBic bic_;
    double weight_;
};

// Walks through families in any order: from known sets and from none, with any memory.
void check_counts(const Sample& sample, std::size_t replicates, std::uint64_t seed, std::size_t memory) {
    const StateBlocks blocks(sample.columns());
    CHECK(RareColumns::fits(sample.arities, sample.rows));
    const RareColumns rare(blocks);
    const auto weights = draw_weights(sample.rows, replicates, seed);
    ReplicateCounts together(blocks, rare, spans_of(weights), memory);
    std::size_t visited = 0;
    together.for_weights(
        [&](std::span<const std::int64_t> own) { CHECK(std::ranges::equal(own, weights[visited++])); });
    CHECK(visited == replicates);
    Xoshiro random(seed + 1);
    const std::size_t n = sample.arities.size();
    for (int step = 0; step < 40; ++step) {
        const std::size_t child = random.below(n);
        Parents parents;
        for (std::size_t x = 0; x < n; ++x)
            if (x != child && random.below(3) == 0) parents = with(parents, x);
        if (!together.count(child, parents)) continue;
        for (std::size_t k = 0; k < replicates; ++k) {
            const RowWeights own(sample.rows, weights[k]);
            FamilyCounter alone(blocks, own, 0);
            alone.look_at(child, parents, blocks);
            const auto found = together.of(k);
            CHECK(found->segments.states == alone.segments().states);
            CHECK(found->segments.totals == alone.segments().totals);
            CHECK(found->segments.config_ends == alone.segments().config_ends);
            CHECK(found->segments.codes == alone.segments().codes);
            CHECK(alone.counts_whole());
            const std::size_t cells = alone.segments().count() * StateBlocks::width;
            for (std::size_t block = 0; block < blocks.blocks(); ++block) {
                const auto* counts = alone.counts(block);
                for (std::size_t i = 0; i < cells; ++i) {
                    // What the child and its parents are is not asked for, but it is there.
                    CHECK(found->of(block)[i] == counts[i]);
                }
            }
        }
    }
}

// The counts may come from other searches, or from none.
void check_searches(const LocalScore& score, const Sample& sample, const Weights& weights, bool required,
                    ReplicateCounts& counts) {
    const StateBlocks& blocks = counts.data();
    const std::size_t n = sample.arities.size();
    std::vector<Word> needed(n, 0), forbidden(n, 0);
    if (required) needed[0] = Word{2};  // 1 -> 0: searches do not begin at the empty network
    const std::vector<std::int32_t> limits(n, 3);
    const ArcRules rules(n, needed, forbidden, limits);
    LocalLearner learner(blocks, {{&score}, std::vector<std::int32_t>(n, 0), {}}, rules,
                         std::size_t{1} << 24);
    ClimbOptions options;
    options.starts = {required_start(learner.rules())};
    options.tabu = options.patience = 6;
    options.random_ties = true;
    options.refinement.rounds = 2;
    options.refinement.effort = 1;
    options.refinement.narrow = 400;
    SilentMonitor monitor;
    Ticker ticker(monitor, 1e9);
    std::vector<SearchOutcome> together;
    learner.with_replicates(counts, ticker, [&](std::size_t k, FamilyScores& scores) {
        options.seed = k;
        together.push_back(climb(scores, options, ticker));
        return true;
    });
    for (std::size_t k = 0; k < weights.size(); ++k) {
        options.seed = k;
        const auto alone = learner.with_scores(
            weights[k], [&](FamilyScores& scores) { return climb(scores, options, ticker); });
        CHECK(alone.parents == together[k].parents);
        CHECK(alone.score == together[k].score);
        CHECK(alone.history == together[k].history);
        CHECK(alone.operations == together[k].operations);
        CHECK(alone.families == together[k].families);
    }
}

}  // namespace

TEST(replicates_are_counted_together_as_each_is_alone) {
    check_counts(make_sample(700, {2, 3, 2, 4, 5, 2}, 1, 0), 5, 3, std::size_t{1} << 26);
    check_counts(make_sample(700, {2, 3, 2, 4, 5, 2}, 2, 0), ReplicateCounts::lanes, 4, std::size_t{1} << 21);
    check_counts(make_sample(300, {40, 30, 2, 20, 3}, 3, 0), 3, 5, std::size_t{1} << 26);  // two blocks
    check_counts(make_sample(50, {2, 2, 2}, 4, 0), 1, 6, 0);
}

TEST(sums_of_sixteen_bits_are_emptied_in_time) {
    auto sample = make_sample(3000, {2, 2, 3}, 5, 0);
    const StateBlocks blocks(sample.columns());
    const RareColumns rare(blocks);
    const Weights weights(2, std::vector<std::int64_t>(3000, 255));  // 3000 x 255 is more than 16 bits hold
    ReplicateCounts together(blocks, rare, spans_of(weights), 0);
    CHECK(together.count(0, {}));
    std::int64_t total = 0;
    const auto found = together.of(1);
    for (const auto one : found->segments.totals) total += one;
    CHECK(total == 3000 * 255);
}

TEST(searches_that_are_counted_together_end_as_each_does_alone) {
    for (const bool required : {false, true}) {
        const auto sample = make_sample(400, {2, 3, 2, 3, 2, 4, 2}, 6, 0);
        auto weights = draw_weights(400, 7, 8);
        level(weights);
        std::int64_t cases = 0;
        for (const auto weight : weights[0]) cases += weight;
        const SetBic set_bic(static_cast<double>(cases));
        const FamilyBic family_bic(static_cast<double>(cases));
        const StateBlocks blocks(sample.columns());
        const RareColumns rare(blocks);
        ReplicateCounts counts(blocks, rare, spans_of(weights));
        const std::size_t drawn = counts.bytes();
        check_searches(set_bic, sample, weights, required, counts);
        const std::size_t counted = counts.bytes();
        CHECK(counted > drawn);
        check_searches(family_bic, sample, weights, required, counts);
        counts.forget();
        CHECK(counts.bytes() < counted);
        check_searches(PenalizedBic(static_cast<double>(cases)), sample, weights, required, counts);
        check_searches(set_bic, sample, weights, required, counts);
    }
}

TEST(packed_sums_are_what_they_were) {
    Xoshiro random(3);
    std::vector<std::uint32_t> sums;
    for (const std::size_t most : {1U, 256U, 1U, 257U, 65'536U, 65'537U, 1U << 31, 2U, 1U})
        for (const std::size_t one :
             {random.below(most), random.below(most), most - 1})  // the total is the last
            sums.push_back(static_cast<std::uint32_t>(one));
    const PackedSums packed(sums, 3, 1);
    CHECK(packed.unpacked() == sums);
    const std::vector<std::uint32_t> none(3000, 0);
    CHECK(PackedSums(none, 3, 1).unpacked() == none);
    CHECK(PackedSums(none, 3, 1).bytes() < 3000);
}

TEST(wide_variables_are_not_counted_together) {
    const auto sample = make_sample(300, {2, 90, 3}, 7, 0);
    CHECK(!RareColumns::fits(sample.arities, sample.rows));
}
