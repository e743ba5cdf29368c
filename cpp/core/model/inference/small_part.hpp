// The missing cells of a few variables, drawn from the table of all their configurations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/inference/probability_tables.hpp"

namespace arcwise {

// A junction tree pays where a part has many configurations. Where it has few, their probabilities given the
// cells around them are products of one entry from each table that has a member of the part: where these
// entries lie relative to each other is the same in all rows. The members are then drawn one after the other,
// ascending, each given those before it, from a random number of its own.
class SmallPart {
  public:
    // Whether the part and the tables are small, and these defined everywhere.
    static bool suits(const ProbabilityTables& tables, std::span<const std::int32_t> members,
                      double max_cells);

    SmallPart(const ProbabilityTables& tables, std::span<const std::int32_t> members);

    // Draws the members in a row. False if the products sum to 0, or to too little for a double.
    template <class Code>
    bool draw(Code* codes, std::size_t rows, std::size_t row, std::array<std::uint64_t, 2> key);

  private:
    struct Table {
        std::span<const double> values;
        std::vector<std::pair<std::int32_t, std::size_t>> around;  // observed variables and their strides
        std::vector<std::uint32_t> offsets;                        // of each configuration of the members
    };

    std::vector<std::int32_t> members_;
    std::vector<std::size_t> arities_;
    std::vector<Table> tables_;
    std::vector<double> products_;
};

}  // namespace arcwise
