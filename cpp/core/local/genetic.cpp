#include "local/genetic.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "local/first_ascent.hpp"

namespace arcwise {

namespace {

struct Genome {
    Walk walk;
    double score;
};

// Nodes of `walk`, as many as drawn, get the parents they have in `mate`. False if every draw made a cycle.
bool cross(Walk& walk, const Walk& mate, std::uint64_t tries, Xoshiro& random) {
    std::vector<std::size_t> nodes(walk.dag().nodes());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    for (std::uint64_t i = 0; i < tries; ++i) {
        const std::size_t taken = 1 + random.below(nodes.size());
        random.shuffle(std::span(nodes));
        auto parents = walk.dag().all_parents();
        for (std::size_t j = 0; j < taken; ++j) parents[nodes[j]] = mate.dag().all_parents()[nodes[j]];
        if (walk.assign(parents)) return true;
    }
    return false;
}

}  // namespace

SearchOutcome evolve(FamilyScores& scores, const GeneticOptions& options, Ticker& ticker) {
    assert(options.population > options.dropped && options.population >= options.promoted);
    assert(options.promoted > 0 && options.unconnected <= options.population);
    SearchOutcome outcome;
    Xoshiro random(options.seed);
    ShuffledOperators operators(scores.variables());
    std::vector<Genome> population;
    scores.listen(&ticker);
    for (std::uint64_t i = 0; i < options.population; ++i) {
        Walk walk(scores, i < options.unconnected ? required_start(scores.rules())
                                                  : random_start(scores.rules(), options.density, random));
        const double score = walk.score();
        population.push_back({std::move(walk), score});
    }
    scores.listen(nullptr);
    const auto rank = [&] {
        std::ranges::stable_sort(population,
                                 [](const Genome& a, const Genome& b) { return a.score > b.score; });
    };
    rank();
    const double tolerance = score_tolerance(population.front().score);
    const auto note = [&] {
        const auto& best = population.front();
        const bool better = outcome.history.empty() || best.score > outcome.score + tolerance;
        if (better) {
            outcome.score = best.score;
            outcome.parents = best.walk.dag().all_parents();
        }
        outcome.history.push_back(outcome.score);
        return better;
    };
    note();
    for (std::uint64_t idle = 0; idle < options.patience;) {
        if (ticker.poll_now({outcome.iterations, 0, outcome.score})) break;
        if (options.max_rounds != 0 && outcome.iterations >= options.max_rounds) {
            ticker.stop(Status::count_limit);
            break;
        }
        const std::size_t survivors = population.size() - options.dropped;
        std::vector<Genome> next(population.begin(),
                                 population.begin() + static_cast<std::ptrdiff_t>(options.promoted));
        for (std::size_t i = 0; next.size() < options.population; ++i) {
            Genome offspring = population[i % survivors];
            const auto& mate = population[random.below(options.promoted)];
            cross(offspring.walk, mate.walk, options.mating_tries, random);
            next.push_back(std::move(offspring));
        }
        population = std::move(next);
        for (auto& genome : population) {
            if (options.mutate) ascend_once(genome.walk, operators, tolerance, random, outcome.operations);
            genome.score = genome.walk.score();
        }
        rank();
        ++outcome.iterations;
        idle = note() ? 0 : idle + 1;
    }
    outcome.families = scores.families_scored();
    outcome.status = ticker.reason();
    return outcome;
}

}  // namespace arcwise
