// The Bayesian Interchange Format, second half: from statements to a network, or to one clear mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

// What a BIF file says. Tables are flat, one after the other in the order of the variables: table v holds
// values[table_offsets[v] .. table_offsets[v + 1]), one row per parent configuration (parents ascending, the
// first varying slowest), one column per state of v. Undefined rows are NaN.
struct BifNetwork {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> states;
    std::vector<std::vector<std::int32_t>> parents;  // ascending
    std::vector<std::int64_t> table_offsets;
    std::vector<double> values;
    // The mistake, if any: then nothing above is to be used. Lines and columns count from 1; a column is a
    // character, not a byte. No mistake: line 0.
    std::string message;
    std::size_t line = 0;
    std::size_t column = 0;
};

// Reads the text of a BIF file: valid UTF-8 without NUL. A row must sum to 1 within `tolerance`; the numbers
// are kept as they are. A file whose tables would hold more than `max_cells` numbers is refused before any
// memory is taken, for a `default` entry lets a short file ask for a table of any size.
BifNetwork read_bif(std::string_view text, double tolerance, std::size_t max_cells);

}  // namespace arcwise
