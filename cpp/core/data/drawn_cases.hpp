// Cases that were drawn, as weights of the rows that they are of.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

// Adds one to the weight of its row for every case: case k is of row row_of[k].
inline void add_cases(std::span<const std::uint32_t> row_of, std::span<const std::int64_t> cases,
                      std::span<std::int64_t> weights) {
    for (const auto drawn : cases) {
        assert(drawn >= 0 && static_cast<std::size_t>(drawn) < row_of.size());
        const std::uint32_t row = row_of[static_cast<std::size_t>(drawn)];
        assert(row < weights.size());
        ++weights[row];
    }
}

}  // namespace arcwise
