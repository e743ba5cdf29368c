#include "model/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "data/columns.hpp"
#include "model/likelihood.hpp"
#include "model/philox.hpp"

// The known answers of the generator's authors (Random123, kat_vectors, philox4x64 with 10 rounds).
TEST(philox_gives_the_published_numbers) {
    using Words = std::array<std::uint64_t, 4>;
    CHECK((arcwise::philox({0, 0, 0, 0}, {0, 0}) ==
           Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
    const std::uint64_t ones = ~std::uint64_t{0};
    CHECK((arcwise::philox({ones, ones, ones, ones}, {ones, ones}) ==
           Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
}

namespace {

// x0 -> x1, x0 in {0, 1, 2}; a state of probability 0 at the front, in the middle and at the end.
const std::array<std::int32_t, 2> arities{3, 3};
const std::array<std::int64_t, 3> parent_offsets{0, 0, 1};
const std::array<std::int32_t, 1> parents{0};
const std::array<std::int64_t, 3> table_offsets{0, 3, 12};
const std::array<double, 12> values{0.5, 0.25, 0.25, 0, 0.5, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0};
const std::array<std::int32_t, 2> order{0, 1};
const arcwise::NetworkView network{arities, parent_offsets, parents, table_offsets, values, order};

}  // namespace

TEST(sample_is_the_same_for_any_number_of_threads_and_never_impossible) {
    constexpr std::size_t rows = 10000;
    arcwise::SilentMonitor monitor;
    std::vector<std::uint8_t> one(2 * rows), three(2 * rows), begin(2 * 5000);
    CHECK(arcwise::sample_rows(network, {1, 2}, one.data(), rows, 1, monitor) == arcwise::Status::complete);
    arcwise::sample_rows(network, {1, 2}, three.data(), rows, 3, monitor);
    arcwise::sample_rows(network, {1, 2}, begin.data(), 5000, 1, monitor);
    CHECK(one == three);
    CHECK(std::equal(begin.begin(), begin.begin() + 5000, one.begin()));
    for (std::size_t i = 0; i < rows; ++i) CHECK(one[rows + i] != one[i]);

    const arcwise::Columns<std::uint8_t> data{one.data(), 2, rows, arities.data(), nullptr};
    const auto likelihood = arcwise::log_likelihood(network, data, order, {}, 3, monitor);
    const auto expected = [&](std::size_t i) { return std::log(values[one[i]]) + std::log(0.5); };
    for (std::size_t i = 0; i < rows; ++i) CHECK(likelihood.rows[i] == expected(i));

    // In every other row the second variable was set.
    std::vector<std::int32_t> of_row(rows);
    for (std::size_t i = 0; i < rows; ++i) of_row[i] = static_cast<std::int32_t>(i % 2);
    const std::array<std::uint8_t, 4> was_set{0, 0, 0, 1};
    const auto part = arcwise::log_likelihood(network, data, order, {of_row, was_set}, 3, monitor);
    for (std::size_t i = 0; i < rows; ++i)
        CHECK(part.rows[i] == (i % 2 == 0 ? expected(i) : std::log(values[one[i]])));
}

TEST(sample_stops_when_told) {
    struct Impatient final : arcwise::Monitor {
        bool should_stop(const arcwise::Progress&) override { return true; }
    } monitor;
    std::vector<std::uint8_t> codes(2 * 100000);
    CHECK(arcwise::sample_rows(network, {1, 2}, codes.data(), 100000, 2, monitor) ==
          arcwise::Status::interrupted);
}
