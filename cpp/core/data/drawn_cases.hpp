// Cases that were drawn, as weights of the rows that they are of.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

// Row r has the next rows[r] cases after those of the rows before. Draws are counted by case, a byte each,
// and summed by row in the end, in order: to look up the row of each draw is to wait for memory twice, at
// places without any order, in lists that are four and eight times as long. The cost is proportional to the
// draws, plus cases.
class DrawnCases {
  public:
    explicit DrawnCases(std::size_t cases) : drawn_(cases, 0) {}

    void add(std::span<const std::int64_t> cases) {
        for (const auto drawn : cases) {
            assert(drawn >= 0 && static_cast<std::size_t>(drawn) < drawn_.size());
            if (++drawn_[static_cast<std::size_t>(drawn)] == 0) [[unlikely]]
                full_.push_back(static_cast<std::size_t>(drawn));
        }
    }

    std::vector<std::int64_t> weights(std::span<const std::int64_t> rows) const {
        std::vector<std::int64_t> sums(rows.size());
        std::vector<std::size_t> full = full_;
        std::ranges::sort(full);
        auto next = full.begin();
        std::size_t end = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            std::int64_t sum = 0;
            const std::size_t begin = end;
            end += static_cast<std::size_t>(rows[row]);
            assert(end <= drawn_.size());
            for (std::size_t k = begin; k < end; ++k) sum += drawn_[k];
            for (; next != full.end() && *next < end; ++next) sum += around;
            sums[row] = sum;
        }
        return sums;
    }

  private:
    static constexpr std::int64_t around = std::numeric_limits<std::uint8_t>::max() + 1;

    std::vector<std::uint8_t> drawn_;
    std::vector<std::size_t> full_;  // a case each time that its byte has gone around
};

}  // namespace arcwise
