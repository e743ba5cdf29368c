#include "data/delimited.hpp"

#include <string>

#include "check.hpp"

using arcwise::DelimitedProblem;
using arcwise::DelimitedTable;
using arcwise::Dialect;

namespace {

DelimitedTable read(const std::string& text, bool header = true, const Dialect& dialect = {}) {
    // A copy of exactly the size: the address sanitizer sees a step beyond the end.
    const std::vector<char> exact(text.begin(), text.end());
    arcwise::SilentMonitor monitor;
    return arcwise::read_delimited({exact.data(), exact.size()}, dialect, header, 1, 42, monitor);
}

std::vector<std::string> column(DelimitedTable& table, std::size_t v) {
    std::vector<std::string> cells;
    std::visit(
        [&](const auto& codes) {
            for (const auto code : codes) cells.emplace_back(table.columns[v].labels()[code]);
        },
        table.columns[v].codes());
    return cells;
}

}  // namespace

TEST(reads_fields_quotes_and_line_ends) {
    auto table = read("a, b\r\n1,\"x, \"\"y\"\"\"\r2 , z\n\n1,z");
    CHECK(table.problem == DelimitedProblem::none);
    CHECK(table.rows == 3);
    CHECK(table.header[0] == "a" && table.header[1] == "b");
    CHECK((column(table, 0) == std::vector<std::string>{"1", "2", "1"}));
    CHECK((column(table, 1) == std::vector<std::string>{"x, \"y\"", "z", "z"}));
    CHECK((table.lines == std::vector<std::int64_t>{2, 3, 5}));
    CHECK(table.columns[1].respaced_lines() == std::vector<std::int64_t>{5});
}

TEST(every_prefix_of_a_file_is_read_or_refused) {
    const std::string text = "a,b,'c'\n1,\"2\"\"\n\",' 3'\r\n\t\n4,5,\\'6\n%7,8,9\n'\\'',\"\",x\n";
    for (const auto& dialect : {Dialect{}, Dialect{',', "'\"", false, true, '%'}, Dialect{'\t'}})
        for (std::size_t size = 0; size <= text.size(); ++size)
            for (const bool header : {false, true})
                CHECK(read(text.substr(0, size), header, dialect).rows >= 0);
}

TEST(names_the_problem_and_its_place) {
    auto ragged = read("a,b\n1,2\n3\n");
    CHECK(ragged.problem == DelimitedProblem::ragged && ragged.line == 3 && ragged.found == 1);
    auto quote = read("a,b\n1,\"2\n");
    CHECK(quote.problem == DelimitedProblem::unclosed_quote && quote.line == 2 && quote.field == 2);
    auto nul = read(std::string("a,b\n1,\0\n", 8));
    CHECK(nul.problem == DelimitedProblem::nul_byte && nul.line == 2 && nul.field == 2);
    auto behind = read("a,b\n\"1\"x,2\n");
    CHECK(behind.problem == DelimitedProblem::text_after_quote && behind.field == 1);
    auto big = read("a,b\n1," + std::string(arcwise::max_field_bytes + 1, 'x'));
    CHECK(big.problem == DelimitedProblem::field_too_long);
}

TEST(codes_widen_as_labels_come) {
    std::string text = "a,b\n";
    for (int row = 0; row < 70'000; ++row) text += std::to_string(row) + ",x\n";
    auto table = read(text);
    CHECK(table.columns[0].codes().index() == 2);
    CHECK(table.columns[1].codes().index() == 0);
    const auto cells = column(table, 0);
    CHECK(cells[0] == "0" && cells[255] == "255" && cells[256] == "256" && cells[69'999] == "69999");
}
