// The data laid out for counting many replicates of them at once: row by row, the states that are not usual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/state_blocks.hpp"

namespace arcwise {

// Every variable has a column for each state but its most frequent one, and the last column of all is that of
// the cases themselves. A row is the list of its columns: a row of twenty variables that are mostly in their
// usual state has a handful. What is not listed follows by difference. Lists are filled up with columns that
// nobody reads, so that they are worked through four at a time; different ones, since an addition to a column
// waits for the last one to the same.
//
// It is made once and shared by all threads; see `fits`.
class RareColumns {
  public:
    static constexpr std::size_t at_once = 4;
    static constexpr std::size_t cell_bytes = 64;  // of a column in the lists

    explicit RareColumns(const StateBlocks& data);

    // Do the columns and lists of such data have numbers?
    static bool fits(std::span<const std::int32_t> arities, std::size_t rows);

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }  // with that of the cases, which is the last
    std::size_t stride() const { return columns_ + at_once - 1; }  // with those that nobody reads
    std::span<const std::uint8_t> codes(std::size_t variable) const {
        return {codes_.data() + variable * rows_, rows_};
    }
    std::size_t usual(std::size_t variable) const { return usual_[variable]; }
    // Where the columns of a variable begin: those of its states in their order, without the usual one.
    std::size_t first(std::size_t variable) const { return first_[variable]; }
    // The rows in which a variable is not in its usual state.
    std::span<const std::uint32_t> rows_of(std::size_t variable) const { return rows_of_[variable]; }
    // The columns of a row, times cell_bytes.
    std::span<const std::uint16_t> columns_of(std::size_t row) const {
        return {lists_.data() + begins_[row], begins_[row + 1] - begins_[row]};
    }
    const std::uint16_t* lists() const { return lists_.data(); }
    const std::uint32_t* begins() const { return begins_.data(); }

  private:
    std::size_t rows_;
    std::size_t columns_ = 0;
    std::vector<std::uint8_t> codes_;  // variables x rows
    std::vector<std::size_t> usual_;
    std::vector<std::size_t> first_;
    std::vector<std::vector<std::uint32_t>> rows_of_;
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint16_t> lists_;
};

}  // namespace arcwise
