#include "local/neighbour_scores.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "counts/contingency.hpp"
#include "local/climb.hpp"

using namespace arcwise;

namespace {

// BIC twice: as a set function, and family by family, so that both ways through the counts are taken.
class SetBic final : public LocalScore, public SetScore {
  public:
    explicit SetBic(double cases) : weight_(std::log(cases) / 2) {}
    double local(const Family& family) const override {
        double total = 0.0;
        for (std::size_t j = 0; j < family.counts.size(); j += family.arity) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < family.arity; ++k) {
                total += cell_term(family.counts[j + k], 1);
                sum += family.counts[j + k];
            }
            total -= cell_term(sum, 1);
        }
        return total - weight_ * family.parent_cells * static_cast<double>(family.arity - 1);
    }
    const SetScore* set_score() const override { return this; }
    double cell_term(std::int64_t n, double) const override {
        return n == 0 ? 0.0 : static_cast<double>(n) * std::log(static_cast<double>(n));
    }
    double constant(double cells) const override { return -weight_ * cells; }
    bool terms_are_universal() const override { return true; }
    std::span<const double> terms(double) const override { return {}; }

  private:
    double weight_;
};

class FamilyBic final : public LocalScore {
  public:
    explicit FamilyBic(double cases) : bic_(cases) {}
    double local(const Family& family) const override {
        // The index of a configuration must be below q and differ from the others.
        for (std::size_t j = 0; j < family.observed(); ++j) {
            CHECK(static_cast<double>(family.configurations[j]) < family.parent_cells);
            for (std::size_t i = 0; i < j; ++i) CHECK(family.configurations[i] != family.configurations[j]);
        }
        return bic_.local(family);
    }
    bool needs_configurations() const override { return true; }

  private:
    SetBic bic_;
};

struct Sample {
    std::size_t rows;
    std::vector<std::int32_t> arities;
    std::vector<std::uint8_t> codes;
    std::vector<std::int64_t> weights;
    Columns<std::uint8_t> columns() const {
        return {codes.data(), arities.size(), rows, arities.data(),
                weights.empty() ? nullptr : weights.data()};
    }
};

// Dependent columns: each copies its left neighbour half of the time.
Sample make_sample(std::size_t rows, std::vector<std::int32_t> arities, std::uint64_t seed, int weighting) {
    Sample sample{rows, std::move(arities), {}, {}};
    Xoshiro random(seed);
    for (std::size_t v = 0; v < sample.arities.size(); ++v) {
        const auto arity = static_cast<std::size_t>(sample.arities[v]);
        for (std::size_t row = 0; row < rows; ++row) {
            std::size_t code = random.below(arity);
            if (v > 0 && random.uniform() < 0.5) code = sample.codes[(v - 1) * rows + row] % arity;
            sample.codes.push_back(static_cast<std::uint8_t>(code));
        }
    }
    const std::size_t largest[] = {0, 4, 3000};
    if (weighting > 0)
        for (std::size_t row = 0; row < rows; ++row)
            sample.weights.push_back(static_cast<std::int64_t>(random.below(largest[weighting])));
    return sample;
}

double brute_force(const Sample& sample, const LocalScore& score, std::int32_t child,
                   const Parents& parents) {
    std::size_t cells = 1;
    Parents members = parents;
    members.push_back(child);
    for (const auto v : members)
        cells *= static_cast<std::size_t>(sample.arities[static_cast<std::size_t>(v)]);
    const auto all = count_cells(sample.columns(), members, cells);
    const auto arity = static_cast<std::size_t>(sample.arities[static_cast<std::size_t>(child)]);
    std::vector<std::int64_t> counts;
    std::vector<std::uint64_t> indices;
    for (std::size_t j = 0; j < cells / arity; ++j) {
        std::int64_t total = 0;
        for (std::size_t k = 0; k < arity; ++k) total += all[j * arity + k];
        if (total == 0) continue;
        counts.insert(counts.end(), all.begin() + static_cast<std::ptrdiff_t>(j * arity),
                      all.begin() + static_cast<std::ptrdiff_t>((j + 1) * arity));
        indices.push_back(j);
    }
    return score.local({child, parents, counts, arity, static_cast<double>(cells / arity),
                        sample.columns().cases(), indices});
}

