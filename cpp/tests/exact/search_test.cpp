// The exact solver's parts against enumeration of all networks on a few nodes.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "monitor.hpp"
#include "exact/acyclicity.hpp"
#include "exact/branching.hpp"
#include "exact/components.hpp"
#include "exact/cut_bound.hpp"
#include "exact/four_node_facets.hpp"
#include "exact/lp_matrix.hpp"
#include "local/order_search.hpp"
#include "exact/separation.hpp"
#include "exact/subset_dp.hpp"

using namespace arcwise;

namespace {

// Never stops.
Ticker& unwatched() {
    static SilentMonitor monitor;
    static Ticker ticker(monitor);
    return ticker;
}

struct Table {
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;
    TableView view() const { return {node_offsets.size() - 1, node_offsets, scores, set_offsets, members}; }
};

// Random sets per node, falling scores, the empty set last.
Table random_table(std::size_t n, std::size_t sets, std::uint64_t seed) {
    Xoshiro random(seed);
    Table table;
    for (std::size_t v = 0; v < n; ++v) {
        double score = 0;
        for (std::size_t s = 0; s < sets; ++s) {
            score -= random.uniform() * 10;
            table.scores.push_back(score);
            for (std::size_t u = 0; u < n; ++u)
                if (u != v && s + 1 < sets && random.below(n) < 3)
                    table.members.push_back(static_cast<std::int32_t>(u));
            table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        }
        table.node_offsets.push_back(static_cast<std::int64_t>(table.scores.size()));
    }
    return table;
}

bool acyclic(const std::vector<std::size_t>& masks) {
    std::size_t left = (std::size_t{1} << masks.size()) - 1;
    for (bool progress = true; progress && left != 0;) {
        progress = false;
        for (std::size_t v = 0; v < masks.size(); ++v)
            if (((left >> v) & 1U) && (masks[v] & left) == 0) {
                left &= ~(std::size_t{1} << v);
                progress = true;
            }
    }
    return left == 0;
}

// Calls visit(rows) for every acyclic choice of one row per node.
template <class Visit>
void for_each_network(const CandidateSets& sets, Visit&& visit) {
    std::vector<std::size_t> rows(sets.variables()), masks(sets.variables());
    const auto descend = [&](auto&& self, std::size_t v) -> void {
        if (v == sets.variables()) {
            if (acyclic(masks)) visit(rows);
            return;
        }
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
            rows[v] = row;
            masks[v] = *sets.set(row);
            self(self, v + 1);
        }
    };
    descend(descend, 0);
}

double best_of_all(const CandidateSets& sets) {
    double best = -std::numeric_limits<double>::infinity();
    for_each_network(sets, [&](const std::vector<std::size_t>& rows) {
        double score = 0;
        for (const std::size_t row : rows) score += sets.score(row);
        best = std::max(best, score);
    });
    return best;
}

}  // namespace

TEST(four_node_facets_are_valid_and_tight) {
    CHECK(four_node_facets().size() == 50);
    for (const auto& facet : four_node_facets()) {
        int most = 0;
        for (std::size_t code = 0; code < 16 * 16 * 16 * 16; ++code) {
            const std::vector<std::size_t> masks{code & 15U, (code >> 4) & 15U, (code >> 8) & 15U,
                                                 code >> 12};
            bool own = false;
            for (std::size_t v = 0; v < 4; ++v) own = own || ((masks[v] >> v) & 1U);
            if (own || !acyclic(masks)) continue;
            int sum = 0;
            for (std::size_t v = 0; v < 4; ++v) sum += facet.coefficient[v][masks[v]];
            most = std::max(most, sum);
        }
        CHECK(most == facet.side);
    }
}

TEST(dominated_sets_leave_and_the_optimum_stays) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        const CandidateSets useful = all.undominated(unwatched());
        CHECK(useful.rows() <= all.rows());
        CHECK(std::abs(best_of_all(all) - best_of_all(useful)) < 1e-9);
        for (std::size_t v = 0; v < 5; ++v)
            for (std::size_t a = useful.begin(v); a < useful.end(v); ++a)
                for (std::size_t b = useful.begin(v); b < a; ++b)
                    CHECK(!bits::subset(useful.set(b), useful.set(a), 1));
    }
}

