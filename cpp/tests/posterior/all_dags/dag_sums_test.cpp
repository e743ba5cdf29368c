#include "posterior/all_dags/dag_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "check.hpp"
#include "posterior/all_dags/subset_steps.hpp"

namespace {

using namespace arcwise;

// A table with its own memory: all parent sets of every node, with scores from a function of (node, set).
struct OwnedTable {
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;

    OwnedTable(std::size_t n, const std::function<double(std::size_t, std::size_t)>& score) {
        for (std::size_t v = 0; v < n; ++v) {
            std::vector<std::pair<double, std::size_t>> rows;
            for (std::size_t set = 0; set < std::size_t{1} << n; ++set)
                if ((set >> v & 1) == 0) rows.emplace_back(-score(v, set), set);
            std::sort(rows.begin(), rows.end());
            for (const auto& [loss, set] : rows) {
                scores.push_back(-loss);
                for (std::size_t p = 0; p < n; ++p)
                    if (set >> p & 1) members.push_back(static_cast<std::int32_t>(p));
                set_offsets.push_back(static_cast<std::int64_t>(members.size()));
            }
            node_offsets.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }

    TableView view() const { return {node_offsets.size() - 1, node_offsets, scores, set_offsets, members}; }
};

OwnedTable random_table(std::size_t n, std::uint32_t seed, double scale) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, scale);
    return {n, [&](std::size_t, std::size_t) { return normal(random); }};
}

DagSums sums_of(const OwnedTable& table, DagSumOptions options = {}) {
    SilentMonitor monitor;
    Ticker ticker(monitor);
    return sum_all_dags(table.view(), options, ticker);
}

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// Scores of all DAGs with their arcs, by trying every choice of rows.
struct Listed {
    double log_total = 0;
    std::vector<double> arcs;
};
Listed list_all(const OwnedTable& table) {
    const auto view = table.view();
    const std::size_t n = view.variables;
    std::vector<std::size_t> masks(view.rows(), 0);
    for (std::size_t row = 0; row < view.rows(); ++row)
        for (const auto p : view.parents(row)) masks[row] |= std::size_t{1} << p;
    std::vector<double> scores;
    std::vector<std::vector<std::size_t>> dags;
    std::vector<std::size_t> chosen(n);
    const std::function<void(std::size_t, double)> choose = [&](std::size_t v, double score) {
        if (v == n) {
            std::size_t placed = 0;
            for (std::size_t round = 0; round < n; ++round)
                for (std::size_t u = 0; u < n; ++u)
                    if ((chosen[u] & ~placed) == 0) placed |= std::size_t{1} << u;
            if (placed != (std::size_t{1} << n) - 1) return;
            scores.push_back(score);
            dags.push_back(chosen);
            return;
        }
        for (auto row = view.node_offsets[v]; row < view.node_offsets[v + 1]; ++row) {
            chosen[v] = masks[static_cast<std::size_t>(row)];
            choose(v + 1, score + view.scores[static_cast<std::size_t>(row)]);
        }
    };
    choose(0, 0);
    const double top = *std::max_element(scores.begin(), scores.end());
    Listed found{0, std::vector<double>(n * n, 0)};
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double weight = std::exp(scores[i] - top);
        total += weight;
        for (std::size_t v = 0; v < n; ++v)
            for (std::size_t p = 0; p < n; ++p)
                if (dags[i][v] >> p & 1) found.arcs[p * n + v] += weight;
    }
    for (double& arc : found.arcs) arc /= total;
    found.log_total = top + std::log(total);
    return found;
}

}  // namespace

TEST(subset_steps_make_sums_over_subsets) {
    for (const std::size_t bits : {0U, 1U, 5U, 12U, 15U}) {
        std::vector<std::uint64_t> sums(std::size_t{1} << bits);
        for (std::size_t set = 0; set < sums.size(); ++set) sums[set] = set * set + 1;
        auto expected = sums;
        for (std::size_t b = 0; b < bits; ++b)
            for (std::size_t set = 0; set < sums.size(); ++set)
                if (set >> b & 1) expected[set] += expected[set ^ (std::size_t{1} << b)];
        for_subset_steps(bits, [&](std::size_t lower, std::size_t upper, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) sums[upper + i] += sums[lower + i];
        });
        CHECK(sums == expected);
    }
}

TEST(sums_over_all_dags_are_those_of_the_list) {
    for (const std::size_t n : {1U, 2U, 3U, 4U})
        for (const double scale : {0.0, 1.0, 30.0, 10'000.0}) {
            const auto table = random_table(n, static_cast<std::uint32_t>(n), scale);
            const auto expected = list_all(table);
            const auto found = sums_of(table);
            CHECK(found.status == Status::complete);
            CHECK(near(found.log_total, expected.log_total, 1e-12));
            for (std::size_t i = 0; i < n * n; ++i) CHECK(near(found.arcs[i], expected.arcs[i], 1e-11));
            CHECK(found.defect < 1e-12);
        }
}

TEST(certificates_bound_what_a_cut_changes) {
    int proved = 0, wrong = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto table = random_table(4, seed, 8);
        const auto truth = list_all(table);
        DagSumOptions options;
        options.cut = 5 + seed % 15;
        const auto found = sums_of(table, options);
        if (!std::isfinite(found.left_out)) continue;
        const double share = found.left_out, error = 2 * share / (1 - share) + 1e-12;
        ++proved;
        const double off = std::abs(std::expm1(found.log_total - truth.log_total));
        wrong += off > 1e-9 ? 1 : 0;
        CHECK(off <= share + 1e-12);
        for (std::size_t i = 0; i < 16; ++i) CHECK(std::abs(found.arcs[i] - truth.arcs[i]) <= error);
    }
    // The test sees certificates of sums that are off, not of exact ones alone.
    CHECK(proved > 20);
    CHECK(wrong > 5);
}

