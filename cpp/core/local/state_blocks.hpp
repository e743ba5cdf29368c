// The data laid out for counting one variable against all others at once.
//
// A local search needs, for a child c with parents P, the counts of (P, c, x) for *every* other variable x.
// Counting them one x at a time is a histogram per x: one dependent load, add and store per row. Instead,
// sort the rows by (P, c) once; the counts of all x in one segment of equal (P, c) are then the sum of the
// rows' indicator vectors, and with one byte per state that sum runs 16 to 64 states per instruction, with
// the accumulators in registers. The first state of each variable is left out (it is the segment's size minus
// the others), so that a binary variable costs one byte per row.
//
// The indicator bytes are stored in blocks of 64 columns, rows x 64 each: a block of a few thousand rows
// stays in the cache while all its counts are made. Where the processor adds bytes under a mask (AVX-512),
// one bit per column is enough, an eighth of the memory: the mask of a row's 64 columns is one word, and the
// words of four blocks lie side by side, so that a row is looked up once for all of them. A variable with
// more than 65 states has no columns ("wide"): a histogram is the better way to count it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"

namespace arcwise {

class StateBlocks {
  public:
    static constexpr std::size_t width = 64;
    static constexpr std::size_t together = 4;  // blocks that are best counted at once, from a multiple on

    // A variable's columns in a block: state k > 0 is column first + k - 1.
    struct Slot {
        std::int32_t variable;
        std::uint32_t first;
    };

    template <class Code>
    explicit StateBlocks(const Columns<Code>& data);
    // The blocks of a few of the variables, under their own numbers: what is counted of them alone is counted
    // in a fraction of the time. They have no columns of codes; those are the whole's, which may go
    // afterwards.
    StateBlocks(const StateBlocks& whole, std::span<const std::int32_t> variables);
    StateBlocks(const StateBlocks&) = delete;  // `aligned_` belongs to the storage's address
    StateBlocks& operator=(const StateBlocks&) = delete;

    std::size_t variables() const { return arities_.size(); }
    std::size_t rows() const { return rows_; }
    std::size_t arity(std::size_t variable) const { return arities_[variable]; }
    std::span<const std::uint32_t> column(std::size_t variable) const {
        return {codes_.data() + variable * rows_, rows_};
    }
    // The number of combinations of the variables' states.
    double cells(std::span<const std::int32_t> variables) const {
        double product = 1.0;
        for (const auto v : variables) product *= static_cast<double>(arities_[static_cast<std::size_t>(v)]);
        return product;
    }
    std::size_t blocks() const { return slots_.size(); }
    std::span<const Slot> slots(std::size_t block) const { return slots_[block]; }
    std::span<const std::int32_t> wide() const { return wide_; }

    // For each segment s, adds the weights of the rows order[ends[s - 1] .. ends[s]) (from `begin` for the
    // first) to sums[64 s + column] of every column of the block that has a one in the row. `weights` goes
    // with `order`; if it is empty, every row counts once. Several blocks at once, from `block` on and within
    // one group of `together`: the sums of a block follow those of the one before it.
    void add_segments(std::size_t block, std::size_t blocks, std::span<const std::uint32_t> order,
                      std::span<const std::uint8_t> weights, std::size_t begin,
                      std::span<const std::size_t> ends, std::uint32_t* sums) const;
    void add_segments(std::size_t block, std::span<const std::uint32_t> order,
                      std::span<const std::uint8_t> weights, std::size_t begin,
                      std::span<const std::size_t> ends, std::uint32_t* sums) const {
        add_segments(block, 1, order, weights, begin, ends, sums);
    }
    // The same where 32 bits do not hold the sum of a segment: they hold that of `stretch` rows of weight
    // 255.
    void add_segments(std::size_t block, std::span<const std::uint32_t> order,
                      std::span<const std::uint8_t> weights, std::size_t begin,
                      std::span<const std::size_t> ends, std::int64_t* sums,
                      std::size_t stretch = std::size_t{1} << 24) const;

    // The masks of a block, if there are masks: those of a row are `step` words from those of the row before
    // it. After the last row comes one without bits, and `together` words may be read of every row.
    struct Masks {
        const std::uint64_t* first;
        std::size_t step;
    };
    bool has_masks() const { return !masks_.empty(); }
    Masks masks_of(std::size_t block) const { return {masks_.data() + first_mask(block), mask_step(block)}; }

    std::size_t bytes() const { return storage_.size() + masks_.size() * sizeof(std::uint64_t); }

  private:
    void lay_out(std::span<const std::int32_t> variables, const StateBlocks& whole);
    void fill_bytes(const StateBlocks& whole);
    void fill_masks(const StateBlocks& whole);
    // The mask of the first row of a block, and how far the next row's is.
    std::size_t first_mask(std::size_t block) const {
        return (block - block % together) * (rows_ + 1) + block % together;
    }
    std::size_t mask_step(std::size_t block) const {
        return std::min(together, slots_.size() - (block - block % together));
    }

    std::size_t rows_;
    std::vector<std::size_t> arities_;
    std::vector<std::uint32_t> codes_;  // variables x rows
    std::vector<std::vector<Slot>> slots_;
    std::vector<std::int32_t> wide_;
    std::vector<std::uint64_t> masks_;   // groups x (rows + 1) x blocks, if there are masks; else ..
    std::vector<std::uint8_t> storage_;  // .. blocks x rows x width, 0 or 255, from aligned_ on
    std::size_t aligned_ = 0;            // where the first cache line in storage_ begins
};

}  // namespace arcwise
