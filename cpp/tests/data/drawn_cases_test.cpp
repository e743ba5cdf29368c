#include "data/drawn_cases.hpp"

#include "check.hpp"
#include "xoshiro.hpp"

using namespace arcwise;

TEST(drawn_cases_are_weights_of_their_rows) {
    const std::vector<std::int64_t> rows{3, 0, 1, 5, 0};
    std::vector<std::int64_t> row_of;
    for (std::size_t row = 0; row < rows.size(); ++row)
        row_of.insert(row_of.end(), static_cast<std::size_t>(rows[row]), static_cast<std::int64_t>(row));
    Xoshiro random(1);
    DrawnCases drawn(row_of.size());
    std::vector<std::int64_t> expected(rows.size(), 0);
    const auto draw = [&](std::size_t count, bool same) {
        std::vector<std::int64_t> cases;
        for (std::size_t k = 0; k < count; ++k) {
            cases.push_back(same ? 7 : static_cast<std::int64_t>(random.below(row_of.size())));
            ++expected[static_cast<std::size_t>(row_of[static_cast<std::size_t>(cases.back())])];
        }
        drawn.add(cases);
        CHECK(drawn.weights(rows) == expected);
    };
    draw(0, false);
    draw(20, false);
    draw(1024, true);  // a byte goes around, and more than once
    draw(5000, false);
}