TEST(subset_dp_finds_the_optimum_with_any_threads) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        SubsetDp one(sets, false), two(sets, false);
        CHECK(one.run(1, ticker) && two.run(2, ticker));
        CHECK(std::abs(one.optimum() - best_of_all(sets)) < 1e-9);
        CHECK(one.best() == two.best());
        double score = 0;
        for (const std::int64_t row : one.rows()) score += sets.score(static_cast<std::size_t>(row));
        CHECK(std::abs(score - one.optimum()) < 1e-9);
    }
}

TEST(larger_subset_dp_uses_blocks) {
    const Table table = random_table(13, 9, 4);
    const CandidateSets sets = CandidateSets(table.view()).undominated(unwatched());
    SilentMonitor monitor;
    Ticker ticker(monitor, 1e9);
    SubsetDp dp(sets, false), parallel(sets, false);
    CHECK(dp.run(1, ticker) && parallel.run(2, ticker));
    CHECK(dp.best() == parallel.best());
    OrderSearch search(sets, 1);
    const OrderedNetwork local = search.iterate({}, 500, 50, ticker);
    CHECK(local.missing == 0);
    CHECK(local.score <= dp.optimum() + 1e-9);
    CHECK(local.score > dp.optimum() - 1e-6);
}

TEST(layers_of_the_subset_dp_change_nothing) {
    for (const std::size_t n : {1, 4, 9, 10, 15, 16}) {
        const Table table = random_table(n, 8, n);
        const CandidateSets sets(table.view());
        SilentMonitor monitor;
        Ticker ticker(monitor, 1e9);
        SubsetDp whole(sets, false), layered(sets, true), parallel(sets, true);
        CHECK(whole.run(1, ticker) && layered.run(1, ticker) && parallel.run(2, ticker));
        CHECK(whole.optimum() == layered.optimum() && whole.optimum() == parallel.optimum());
        CHECK(whole.rows() == layered.rows() && whole.rows() == parallel.rows());
        CHECK(layered.best().empty());
        CHECK(SubsetDp::memory_for(n, true) <= SubsetDp::memory_for(n, false) + (std::size_t{1} << n));
    }
}

TEST(cuts_hold_and_bound_every_network) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets sets(table.view());
        // A point that takes every node's best three sets in equal parts violates much.
        std::vector<std::int64_t> rows;
        std::vector<double> values;
        for (std::size_t v = 0; v < 5; ++v)
            for (std::size_t i = 0; i < 3; ++i) {
                rows.push_back(static_cast<std::int64_t>(sets.begin(v) + i));
                values.push_back(1.0 / 3);
            }
        const auto found = separate_cuts(sets, {rows, values}, 100, 1e-6, 2, unwatched());
        CutPool pool(5);
        pool.extend(members_of(found), codes_of(found));
        Xoshiro random(seed);
        std::vector<double> multipliers;
        for (std::size_t c = 0; c < pool.size(); ++c) multipliers.push_back(random.uniform() * 3);
        pool.set_multipliers(multipliers);
        for (std::size_t c = 0; c < pool.size(); ++c) {
            double left = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto row = static_cast<std::size_t>(rows[i]);
                if (bits::test(pool.members(c), sets.node_of(row)))
                    left += values[i] * pool.coefficient(c, sets.node_of(row), sets.set(row));
            }
            CHECK(std::abs(left - pool.side(c) - found[c].violation) < 1e-9);
        }
        const BoundResult bound = cut_bound(sets, pool);
        for_each_network(sets, [&](const std::vector<std::size_t>& network) {
            double score = 0, loss = 0;
            for (const std::size_t row : network) {
                score += sets.score(row);
                loss += bound.reduced_costs[row];
            }
            CHECK(score <= bound.bound - loss + 1e-9);
            for (std::size_t c = 0; c < pool.size(); ++c) {
                double left = 0;
                for (std::size_t v = 0; v < 5; ++v)
                    if (bits::test(pool.members(c), v)) left += pool.coefficient(c, v, sets.set(network[v]));
                CHECK(left <= pool.side(c));
            }
        });
    }
}

