#include "credible/diagram/network_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "check.hpp"
#include "credible/diagram/network_lister.hpp"
#include "flat_table.hpp"

using namespace flat_table_support;

namespace {

// `pairs` nodes with two rows each: the second loses `step`. Every choice is a path of the one chain of
// states, most of them beyond the slack.
NetworkDiagram chain(std::size_t pairs, double step, double slack) {
    NetworkDiagram diagram;
    diagram.nodes = pairs;
    diagram.slack = slack;
    for (std::uint32_t d = 0; d < pairs; ++d) {
        diagram.layer_begin.push_back(d);
        diagram.edge_begin.push_back(2 * d);
        for (std::uint32_t k = 0; k < 2; ++k) {
            diagram.edge_target.push_back(d + 1);
            diagram.edge_row.push_back(2 * d + k);
            diagram.edge_detour.push_back(k * step);
        }
    }
    const auto last = static_cast<std::uint32_t>(pairs);
    diagram.layer_begin.insert(diagram.layer_begin.end(), {last, last + 1});
    diagram.edge_begin.insert(diagram.edge_begin.end(), {2 * pairs, 2 * pairs});
    return diagram;
}

std::vector<std::int64_t> chain_offsets(std::size_t pairs) {
    std::vector<std::int64_t> offsets;
    for (std::size_t v = 0; v <= pairs; ++v) offsets.push_back(static_cast<std::int64_t>(2 * v));
    return offsets;
}

DrawOptions options_for(double slack, bool by_score, std::size_t count) {
    DrawOptions options;
    options.slack = slack;
    options.by_score = by_score;
    options.count = count;
    options.seed = 1;
    options.memory = std::size_t{1} << 30;
    return options;
}

DrawnNetworks draw(const NetworkDiagram& diagram, std::span<const std::int64_t> offsets,
                   const DrawOptions& options) {
    SilentMonitor monitor;
    Ticker ticker(monitor);
    return draw_networks(diagram, offsets, options, ticker);
}

}  // namespace

TEST(every_dag_of_a_flat_table_is_drawn_about_as_often) {
    const FlatTable table(3);
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const std::vector<double> costs(table.scores.size(), 0.0);
    const auto diagram = build_from_costs(table.input(), {costs, 0, 0, {}}, Construction::sources, ticker);
    for (const bool by_score : {true, false}) {
        const auto drawn = draw(diagram, table.node_offsets, options_for(0.5, by_score, 25'000));
        CHECK(drawn.losses.size() == 25'000);
        CHECK(drawn.proposals == 25'000);
        std::map<std::vector<std::uint32_t>, int> times;
        for (std::size_t i = 0; i < drawn.losses.size(); ++i)
            ++times[{drawn.rows.begin() + static_cast<std::ptrdiff_t>(3 * i),
                     drawn.rows.begin() + static_cast<std::ptrdiff_t>(3 * i + 3)}];
        CHECK(times.size() == 25);
        for (const auto& [network, count] : times) CHECK(std::abs(count - 1000) < 150);
    }
}

// 60 nodes, of which at most 3 may lose: 1 + 60 + 1770 + 34220 networks of 2^60 paths. A uniform path is one
// of them once in 3 10^13 times.
TEST(draws_from_few_of_many_paths_are_in_proportion) {
    const std::size_t pairs = 60;
    const auto diagram = chain(pairs, 1.5, 5);
    const double sizes[] = {1, 60, 1770, 34220};
    for (const bool by_score : {true, false}) {
        const auto drawn = draw(diagram, chain_offsets(pairs), options_for(5, by_score, 40'000));
        CHECK(drawn.status == Status::complete && !drawn.hopeless);
        CHECK(drawn.losses.size() == 40'000);
        CHECK(drawn.proposals < 40 * drawn.losses.size());
        double expected[4], total = 0, found[4] = {};
        for (int k = 0; k < 4; ++k) total += expected[k] = sizes[k] * (by_score ? std::exp(-1.5 * k) : 1);
        for (std::size_t i = 0; i < drawn.losses.size(); ++i) {
            const auto row = drawn.rows.begin() + static_cast<std::ptrdiff_t>(i * pairs);
            const auto lost = std::count(row, row + pairs, 1U);
            CHECK(lost <= 3 && std::abs(drawn.losses[i] - 1.5 * static_cast<double>(lost)) < 1e-12);
            ++found[std::min<std::ptrdiff_t>(lost, 3)];
        }
        for (int k = 0; k < 4; ++k) {
            const double share = expected[k] / total;
            CHECK(std::abs(found[k] / 40'000 - share) < 4.5 * std::sqrt(share * (1 - share) / 40'000) + 1e-4);
        }
    }
}

TEST(masses_may_leave_the_range_of_doubles) {
    const std::size_t pairs = 3000;  // 2^3000 paths
    const auto drawn = draw(chain(pairs, 1.0, 4), chain_offsets(pairs), options_for(4, false, 100));
    CHECK(drawn.losses.size() == 100);
    CHECK(*std::max_element(drawn.losses.begin(), drawn.losses.end()) <= 4);
}

TEST(draws_end_at_their_limits) {
    const auto diagram = chain(60, 1.5, 5);
    const auto offsets = chain_offsets(60);
    auto options = options_for(5, true, 1000);
    const auto all = draw(diagram, offsets, options);
    options.memory = diagram.bytes() + (diagram.edges() + 2 * diagram.states() + 10) * 8 + 10 * 60 * 4;
    const auto few = draw(diagram, offsets, options);
    CHECK(few.status == Status::memory_limit && few.losses.size() == 10);
    CHECK(std::equal(few.rows.begin(), few.rows.end(), all.rows.begin()));
    options.memory = 1;
    CHECK(draw(diagram, offsets, options).status == Status::memory_limit);
    options = options_for(5, false, 1000);
    options.patience = 20;  // not every proposal is kept
    options.most_per_draw = 1;
    const auto given_up = draw(diagram, offsets, options);
    CHECK(given_up.hopeless && given_up.proposals == 20 && given_up.losses.size() < 20);
    SilentMonitor monitor;
    Ticker over(monitor, -1);
    CHECK(draw_networks(diagram, offsets, options, over).status == Status::time_limit);
}
