#include "credible/sums/diagram_sums.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using namespace arcwise;

constexpr std::size_t plenty = std::size_t{1} << 30;

DiagramSums sums_of(const NetworkDiagram& diagram, std::size_t rows, bool families, std::size_t memory,
                    double grain = 1e-9, std::size_t threads = 1) {
    SilentMonitor monitor;
    Ticker ticker(monitor);
    return sum_diagram(diagram, diagram.slack, grain, rows, families, memory, threads, ticker);
}

// One state per layer, and two edges to the next (rows 2d and 2d + 1). In the last `losing` layers the second
// loses one: a path of loss i is a choice of i of them, and of either edge in the others.
NetworkDiagram chain(std::size_t layers, std::size_t losing, double slack) {
    NetworkDiagram diagram;
    diagram.nodes = layers;
    diagram.slack = slack;
    for (std::uint32_t d = 0; d < layers; ++d) {
        diagram.layer_begin.push_back(d);
        diagram.edge_begin.push_back(diagram.edge_target.size());
        for (std::uint32_t i = 0; i < 2; ++i) {
            diagram.edge_target.push_back(d + 1);
            diagram.edge_row.push_back(2 * d + i);
            diagram.edge_detour.push_back(d + losing < layers ? 0 : i);
        }
    }
    for (std::uint32_t end = 0; end < 2; ++end)
        diagram.layer_begin.push_back(static_cast<std::uint32_t>(layers) + end);
    for (int end = 0; end < 2; ++end) diagram.edge_begin.push_back(diagram.edge_target.size());
    return diagram;
}

// Two states per layer: one with one way on (row 0), and one with two (rows 1 and 2). The first edges are of
// rows 3 and 4.
NetworkDiagram ladder(std::size_t layers) {
    NetworkDiagram diagram;
    diagram.nodes = layers;
    diagram.layer_begin = {0, 1};
    const auto add = [&](std::uint32_t target, std::uint32_t row) {
        diagram.edge_target.push_back(target);
        diagram.edge_row.push_back(row);
        diagram.edge_detour.push_back(0);
    };
    diagram.edge_begin.push_back(0);
    for (std::uint32_t i = 0; i < 2; ++i) add(1 + i, 3 + i);
    for (std::size_t d = 1; d < layers; ++d) {
        const std::uint32_t next = diagram.layer_begin.back() + 2;
        const std::uint32_t second = d + 1 < layers ? 1 : 0;
        diagram.layer_begin.push_back(next);
        for (std::uint32_t i = 0; i < 2; ++i) {
            diagram.edge_begin.push_back(diagram.edge_target.size());
            for (std::uint32_t e = 0; e <= i; ++e) add(next + i * second, i + e);
        }
    }
    diagram.layer_begin.push_back(diagram.layer_begin.back() + 1);
    for (int end = 0; end < 2; ++end) diagram.edge_begin.push_back(diagram.edge_target.size());
    return diagram;
}

// Two states per layer up to the middle, as in a ladder, where the one with two ways on loses one; from there
// on one state with two ways on.
NetworkDiagram crossing(std::size_t half) {
    NetworkDiagram diagram = ladder(half);
    diagram.nodes = 2 * half;
    diagram.slack = 1.5;
    for (std::size_t e = diagram.edge_target.size() - 2; e < diagram.edge_target.size(); ++e)
        diagram.edge_detour[e] = 1;
    diagram.edge_begin.pop_back();
    for (std::size_t d = 0; d < half; ++d) {
        const std::uint32_t next = diagram.layer_begin.back();
        diagram.layer_begin.push_back(next + 1);
        for (std::uint32_t i = 0; i < 2; ++i) {
            diagram.edge_target.push_back(next);
            diagram.edge_row.push_back(i);
            diagram.edge_detour.push_back(0);
        }
        diagram.edge_begin.push_back(diagram.edge_target.size());
    }
    diagram.edge_begin.push_back(diagram.edge_target.size());
    return diagram;
}

