#include "parent_sets/jkl.hpp"

#include "check.hpp"

TEST(reads_and_writes_a_jkl_table) {
    const auto parsed = arcwise::parse_jkl("# note\n2\na 2\n-2 0\n-1.5 1 b\nb 1\n-3 0\n");
    CHECK(parsed.error.empty());
    CHECK((parsed.names == std::vector<std::string>{"a", "b"}));
    CHECK((parsed.table.scores == std::vector<double>{-1.5, -2, -3}));
    CHECK((parsed.table.members == std::vector<std::int32_t>{1}));
    CHECK(arcwise::format_jkl(parsed.table.view(), parsed.names, {"note"}) ==
          "# note\n2\na 2\n-1.5 1 b\n-2 0\nb 1\n-3 0\n");
}

TEST(survives_every_truncation_of_a_jkl_table) {
    const std::string text = "2\nalpha 2\n-2 0\n-1.5 1 beta\nbeta 1\n-3 0\n";
    for (std::size_t length = 0; length + 2 < text.size(); ++length)
        CHECK(!arcwise::parse_jkl(std::string_view(text).substr(0, length)).error.empty());
}

TEST(variables_that_are_numbers_twice_keep_their_order) {
    const auto parsed = arcwise::parse_jkl("2\n1 1\n-2 0\n01 1\n-3 0\n");
    CHECK(parsed.error.empty());
    CHECK((parsed.names == std::vector<std::string>{"1", "01"}));
    const auto sorted = arcwise::parse_jkl("2\n1 1\n-2 0\n0 1\n-3 0\n");
    CHECK((sorted.names == std::vector<std::string>{"0", "1"}));
}

TEST(a_first_line_of_two_numbers_is_refused) {
    CHECK(arcwise::parse_jkl("2 2\na 1\n-2 0\nb 1\n-3 0\n").error_line == 1);
}

TEST(what_is_quoted_ends_before_a_character_and_not_inside_one) {
    const std::string name = std::string(39, 'x') + "\xC3\xA9" + std::string(5, 'y');
    const auto parsed = arcwise::parse_jkl("1\n" + name + " 0\n");
    CHECK(parsed.error.find("'" + std::string(39, 'x') + "...'") != std::string::npos);
}