TEST(propagation_keeps_exactly_what_some_network_uses) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets sets(table.view());
        Xoshiro random(seed + 1000);
        std::vector<std::uint8_t> allowed(sets.rows());
        for (auto& entry : allowed) entry = random.below(10) < 6 ? 1 : 0;
        std::vector<std::uint8_t> used(sets.rows(), 0);
        bool any = false;
        for_each_network(sets.kept(std::vector<std::uint8_t>(sets.rows(), 1)),
                         [&](const std::vector<std::size_t>& network) {
                             for (const std::size_t row : network)
                                 if (!allowed[row]) return;
                             any = true;
                             for (const std::size_t row : network) used[row] = 1;
                         });
        AcyclicityPropagator propagator(sets);
        const bool possible = propagator.propagate(allowed, unwatched());
        CHECK(possible == any);
        if (possible) CHECK(allowed == used);
    }
}

TEST(a_feasible_order_is_complete_where_a_network_exists) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Table table = random_table(5, 5, seed);
        const CandidateSets all(table.view());
        Xoshiro random(seed + 2000);
        std::vector<std::uint8_t> keep(all.rows());
        for (auto& entry : keep) entry = random.below(10) < 4 ? 1 : 0;
        const CandidateSets sets = all.kept(keep);
        bool any = false;
        for_each_network(sets, [&](const std::vector<std::size_t>&) { any = true; });
        const std::vector<std::int32_t> order = feasible_order(sets);
        CHECK((order.size() == 5) == any);
        if (any) CHECK(OrderSearch(sets, 0).evaluate(order).missing == 0);
    }
}

TEST(what_is_stopped_is_less_thorough_and_still_right) {
    struct Impatient final : Monitor {
        bool should_stop(const Progress&) override { return true; }
    };
    Impatient monitor;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Table table = random_table(5, 6, seed);
        const CandidateSets all(table.view());
        Ticker first(monitor), second(monitor), third(monitor);
        CHECK(all.undominated(first).rows() == all.rows());
        std::vector<std::uint8_t> allowed(all.rows(), 1);
        CHECK(AcyclicityPropagator(all).propagate(allowed, second));
        CHECK(allowed == std::vector<std::uint8_t>(all.rows(), 1));
        const OrderedNetwork network = OrderSearch(all, 0).descend(feasible_order(all), third);
        CHECK(network.missing == 0);
        CHECK(third.reason() == Status::interrupted);
    }
}

TEST(components_come_parents_first) {
    // 0 <-> 1 -> 2 <-> 3
    Table table;
    const std::vector<std::vector<std::int32_t>> parents{{1}, {0}, {1, 3}, {2}};
    for (const auto& set : parents) {
        table.scores.push_back(-1);
        table.members.insert(table.members.end(), set.begin(), set.end());
        table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        table.scores.push_back(-2);
        table.set_offsets.push_back(static_cast<std::int64_t>(table.members.size()));
        table.node_offsets.push_back(static_cast<std::int64_t>(table.scores.size()));
    }
    const CandidateSets sets(table.view());
    CHECK((strong_components(sets) == std::vector<std::int32_t>{0, 0, 1, 1}));
    const CandidateSets second = sets.component(std::vector<std::int32_t>{2, 3}, unwatched());
    CHECK(second.variables() == 2);
    CHECK(second.node_origin(0) == 2);
    CHECK(*second.set(second.begin(0)) == 2);  // the parent outside is gone
}

TEST(forms_of_a_row_are_the_same_halfspace) {
    const Table table = random_table(6, 6, 9);
    const CandidateSets sets(table.view());
    CutPool pool(6);
    const std::vector<bits::Word> members{0b000111, 0b111111, 0b001111};
    pool.extend(members, std::vector<std::int32_t>{2, 1, -7});
    std::vector<std::int64_t> columns(sets.rows());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<std::int64_t>(i);
    const CutRows rows = cut_rows(sets, columns, pool, 0);
    const SparseMatrix by_column = cut_columns(sets, columns, pool, rows.forms);
    std::vector<std::vector<double>> dense(3, std::vector<double>(columns.size(), 0)), again = dense;
    for (std::size_t c = 0; c < 3; ++c)
        for (auto i = static_cast<std::size_t>(rows.matrix.starts[c]);
             i < static_cast<std::size_t>(rows.matrix.starts[c + 1]); ++i)
            dense[c][static_cast<std::size_t>(rows.matrix.indices[i])] = rows.matrix.values[i];
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (auto i = static_cast<std::size_t>(by_column.starts[j]);
             i < static_cast<std::size_t>(by_column.starts[j + 1]); ++i)
            again[static_cast<std::size_t>(by_column.indices[i])][j] = by_column.values[i];
    CHECK(dense == again);
}
