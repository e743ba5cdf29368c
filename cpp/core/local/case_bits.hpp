// Families of few cells, counted from bits: which cases are in which state of a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/row_partition.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// Sorting takes as long for a family of four cells as for one of four hundred: two passes over the rows, each
// with a counter that waits for itself. With few cells, one bit per case is quicker: the cases of a cell are
// an intersection, 512 cases per instruction, and a processor that can compress vectors by a mask (AVX-512
// VBMI2) lists the cases of 64 bits in two of them.
//
// The columns of a cell are then added up as bits, too. The masks of a row (state_blocks.hpp) are 256 columns
// in four words; sixteen rows are added by a tree of carry-save adders, as populations are counted (Harley
// and Seal; Warren, Hacker's Delight, 2nd edition, section 5-1), two instructions for each row and all of its
// columns. Bits have no weights: a row that counts three times is three cases. So it is for data of about as
// many cases as rows, as those of a bootstrap are, and not for weights beyond that.
//
// The cost grows with cells x cases / 64 for the lists and with the cases for the sums.
class CaseBits {
  public:
    CaseBits(const StateBlocks& data, const RowWeights& weights);

    // Has a family so few cells that it is split here in a fraction of the time that sorting takes?
    bool suits(std::size_t child, std::span<const std::int32_t> parents) const;
    // Turns to a family that suits; `result` is what RowSorter::sort finds.
    void split(std::size_t child, std::span<const std::int32_t> parents, Segments& result);
    // Is the family at hand counted from here sooner than rows would be sorted?
    bool is_quick() const { return segments_ <= most_segments_; }
    // How often each column of some blocks occurs in each segment, as `count_blocks` counts it; from the
    // first block of a group on. `blocks` has the rows of the data.
    void count(const StateBlocks& blocks, std::size_t block, std::size_t several, std::uint32_t* counts);

  private:
    const std::uint64_t* bits_of(std::size_t variable);
    std::size_t split_by(std::size_t variable, std::size_t parts);
    void list_cases();

    const StateBlocks& data_;
    std::size_t most_cells_ = 0;       // of a family that suits; 0: none does
    std::size_t most_segments_ = 0;    // of one that is counted here
    std::size_t words_ = 0;            // of the bits of all cases, a multiple of eight
    std::vector<std::uint16_t> rows_;  // of each case, filled up to all bits
    std::vector<std::uint64_t> all_;
    std::vector<std::vector<std::uint64_t>> bits_;  // of each variable, as needed: states x words

    // The family at hand: the bits of its segments, and the rows of the cases in each, filled up to a
    // multiple of sixteen with a row that has no bit.
    std::size_t segments_ = 0;
    std::vector<std::uint64_t> parts_;
    bool is_listed_ = false;
    std::vector<std::uint16_t> lists_;
    std::vector<std::size_t> ends_;

    // What splitting by the last variable made of each part: its state, the part that it is of, its cases.
    struct Piece {
        std::uint32_t state;
        std::uint32_t of;
        std::int64_t total;
    };
    std::vector<Piece> pieces_;
    std::vector<std::uint64_t> finer_;        // scratch
    std::vector<std::uint32_t> finer_codes_;  // scratch
};

}  // namespace arcwise
