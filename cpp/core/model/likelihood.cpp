#include "model/likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "model/row_blocks.hpp"

namespace arcwise {

template <class Code>
Likelihood log_likelihood(const NetworkView& network, const Columns<Code>& data,
                          std::span<const std::int32_t> positions, const Interventions& interventions,
                          std::size_t threads, Monitor& monitor) {
    // One logarithm per table entry, not per row and variable.
    std::vector<double> logs(network.values.size());
    std::ranges::transform(network.values, logs.begin(), [](double value) { return std::log(value); });
    Likelihood result;
    result.rows.assign(data.rows, 0.0);
    result.status = for_row_blocks(data.rows, threads, monitor, [&] {
        return [&, index = std::vector<std::size_t>(row_block)](std::size_t, std::size_t first,
                                                                std::size_t end) mutable {
            const auto size = end - first;
            double* sums = result.rows.data() + first;
            for (std::size_t v = 0; v < network.variables(); ++v) {
                std::fill_n(index.begin(), size, std::size_t{0});
                const auto append = [&](std::size_t member) {
                    const auto arity = network.arity(member);
                    const Code* column =
                        data.column(static_cast<std::size_t>(positions[member])).data() + first;
                    for (std::size_t i = 0; i < size; ++i) index[i] = index[i] * arity + column[i];
                };
                for (const auto parent : network.parents_of(v)) append(static_cast<std::size_t>(parent));
                append(v);
                const double* table = logs.data() + network.table_offsets[v];
                if (interventions.of_row.empty()) {
                    for (std::size_t i = 0; i < size; ++i) sums[i] += table[index[i]];
                    continue;
                }
                const std::int32_t* of_row = interventions.of_row.data() + first;
                for (std::size_t i = 0; i < size; ++i)
                    if (interventions
                            .was_set[static_cast<std::size_t>(of_row[i]) * network.variables() + v] == 0)
                        sums[i] += table[index[i]];
            }
        };
    });
    return result;
}

template Likelihood log_likelihood(const NetworkView&, const Columns<std::uint8_t>&,
                                   std::span<const std::int32_t>, const Interventions&, std::size_t,
                                   Monitor&);
template Likelihood log_likelihood(const NetworkView&, const Columns<std::uint16_t>&,
                                   std::span<const std::int32_t>, const Interventions&, std::size_t,
                                   Monitor&);
template Likelihood log_likelihood(const NetworkView&, const Columns<std::uint32_t>&,
                                   std::span<const std::int32_t>, const Interventions&, std::size_t,
                                   Monitor&);

}  // namespace arcwise
