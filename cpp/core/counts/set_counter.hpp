// Counts of many variable sets, one after the other: each set's table from that of the set without its first
// variable.
//
// A stack holds the partition of the rows by the variables of the current prefix. Sets that come in colex
// order (sorted by their largest variable, then the next) share prefixes, so that almost every set costs one
// pass over the minority rows of its first variable, and no row is ever hashed to a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counts/collapsed_rows.hpp"
#include "counts/partition.hpp"

namespace arcwise {

template <class Code, class Count>
class SetCounter {
  public:
    explicit SetCounter(const CollapsedRows<Code, Count>& data) : data_(data) {
        levels_.emplace_back();
        levels_[0].partition.class_of.assign(data.rows, 0);
        levels_[0].partition.first.assign(data.rows == 0 ? 0 : 1, 0);
        prepare(levels_[0]);
    }

    // Makes `tops` (positions, descending) the prefix. Cost: the rows, for each variable after the first one
    // that differs from the current prefix.
    void set_prefix(std::span<const std::int32_t> tops);

    // The counts of the cells of prefix + position that occur, in an order that depends on the data and the
    // set alone; some entries may be 0. Valid until the next call.
    std::span<const Count> cells(std::size_t position);

    // The classes of the prefix: the count of each (0 for a class that lost all its rows to others when it
    // was split), and a row of each that has one.
    std::span<const Count> class_counts() const { return levels_[depth_].counts; }
    std::span<const std::uint32_t> class_rows();

    // The counts of prefix + position as a matrix, one row of class counts per state: that of the majority
    // state first, the others in their order.
    std::span<const Count> matrix(std::size_t position) {
        count_by_minority(levels_[depth_], position);
        return buffer_;
    }

  private:
    struct Level {
        std::int32_t position = -1;
        Partition partition;
        bool rows_known = true;     // partition.first is a row of each class
        std::vector<Count> counts;  // of the classes
        // Rows grouped by class, only of classes with more than one row; made when first needed.
        bool grouped = false;
        std::vector<std::uint32_t> grouped_rows;
        std::vector<std::uint32_t> group_ends;
        std::vector<Count> lone_counts;  // of classes with one row: no variable splits them
    };

    void prepare(Level& level);
    void split_by_minority(const Level& level, std::size_t position, Level& finer);
    void group(Level& level);
    void count_by_minority(const Level& level, std::size_t position);
    void count_by_group(const Level& level, std::size_t position);

    const CollapsedRows<Code, Count>& data_;
    std::vector<Level> levels_;  // levels_[d]: the partition by the first d variables of the prefix
    std::size_t depth_ = 0;
    Refiner<Code> refiner_;
    std::vector<Count> buffer_;
    std::vector<Count> histogram_;
    std::vector<std::uint32_t> touched_;
    std::vector<std::uint32_t> moved_;
};

}  // namespace arcwise
