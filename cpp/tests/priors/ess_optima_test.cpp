// The solver for many equivalent sample sizes against scores of families and enumeration of all networks.
#include "priors/ess_optima.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "check.hpp"
#include "scores/dirichlet.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

namespace {

struct Sample {
    std::size_t rows = 40;
    std::vector<std::int32_t> arities{2, 3, 1, 4};
    std::vector<std::uint8_t> codes;
    std::vector<std::int64_t> weights;

    explicit Sample(std::uint64_t seed) {
        Xoshiro random(seed);
        for (const auto arity : arities)
            for (std::size_t row = 0; row < rows; ++row)
                codes.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::size_t>(arity))));
        for (std::size_t row = 0; row < rows; ++row)
            weights.push_back(static_cast<std::int64_t>(random.below(4)));
    }
    Columns<std::uint8_t> columns() const {
        return {codes.data(), arities.size(), rows, arities.data(), weights.data()};
    }

    double local(const LocalScore& score, std::size_t child, std::uint32_t parents) const {
        std::vector<std::int32_t> members;
        double cells = 1.0;
        for (std::size_t v = 0; v < arities.size(); ++v)
            if ((parents >> v & 1U) != 0) {
                members.push_back(static_cast<std::int32_t>(v));
                cells *= arities[v];
            }
        const auto arity = static_cast<std::size_t>(arities[child]);
        std::map<std::uint64_t, std::vector<std::int64_t>> table;
        std::int64_t cases = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            if (weights[row] == 0) continue;
            std::uint64_t key = 0;
            for (const auto m : members) key = key * 8 + codes[static_cast<std::size_t>(m) * rows + row];
            auto& counts = table[key];
            counts.resize(arity);
            counts[codes[child * rows + row]] += weights[row];
            cases += weights[row];
        }
        std::vector<std::int64_t> flat;
        for (const auto& [key, counts] : table) flat.insert(flat.end(), counts.begin(), counts.end());
        return score.local({static_cast<std::int32_t>(child), members, flat, arity, cells, cases, {}});
    }
};

bool acyclic(const std::vector<std::uint32_t>& parents) {
    std::uint32_t done = 0;
    for (std::size_t round = 0; round < parents.size(); ++round)
        for (std::size_t v = 0; v < parents.size(); ++v)
            if ((parents[v] & ~done) == 0) done |= 1U << v;
    return done == (1U << parents.size()) - 1;
}

CountSpectra& count_all(CountSpectra& spectra, std::size_t threads) {
    SilentMonitor monitor;
    while (static_cast<std::size_t>(spectra.level()) != spectra.variables())
        CHECK(spectra.advance(monitor, 1e9, threads, 1e12) == Status::complete);
    return spectra;
}

}  // namespace

TEST(ess_optima_are_the_best_of_all_networks) {
    const std::vector<double> sizes{0.01, 1.0, 3.0, 10.0, 50.0, 100.0, 1e3, 1e4, 1e5};
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Sample sample(seed);
        const std::size_t n = sample.arities.size();
        CountSpectra spectra(sample.columns());
        count_all(spectra, 2);
        const EssOptimizer optimizer(spectra);
        // Variable 1 must be a parent of 0, 3 cannot be one of 1, and 3 has at most one parent.
        FamilyRules rules;
        for (std::uint32_t v = 0; v < n; ++v) {
            rules.required.push_back(v == 0 ? 2U : 0U);
            rules.allowed.push_back(15U & ~(1U << v) & ~(v == 1 ? 8U : 0U));
            rules.limits.push_back(v == 3 ? 1 : 3);
        }
        SilentMonitor monitor;
        const auto found = optimizer.solve(sizes, true, rules, 2, monitor);
        CHECK(found.status == Status::complete);
        std::vector<double> best(sizes.size(), -std::numeric_limits<double>::infinity());
        std::vector<std::unique_ptr<LocalScore>> scores;
        for (const double ess : sizes) scores.push_back(make_bdeu(spectra.cases(), ess));
        std::vector<std::vector<std::vector<double>>> local(sizes.size());
        for (std::size_t e = 0; e < sizes.size(); ++e) {
            local[e].resize(n);
            for (std::size_t v = 0; v < n; ++v)
                for (std::uint32_t set = 0; set < 16; ++set)
                    local[e][v].push_back(sample.local(*scores[e], v, set));
        }
        double best_mean = -std::numeric_limits<double>::infinity();
        for (std::uint32_t code = 0; code < 1U << 16; ++code) {
            std::vector<std::uint32_t> parents;
            bool allowed = true;
            for (std::uint32_t v = 0; v < n; ++v) {
                const std::uint32_t set = code >> (4 * v) & 15U;
                allowed = allowed && (set & rules.required[v]) == rules.required[v] &&
                          (set & ~rules.allowed[v]) == 0 && std::popcount(set) <= rules.limits[v];
                parents.push_back(set);
            }
            if (!allowed || !acyclic(parents)) continue;
            double mean = 0.0;
            for (std::size_t e = 0; e < sizes.size(); ++e) {
                double total = 0.0;
                for (std::size_t v = 0; v < n; ++v) total += local[e][v][parents[v]];
                best[e] = std::max(best[e], total);
                mean += total / static_cast<double>(sizes.size());
            }
            best_mean = std::max(best_mean, mean);
        }
        for (std::size_t e = 0; e < sizes.size(); ++e) {
            CHECK(found.solved[e] == 1);
            CHECK(std::abs(found.scores[e] - best[e]) < 1e-8);
            const std::vector<std::uint32_t> parents(
                found.parents.begin() + static_cast<std::ptrdiff_t>(e * n),
                found.parents.begin() + static_cast<std::ptrdiff_t>((e + 1) * n));
            CHECK(acyclic(parents));
            double total = 0.0;
            for (std::size_t v = 0; v < n; ++v) total += local[e][v][parents[v]];
            CHECK(std::abs(total - best[e]) < 1e-8);
        }
        CHECK(std::abs(found.scores[sizes.size()] - best_mean) < 1e-8);
    }
}

TEST(count_spectra_stop_at_a_memory_limit_and_leave_no_trace) {
    const Sample sample(5);
    CountSpectra spectra(sample.columns());
    SilentMonitor monitor;
    CHECK(spectra.advance(monitor, 1e9, 1, 1e12) == Status::complete);
    CHECK(spectra.advance(monitor, 1e9, 1, 1.0) == Status::memory_limit);
    CHECK(spectra.level() == 0);
    CHECK(spectra.advance(monitor, 1e9, 1, 1e12) == Status::complete);
    CHECK(spectra.level() == 1);
}

TEST(ess_optima_say_that_no_network_satisfies_the_rules) {
    const Sample sample(6);
    CountSpectra spectra(sample.columns());
    count_all(spectra, 1);
    const FamilyRules rules{{2, 1, 0, 0}, {14, 13, 11, 7}, {3, 3, 3, 3}};  // 1 -> 0 and 0 -> 1
    SilentMonitor monitor;
    const std::vector<double> sizes{1.0};
    const auto found = EssOptimizer(spectra).solve(sizes, false, rules, 1, monitor);
    CHECK(found.scores[0] == -std::numeric_limits<double>::infinity());
}
