#include "exact/information.hpp"

#include <cmath>

#include "check.hpp"
#include "parent_sets/random_table.hpp"

using namespace random_table_support;

namespace {

// Four coins in a row, each like the one before with probability 0.9: all joint distributions are products.
constexpr double stay = 0.9;

double chain(std::size_t from, std::size_t to, bool a, bool b) {
    double same = 1;
    for (std::size_t step = from; step < to; ++step) same = same * stay + (1 - same) * (1 - stay);
    return a == b ? same : 1 - same;
}

Information four_coins() {
    const std::vector<std::int32_t> arities(4, 2);
    Information information(arities);
    const std::vector<std::int64_t> offsets{0, 4};
    const std::vector<std::int32_t> members{0, 1, 2, 3};
    std::vector<double> probabilities;
    for (std::size_t cell = 0; cell < 16; ++cell) {
        double p = 0.5;
        for (std::size_t v = 0; v + 1 < 4; ++v)
            p *= chain(v, v + 1, (cell >> (3 - v)) & 1U, (cell >> (2 - v)) & 1U);
        probabilities.push_back(p);
    }
    information.learn({offsets, members, probabilities});
    const std::vector<Word> parents{0b0000, 0b0001, 0b0010, 0b0100};
    information.set_model(parents);
    return information;
}

double bit(double p) {
    return -p * std::log(p) - (1 - p) * std::log(1 - p);
}

}  // namespace

TEST(entropies_of_a_chain_are_those_of_its_steps) {
    const Information information = four_coins();
    CHECK(information.size() == 16);
    const std::vector<Word> ends{0b1001};
    const double same = chain(0, 3, true, true);
    CHECK(std::abs(information.entropy(SetView(ends)) - std::log(2) - bit(same)) < 1e-12);
    CHECK(std::abs(information.total() - 3 * (std::log(2) - bit(stay))) < 1e-12);
}

TEST(no_network_tells_more_than_there_is) {
    Information information = four_coins();
    const Table table = random_table(4, 6, 5);
    const CandidateSets sets(table.view());
    for (Word members = 1; members < 16; ++members) {
        const std::vector<Word> inside{members};
        const auto numbers = information.coefficients(sets, SetView(inside));
        CHECK(numbers.size() == sets.rows());
        for (const double number : numbers) CHECK(number >= 0 && number <= std::log(2) + 1e-12);
    }
    // Everybody with the richest set: cuts come out, the most violated first, and all are beyond their sides.
    std::vector<std::int64_t> rows;
    std::vector<double> values(4, 1.0);
    for (std::size_t v = 0; v < 4; ++v) {
        std::size_t richest = sets.begin(v);
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
            if (sets.set(row).size() > sets.set(richest).size()) richest = row;
        rows.push_back(static_cast<std::int64_t>(richest));
    }
    const auto cuts = information.separate(sets, {rows, values}, 10, 1e-9);
    CHECK(information.take_wanted().size() == 0);
    for (const InformationCut& cut : cuts) {
        const auto numbers = information.coefficients(sets, cut.members);
        double left = 0;
        for (const std::int64_t row : rows) left += numbers[static_cast<std::size_t>(row)];
        CHECK(std::abs(left - cut.side - cut.violation) < 1e-9);
        CHECK(cut.violation > 0);
    }
}