// How many ways there are to choose at most k of n, from Pascal's triangle; with weights exp(-chosen), too.
struct Choices {
    BigCount count = 0;
    double mass = 0;
};
Choices choices(std::size_t n, std::size_t k) {
    std::vector<BigCount> row{1};
    for (std::size_t i = 0; i < n; ++i) {
        row.push_back(0);
        for (std::size_t j = row.size(); j-- > 1;) row[j] += row[j - 1];
    }
    Choices sum;
    for (std::size_t j = 0; j <= std::min(n, k); ++j) {
        sum.count += row[j];
        sum.mass += static_cast<double>(row[j]) * std::exp(-static_cast<double>(j));
    }
    return sum;
}

// A random diagram. Detours are multiples of a unit, added in any order: equal losses differ in their last
// bits, and many paths lie at the limit. Every state has a way on that loses nothing, as in diagrams of
// networks.
NetworkDiagram random_diagram(std::uint32_t seed, std::size_t layers, std::uint32_t states, std::size_t rows,
                              double unit = 0.1) {
    std::mt19937 random(seed);
    NetworkDiagram diagram;
    diagram.nodes = layers;
    diagram.slack = 0.7 + 1e-9;
    diagram.layer_begin = {0, 1};
    for (std::size_t d = 1; d <= layers; ++d)
        diagram.layer_begin.push_back(diagram.layer_begin.back() + (d < layers ? states : 1));
    for (std::size_t d = 0; d < layers; ++d) {
        const auto next = diagram.layer_begin[d + 1], end = diagram.layer_begin[d + 2];
        for (auto s = diagram.layer_begin[d]; s < next; ++s) {
            diagram.edge_begin.push_back(diagram.edge_target.size());
            double detour = 0;
            for (std::uint32_t e = 0; e < 1 + random() % 3; ++e) {
                diagram.edge_target.push_back(next + static_cast<std::uint32_t>(random() % (end - next)));
                diagram.edge_row.push_back(static_cast<std::uint32_t>(random() % rows));
                diagram.edge_detour.push_back(detour);
                detour += unit * static_cast<double>(random() % 4);
            }
        }
    }
    for (int end = 0; end < 2; ++end) diagram.edge_begin.push_back(diagram.edge_target.size());
    return diagram;
}

// Goes along every path.
void walk(const NetworkDiagram& diagram, std::size_t state, double loss, std::vector<std::uint32_t>& path,
          DiagramSums& sums) {
    if (path.size() == diagram.nodes) {
        ++sums.count;
        sums.mass += std::exp(-loss);
        for (const auto row : path) {
            ++sums.row_counts[row];
            sums.row_masses[row] += std::exp(-loss);
        }
        return;
    }
    for (auto e = diagram.edge_begin[state]; e < diagram.edge_begin[state + 1]; ++e) {
        if (loss + diagram.edge_detour[e] > diagram.slack) continue;
        path.push_back(diagram.edge_row[e]);
        walk(diagram, diagram.edge_target[e], loss + diagram.edge_detour[e], path, sums);
        path.pop_back();
    }
}

bool near(double a, double b) {
    return std::abs(a - b) <= 1e-12 * std::abs(b);
}

}  // namespace

TEST(sums_of_a_diagram_are_those_over_its_paths) {
    constexpr std::size_t rows = 5;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const auto diagram = random_diagram(seed, 2 + seed % 9, 1 + seed % 5, rows);
        DiagramSums expected;
        expected.row_counts.assign(rows, 0);
        expected.row_masses.assign(rows, 0);
        std::vector<std::uint32_t> path;
        walk(diagram, 0, 0, path, expected);
        const auto found = sums_of(diagram, rows, true, plenty);
        CHECK(found.status == Status::complete);
        CHECK(found.count == expected.count);
        CHECK(near(found.mass, expected.mass));
        CHECK(found.row_counts == expected.row_counts);
        for (std::size_t row = 0; row < rows; ++row)
            CHECK(near(found.row_masses[row], expected.row_masses[row]));
        CHECK(sums_of(diagram, rows, false, plenty).count == expected.count);
        CHECK(found.remade == 0);
        // Within less than the diagram was made for, where some states have no way left.
        auto smaller = diagram;
        smaller.slack = 0.2 + 1e-9;
        SilentMonitor monitor;
        Ticker ticker(monitor);
        const auto within = sum_diagram(diagram, smaller.slack, 1e-9, rows, true, plenty, 1, ticker);
        expected.count = 0;
        expected.row_counts.assign(rows, 0);
        walk(smaller, 0, 0, path, expected);
        CHECK(within.count == expected.count);
        CHECK(within.row_counts == expected.row_counts);
    }
}

