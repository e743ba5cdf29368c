#include "scores/family_prior.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "parent_sets/child_prior.hpp"
#include "scores/likelihood.hpp"
#include "scores/local_score.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

namespace {

constexpr std::size_t nodes = 6;

double uniform(Xoshiro& random) {
    return static_cast<double>(random.below(2'000'001)) / 1e6 - 1.0;
}

FamilyPrior random_prior(Xoshiro& random) {
    std::vector<double> weights(nodes * nodes);
    for (auto& weight : weights) weight = 3.0 * uniform(random);
    std::vector<double> sizes(nodes);
    for (auto& size : sizes) size = 2.0 * uniform(random);
    return {std::move(weights), std::move(sizes)};
}

std::vector<std::int32_t> members(std::size_t mask) {
    std::vector<std::int32_t> found;
    for (std::size_t v = 0; v < nodes; ++v)
        if (((mask >> v) & 1U) != 0) found.push_back(static_cast<std::int32_t>(v));
    return found;
}

// The largest prior of the supersets of `mask` within `room` of at most `limit` members.
double most_by_force(const FamilyPrior& prior, std::size_t child, std::size_t mask, std::size_t room,
                     std::size_t limit) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < (1U << nodes); ++other)
        if ((other & mask) == mask && (other & ~room) == 0 &&
            static_cast<std::size_t>(std::popcount(other)) <= limit)
            best = std::max(best, prior.of(child, members(other)));
    return best;
}

}  // namespace

TEST(the_most_of_a_prior_is_that_of_the_best_superset) {
    Xoshiro random(1);
    for (int trial = 0; trial < 20; ++trial) {
        const auto prior = random_prior(random);
        for (std::size_t child = 0; child < nodes; ++child) {
            const std::size_t room = ((1U << nodes) - 1) & ~(std::size_t{1} << child);
            for (std::size_t mask = 0; mask < (1U << nodes); ++mask) {
                if ((mask & ~room) != 0) continue;
                const double expected = most_by_force(prior, child, mask, room, nodes);
                CHECK(std::abs(prior.most(child, members(mask)) - expected) < 1e-12);
            }
        }
    }
}

TEST(the_quick_bound_of_a_prior_holds_for_all_supersets_that_are_allowed) {
    Xoshiro random(2);
    for (int trial = 0; trial < 200; ++trial) {
        const auto prior = random_prior(random);
        const std::size_t child = random.below(nodes);
        std::size_t always = 0, room = 0;
        std::vector<std::int32_t> required, allowed;
        for (std::size_t v = 0; v < nodes; ++v) {
            if (v == child) continue;
            const auto kind = random.below(4);
            if (kind == 0) continue;  // forbidden
            room |= std::size_t{1} << v;
            if (kind == 1) always |= std::size_t{1} << v;
            (kind == 1 ? required : allowed).push_back(static_cast<std::int32_t>(v));
        }
        const std::size_t limit = required.size() + random.below(nodes - required.size());
        std::vector<double> weights, sizes;
        for (std::size_t v = 0; v < nodes; ++v) {
            weights.push_back(prior.weight(v, child));
            sizes.push_back(prior.size(v));
        }
        const ChildPrior own(weights, sizes, required, allowed, limit);
        for (std::size_t mask = 0; mask < (1U << nodes); ++mask) {
            if ((mask & ~room) != 0 || (mask & always) != always) continue;
            if (static_cast<std::size_t>(std::popcount(mask)) > limit) continue;
            const auto sum = own.sum(members(mask & ~always));
            CHECK(std::abs(own.value(sum) - prior.of(child, members(mask))) < 1e-12);
            CHECK(own.most(sum) >= most_by_force(prior, child, mask, room, limit) - 1e-12);
            CHECK(own.most(sum) >= own.value(sum) - 1e-12);
        }
    }
}

TEST(a_prior_is_added_to_the_score_and_to_its_bound) {
    Xoshiro random(3);
    const auto prior = random_prior(random);
    const auto plain = make_penalised_likelihood(11, 1.2);
    const auto believed = make_believed(*plain, prior);
    const std::vector<std::int32_t> parents{1, 2};
    const std::vector<std::int64_t> counts{4, 0, 1, 2, 2, 2};
    const Family family{0, parents, counts, 3, 4.0, 11, {}};
    CHECK(believed->local(family) == plain->local(family) + prior.of(0, parents));
    CHECK(believed->superset_bound(family) == plain->superset_bound(family) + prior.most(0, parents));
    CHECK(believed->set_score() == plain->set_score());
    CHECK(believed->penalty_weight() == plain->penalty_weight());
}
