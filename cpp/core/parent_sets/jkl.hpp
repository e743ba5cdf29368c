// The text format of local scores that GOBNILP, CPBayes and ELSA read ("jkl", after Jaakkola).
//
//     # comments, anywhere
//     3                        the number of variables
//     rain 2                   a variable and its number of parent sets
//     -4.5 1 sprinkler         a score, the number of parents, the parents
//     -6.0 0
//     ...
//
// Names are any words. Where they are the numbers 0 .. n-1 in any order, a variable's index is its number;
// otherwise it is the position of its block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parent_sets/table_data.hpp"

namespace arcwise {

struct JklTable {
    std::vector<std::string> names;
    TableData table;                    // in the order of rows that every table has
    std::vector<std::string> comments;  // without '#' and surrounding blanks
    std::int64_t error_line = 0;        // 1 for the first; 0: no error
    std::string error;                  // what is wrong there; empty: nothing
};

// Never throws for malformed text: the first mistake is in `error`. Takes time and memory in proportion to
// the text, whatever numbers it claims.
JklTable parse_jkl(std::string_view text);

// The table as text, after the given comment lines. Scores are written with the fewest digits that read back
// as the same number.
std::string format_jkl(const TableView& table, const std::vector<std::string>& names,
                       const std::vector<std::string>& comments);

}  // namespace arcwise