TEST(sums_are_the_same_in_any_memory_that_is_enough) {
    constexpr std::size_t rows = 7;
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        const auto diagram = random_diagram(seed, 40, 6, rows, 0.003);
        const auto expected = sums_of(diagram, rows, true, plenty);
        std::size_t remade = 0, least = plenty;
        for (std::size_t memory = expected.peak; memory > 0;
             memory -= std::min<std::size_t>(memory, 1 + expected.peak / 300)) {
            const auto found = sums_of(diagram, rows, true, memory);
            CHECK(found.peak <= memory);
            if (found.status != Status::complete) {
                CHECK(found.status == Status::memory_limit);
                continue;
            }
            CHECK(found.count == expected.count);
            CHECK(found.row_counts == expected.row_counts);
            CHECK(found.mass == expected.mass);
            CHECK(found.row_masses == expected.row_masses);
            remade = std::max(remade, found.remade);
            least = memory;
        }
        // With next to nothing, layers are made from the first or the last one again and again.
        CHECK(remade > 2 * diagram.nodes);
        CHECK(least < expected.peak);
        // A count keeps no losses on the ways from states.
        CHECK(sums_of(diagram, rows, false, plenty).peak < expected.peak);
    }
}

TEST(sums_are_the_same_for_any_number_of_threads) {
    constexpr std::size_t rows = 7;
    const auto check_same = [](const NetworkDiagram& diagram, bool families, std::size_t memory) {
        const auto expected = sums_of(diagram, rows, families, memory, 1e-9, 1);
        for (const std::size_t threads : {2, 3, 9}) {
            const auto found = sums_of(diagram, rows, families, memory, 1e-9, threads);
            CHECK(found.status == expected.status);
            CHECK(found.overflow == expected.overflow);
            CHECK(found.peak == expected.peak);
            CHECK(found.remade == expected.remade);
            if (found.status != Status::complete || found.overflow) continue;
            CHECK(found.count == expected.count);
            CHECK(found.mass == expected.mass);
            CHECK(found.row_counts == expected.row_counts);
            CHECK(found.row_masses == expected.row_masses);
        }
        return expected;
    };
    std::size_t remade = 0;
    for (const bool families : {false, true}) {
        for (std::uint32_t seed = 0; seed < 2; ++seed) {
            const auto diagram = random_diagram(seed, 30, 200 + 150 * seed, rows, 0.003);
            const auto plain = check_same(diagram, families, plenty);
            CHECK(plain.status == Status::complete && plain.count > 0);
            // From enough for helpers to less than one thread needs: what they find no room for is found
            // again.
            for (const std::size_t part : {18, 14, 10, 6}) {
                const auto tight = check_same(diagram, families, plain.peak / 20 * part);
                if (tight.status == Status::complete) remade = std::max(remade, tight.remade);
            }
        }
        // Numbers of ways beyond 32 and 64 bits, and beyond 128.
        CHECK(check_same(random_diagram(1, 120, 100, rows, 0.003), families, plenty).count >> 64 > 0);
        CHECK(check_same(random_diagram(2, 260, 40, rows, 0.003), families, plenty).overflow);
    }
    CHECK(remade > 0);
}

TEST(a_count_can_do_with_few_layers_of_lists) {
    const auto diagram = random_diagram(3, 120, 6, 7, 0.003);
    const auto expected = sums_of(diagram, 7, false, plenty);
    const auto fixed = diagram.bytes() + 2 * sizeof(double) * diagram.states();
    std::size_t low = fixed, high = expected.peak;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        const auto found = sums_of(diagram, 7, false, middle);
        CHECK(found.status == Status::memory_limit || found.count == expected.count);
        (found.status == Status::complete ? high : low) = middle;
    }
    CHECK(high - fixed < (expected.peak - fixed) / 3);
}

