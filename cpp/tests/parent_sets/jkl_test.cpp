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
