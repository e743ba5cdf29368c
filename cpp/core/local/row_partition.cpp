#include "local/row_partition.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <utility>

namespace arcwise {

namespace {

constexpr std::size_t most_cells_in_parts = 256;
constexpr std::size_t most_short_cells = std::size_t{1} << 16;
constexpr std::size_t most_packed_states = 256;

// Numbers of cells that could grow far beyond the rows are made dense first, which keeps their order: tables
// never have more than rows x arity entries, whatever the number of parents.
std::size_t most_cells(std::size_t rows) {
    return std::max<std::size_t>(1024, 2 * rows);
}

// There is a table with an entry per cell: of more cells than a key can number, it would take 16 GiB and
// more.
template <class Key>
void check_keys(std::size_t cells) {
    if (cells - 1 > std::numeric_limits<Key>::max()) throw std::bad_alloc();
}

std::int64_t sum_of(const std::uint8_t* bytes, std::size_t count) {
    constexpr std::size_t at_once = std::size_t{1} << 16;  // of 255 each: 32 bits hold the sum
    std::int64_t total = 0;
    while (count > 0) {
        const std::size_t some = std::min(count, at_once);
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < some; ++i) sum += bytes[i];
        total += sum;
        bytes += some;
        count -= some;
    }
    return total;
}

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

// All rows that have a weight, or some of them: place(i) is one of RowWeights::rows.
struct AllRows {
    std::size_t light_count;
    std::size_t heavy_count;
    std::size_t light(std::size_t i) const { return i; }
    std::size_t heavy(std::size_t i) const { return light_count + i; }
};

struct SomeRows {
    const RareRows& rows;
    std::size_t light_count = rows.light.size();
    std::size_t heavy_count = rows.heavy.size();
    std::size_t light(std::size_t i) const { return rows.light[i]; }
    std::size_t heavy(std::size_t i) const { return rows.heavy[i]; }
};

}  // namespace

void Segments::clear() {
    states.clear();
    totals.clear();
    config_ends.clear();
    codes.clear();
}

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

bool RowSorter::has_short_keys(std::size_t child, std::span<const std::int32_t> parents) const {
    const std::size_t most = most_cells(weights_.rows.size());
    std::size_t cells = 1;
    std::size_t largest = 1;
    const auto count = [&](std::size_t variable) {
        const std::size_t arity = data_.arity(variable);
        if (cells * arity > most) cells = std::min(cells, weights_.rows.size());
        cells *= arity;
        largest = std::max(largest, cells);
    };
    for (const auto p : parents) count(static_cast<std::size_t>(p));
    count(child);
    return largest <= most_short_cells;
}

const std::uint8_t* RowSorter::packed(std::size_t variable) {
    auto& codes = packed_[variable];
    if (codes.size() != weights_.rows.size()) {
        const auto column = data_.column(variable);
        codes.resize(weights_.rows.size());
        if (weights_.plain)
            for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(column[i]);
        else
            for (std::size_t i = 0; i < codes.size(); ++i)
                codes[i] = static_cast<std::uint8_t>(column[weights_.rows[i]]);
    }
    return codes.data();
}

template <class Key>
std::size_t RowSorter::renumber(std::vector<Key>& keys, std::size_t cells) {
    table_.assign(cells, 0);
    for (const auto key : keys) table_[key] = 1;
    std::uint32_t next = 0;
    for (auto& entry : table_)
        if (entry != 0) entry = next++;
    for (auto& key : keys) key = static_cast<Key>(table_[key]);
    return next;
}

// keys = keys * arity + state, of the weighted rows; the first variable (cells = 0) gives the keys
// themselves.
template <class Key>
void RowSorter::fold(std::size_t variable, std::size_t& cells, std::vector<Key>& keys) {
    const std::size_t arity = data_.arity(variable);
    const std::size_t count = keys.size();
    if (cells * arity > most_cells(count)) cells = renumber(keys, cells);
    check_keys<Key>(std::max<std::size_t>(1, cells) * arity);
    const auto factor = static_cast<Key>(cells == 0 ? 0 : arity);
    auto* key = keys.data();
    if (arity <= most_packed_states) {
        const auto* codes = packed(variable);
        if (cells == 0)
            for (std::size_t i = 0; i < count; ++i) key[i] = codes[i];
        else
            for (std::size_t i = 0; i < count; ++i) key[i] = static_cast<Key>(key[i] * factor + codes[i]);
    } else {
        const auto column = data_.column(variable);
        for (std::size_t i = 0; i < count; ++i)
            key[i] = static_cast<Key>(key[i] * factor + column[weights_.rows[i]]);
    }
    cells = std::max<std::size_t>(1, cells) * arity;
}

