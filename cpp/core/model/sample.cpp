#include "model/sample.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/philox.hpp"
#include "model/row_blocks.hpp"

namespace arcwise {

namespace {

// For every table row, the cumulative probabilities, divided by the row's sum. An entry that completes the
// sum is exactly 1, above every number drawn, so that states of probability 0 are never drawn, wherever they
// stand.
std::vector<double> cumulate(const NetworkView& network) {
    std::vector<double> result(network.values.begin(), network.values.end());
    for (std::size_t v = 0; v < network.variables(); ++v) {
        const auto r = static_cast<std::ptrdiff_t>(network.arity(v));
        const auto end = result.begin() + network.table_offsets[v + 1];
        for (auto row = result.begin() + network.table_offsets[v]; row != end; row += r) {
            std::partial_sum(row, row + r, row);
            const double sum = row[r - 1];
            std::for_each(row, row + r, [sum](double& value) { value /= sum; });
        }
    }
    return result;
}

// How many cumulative probabilities are at most u, the last one left out: the state drawn. Few states: count
// without a branch, which no predictor could guess; many: halve.
std::size_t draw(const double* cumulative, std::size_t r, double u) {
    if (r <= 16) {
        std::size_t state = 0;
        for (std::size_t k = 0; k + 1 < r; ++k) state += u >= cumulative[k] ? 1 : 0;
        return state;
    }
    return static_cast<std::size_t>(std::upper_bound(cumulative, cumulative + r - 1, u) - cumulative);
}

}  // namespace

template <class Code>
Status sample_rows(const NetworkView& network, std::array<std::uint64_t, 2> key, Code* codes,
                   std::size_t rows, std::size_t threads, Monitor& monitor) {
    const auto cumulative = cumulate(network);
    const auto n = network.variables();
    return for_row_blocks(rows, threads, monitor, [&] {
        return [&, numbers = std::vector<double>(4 * row_block), index = std::vector<std::size_t>(row_block)](
                   std::size_t, std::size_t first, std::size_t end) mutable {
            const auto size = end - first;
            for (std::size_t t = 0; t < n; ++t) {
                if (t % 4 == 0) {
                    for (std::size_t i = 0; i < size; ++i) {
                        const auto words = philox({first + i, t / 4, 0, 0}, key);
                        for (std::size_t w = 0; w < 4; ++w)
                            numbers[w * row_block + i] = unit_interval(words[w]);
                    }
                }
                const double* u = numbers.data() + t % 4 * row_block;
                const auto v = static_cast<std::size_t>(network.order[t]);
                const auto r = network.arity(v);
                std::fill_n(index.begin(), size, std::size_t{0});
                for (const auto parent : network.parents_of(v)) {
                    const auto p = static_cast<std::size_t>(parent);
                    const auto arity = network.arity(p);
                    const Code* column = codes + p * rows + first;
                    for (std::size_t i = 0; i < size; ++i) index[i] = index[i] * arity + column[i];
                }
                const double* table = cumulative.data() + network.table_offsets[v];
                Code* column = codes + v * rows + first;
                if (r == 2) {
                    for (std::size_t i = 0; i < size; ++i)
                        column[i] = static_cast<Code>(u[i] >= table[index[i] * 2] ? 1 : 0);
                } else {
                    for (std::size_t i = 0; i < size; ++i)
                        column[i] = static_cast<Code>(draw(table + index[i] * r, r, u[i]));
                }
            }
        };
    });
}

template Status sample_rows(const NetworkView&, std::array<std::uint64_t, 2>, std::uint8_t*, std::size_t,
                            std::size_t, Monitor&);
template Status sample_rows(const NetworkView&, std::array<std::uint64_t, 2>, std::uint16_t*, std::size_t,
                            std::size_t, Monitor&);
template Status sample_rows(const NetworkView&, std::array<std::uint64_t, 2>, std::uint32_t*, std::size_t,
                            std::size_t, Monitor&);

}  // namespace arcwise