TEST(counts_are_exact_up_to_128_bits) {
    for (const std::size_t layers : {1, 2, 20, 40, 80, 120, 127})
        for (const std::size_t losing : {std::size_t{0}, std::min<std::size_t>(layers, 9), layers})
            for (const std::size_t most : {std::size_t{0}, losing / 2, losing}) {
                const auto diagram = chain(layers, losing, static_cast<double>(most) + 0.5);
                const auto found = sums_of(diagram, 2 * layers, true, plenty);
                const BigCount either = BigCount{1} << (layers - losing);
                const auto chosen = choices(losing, most);
                const auto others = losing > 0 ? choices(losing - 1, most) : Choices();
                CHECK(!found.overflow);
                CHECK(found.count == either * chosen.count);
                CHECK(near(found.mass, static_cast<double>(either) * chosen.mass));
                for (std::size_t d = 0; d < layers; ++d) {
                    const bool loses = d + losing >= layers;
                    const auto first = loses ? either * others.count : found.count / 2;
                    const auto mass = loses ? static_cast<double>(either) * others.mass : found.mass / 2;
                    CHECK(found.row_counts[2 * d] == first);
                    CHECK(found.row_counts[2 * d + 1] == found.count - first);
                    CHECK(near(found.row_masses[2 * d], mass));
                }
                const auto tight = sums_of(diagram, 2 * layers, true, found.peak * 3 / 4);
                CHECK(tight.status == Status::memory_limit || tight.row_counts == found.row_counts);
                CHECK(tight.status == Status::memory_limit || tight.row_masses == found.row_masses);
                // One loss per state leaves little to make again.
                CHECK(losing < 80 || most == 0 || (tight.status == Status::complete && tight.remade > 0));
            }
    CHECK(sums_of(chain(128, 0, 0), 256, false, plenty).overflow);
    CHECK(sums_of(chain(300, 300, 300.5), 600, true, plenty).overflow);
    // Where 2^80 ways meet 2^80 others, whose product is nothing in 128 bits.
    for (const bool families : {false, true}) {
        CHECK(sums_of(crossing(60), 5, families, plenty).count ==
              (BigCount{1} << 60) * ((BigCount{1} << 59) + 1));
        CHECK(!sums_of(crossing(60), 5, families, plenty).overflow);
        CHECK(sums_of(crossing(80), 5, families, plenty).overflow);
    }
}

TEST(large_and_small_counts_share_a_layer) {
    for (std::size_t layers = 2; layers <= 127; ++layers) {
        const auto found = sums_of(ladder(layers), 5, true, plenty);
        const BigCount half = BigCount{1} << (layers - 2), edges = layers - 1;
        CHECK(found.count == 2 * half + 1);
        CHECK(found.row_counts == (std::vector<BigCount>{edges, edges * half, edges * half, 1, 2 * half}));
    }
}

TEST(losses_within_a_grain_are_found_again) {
    // Losses 0.1 apart with a grain of 0.25: which are one entry depends on which came first. The count is
    // then a rough one, but the shares must be those of the same networks: one family per node and network.
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const auto diagram = random_diagram(seed, 9, 2, 5);
        const auto found = sums_of(diagram, 5, true, plenty, 0.25);
        BigCount families = 0;
        for (const auto count : found.row_counts) families += count;
        CHECK(families == diagram.nodes * found.count);
    }
}

TEST(sums_stop_when_told) {
    struct Impatient final : Monitor {
        bool should_stop(const Progress&) override { return true; }
    } monitor;
    Ticker ticker(monitor);
    const auto diagram = random_diagram(1, 60, 400, 3);
    CHECK(sum_diagram(diagram, diagram.slack, 1e-9, 3, true, plenty, 1, ticker).status ==
          Status::interrupted);
    Ticker late(monitor, 0.0);
    CHECK(sum_diagram(diagram, diagram.slack, 1e-9, 3, false, plenty, 1, late).status == Status::time_limit);
    CHECK(sums_of(diagram, 3, false, diagram.bytes()).status == Status::memory_limit);
    for (const bool families : {false, true}) {
        Ticker shared(monitor);
        const auto stopped = sum_diagram(diagram, diagram.slack, 1e-9, 3, families, plenty, 3, shared);
        CHECK(stopped.status == Status::interrupted);
    }
    NetworkDiagram nothing;
    nothing.edge_begin = {0, 0};
    nothing.layer_begin = {0, 1};
    CHECK(sums_of(nothing, 0, true, plenty).count == 1);
    CHECK(sums_of(NetworkDiagram(), 0, true, plenty).count == 0);
}