const RareRows& RowSorter::rare_rows(std::size_t variable) {
    auto& rare = rare_[variable];
    if (rare) return *rare;
    rare.emplace();
    const auto column = data_.column(variable);
    const auto& rows = weights_.rows;
    table_.assign(data_.arity(variable), 0);
    for (const auto row : rows) ++table_[column[row]];
    rare->usual = static_cast<std::uint32_t>(std::ranges::max_element(table_) - table_.begin());
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (column[rows[i]] != rare->usual)
            (i < weights_.light ? rare->light : rare->heavy).push_back(static_cast<std::uint32_t>(i));
    return *rare;
}

std::size_t RowSorter::number_without(const Segments& segments, std::span<const std::int32_t> parents,
                                      std::size_t place, std::vector<std::uint32_t>& keys) {
    const std::size_t count = segments.configurations();
    keys.assign(count, 0);
    std::size_t cells = 1;
    for (std::size_t k = 0; k < parents.size(); ++k) {
        if (k == place) continue;
        const std::size_t arity = data_.arity(static_cast<std::size_t>(parents[k]));
        if (cells * arity > most_cells(count)) cells = renumber(keys, cells);
        check_keys<std::uint32_t>(cells * arity);
        for (std::size_t config = 0; config < count; ++config)
            keys[config] = keys[config] * static_cast<std::uint32_t>(arity) + segments.codes_of(config)[k];
        cells *= arity;
    }
    return renumber(keys, cells);
}

void RowSorter::sort(std::size_t child, std::span<const std::int32_t> parents, RowPartition& result) {
    sort_rows(child, parents, AllRows{weights_.light, weights_.heavies.size()}, result);
}

void RowSorter::sort_rare(std::size_t child, std::span<const std::int32_t> parents, std::size_t place,
                          RowPartition& result) {
    const auto& rare = rare_rows(static_cast<std::size_t>(parents[place]));
    sort_rows(child, parents, SomeRows{rare}, result);
}

template <class Rows>
void RowSorter::sort_rows(std::size_t child, std::span<const std::int32_t> parents, const Rows& rows,
                          RowPartition& result) {
    if (has_short_keys(child, parents))
        sort_by(short_keys_, child, parents, rows, result);
    else
        sort_by(keys_, child, parents, rows, result);
}

// The keys are those of all rows even where only some are sorted: a pass over bytes in their order costs less
// than fetching some of them.
template <class Key, class Rows>
void RowSorter::sort_by(std::vector<Key>& keys, std::size_t child, std::span<const std::int32_t> parents,
                        const Rows& rows, RowPartition& result) {
    keys.assign(weights_.rows.size(), 0);
    std::size_t cells = 0;
    for (const auto p : parents) fold(static_cast<std::size_t>(p), cells, keys);
    fold(child, cells, keys);
    place(keys, cells, data_.arity(child), rows, result);
    sum_up(parents, result);
}

