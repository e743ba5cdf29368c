// The largest likelihood a variable can have: that given all other variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "counts/collapsed_rows.hpp"

namespace arcwise {

// LL(i | all others) = sum n_jk log(n_jk / n_j) over rows that differ in i alone; 0 if there are none. Rows
// are sorted by the other variables: rows x variables x log(rows) comparisons at the very most, few in
// practice.
template <class Code, class Count>
double likelihood_given_all_others(const CollapsedRows<Code, Count>& data, std::size_t position) {
    std::vector<std::uint64_t> hash(data.rows, 0);
    for (std::size_t v = 0; v < data.variables; ++v) {
        if (v == position) continue;
        const Code* column = data.column(v);
        for (std::size_t row = 0; row < data.rows; ++row)
            hash[row] = (hash[row] ^ column[row]) * 0x9E3779B97F4A7C15u + (hash[row] >> 29);
    }
    std::vector<std::uint32_t> order(data.rows);
    std::iota(order.begin(), order.end(), 0u);
    // By hash, then by what was hashed: rows that agree are neighbours whatever the hash does.
    const auto difference = [&](std::uint32_t a, std::uint32_t b) {
        for (std::size_t v = 0; v < data.variables; ++v)
            if (v != position && data.column(v)[a] != data.column(v)[b])
                return data.column(v)[a] < data.column(v)[b] ? -1 : 1;
        return 0;
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (hash[a] != hash[b]) return hash[a] < hash[b];
        const int differ = difference(a, b);
        return differ != 0 ? differ < 0 : a < b;
    });
    double sum = 0.0;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        double total = static_cast<double>(data.weights[order[begin]]);
        while (end < order.size() && hash[order[end]] == hash[order[begin]] &&
               difference(order[end], order[begin]) == 0)
            total += static_cast<double>(data.weights[order[end++]]);
        for (; begin < end; ++begin) {
            const auto count = static_cast<double>(data.weights[order[begin]]);
            sum += count * std::log(count / total);
        }
    }
    return sum;
}

}  // namespace arcwise
