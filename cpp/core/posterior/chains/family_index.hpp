// The parent sets of a table as a chain over DAGs asks for them: the row of a given set, the rows that hold a
// given parent, and the arcs that any row has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bitset.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

class FamilyIndex {
  public:
    static constexpr std::int64_t absent = -1;
    using Arc = std::pair<std::int32_t, std::int32_t>;  // parent, child

    // The table must outlive the index.
    explicit FamilyIndex(const TableView& table);

    std::size_t variables() const { return table_.variables; }
    double score(std::int64_t row) const { return table_.scores[static_cast<std::size_t>(row)]; }
    std::int64_t first_row(std::size_t node) const { return table_.node_offsets[node]; }
    std::span<const std::int32_t> parents(std::int64_t row) const {
        return table_.parents(static_cast<std::size_t>(row));
    }
    SetView set(std::int64_t row) const { return sets_[static_cast<std::size_t>(row)]; }
    // The first word of the set: all of it where there are at most 64 variables.
    Word word(std::int64_t row) const { return sets_.words()[static_cast<std::size_t>(row) * sets_.width()]; }
    std::uint64_t key(std::int64_t row) const { return keys_[static_cast<std::size_t>(row)]; }

    // A set's key is the exclusive-or of its members' (Zobrist 1970): one parent more or less is one
    // operation.
    std::uint64_t member_key(std::size_t node) const { return member_keys_[node]; }
    // The row of a node with the parents `like` but for `changed`, which is added or taken away.
    std::int64_t find_changed(std::size_t node, std::int64_t like, std::size_t changed) const;

    // The rows of a node, and those that hold `parent`; by falling score.
    std::span<const std::int32_t> rows_of(std::size_t node) const;
    std::span<const std::int32_t> rows_with(std::size_t node, std::size_t parent) const;

    // The rows of a node in chunks of sixteen, [begin, end), and the parents that all rows of a chunk have:
    // who may not have one of these skips the chunk.
    std::size_t first_chunk(std::size_t node) const { return chunk_offsets_[node]; }
    std::pair<std::int64_t, std::int64_t> chunk(std::size_t chunk) const {
        return {chunk_rows_[chunk], chunk_rows_[chunk + 1]};
    }
    std::span<const std::int32_t> shared_parents(std::size_t chunk) const {
        return std::span(shared_).subspan(shared_offsets_[chunk],
                                          shared_offsets_[chunk + 1] - shared_offsets_[chunk]);
    }

    // The first chunk of a node that has a row without members of `avoided`, or one before it: strong parents
    // are in hundreds of rows before the first that lacks them.
    std::size_t chunk_without(std::size_t node, SetView avoided) const {
        for (std::size_t i = strong_offsets_[node]; i < strong_offsets_[node + 1]; ++i)
            if (avoided.has(strong_[i].second)) return chunk_offsets_[node] + strong_[i].first;
        return chunk_offsets_[node];
    }

    // Every arc that some row has, by child and then by parent.
    const std::vector<Arc>& arcs() const { return arcs_; }

  private:
    std::size_t slot(std::size_t node, std::uint64_t key) const;
    void divide();

    TableView table_;
    BitRows sets_;
    std::vector<std::uint64_t> keys_, member_keys_;
    std::vector<std::size_t> slot_offsets_;  // per node, a power of two of slots
    std::vector<std::int32_t> slots_;        // row + 1, or 0 for none
    std::vector<std::int32_t> rows_;         // 0, 1, 2, ...
    std::vector<std::size_t> with_offsets_;  // per node and parent
    std::vector<std::int32_t> with_;
    std::vector<std::size_t> chunk_offsets_, shared_offsets_, strong_offsets_;
    std::vector<std::pair<std::size_t, std::size_t>>
        strong_;  // chunks that a parent is in all rows of, parent
    std::vector<std::int64_t> chunk_rows_;
    std::vector<std::int32_t> shared_;
    std::vector<Arc> arcs_;
};

}  // namespace arcwise
