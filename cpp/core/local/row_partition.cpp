#include "local/row_partition.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace arcwise {

namespace {

constexpr std::size_t most_cells_in_parts = 256;

// Calls visit(part, i) for i below `count`: of four parts, the same place of each in turn.
template <class Visit>
inline void for_each_in_parts(std::size_t parts, std::size_t part, std::size_t count, Visit visit) {
    if (parts == 1) {
        for (std::size_t i = 0; i < count; ++i) visit(0, i);
        return;
    }
    for (std::size_t i = 0; i < part; ++i) {
        visit(0, i);
        visit(1, part + i);
        visit(2, 2 * part + i);
        visit(3, 3 * part + i);
    }
    for (std::size_t i = 4 * part; i < count; ++i) visit(3, i);
}

}  // namespace

RowWeights::RowWeights(std::size_t count, std::span<const std::int64_t> weights) {
    assert(weights.empty() || weights.size() == count);
    bool all_one = true;
    for (std::size_t row = 0; row < count; ++row) {
        const std::int64_t weight = weights.empty() ? 1 : weights[row];
        assert(weight >= 0);
        cases += weight;
        if (weight == 0 || weight > 255) continue;
        rows.push_back(static_cast<std::uint32_t>(row));
        bytes.push_back(static_cast<std::uint8_t>(weight));
        all_one = all_one && weight == 1;
    }
    light = rows.size();
    for (std::size_t row = 0; row < weights.size(); ++row) {
        if (weights[row] <= 255) continue;
        rows.push_back(static_cast<std::uint32_t>(row));
        heavies.push_back(weights[row]);
    }
    if (all_one) bytes.clear();
    plain = all_one && light == count;
}

std::size_t RowSorter::renumber(std::vector<std::uint32_t>& keys, std::size_t cells) {
    table_.assign(cells, 0);
    for (const auto key : keys) table_[key] = 1;
    std::uint32_t next = 0;
    for (auto& entry : table_)
        if (entry != 0) entry = next++;
    for (auto& key : keys) key = table_[key];
    return next;
}

// keys = keys * arity + state. Numbers that could grow far beyond the rows are made dense first, which keeps
// their order: the tables never have more than rows x arity entries, whatever the number of parents.
std::size_t RowSorter::refine(std::span<const std::uint32_t> rows, std::size_t variable, std::size_t cells,
                              bool plain, std::vector<std::uint32_t>& keys) {
    const std::size_t arity = data_.arity(variable);
    if (cells * arity > std::max<std::size_t>(1024, 2 * rows.size())) cells = renumber(keys, cells);
    assert(cells * arity <= std::numeric_limits<std::uint32_t>::max());
    const auto codes = data_.column(variable);
    const auto factor = static_cast<std::uint32_t>(arity);
    auto* key = keys.data();
    if (plain)
        for (std::size_t i = 0; i < rows.size(); ++i) key[i] = key[i] * factor + codes[i];
    else
        for (std::size_t i = 0; i < rows.size(); ++i) key[i] = key[i] * factor + codes[rows[i]];
    return cells * arity;
}

std::size_t RowSorter::number(std::span<const std::uint32_t> rows, std::span<const std::int32_t> variables,
                              std::vector<std::uint32_t>& keys) {
    keys.assign(rows.size(), 0);
    std::size_t cells = 1;
    for (const auto v : variables) cells = refine(rows, static_cast<std::size_t>(v), cells, false, keys);
    return renumber(keys, cells);
}

