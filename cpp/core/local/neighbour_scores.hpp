// The local scores of a family and of all its neighbours: the one thing that a local search asks of the data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "local/arc_rules.hpp"
#include "local/cell_terms.hpp"
#include "local/changing_dag.hpp"
#include "local/family_counter.hpp"
#include "local/row_partition.hpp"
#include "local/shared_counter.hpp"
#include "local/state_blocks.hpp"
#include "local/term_columns.hpp"
#include "scores/family_prior.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// The scores of one child with the parents P, and with each candidate x added to P or taken from it.
struct NeighbourRow {
    static constexpr double not_allowed = std::numeric_limits<double>::quiet_NaN();

    double own = 0.0;                   // s(c | P)
    double prior = 0.0;                 // what of it was believed before the data
    const Parents* members = nullptr;   // the candidates, ascending; null: all variables
    std::vector<double> toggled;        // s(c | P + x) or s(c | P - x); NaN where the rules forbid the change
    std::vector<std::uint8_t> bounded;  // 1 where `toggled` is an upper bound, not a score; empty: nowhere
    double best_gain =
        -std::numeric_limits<double>::infinity();  // the best addition, legal or not, minus own
    std::vector<std::int32_t> gaining;             // the additions x, legal or not, that gain
    std::vector<std::int32_t> by_gain;             // the same, the largest gain first
    std::uint64_t unasked = 0;  // the families scored in it, as long as nobody has asked for the row

    // Where x stands in the row; the row's length if it is no candidate.
    std::size_t place(std::size_t x) const {
        if (members == nullptr) return x;
        const auto found = std::ranges::lower_bound(*members, static_cast<std::int32_t>(x));
        const bool is_there = found != members->end() && *found == static_cast<std::int32_t>(x);
        return is_there ? static_cast<std::size_t>(found - members->begin()) : toggled.size();
    }
    double at(std::size_t x) const {
        const std::size_t k = place(x);
        return k < toggled.size() ? toggled[k] : not_allowed;
    }
    void set(std::size_t x, double value) { toggled[place(x)] = value; }
    bool is_bounded(std::size_t x) const {
        const std::size_t k = bounded.empty() ? 0 : place(x);
        return k < bounded.size() && bounded[k] != 0;
    }
    void set_bounded(std::size_t x, bool is) {
        if (bounded.empty()) bounded.assign(toggled.size(), 0);
        bounded[place(x)] = is ? 1 : 0;
    }
    // Calls visit(x) for every candidate, ascending.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t k = 0; k < toggled.size(); ++k)
            visit(members == nullptr ? k : static_cast<std::size_t>((*members)[k]));
    }
};

inline std::size_t bytes_of(const NeighbourRow& row) {
    return row.toggled.size() * (sizeof(double) + 1) + row.gaining.size() * 8 + 200;
}

// Computes rows on demand and keeps them. A whole row costs little more than its slowest family, because all
// additions are counted in one pass over the sorted rows (state_blocks.hpp); so the searches never ask for
// less, and a search that comes back to a parent set, as tabu search, restarts and the genetic search do,
// finds its row ready. Rows are forgotten when they would fill more than `memory` bytes; what callers hold,
// stays.
//
// Among thousands of variables, nearly all of a row says that there is nothing to gain. So a search that
// comes back to the same children again and again, as refinement does, may be kept to the candidates that
// have gained most before (`narrow`): the sparse candidates of Friedman, Nachman & Pe'er (UAI 1999), found
// not from pairs of variables but from every parent set that the climb came through, since a parent may gain
// only next to another. Their columns are laid out anew, child by child, so that one block counts them all.
class NeighbourScores {
  public:
    // `tables` is for the score's set function and may outlive one data sample, as long as N is the same; it
    // is null if the score has none.
    NeighbourScores(const StateBlocks& data, std::span<const std::int64_t> weights, const LocalScore& score,
                    CellTermTables* tables, const ArcRules& rules, std::size_t memory,
                    std::size_t counts_memory = usual_counts_memory);

    // What counts of families may be kept in: enough for the families that a search comes back to, and little
    // beside a cache of the third level.
    static constexpr std::size_t usual_counts_memory = std::size_t{32} << 20;

