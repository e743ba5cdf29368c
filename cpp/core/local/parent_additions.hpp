// The scores of a family with one more parent, for all variables that may be it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "local/neighbour_row.hpp"
#include "local/scored_sample.hpp"
#include "local/term_columns.hpp"

namespace arcwise {

class ParentAdditions {
  public:
    explicit ParentAdditions(ScoredSample& sample) : sample_(sample), columns_(StateBlocks::width + 2) {}

    // Turns to the family that the sample's counter has turned to, and to its row.
    void begin(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);
    // Scores all candidates that may join the parents and could gain; their columns are in the blocks.
    void score_all(const StateBlocks& blocks);
    // Scores one candidate by itself, row by row and only the cells that occur: better than sums of bytes
    // where most of the cells of (P, c, x) are empty, that is for many states or many configurations.
    void score_sparse(std::size_t x);

  private:
    // A variable x that may join the parents: the counts of (P, x, c) as they come, configuration by
    // configuration. A set score needs only its two sums; any other score needs the table.
    struct Candidate {
        std::size_t variable;
        std::size_t first;  // its first column in the block
        std::size_t arity;
        double joint = 0.0;
        double margin = 0.0;
        std::vector<std::int64_t> counts = {};  // observed configurations of P + x, times the child's arity
        std::vector<std::uint64_t> configurations = {};  // their indices, where the score asks
        std::uint64_t below = 1;                         // cells of the parents after x
    };
    template <class Count>
    struct Counts {
        std::vector<Count> segments;        // x 64
        std::vector<Count> configurations;  // x 64
    };

    // The cells of (P, x).
    double cells_with(std::size_t arity) const { return parent_cells_ * static_cast<double>(arity); }
    bool is_promising(std::size_t x) const {
        return addable_[x] != 0 && !sample_.bounds.is_hopeless(*row_, child_, parents_, x);
    }
    bool is_sparse(std::size_t x) const;
    Candidate candidate(std::size_t x, std::size_t first) const;
    double score(const Candidate& candidate);
    void add_row(Candidate& candidate, std::size_t config, std::size_t state, const std::int64_t* counts);
    template <class Count>
    void add_tables(Candidate& candidate, std::size_t first_config, std::size_t last_config,
                    const Count* counts);
    void add_sparse_terms(Candidate& candidate, std::span<const std::uint32_t> codes);
    void add_sparse_tables(Candidate& candidate, std::span<const std::uint32_t> codes);
    template <class Count, class Visit>
    void for_counts(const StateBlocks& blocks, std::size_t block, Visit visit);
    template <class Count>
    void score_by_sums(const StateBlocks& blocks, std::size_t block);
    template <class Count>
    void score_by_tables(const StateBlocks& blocks, std::size_t block);
    template <class Count>
    void score_blocks(const StateBlocks& blocks);

    ScoredSample& sample_;
    // The family at hand.
    std::size_t child_ = 0;
    std::size_t child_arity_ = 0;
    std::span<const std::int32_t> parents_;
    double parent_cells_ = 1.0;
    NeighbourRow* row_ = nullptr;
    std::vector<std::uint8_t> addable_;  // of each variable, whether it could join the parents
    std::vector<std::uint64_t> radix_;   // the index of each configuration, where the score asks

    // Scratch, kept between calls for its memory.
    std::tuple<Counts<std::uint32_t>, Counts<std::int64_t>> counts_;  // by what N needs
    std::vector<TermColumns> columns_;                                // of a block, by number of states
    std::vector<std::int64_t> cells_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::uint32_t> seen_in_segment_;
};

}  // namespace arcwise
