#include "posterior/chains/family_index.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>

#include "xoshiro.hpp"

namespace arcwise {

namespace {
constexpr std::int64_t chunk_size = 16;
}

FamilyIndex::FamilyIndex(const TableView& table)
    : table_(table),
      sets_(table.variables, table.rows()),
      keys_(table.rows(), 0),
      member_keys_(table.variables),
      slot_offsets_(table.variables + 1, 0),
      rows_(table.rows()),
      with_offsets_(table.variables * table.variables + 1, 0) {
    assert(table.rows() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
    const std::size_t n = table.variables;
    for (std::size_t v = 0; v < n; ++v) member_keys_[v] = Xoshiro::mix(v + 1);
    std::iota(rows_.begin(), rows_.end(), 0);
    for (std::size_t v = 0; v < n; ++v) {
        slot_offsets_[v + 1] = slot_offsets_[v] + std::bit_ceil(2 * table.rows_of(v));
        for (auto row = first_row(v); row < first_row(v + 1); ++row)
            for (const auto parent : parents(row)) {
                const auto p = static_cast<std::size_t>(parent);
                sets_[static_cast<std::size_t>(row)].add(p);
                keys_[static_cast<std::size_t>(row)] ^= member_keys_[p];
                ++with_offsets_[v * n + p + 1];
            }
    }
    std::partial_sum(with_offsets_.begin(), with_offsets_.end(), with_offsets_.begin());
    with_.resize(with_offsets_.back());
    slots_.assign(slot_offsets_.back(), 0);
    std::vector<std::size_t> next(with_offsets_.begin(), with_offsets_.end() - 1);
    for (std::size_t v = 0; v < n; ++v)
        for (auto row = first_row(v); row < first_row(v + 1); ++row) {
            for (const auto parent : parents(row))
                with_[next[v * n + static_cast<std::size_t>(parent)]++] = static_cast<std::int32_t>(row);
            const std::size_t size = slot_offsets_[v + 1] - slot_offsets_[v];
            std::size_t at = slot(v, key(row));
            while (slots_[slot_offsets_[v] + at] != 0) at = (at + 1) & (size - 1);
            slots_[slot_offsets_[v] + at] = static_cast<std::int32_t>(row) + 1;
        }
    for (std::size_t v = 0; v < n; ++v)
        for (std::size_t p = 0; p < n; ++p)
            if (!rows_with(v, p).empty())
                arcs_.emplace_back(static_cast<std::int32_t>(p), static_cast<std::int32_t>(v));
    divide();
}

void FamilyIndex::divide() {
    LongSet common = long_set(variables());
    shared_offsets_.push_back(0);
    for (std::size_t v = 0; v < variables(); ++v) {
        chunk_offsets_.push_back(chunk_rows_.size());
        for (auto begin = first_row(v); begin < first_row(v + 1); begin += chunk_size) {
            chunk_rows_.push_back(begin);
            common.fill(true);
            for (auto row = begin; row < std::min(begin + chunk_size, first_row(v + 1)); ++row)
                common &= set(row);
            common.for_each([&](std::size_t p) { shared_.push_back(static_cast<std::int32_t>(p)); });
            shared_offsets_.push_back(shared_.size());
        }
    }
    chunk_offsets_.push_back(chunk_rows_.size());
    chunk_rows_.push_back(first_row(variables()));
    strong_offsets_.push_back(0);
    for (std::size_t v = 0; v < variables(); ++v) {
        for (const auto parent : shared_parents(chunk_offsets_[v])) {
            std::size_t count = 1;
            while (chunk_offsets_[v] + count < chunk_offsets_[v + 1] &&
                   std::ranges::count(shared_parents(chunk_offsets_[v] + count), parent) > 0)
                ++count;
            strong_.emplace_back(count, static_cast<std::size_t>(parent));
        }
        std::ranges::sort(strong_.begin() + static_cast<std::ptrdiff_t>(strong_offsets_.back()),
                          strong_.end(), std::ranges::greater());
        strong_offsets_.push_back(strong_.size());
    }
}

std::size_t FamilyIndex::slot(std::size_t node, std::uint64_t key) const {
    return static_cast<std::size_t>(key) & (slot_offsets_[node + 1] - slot_offsets_[node] - 1);
}

std::int64_t FamilyIndex::find_changed(std::size_t node, std::int64_t like, std::size_t changed) const {
    const std::uint64_t wanted = key(like) ^ member_key(changed);
    const std::size_t begin = slot_offsets_[node], size = slot_offsets_[node + 1] - begin;
    const SetView old = set(like);
    const auto is_wanted = [&](SetView found) {
        for (std::size_t w = 0; w < found.word_count(); ++w) {
            const Word flip = w == changed >> 6 ? Word{1} << (changed & 63) : 0;
            if (found.words()[w] != (old.words()[w] ^ flip)) return false;
        }
        return true;
    };
    for (std::size_t at = slot(node, wanted); slots_[begin + at] != 0; at = (at + 1) & (size - 1)) {
        const std::int64_t row = slots_[begin + at] - 1;
        // Equal keys of different sets are possible, if only just.
        if (key(row) == wanted && is_wanted(set(row))) return row;
    }
    return absent;
}

std::span<const std::int32_t> FamilyIndex::rows_of(std::size_t node) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(first_row(node)), table_.rows_of(node));
}

std::span<const std::int32_t> FamilyIndex::rows_with(std::size_t node, std::size_t parent) const {
    const std::size_t cell = node * variables() + parent;
    return std::span(with_).subspan(with_offsets_[cell], with_offsets_[cell + 1] - with_offsets_[cell]);
}

}  // namespace arcwise
