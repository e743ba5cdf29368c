#include "parent_sets/subset_sums.hpp"

#include <map>
#include <random>

#include "check.hpp"
#include "parent_sets/subset_maxima.hpp"
#include "scores/dirichlet.hpp"

// Every subset's sum against a count of its own.
TEST(sums_of_all_subsets_are_those_of_their_tables) {
    std::mt19937 random(7);
    for (const std::size_t rows : {1u, 2u, 40u}) {
        const std::vector<std::int32_t> arities{2, 3, 2, 5, 2, 3};
        arcwise::CollapsedRows<std::uint8_t, std::uint32_t> data;
        data.variables = arities.size();
        data.rows = rows;
        data.arities.assign(arities.begin(), arities.end());
        for (const auto arity : arities)
            for (std::size_t row = 0; row < rows; ++row)
                data.codes.push_back(static_cast<std::uint8_t>(random() % static_cast<std::uint32_t>(arity)));
        for (std::size_t row = 0; row < rows; ++row) {
            data.weights.push_back(static_cast<std::uint32_t>(1 + random() % 3));
            data.cases += data.weights.back();
        }
        const auto bdeu = arcwise::make_bdeu(data.cases, 1.5);
        const auto& score = *bdeu->set_score();
        const std::vector<std::int32_t> positions{0, 1, 3, 4, 5};
        std::vector<double> sums(32), threaded(32);
        const auto go_on = [](std::size_t, std::size_t) { return false; };
        CHECK(arcwise::sum_all_subsets(data, score, positions, 1, sums, go_on));
        CHECK(arcwise::sum_all_subsets(data, score, positions, 2, threaded, go_on));
        CHECK(sums == threaded);
        for (std::size_t set = 0; set < sums.size(); ++set) {
            std::map<std::vector<int>, std::int64_t> cells;
            double size = 1.0;
            for (std::size_t b = 0; b < positions.size(); ++b)
                if (((set >> b) & 1U) != 0) size *= arities[static_cast<std::size_t>(positions[b])];
            for (std::size_t row = 0; row < rows; ++row) {
                std::vector<int> key;
                for (std::size_t b = 0; b < positions.size(); ++b)
                    if (((set >> b) & 1U) != 0)
                        key.push_back(data.column(static_cast<std::size_t>(positions[b]))[row]);
                cells[key] += data.weights[row];
            }
            double expected = score.constant(size);
            for (const auto& [key, count] : cells) expected += score.cell_term(count, size);
            CHECK(std::abs(sums[set] - expected) < 1e-9);
        }
        CHECK(!arcwise::sum_all_subsets(data, score, positions, 1, sums,
                                        [](std::size_t, std::size_t) { return true; }));
    }
}

TEST(maxima_of_all_subsets_are_those_of_a_search) {
    std::mt19937 random(11);
    for (const std::size_t bits : {0u, 3u, 11u, 13u, 16u}) {
        std::vector<double> values(std::size_t{1} << bits);
        for (auto& value : values) value = static_cast<double>(random() % 100000);
        auto expected = values;
        for (std::size_t b = 0; b < bits; ++b)
            for (std::size_t set = 0; set < values.size(); ++set)
                if (((set >> b) & 1U) != 0)
                    expected[set] = std::max(expected[set], expected[set ^ (std::size_t{1} << b)]);
        arcwise::maximum_over_subsets(values, bits);
        CHECK(values == expected);
    }
}