    using Row = std::shared_ptr<NeighbourRow>;
    Row row(std::size_t child, std::span<const std::int32_t> parents);
    // Replaces a bound in a row of this child and these parents by the score (neighbour_bounds.cpp).
    void settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents, std::size_t x);
    void settle_all(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents);
    // The score of one family, without its neighbours.
    double local(std::size_t child, std::span<const std::int32_t> parents);

    // Adds to `lists`, for each child, the variables that have been its parents, and of those that have
    // gained as one the `most` that gained most, and the child to the lists of these.
    void choose(std::size_t most, std::vector<Parents>& lists) const;
    // From now on, rows are of these candidates only, ascending; a pair is in both lists or in none. Rows of
    // all variables are kept for later.
    void narrow(std::vector<Parents> lists);
    // From now on, rows are of all variables again.
    void widen();

    // Where others search replicates of the same data (shared_counts.cpp): the counts of a child without
    // parents, who counts families for all from now on, and what was counted.
    void receive_alone(std::size_t child, std::shared_ptr<const SegmentCounts> counts);
    void share(SharedCounter& shared) { shared_ = &shared; }
    void receive(std::size_t child, std::span<const std::int32_t> parents,
                 std::shared_ptr<SegmentCounts> counts);

    const ArcRules& rules() const { return rules_; }
    std::size_t variables() const { return data_.variables(); }
    std::int64_t cases() const { return weights_.cases; }
    std::uint64_t families_scored() const { return families_scored_; }
    // As many as it would have been, had no row been narrow.
    std::uint64_t families_meant() const { return families_scored_ + families_spared_; }

  private:
    struct Candidate;  // candidate_parent.hpp

    double believed(std::size_t child, std::span<const std::int32_t> parents) const {
        return prior_ == nullptr ? 0.0 : prior_->of(child, parents);
    }
    std::shared_ptr<NeighbourRow> empty_row(std::size_t child) const;
    struct Gain {
        std::int32_t variable;
        double gain;
    };
    static void keep_largest(std::vector<Gain>& gains);
    const StateBlocks& blocks_of(const NeighbourRow& row, std::size_t child);
    const Parents& key_of(std::size_t child, std::span<const std::int32_t> parents);

    // The rows of the empty network (empty_rows.cpp).
    void fill_empty_rows();
    void count_alone();
    bool is_worth_counting(std::size_t child, std::size_t x,
                           std::vector<std::shared_ptr<NeighbourRow>>& rows);
    void fill_wide_pairs(std::size_t child, std::vector<std::shared_ptr<NeighbourRow>>& rows);
    void fill_pairs(std::size_t block, std::size_t child, const RowPartition& partition,
                    std::vector<std::shared_ptr<NeighbourRow>>& rows);

    // What is counted for several searches at once (shared_counts.cpp).
    Row take_waiting(const Parents& key);
    bool is_shared(std::size_t child, std::span<const std::int32_t> parents);
    const SegmentCounts* alone(std::size_t child) const {
        return alone_.empty() ? nullptr : alone_[child].get();
    }
    double asked_local(const Parents& key, double value);

    // Rows, tables and removals (neighbour_scores.cpp).
    void store(Parents key, std::shared_ptr<NeighbourRow> row);
    std::shared_ptr<NeighbourRow> compute(std::size_t child, std::span<const std::int32_t> parents);
    std::shared_ptr<NeighbourRow> score_counted(std::size_t child, std::span<const std::int32_t> parents);
    void list_gains(std::size_t child, NeighbourRow& row);
    void list_wanted(std::size_t child, std::span<const std::int32_t> parents);
    bool wants(std::size_t x, std::size_t child, std::span<const std::int32_t> parents) const;
    void tabulate(std::size_t child, const Segments& segments);
    double score_table(std::size_t child, std::span<const std::int32_t> parents,
                       std::span<const std::int64_t> counts, std::span<const std::uint32_t> codes);
    double score_family(std::size_t child, std::span<const std::int32_t> parents,
                        std::span<const std::int64_t> counts, std::span<const std::uint64_t> configurations);
    void number_configurations(std::span<const std::int32_t> parents, std::span<const std::uint32_t> codes,
                               std::size_t count);
    void score_removals(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);

    // Additions that cannot gain (neighbour_bounds.cpp).
    void know_information();
    double log_likelihood(std::size_t x, double own) const;  // of x alone, from its score without prior
    bool is_hopeless(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                     std::size_t x);

    // One more parent (neighbour_additions.cpp).
    void score_additions(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);
    void score_sparse(std::size_t child, std::span<const std::int32_t> parents, std::size_t x,
                      NeighbourRow& row);
    template <class Add>
    void for_rows_of(const RowPartition& partition, std::size_t segment, Add add) const;
    void add_sparse_terms(Candidate& candidate, std::span<const std::uint32_t> codes);
    void add_sparse_tables(Candidate& candidate, std::span<const std::uint32_t> codes);
    bool is_sparse(std::size_t x) const;
    void start(Candidate& candidate, std::size_t child, std::span<const std::int32_t> parents);
    double finish(Candidate& candidate, std::size_t child, std::span<const std::int32_t> parents);
    void add_row(Candidate& candidate, std::size_t config, std::size_t state, const std::int64_t* counts);
    template <class Count>
    void add_tables_of(Candidate& candidate, std::size_t first_config, std::size_t last_config,
                       const Count* counts);
    void sort_columns(std::span<const StateBlocks::Slot> slots, std::size_t child,
                      std::span<const std::int32_t> parents, NeighbourRow& row);
    template <class Count, class Visit>
    void for_counts(const StateBlocks& blocks, std::size_t block, Visit visit);
    template <class Count>
    std::vector<Count>& counts_of();
    template <class Count>
    std::vector<Count>& margins_of();
    template <class Count>
    void sums_by_block(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);
    template <class Count>
    void tables_by_block(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);
    template <class Count>
    void additions_by_block(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row);

    const StateBlocks& data_;
    RowWeights weights_;
    const LocalScore& score_;
    CellTermTables* tables_;
    const ArcRules& rules_;
    const FamilyPrior* prior_;  // part of the score, or null
    double penalty_;            // w, if the score is LL - w q (r - 1); else 0
    std::size_t memory_;
    FamilyCounter counter_;
    std::uint64_t families_scored_ = 0;
    std::uint64_t families_spared_ = 0;

    SharedCounter* shared_ = nullptr;                          // who counts for several searches, if anybody
    std::vector<std::shared_ptr<const SegmentCounts>> alone_;  // of each child, or null
    std::unordered_map<Parents, Row, FamilyHash> waiting_;     // rows that nobody has asked for yet
    std::size_t waiting_bytes_ = 0;

    Parents key_;  // scratch: a row that is known is found without asking for memory
    std::unordered_map<Parents, Row, FamilyHash> rows_;  // key: the child, then its parents
    std::size_t rows_bytes_ = 0;
    bool filled_ = false;              // the rows without parents have been made
    std::vector<double> information_;  // N H(x) of each variable, as soon as a bound needs it
    std::unordered_map<Parents, double, FamilyHash> locals_;
    std::vector<std::vector<Gain>> gained_;  // of each child: what each variable has gained as a parent
    std::unordered_map<Parents, Row, FamilyHash> wide_rows_;  // rows of all variables, while rows are narrow
    std::size_t wide_bytes_ = 0;
    std::vector<Parents> candidates_;                   // of each child, while rows are narrow; else none
    std::vector<std::unique_ptr<StateBlocks>> blocks_;  // of the candidates of each child, as needed
    std::size_t blocks_bytes_ = 0;

    // Scratch, kept between calls for its memory.
    RowPartition partition_;               // of one family without its neighbours
    std::vector<std::uint8_t> wanted_;     // of each variable, whether it could join the parents
    std::vector<std::int64_t> table_;      // configurations x arity of the child
    std::vector<std::uint64_t> radix_;     // the index of each configuration, where the score asks
    std::vector<std::uint32_t> counts32_;  // segments x 64
    std::vector<std::int64_t> counts64_;   // the same where N needs more than 32 bits
    std::vector<TermColumns> columns_;     // of a block, by number of states
    std::vector<std::uint32_t> reduced_keys_;
    std::vector<std::int64_t> reduced_;
    std::vector<std::uint32_t> reduced_codes_;
    std::vector<std::int64_t> cells_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::uint32_t> seen_in_segment_;
    std::vector<std::uint32_t> margins32_;  // configurations x 64
    std::vector<std::int64_t> margins64_;
};

}  // namespace arcwise
