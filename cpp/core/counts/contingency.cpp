#include "counts/contingency.hpp"

#include <algorithm>

namespace arcwise {

template <class Code>
std::vector<std::int64_t> count_cells(const Columns<Code>& data, std::span<const std::int32_t> members,
                                      std::size_t cells) {
    std::vector<std::int64_t> counts(cells, 0);
    // Rows go in blocks, member by member inside a block: the columns stream through the cache once and the
    // inner loop has no dependency between rows, so that it vectorises.
    constexpr std::size_t block = 4096;
    std::vector<std::size_t> index(std::min(block, data.rows));
    for (std::size_t start = 0; start < data.rows; start += block) {
        const std::size_t size = std::min(block, data.rows - start);
        std::fill_n(index.begin(), size, std::size_t{0});
        for (const auto member : members) {
            const auto variable = static_cast<std::size_t>(member);
            const auto arity = static_cast<std::size_t>(data.arities[variable]);
            const auto* column = data.column(variable).data() + start;
            for (std::size_t row = 0; row < size; ++row) index[row] = index[row] * arity + column[row];
        }
        for (std::size_t row = 0; row < size; ++row) counts[index[row]] += data.weight(start + row);
    }
    return counts;
}

template std::vector<std::int64_t> count_cells(const Columns<std::uint8_t>&, std::span<const std::int32_t>,
                                               std::size_t);
template std::vector<std::int64_t> count_cells(const Columns<std::uint16_t>&, std::span<const std::int32_t>,
                                               std::size_t);
template std::vector<std::int64_t> count_cells(const Columns<std::uint32_t>&, std::span<const std::int32_t>,
                                               std::size_t);

}  // namespace arcwise
