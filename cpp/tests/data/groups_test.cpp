#include "data/groups.hpp"

#include <array>

#include "check.hpp"

using arcwise::Columns;

TEST(groups_identical_rows_and_drops_those_without_cases) {
    const std::array<std::uint8_t, 10> codes{0, 1, 0, 1, 1, 2, 0, 2, 0, 1};
    const std::array<std::int32_t, 2> arities{2, 3};
    const std::array<std::int64_t, 5> weights{1, 2, 4, 8, 0};
    const auto groups =
        arcwise::group_rows(Columns<std::uint8_t>{codes.data(), 2, 5, arities.data(), weights.data()});
    CHECK((groups.first == std::vector<std::int64_t>{0, 1}));
    CHECK((groups.weights == std::vector<std::int64_t>{5, 10}));
}

TEST(groups_many_states_by_hashing) {
    // 3 rows with 10^6 states each: a dense table of pairs would not be worth it.
    const std::array<std::uint32_t, 8> codes{7, 999'999, 7, 7, 999'998, 1, 999'998, 2};
    const std::array<std::int32_t, 2> arities{1'000'000, 1'000'000};
    const auto groups =
        arcwise::group_rows(Columns<std::uint32_t>{codes.data(), 2, 4, arities.data(), nullptr});
    CHECK((groups.first == std::vector<std::int64_t>{0, 1, 3}));
    CHECK((groups.weights == std::vector<std::int64_t>{2, 1, 1}));
}
