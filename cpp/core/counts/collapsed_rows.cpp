#include "counts/collapsed_rows.hpp"

#include <numeric>

#include "counts/partition.hpp"

namespace arcwise {

namespace {

// The classes of equal rows, and the summed weight of each.
template <class Code>
Partition equal_rows(const Columns<Code>& data) {
    Partition equal;
    Partition finer;
    equal.class_of.assign(data.rows, 0);
    equal.first.assign(data.rows == 0 ? 0 : 1, 0);
    Refiner<Code> refiner;
    for (std::size_t v = 0; v < data.variables && equal.classes() < data.rows; ++v) {
        refiner.refine(equal, data.column(v).data(), data.rows, static_cast<std::size_t>(data.arities[v]),
                       finer);
        std::swap(equal, finer);
    }
    return equal;
}

}  // namespace

template <class Code, class Count>
CollapsedRows<Code, Count> collapse_rows(const Columns<Code>& data) {
    const Partition equal = equal_rows(data);
    std::vector<std::int64_t> weight(equal.classes(), 0);
    for (std::size_t row = 0; row < data.rows; ++row) weight[equal.class_of[row]] += data.weight(row);

    CollapsedRows<Code, Count> result;
    result.variables = data.variables;
    result.unit_weights = true;
    std::vector<std::uint32_t> kept;
    for (std::size_t c = 0; c < equal.classes(); ++c) {
        if (weight[c] == 0) continue;
        kept.push_back(equal.first[c]);
        result.weights.push_back(static_cast<Count>(weight[c]));
        result.cases += weight[c];
        result.unit_weights = result.unit_weights && weight[c] == 1;
    }
    result.rows = kept.size();

    // The states' numbers of rows decide which state is left out, and the order of the variables.
    std::vector<std::vector<std::size_t>> frequency(data.variables);
    std::vector<std::size_t> most(data.variables, 0);
    for (std::size_t v = 0; v < data.variables; ++v) {
        frequency[v].assign(static_cast<std::size_t>(data.arities[v]), 0);
        const auto column = data.column(v);
        for (const auto row : kept) ++frequency[v][column[row]];
        for (std::size_t k = 1; k < frequency[v].size(); ++k)
            if (frequency[v][k] > frequency[v][most[v]]) most[v] = k;
    }
    result.labels.resize(data.variables);
    std::iota(result.labels.begin(), result.labels.end(), 0);
    std::stable_sort(result.labels.begin(), result.labels.end(), [&](std::int32_t a, std::int32_t b) {
        const auto u = static_cast<std::size_t>(a);
        const auto v = static_cast<std::size_t>(b);
        return frequency[u][most[u]] > frequency[v][most[v]];
    });

    result.codes.resize(data.variables * result.rows);
    result.arity_offsets.push_back(0);
    result.state_offsets.push_back(0);
    for (std::size_t position = 0; position < data.variables; ++position) {
        const auto v = static_cast<std::size_t>(result.labels[position]);
        const auto arity = frequency[v].size();
        const auto column = data.column(v);
        Code* target = result.codes.data() + position * result.rows;
        for (std::size_t row = 0; row < result.rows; ++row) target[row] = column[kept[row]];
        result.arities.push_back(arity);
        result.majority.push_back(most[v]);
        result.arity_offsets.push_back(result.arity_offsets.back() + arity);
        const auto start = result.minority.size();
        std::vector<std::size_t> next(arity);
        auto end = start;
        for (std::size_t k = 0; k < arity; ++k) {
            next[k] = end;
            if (k != most[v]) end += frequency[v][k];
            result.state_offsets.push_back(end);
        }
        result.minority.resize(end);
        for (std::size_t row = 0; row < result.rows; ++row)
            if (target[row] != most[v])
                result.minority[next[target[row]]++] = static_cast<std::uint32_t>(row);
    }
    return result;
}

template CollapsedRows<std::uint8_t, std::uint32_t> collapse_rows(const Columns<std::uint8_t>&);
template CollapsedRows<std::uint16_t, std::uint32_t> collapse_rows(const Columns<std::uint16_t>&);
template CollapsedRows<std::uint32_t, std::uint32_t> collapse_rows(const Columns<std::uint32_t>&);
template CollapsedRows<std::uint8_t, std::int64_t> collapse_rows(const Columns<std::uint8_t>&);
template CollapsedRows<std::uint16_t, std::int64_t> collapse_rows(const Columns<std::uint16_t>&);
template CollapsedRows<std::uint32_t, std::int64_t> collapse_rows(const Columns<std::uint32_t>&);

}  // namespace arcwise