void check_rows(const Sample& sample, const std::vector<Parents>& parent_sets) {
    const StateBlocks blocks(sample.columns());
    const auto cases = static_cast<double>(sample.columns().cases());
    const SetBic set_bic(cases);
    const FamilyBic family_bic(cases);
    const ArcRules rules(sample.arities.size(), 100);
    CellTermTables tables(set_bic, sample.columns().cases());
    NeighbourScores fast(blocks, sample.weights, set_bic, &tables, rules, 1 << 20);
    NeighbourScores general(blocks, sample.weights, family_bic, nullptr, rules, 1 << 20);
    for (std::size_t child = 0; child < sample.arities.size(); ++child) {
        for (const auto& parents : parent_sets) {
            if (std::ranges::find(parents, static_cast<std::int32_t>(child)) != parents.end()) continue;
            const auto c = static_cast<std::int32_t>(child);
            const auto one = fast.row(child, parents);
            const auto two = general.row(child, parents);
            const double own = brute_force(sample, set_bic, c, parents);
            CHECK(std::abs(one->own - own) < 1e-7);
            CHECK(std::abs(two->own - own) < 1e-7);
            CHECK(std::abs(fast.local(child, parents) - own) < 1e-7);
            for (std::size_t x = 0; x < sample.arities.size(); ++x) {
                const auto other = static_cast<std::int32_t>(x);
                if (x == child) {
                    CHECK(std::isnan(one->toggled[x]));
                    continue;
                }
                Parents toggled = parents;
                if (std::erase(toggled, other) == 0) {
                    toggled.push_back(other);
                    std::ranges::sort(toggled);
                }
                const double expected = brute_force(sample, set_bic, c, toggled);
                CHECK(std::abs(one->toggled[x] - expected) < 1e-7);
                CHECK(std::abs(two->toggled[x] - expected) < 1e-7);
            }
        }
    }
}

}  // namespace

TEST(neighbour_rows_equal_brute_force) {
    for (int weighting = 0; weighting < 3; ++weighting) {
        check_rows(make_sample(700, {2, 3, 2, 4, 5, 2}, 1, weighting), {{}, {1}, {0, 3}, {1, 2, 4}});
        check_rows(make_sample(300, {2, 70, 3, 200, 65, 66}, 2, weighting), {{}, {1}, {0, 2}});
    }
}

TEST(neighbour_rows_equal_brute_force_with_more_than_one_block) {
    std::vector<std::int32_t> arities(90, 2);
    arities[40] = 30;
    check_rows(make_sample(200, arities, 3, 1), {{}, {7, 40}});
}

TEST(climbing_finds_the_chain_and_tabu_is_no_worse) {
    const auto sample = make_sample(2000, {3, 3, 3, 3, 3}, 5, 0);
    const StateBlocks blocks(sample.columns());
    const SetBic bic(2000);
    CellTermTables tables(bic, 2000);
    const ArcRules rules(5, 5);
    NeighbourScores scores(blocks, {}, bic, &tables, rules, 1 << 20);
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
        NeighbourScores scores(blocks, sample.weights, bic, &tables, rules, 1 << 20);
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        ClimbOptions options;
        options.starts = {required_start(rules)};
        const auto plain = climb(scores, options, ticker);
        options.refine = 3;
        options.effort = 3;
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

TEST(the_changing_dag_knows_its_cycles) {
    ChangingDag dag(130);
    for (std::size_t v = 0; v + 1 < 130; ++v) dag.add(v, v + 1);
    CHECK(dag.is_ancestor(0, 129));
    CHECK(!dag.can_add(129, 0));
    dag.add(0, 5);
    CHECK(!dag.can_reverse(0, 5));
    dag.remove(2, 3);
    CHECK(dag.can_reverse(0, 5));
    CHECK(!dag.is_ancestor(1, 4) && dag.is_ancestor(0, 129) && !dag.is_ancestor(2, 129));
    dag.reverse(0, 5);
    CHECK(dag.has_arc(5, 0) && dag.is_ancestor(4, 2));
    ChangingDag same(130);
    CHECK(same.assign(dag.all_parents()));
    CHECK(same.hash() == dag.hash() && same.arcs() == dag.arcs());
    for (std::size_t a = 0; a < 130; ++a)
        for (std::size_t b = 0; b < 130; ++b) CHECK(same.is_ancestor(a, b) == dag.is_ancestor(a, b));
    std::vector<Parents> cycle(130);
    cycle[0] = {1};
    cycle[1] = {0};
    CHECK(!same.assign(cycle));
}
