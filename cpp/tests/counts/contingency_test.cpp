#include "counts/contingency.hpp"

#include <array>

#include "check.hpp"

using arcwise::Columns;

TEST(counts_two_variables_with_weights) {
    const std::array<std::uint8_t, 8> codes{0, 1, 1, 0, 2, 0, 2, 2};
    const std::array<std::int32_t, 2> arities{2, 3};
    const std::array<std::int64_t, 4> weights{1, 10, 100, 1000};
    const Columns<std::uint8_t> data{codes.data(), 2, 4, arities.data(), weights.data()};
    const std::array<std::int32_t, 2> both{0, 1};
    CHECK((arcwise::count_cells(data, both, 6) == std::vector<std::int64_t>{0, 0, 1001, 10, 0, 100}));
    CHECK(data.cases() == 1111);
}

TEST(counts_the_empty_set_as_one_cell) {
    const std::array<std::uint8_t, 3> codes{0, 1, 0};
    const std::array<std::int32_t, 1> arities{2};
    const Columns<std::uint8_t> data{codes.data(), 1, 3, arities.data(), nullptr};
    CHECK((arcwise::count_cells(data, {}, 1) == std::vector<std::int64_t>{3}));
}
