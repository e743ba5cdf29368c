#include "scores/gaussian_blocks.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

namespace {

// Six variables of one or two columns, each the sum of one before it and noise; the last copies the first.
GaussianBlocks chain(std::uint64_t seed, std::size_t rows) {
    Xoshiro random(seed);
    GaussianBlocks blocks;
    blocks.widths = {1, 2, 1, 1, 0, 1};
    constexpr std::size_t columns = 6;
    blocks.rows.resize(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const double noise = random.uniform() + random.uniform() - 1.0;
            const double before = c == 0 ? 0.0 : blocks.rows[r * columns + c - 1];
            blocks.rows[r * columns + c] = c == columns - 1 ? blocks.rows[r * columns] : 0.7 * before + noise;
        }
    blocks.log_scales.assign(columns, 0.0);
    return blocks;
}

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-7 * (1.0 + std::abs(a));
}

}  // namespace

TEST(gaussian_families_do_not_depend_on_what_was_asked_before) {
    const auto score = make_gaussian(chain(1, 200), {});
    const auto asked = score->data_score()->evaluator();
    Xoshiro random(2);
    for (int k = 0; k < 300; ++k) {
        const std::size_t child = random.below(6);
        std::vector<std::int32_t> parents;
        for (std::int32_t v = 0; v < 6; ++v)
            if (static_cast<std::size_t>(v) != child && random.below(2) == 1) parents.push_back(v);
        const double value = asked->local(child, parents);
        CHECK(value == score->data_score()->evaluator()->local(child, parents));
        CHECK(std::isfinite(value));
    }
}

TEST(gaussian_scores_are_differences_of_a_function_of_sets) {
    for (const auto law : {GaussianLaw::degenerate, GaussianLaw::residual, GaussianLaw::marginal}) {
        GaussianTerms terms;
        terms.law = law;
        terms.ridge = 1e-6;
        auto blocks = chain(3, 200);
        if (law == GaussianLaw::residual) blocks.widths = {1, 1, 1, 1, 1, 1};
        const auto score = make_gaussian(std::move(blocks), terms);
        const auto local = score->data_score()->evaluator();
        const std::vector<std::int32_t> none;
        // x0 -> x1, both -> x3, in both orders of the first two.
        const double one = local->local(0, none) + local->local(1, std::vector<std::int32_t>{0});
        const double other = local->local(1, none) + local->local(0, std::vector<std::int32_t>{1});
        CHECK(close(one, other));
    }
}

TEST(gaussian_bounds_hold_for_more_parents) {
    const auto score = make_gaussian(chain(4, 60), {GaussianLaw::degenerate, 1.0, 1e-8, 1.0, 2.0});
    const auto local = score->data_score()->evaluator();
    for (std::size_t child = 0; child < 6; ++child)
        for (unsigned mask = 0; mask < 64; ++mask)
            for (unsigned more = mask + 1; more < 64; ++more) {
                if ((mask & more) != mask || ((more >> child) & 1U) != 0) continue;
                if (((more >> 4) & 1U) != 0) continue;  // it has no column: as a parent it costs nothing
                std::vector<std::int32_t> few, many;
                for (std::int32_t v = 0; v < 6; ++v) {
                    if (((mask >> v) & 1U) != 0) few.push_back(v);
                    if (((more >> v) & 1U) != 0) many.push_back(v);
                }
                CHECK(local->local(child, many) <= local->superset_bound(child, few) + 1e-6);
            }
}

TEST(gaussian_weights_count_rows) {
    auto blocks = chain(5, 50);
    std::vector<std::int64_t> weights(50);
    auto repeated = blocks;
    repeated.rows.clear();
    for (std::size_t r = 0; r < 50; ++r) {
        weights[r] = static_cast<std::int64_t>(r % 3);
        for (std::int64_t k = 0; k < weights[r]; ++k)
            for (std::size_t c = 0; c < 6; ++c) repeated.rows.push_back(blocks.rows[r * 6 + c]);
    }
    const auto plain = make_gaussian(std::move(blocks), {});
    const auto weighted = plain->data_score()->weighted(weights);
    const auto expanded = make_gaussian(std::move(repeated), {});
    const std::vector<std::int32_t> parents{0, 2};
    CHECK(close(weighted->evaluator()->local(1, parents),
                expanded->data_score()->evaluator()->local(1, parents)));
}
