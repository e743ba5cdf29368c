// The rows of the data, sorted by the configuration of some parents and the state of a child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "local/state_blocks.hpp"

namespace arcwise {

// How often each row counts, as the byte sums want it: rows of weight 0 are gone, rows of weight over 255
// ("heavy") are kept apart. A bootstrap replicate is such a set of weights: the rows are never copied.
struct RowWeights {
    RowWeights(std::size_t rows, std::span<const std::int64_t> weights);  // empty: every row counts once

    std::vector<std::uint32_t> rows;    // the light rows, then the heavy ones
    std::size_t light = 0;              // how many are light
    std::vector<std::uint8_t> bytes;    // the weights of the light rows; empty if all are 1
    std::vector<std::int64_t> heavies;  // the weights of the heavy rows
    std::int64_t cases = 0;             // N
    bool plain = false;                 // rows are 0, 1, .. and all weigh 1
};

// The combinations of the states of some parents and of a child that occur. A segment is one configuration of
// the parents and one state of the child; segments are sorted by configuration (in mixed radix, the first
// parent slowest) and state, and none is empty.
struct Segments {
    std::vector<std::uint32_t> states;     // for each segment, the child's state
    std::vector<std::int64_t> totals;      // for each segment, its weight n_jk
    std::vector<std::size_t> config_ends;  // for each configuration, where its segments end
    std::vector<std::uint32_t> codes;      // for each configuration, the states of the parents
    std::size_t parents = 0;               // how many there are

    std::size_t count() const { return states.size(); }
    std::size_t configurations() const { return config_ends.size(); }
    std::size_t first_segment(std::size_t config) const { return config == 0 ? 0 : config_ends[config - 1]; }
    const std::uint32_t* codes_of(std::size_t config) const { return codes.data() + config * parents; }
    void clear();
};

// Rows by segment.
struct RowPartition : Segments {
    std::vector<std::uint32_t> order;        // light rows by segment
    std::vector<std::uint8_t> bytes;         // their weights; empty if all are 1
    std::vector<std::size_t> ends;           // for each segment, where its rows end in `order`
    std::vector<std::uint32_t> heavy_order;  // the same for heavy rows
    std::vector<std::int64_t> heavies;
    std::vector<std::size_t> heavy_ends;
};

// Where a variable is not in the state that most rows have: places in RowWeights::rows, ascending.
struct RareRows {
    std::uint32_t usual = 0;  // that state
    std::vector<std::uint32_t> light;
    std::vector<std::uint32_t> heavy;

    std::size_t count() const { return light.size() + heavy.size(); }
};

// Reuses its buffers from call to call. The codes of the weighted rows are copied side by side, a byte each,
// when a variable is first asked for: a search sorts by the same few variables thousands of times, and a pass
// over bytes that lie in order runs many rows per instruction, where a pass over `rows` fetches each code
// from its place. Keys have 16 bits wherever that is enough, for the same reason.
class RowSorter {
  public:
    RowSorter(const StateBlocks& data, const RowWeights& weights)
        : data_(data), weights_(weights), packed_(data.variables()), rare_(data.variables()) {}

    void sort(std::size_t child, std::span<const std::int32_t> parents, RowPartition& result);
    // Only the rows in which parents[place] is not in its usual state.
    void sort_rare(std::size_t child, std::span<const std::int32_t> parents, std::size_t place,
                   RowPartition& result);
    const RareRows& rare_rows(std::size_t variable);

    // Numbers the distinct configurations without parents[place], in mixed-radix order. Returns how many
    // there are; `keys` gets one number per configuration.
    std::size_t number_without(const Segments& segments, std::span<const std::int32_t> parents,
                               std::size_t place, std::vector<std::uint32_t>& keys);

  private:
    bool has_short_keys(std::size_t child, std::span<const std::int32_t> parents) const;
    const std::uint8_t* packed(std::size_t variable);
    template <class Key>
    void fold(std::size_t variable, std::size_t& cells, std::vector<Key>& keys);
    template <class Key>
    std::size_t renumber(std::vector<Key>& keys, std::size_t cells);
    template <class Key, class Rows>
    void sort_by(std::vector<Key>& keys, std::size_t child, std::span<const std::int32_t> parents,
                 const Rows& rows, RowPartition& result);
    template <class Rows>
    void sort_rows(std::size_t child, std::span<const std::int32_t> parents, const Rows& rows,
                   RowPartition& result);
    template <class Key, class Rows>
    void place(const std::vector<Key>& keys, std::size_t cells, std::size_t arity, const Rows& rows,
               RowPartition& result);
    void sum_up(std::span<const std::int32_t> parents, RowPartition& result) const;

    const StateBlocks& data_;
    const RowWeights& weights_;
    std::vector<std::vector<std::uint8_t>>
        packed_;                                 // of each variable, as needed: the codes of weights_.rows
    std::vector<std::optional<RareRows>> rare_;  // of each variable, as needed
    std::vector<std::uint16_t> short_keys_;
    std::vector<std::uint32_t> keys_;
    std::vector<std::uint32_t> table_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> heavy_place_;
};

}  // namespace arcwise
