#include "model/bif.hpp"

#include <cmath>
#include <string>

#include "check.hpp"

namespace {

const std::string two = R"(
// A comment, and the blocks out of order.
probability ( wet | rain ) {
  ("heavy; rain") 0.25, 0.75;
  default 0.9, 0.1;
  property undefined (none);
}
network "a b" { property author = "x" y; }
variable rain { type discrete [ 3 ] { none, <5, "heavy; rain" }; property position = (1, 2); }
/* another */ variable wet { type discrete[2] { no yes }; }
probability(rain) { table 0.5 0.25 0.25; }
)";

arcwise::BifNetwork read(const std::string& text) {
    return arcwise::read_bif(text, 1e-3, 1 << 20);
}

bool fails(const std::string& text, const std::string& message, std::size_t line, std::size_t column) {
    const auto result = read(text);
    if (result.message.find(message) == std::string::npos || result.line != line || result.column != column) {
        std::cerr << "got: " << result.line << ":" << result.column << ": " << result.message << "\n";
        return false;
    }
    return true;
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
    return text.replace(text.find(old), old.size(), with);
}

}  // namespace

TEST(bif_reads_blocks_in_any_order) {
    const auto network = read(two);
    CHECK(network.line == 0);
    CHECK((network.names == std::vector<std::string>{"rain", "wet"}));
    CHECK((network.states[0] == std::vector<std::string>{"none", "<5", "heavy; rain"}));
    CHECK((network.parents[1] == std::vector<std::int32_t>{0}));
    CHECK((network.table_offsets == std::vector<std::int64_t>{0, 3, 9}));
    CHECK(network.values[0] == 0.5);
    CHECK(std::isnan(network.values[3]) && std::isnan(network.values[4]));
    CHECK(network.values[5] == 0.9 && network.values[7] == 0.25);
}

// BIF 0.15: a table lists the joint states with the child slowest; here the parents also stand in another
// order than the variables.
TEST(bif_table_with_parents_in_another_order) {
    const auto network = read(R"(
variable a { type discrete [2] { a0, a1 }; }
variable b { type discrete [3] { b0, b1, b2 }; }
variable c { type discrete [2] { c0, c1 }; }
probability ( a ) { table 0.5, 0.5; }
probability ( b ) { table 0.5, 0.25, 0.25; }
probability ( c | b, a ) { table 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4; })");
    CHECK(network.line == 0);
    const std::vector<double> first_state{0.1, 0.3, 0.5,
                                          0.2, 0.4, 0.6};  // (a0,b0) (a0,b1) (a0,b2) (a1,b0) ..
    for (std::size_t j = 0; j < 6; ++j) CHECK(network.values[5 + 2 * j] == first_state[j]);
}

TEST(bif_names_the_place_of_a_mistake) {
    CHECK(fails(replaced(two, "0.25, 0.75", "0.25, 0.7"), "sums to 0.95", 4, 3));
    CHECK(fails(replaced(two, "0.25, 0.75", "0.25"), "has 1 numbers", 4, 3));
    CHECK(fails(replaced(two, "0.25, 0.75", "0.25, nan"), "between 0 and 1", 4, 25));
    CHECK(fails(replaced(two, "0.25, 0.75", "0.25, 1e999"), "does not fit", 4, 25));
    CHECK(fails(replaced(two, "| rain", "| snow"), "unknown variable 'snow'", 3, 21));
    CHECK(fails(replaced(two, "(none)", "(some)"), "unknown state 'some'", 6, 23));
    CHECK(fails(replaced(two, "  default 0.9, 0.1;", ""), "has no row for ('<5')", 3, 15));
    CHECK(fails(replaced(two, "probability(rain)", "probability(rain | wet)"), "cycle", 11, 13));
    CHECK(fails(replaced(two, "0.5 0.25 0.25", "0.5 0.5"), "need 3", 11, 21));
    CHECK(fails(replaced(two, "[2]", "[7]"), "declares 7 states but lists 2", 10, 44));
    CHECK(fails(two + two, "second 'network' block", 19, 1));
    CHECK(fails("", "no variable", 1, 1));
    CHECK(fails("variable \xc3\xa9\xc3\xa9 }", "expected '{'", 1, 13));  // columns are characters
}

TEST(bif_takes_no_memory_for_a_table_it_refuses) {
    std::string text;
    std::string parents;
    for (int v = 0; v < 100; ++v) {
        const auto name = "v" + std::to_string(v);
        text += "variable " + name + " { type discrete [2] { a, b }; }\n";
        text += "probability ( " + name + " ) { table 0.5, 0.5; }\n";
        parents += (v == 0 ? "" : ", ") + name;
    }
    text += "variable x { type discrete [2] { a, b }; }\nprobability ( x | " + parents +
            " ) { default 0.5, 0.5; }";
    CHECK(fails(text, "exceed 1048576 numbers", 202, 15));
}

// Every prefix of a file ends in a mistake or in a network; none crashes under the sanitizers.
TEST(bif_survives_every_truncation) {
    for (std::size_t length = 0; length < two.size(); ++length) {
        const auto result = read(two.substr(0, length));
        CHECK(result.line > 0 || length + 1 >= two.size());
    }
}

// Pieces cut, moved and inserted at random: a network or a mistake with a place, and nothing for the
// sanitizers.
TEST(bif_survives_mutations) {
    const std::string marks = "{}()[]|,;\"\\/*0.-n \x01\xc3";
    std::uint64_t state = 1;
    const auto draw = [&state](std::size_t below) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::size_t>(state >> 33) % below;
    };
    for (int round = 0; round < 20000; ++round) {
        std::string text = two;
        for (std::size_t change = 1 + draw(4); change > 0; --change) {
            const auto at = draw(text.size());
            if (draw(2) == 0)
                text.replace(at, draw(6), 1, marks[draw(marks.size())]);
            else
                text.insert(at, text.substr(draw(text.size()), draw(30)));
        }
        const auto result = read(text);
        CHECK(result.message.empty() == (result.line == 0));
        CHECK(result.line > 0 ||
              result.table_offsets.back() == static_cast<std::int64_t>(result.values.size()));
    }
}