void RowSorter::sort(std::size_t child, std::span<const std::int32_t> parents, RowPartition& result) {
    const auto& rows = weights_.rows;
    keys_.assign(rows.size(), 0);
    std::size_t cells = 1;
    for (const auto p : parents)
        cells = refine(rows, static_cast<std::size_t>(p), cells, weights_.plain, keys_);
    cells = refine(rows, child, cells, weights_.plain, keys_);

    // A counting sort: how many rows each key has, then where its rows begin, then the rows. With few keys,
    // the same counter is raised again and again, and each time waits for the last; so the rows are counted
    // and placed in four parts side by side, each with counters of its own.
    const std::size_t parts = cells <= most_cells_in_parts ? 4 : 1;
    const std::size_t part = weights_.light / parts;  // rows of a part; the last has the remainder too
    place_.assign(parts * cells, 0);
    for_each_in_parts(parts, part, weights_.light,
                      [&](std::size_t p, std::size_t i) { ++place_[p * cells + keys_[i]]; });
    const bool heavy = !weights_.heavies.empty();
    if (heavy) {
        heavy_place_.assign(cells, 0);
        for (std::size_t i = weights_.light; i < rows.size(); ++i) ++heavy_place_[keys_[i]];
    }
    result.ends.clear();
    result.heavy_ends.clear();
    result.states.clear();
    result.config_ends.clear();
    const auto arity = static_cast<std::uint32_t>(data_.arity(child));
    std::uint32_t begin = 0;
    std::uint32_t heavy_begin = 0;
    std::size_t key = 0;
    for (std::size_t config = 0; config < cells / arity; ++config) {
        const std::size_t before = result.ends.size();
        for (std::uint32_t state = 0; state < arity; ++state, ++key) {
            const std::uint32_t first = begin;
            for (std::size_t p = 0; p < parts; ++p) begin += std::exchange(place_[p * cells + key], begin);
            const std::uint32_t heavies = heavy ? heavy_place_[key] : 0;
            if (begin == first && heavies == 0) continue;
            result.ends.push_back(begin);
            result.states.push_back(state);
            if (heavy) {
                heavy_place_[key] = heavy_begin;
                heavy_begin += heavies;
                result.heavy_ends.push_back(heavy_begin);
            }
        }
        if (result.ends.size() > before) result.config_ends.push_back(result.ends.size());
    }

    result.order.resize(weights_.light);
    result.bytes.resize(weights_.bytes.empty() ? 0 : weights_.light);
    if (weights_.bytes.empty()) {
        for_each_in_parts(parts, part, weights_.light, [&](std::size_t p, std::size_t i) {
            result.order[place_[p * cells + keys_[i]]++] = rows[i];
        });
    } else {
        for_each_in_parts(parts, part, weights_.light, [&](std::size_t p, std::size_t i) {
            const std::uint32_t place = place_[p * cells + keys_[i]]++;
            result.order[place] = rows[i];
            result.bytes[place] = weights_.bytes[i];
        });
    }
    result.heavy_order.resize(weights_.heavies.size());
    result.heavies.resize(weights_.heavies.size());
    for (std::size_t i = 0; i < weights_.heavies.size(); ++i) {
        const std::uint32_t place = heavy_place_[keys_[weights_.light + i]]++;
        result.heavy_order[place] = rows[weights_.light + i];
        result.heavies[place] = weights_.heavies[i];
    }

    const std::size_t segments = result.ends.size();
    result.totals.assign(segments, 0);
    for (std::size_t s = 0, i = 0; s < segments; ++s) {
        if (result.bytes.empty()) {
            result.totals[s] = static_cast<std::int64_t>(result.ends[s] - i);
            i = result.ends[s];
        } else {
            for (; i < result.ends[s]; ++i) result.totals[s] += result.bytes[i];
        }
    }
    if (heavy)
        for (std::size_t s = 0, i = 0; s < segments; ++s)
            for (; i < result.heavy_ends[s]; ++i) result.totals[s] += result.heavies[i];
    result.sample_rows.resize(result.configurations());
    for (std::size_t config = 0; config < result.configurations(); ++config) {
        const std::size_t s = result.first_segment(config);
        const std::size_t light_begin = s == 0 ? 0 : result.ends[s - 1];
        result.sample_rows[config] = light_begin < result.ends[s]
                                         ? result.order[light_begin]
                                         : result.heavy_order[s == 0 ? 0 : result.heavy_ends[s - 1]];
    }
}

}  // namespace arcwise
