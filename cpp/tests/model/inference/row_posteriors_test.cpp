#include "model/inference/row_posteriors.hpp"

#include <cmath>

#include "check.hpp"

using namespace arcwise;

namespace {

bool close(double a, double b) {
    return std::fabs(a - b) < 1e-12;
}

// a -> b -> c, binary; in the second of three rows b and c are missing, in the third a and b, and c was set.
struct Chain {
    std::vector<std::int32_t> arities{2, 2, 2}, parents{0, 1}, order{0, 1, 2};
    std::vector<std::int64_t> parent_offsets{0, 0, 1, 2}, table_offsets{0, 2, 6, 10}, weights{1, 2, 1};
    std::vector<double> values{0.3, 0.7, 0.9, 0.1, 0.2, 0.8, 0.6, 0.4, 0.5, 0.5};
    std::vector<std::uint8_t> codes{0, 0, 0, 1, 0, 0, 1, 0, 1};
    std::vector<std::uint8_t> flags{0, 0, 1, 0, 1, 1, 0, 1, 2};

    RowPosteriors<std::uint8_t> posteriors(const ExpectationLimits& limits) const {
        return {{codes.data(), 3, 3, arities.data(), weights.data()},
                flags,
                {arities, parent_offsets, parents, table_offsets, values, order},
                limits};
    }
};

}  // namespace

TEST(expected_counts_of_a_chain) {
    const Chain chain;
    SilentMonitor silent;
    // Joint tables; elimination; nothing kept.
    const ExpectationLimits each[] = {{}, {1, 1e6, std::size_t{1} << 20, 2}, {1024, 1e6, 0, 1}};
    for (const auto& limits : each) {
        Ticker ticker(silent);
        auto posteriors = chain.posteriors(limits);
        CHECK(posteriors.prepare(ticker) == ExpectationStatus::complete);
        // Row 1: 0.3 x 0.1 x 0.5; row 2, twice: 0.3; row 3: nothing is observed but what was set.
        CHECK(close(posteriors.log_likelihood(), std::log(0.3 * 0.1 * 0.5) + 2 * std::log(0.3)));
        const std::int32_t children[] = {1, 2}, parents[] = {0, 1};
        const std::int64_t offsets[] = {0, 1, 2};
        std::vector<double> counts;
        CHECK(posteriors.count(children, offsets, parents, counts, ticker) == ExpectationStatus::complete);
        const double expected[] = {1.8 + 0.27, 1 + 0.2 + 0.03, 0.14, 0.56, 1.08, 0.72, 0.1, 1.1};
        for (std::size_t cell = 0; cell < 8; ++cell) CHECK(close(counts[cell], expected[cell]));
    }
}

TEST(a_row_that_the_network_excludes_is_told) {
    Chain chain;
    chain.values[3] = 0.0;
    chain.values[2] = 1.0;
    SilentMonitor silent;
    Ticker ticker(silent);
    auto posteriors = chain.posteriors({});
    CHECK(posteriors.prepare(ticker) == ExpectationStatus::impossible);
    CHECK(posteriors.refused_row() == 0);
}