// A counting sort: how many rows each key has, then where its rows begin, then the rows. With few keys, the
// same counter is raised again and again, and each time waits for the last; so the rows are counted and
// placed in four parts side by side, each with counters of its own.
template <class Key, class Rows>
void RowSorter::place(const std::vector<Key>& keys, std::size_t cells, std::size_t arity, const Rows& rows,
                      RowPartition& result) {
    const auto* numbers = weights_.rows.data();
    const std::size_t light = rows.light_count;
    const std::size_t parts = cells <= most_cells_in_parts ? 4 : 1;
    const std::size_t part = light / parts;  // rows of a part; the last has the remainder too
    place_.assign(parts * cells, 0);
    for_each_in_parts(parts, part, light,
                      [&](std::size_t p, std::size_t i) { ++place_[p * cells + keys[rows.light(i)]]; });
    const bool heavy = rows.heavy_count > 0;
    if (heavy) {
        heavy_place_.assign(cells, 0);
        for (std::size_t i = 0; i < rows.heavy_count; ++i) ++heavy_place_[keys[rows.heavy(i)]];
    }
    result.ends.clear();
    result.heavy_ends.clear();
    result.states.clear();
    result.config_ends.clear();
    std::uint32_t begin = 0;
    std::uint32_t heavy_begin = 0;
    std::size_t key = 0;
    for (std::size_t config = 0; config < cells / arity; ++config) {
        const std::size_t before = result.ends.size();
        for (std::size_t state = 0; state < arity; ++state, ++key) {
            const std::uint32_t first = begin;
            for (std::size_t p = 0; p < parts; ++p) begin += std::exchange(place_[p * cells + key], begin);
            const std::uint32_t heavies = heavy ? heavy_place_[key] : 0;
            if (begin == first && heavies == 0) continue;
            result.ends.push_back(begin);
            result.states.push_back(static_cast<std::uint32_t>(state));
            if (heavy) {
                heavy_place_[key] = heavy_begin;
                heavy_begin += heavies;
                result.heavy_ends.push_back(heavy_begin);
            }
        }
        if (result.ends.size() > before) result.config_ends.push_back(result.ends.size());
    }

    result.order.resize(light);
    result.bytes.resize(weights_.bytes.empty() ? 0 : light);
    auto* order = result.order.data();
    if (weights_.bytes.empty()) {
        for_each_in_parts(parts, part, light, [&](std::size_t p, std::size_t i) {
            const std::size_t from = rows.light(i);
            order[place_[p * cells + keys[from]]++] = numbers[from];
        });
    } else {
        auto* bytes = result.bytes.data();
        for_each_in_parts(parts, part, light, [&](std::size_t p, std::size_t i) {
            const std::size_t from = rows.light(i);
            const std::uint32_t to = place_[p * cells + keys[from]]++;
            order[to] = numbers[from];
            bytes[to] = weights_.bytes[from];
        });
    }
    result.heavy_order.resize(rows.heavy_count);
    result.heavies.resize(rows.heavy_count);
    for (std::size_t i = 0; i < rows.heavy_count; ++i) {
        const std::size_t from = rows.heavy(i);
        const std::uint32_t to = heavy_place_[keys[from]]++;
        result.heavy_order[to] = numbers[from];
        result.heavies[to] = weights_.heavies[from - weights_.light];
    }
}

// The weight of each segment, and the states of the parents in each configuration: those of one of its rows.
void RowSorter::sum_up(std::span<const std::int32_t> parents, RowPartition& result) const {
    const std::size_t segments = result.ends.size();
    result.totals.resize(segments);
    for (std::size_t s = 0, i = 0; s < segments; ++s) {
        const std::size_t count = result.ends[s] - i;
        result.totals[s] =
            result.bytes.empty() ? static_cast<std::int64_t>(count) : sum_of(result.bytes.data() + i, count);
        i = result.ends[s];
    }
    if (!result.heavies.empty())
        for (std::size_t s = 0, i = 0; s < segments; ++s)
            for (; i < result.heavy_ends[s]; ++i) result.totals[s] += result.heavies[i];
    result.parents = parents.size();
    result.codes.resize(result.configurations() * parents.size());
    auto* code = result.codes.data();
    for (std::size_t config = 0; config < result.configurations(); ++config) {
        const std::size_t s = result.first_segment(config);
        const std::size_t light_begin = s == 0 ? 0 : result.ends[s - 1];
        const std::uint32_t row = light_begin < result.ends[s]
                                      ? result.order[light_begin]
                                      : result.heavy_order[s == 0 ? 0 : result.heavy_ends[s - 1]];
        for (const auto p : parents) *code++ = data_.column(static_cast<std::size_t>(p))[row];
    }
}

}  // namespace arcwise