TEST(certificates_see_every_node) {
    // One node has a parent, or none for a loss of 18, beyond the cut: whichever node it is, the walk turns
    // back where the node comes before the parent, and the certificate knows of it.
    for (const std::size_t node : {1U, 5U, 6U, 7U}) {
        const OwnedTable table(8, [&](std::size_t v, std::size_t set) {
            if (v == node && set == 1) return 18.0;
            return set == 0 ? 0.0 : -1e4;
        });
        DagSumOptions options;
        options.cut = 15;
        const auto found = sums_of(table, options);
        const double off = std::abs(std::expm1(found.log_total - std::log(std::exp(18.0) + 1)));
        CHECK(found.left_out >= off);
        CHECK(found.left_out > 0.5 * std::exp(-18.0));
        CHECK(found.left_out < 1e-3);
    }
}

TEST(sums_count_the_dags_of_nine_nodes) {
    const OwnedTable table(9, [](std::size_t, std::size_t) { return -1e5; });
    // OEIS A003024.
    CHECK(near(sums_of(table).log_total, std::log(1213442454842881.0) - 9e5, 1e-14));
}

TEST(paths_are_summed_over_all_dags) {
    // Two nodes: one of the three DAGs has the arc. Three nodes: 9 of the 25 DAGs have a path 0 .. 1 (8 have
    // the arc 0 -> 1, and one more the path 0 -> 2 -> 1).
    const double expected[] = {0, 0, 1.0 / 3, 9.0 / 25};
    for (const std::size_t n : {2U, 3U}) {
        const auto found = sums_of(OwnedTable(n, [](std::size_t, std::size_t) { return 0.0; }));
        CHECK(near(found.ancestors[1], expected[n], 1e-15));
        CHECK(near(found.ancestors[n], expected[n], 1e-15));
    }
}

namespace {

void check_threads(const OwnedTable& table, DagSumOptions options, double most_terms) {
    const auto one = sums_of(table, options);
    CHECK(one.terms < most_terms);  // the cut is not idle
    CHECK(one.left_out > 0);        // and what it leaves out is known
    CHECK(one.left_out < 1);
    for (const std::size_t threads : {2, 3, 9}) {
        options.threads = threads;
        const auto several = sums_of(table, options);
        CHECK(one.sets == several.sets);
        CHECK(one.terms == several.terms);
        CHECK(one.log_total == several.log_total);
        CHECK(one.left_out == several.left_out);
        CHECK(one.shares == several.shares);
        CHECK(one.arcs == several.arcs);
        CHECK(one.ancestors == several.ancestors);
        CHECK(one.blankets == several.blankets);
    }
}

}  // namespace

TEST(sums_do_not_depend_on_threads) {
    DagSumOptions options;
    options.cut = 30;
    options.blankets = true;
    check_threads(random_table(9, 3, 5.0), options, 19'171);  // 3^9 - 2^9 without a cut
    // Sixteen variables have four last nodes, by all of which nine threads split the terms.
    options.blankets = false;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-5, 7);
    std::vector<double> drawn(16 * 16);
    for (auto& gain : drawn) gain = uniform(random);
    const OwnedTable sparse(16, [&](std::size_t v, std::size_t set) {
        if (std::popcount(set) > 2) return -1e4;
        double score = 0;
        for (std::size_t left = set; left != 0; left &= left - 1)
            score += drawn[v * 16 + static_cast<std::size_t>(std::countr_zero(left))];
        return score;
    });
    check_threads(sparse, options, 42e6);
}

TEST(sums_stop_at_limits) {
    const auto table = random_table(10, 1, 1.0);
    DagSumOptions options;
    options.memory = 1000;
    const auto small = sums_of(table, options);
    CHECK(small.status == Status::memory_limit);
    CHECK(small.shares.empty());
    CHECK(small.bytes > 1000);
    options = {};
    options.most_terms = 15'000;  // what the 2^10 sets cost is more
    const auto none = sums_of(table, options);
    CHECK(none.status == Status::count_limit);
    CHECK(none.terms == 0);
    options.most_terms = 50'000;  // the sets, but not their 3^10 - 2^10 terms
    for (const std::size_t threads : {1, 3}) {
        options.threads = threads;
        const auto some = sums_of(table, options);
        CHECK(some.status == Status::count_limit);
        CHECK(some.terms > 28'000);  // an estimate
        CHECK(some.shares.empty());
    }
    options.most_terms = 1e6;
    CHECK(sums_of(table, options).status == Status::complete);
    SilentMonitor monitor;
    Ticker ticker(monitor, 1e-9);
    CHECK(sum_all_dags(table.view(), {}, ticker).status == Status::time_limit);
}

TEST(scores_too_far_apart_are_refused) {
    const OwnedTable table(2, [](std::size_t, std::size_t set) { return set == 0 ? -1e9 : 0.0; });
    CHECK(sums_of(table).too_wide);
}
