#include "posterior/chains/dag_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "check.hpp"
#include "flat_table.hpp"
#include "posterior/chains/arc_indicators.hpp"
#include "posterior/chains/chain_run.hpp"

namespace {

using namespace arcwise;
using flat_table_support::FlatTable;

// All nodes are partners.
ChainOptions options_of(std::size_t n, std::array<double, 7> mixture, std::vector<double> heats = {1.0}) {
    ChainOptions options{mixture, 10.0, 10, std::move(heats), {}};
    options.blocks.offsets.push_back(0);
    for (std::size_t v = 0; v < n; ++v) {
        options.blocks.firsts.push_back(static_cast<double>(v + 1));
        for (std::size_t u = 0; u < n; ++u)
            if (u != v) options.blocks.partners.push_back(static_cast<std::int32_t>(u));
        for (std::size_t u = 1; u < n; ++u) options.blocks.sums.push_back(static_cast<double>(u));
        options.blocks.offsets.push_back(options.blocks.partners.size());
    }
    return options;
}

ChainSegment draws_of(ChainRun& run, std::size_t count, std::size_t threads = 1) {
    SilentMonitor monitor;
    Ticker ticker(monitor);
    return run.advance(count, {}, threads, ticker);
}

TEST(index_finds_rows_by_one_parent_more_or_less) {
    const FlatTable table(5);
    const FamilyIndex index(table.view());
    CHECK(index.arcs().size() == 20);
    for (std::size_t v = 0; v < 5; ++v)
        for (const auto row : index.rows_of(v))
            for (std::size_t u = 0; u < 5; ++u) {
                const auto found = index.find_changed(v, row, u);
                CHECK((found == FamilyIndex::absent) == (u == v));
                if (u == v) continue;
                CHECK(index.set(found).has(u) != index.set(row).has(u));
                CHECK(index.find_changed(v, found, u) == row);
            }
}

// Every DAG of three nodes weighs the same: each move, with toggles, comes to all 25 equally often.
TEST(chains_come_to_all_dags_of_a_flat_table_equally_often) {
    const FlatTable table(3);
    const std::vector<std::uint64_t> seeds{7};
    const std::vector<std::uint32_t> start{0, 0, 0};
    for (const auto& mixture :
         {std::array<double, 7>{1, 0, 0, 0, 0, 0, 0}, std::array<double, 7>{0.3, 0.7, 0, 0, 0, 0, 0},
          std::array<double, 7>{0.2, 0, 0.8, 0, 0, 0, 0}, std::array<double, 7>{0.2, 0, 0, 0.8, 0, 0, 0},
          std::array<double, 7>{0.2, 0, 0, 0, 0.8, 0, 0}, std::array<double, 7>{0.2, 0, 0, 0, 0, 0.8, 0},
          std::array<double, 7>{0.2, 0, 0, 0, 0, 0, 0.8}}) {
        ChainRun run(table.view(), options_of(3, mixture, {1.0, 0.5}), seeds, start);
        const auto made = draws_of(run, 10'000);
        std::map<std::vector<std::uint32_t>, int> counts;
        for (std::size_t i = 0; i < 10'000; ++i)
            ++counts[{made.rows.begin() + static_cast<std::ptrdiff_t>(3 * i),
                      made.rows.begin() + static_cast<std::ptrdiff_t>(3 * i + 3)}];
        CHECK(counts.size() == 25);
        for (const auto& [dag, count] : counts) CHECK(count > 300 && count < 500);
    }
}

// More than 64 nodes: sets of two words.
TEST(chains_on_many_nodes_do_not_depend_on_threads) {
    const std::size_t n = 70;
    std::vector<std::int64_t> node_offsets{0}, set_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> members;
    for (std::size_t v = 0; v < n; ++v) {
        const auto before = static_cast<std::int32_t>((v + n - 1) % n),
                   after = static_cast<std::int32_t>((v + 1) % n);
        const std::vector<std::vector<std::int32_t>> sets{
            {std::min(before, after), std::max(before, after)}, {before}, {after}, {}};
        for (std::size_t i = 0; i < sets.size(); ++i) {
            scores.push_back(-static_cast<double>(i));
            members.insert(members.end(), sets[i].begin(), sets[i].end());
            set_offsets.push_back(static_cast<std::int64_t>(members.size()));
        }
        node_offsets.push_back(static_cast<std::int64_t>(scores.size()));
    }
    const TableView table{n, node_offsets, scores, set_offsets, members};
    const std::vector<std::uint64_t> seeds{1, 2, 3};
    const std::vector<std::uint32_t> starts(3 * n, 3);
    ChainRun one(table, options_of(n, {0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2}), seeds, starts);
    ChainRun three(table, options_of(n, {0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2}), seeds, starts);
    const auto first = draws_of(one, 300), second = draws_of(three, 300, 3);
    CHECK(first.rows == second.rows);
    CHECK(first.scores == second.scores);
    CHECK(one.counts() == three.counts());
    const auto found = summarize_arcs(table, first.rows, 3);
    CHECK(found.firsts.size() == n);
    for (const double effective : found.effective) CHECK(!(effective <= 0));
    const auto threaded = summarize_arcs(table, first.rows, 3, 4);
    CHECK(found.firsts == threaded.firsts && found.seconds == threaded.seconds);
    CHECK(found.counts == threaded.counts);
    for (std::size_t i = 0; i < found.effective.size(); ++i)
        CHECK(std::bit_cast<std::uint64_t>(found.effective[i]) ==
              std::bit_cast<std::uint64_t>(threaded.effective[i]));
}

TEST(effective_draws_of_alternating_runs) {
    BitRows parts(256, 2);
    for (std::size_t i = 0; i < 256; ++i)
        for (std::size_t k = 0; k < 2; ++k)
            if ((i / 8 + k) % 2 == 0) parts[k].add(i);
    const std::vector<SetView> views{parts[0], parts[1]};
    const double effective = effective_draws(views, 256);
    CHECK(effective > 40 && effective < 200);  // about one in the length of a run
    const BitRows none(256, 2);
    const std::vector<SetView> empty{none[0], none[1]};
    CHECK(std::isnan(effective_draws(empty, 256)));
}

}  // namespace
