// The candidate parent sets as every search reads them: bitsets, per node by falling score, each with the row
// of the table it came from. Unlike TableView it can shrink: fixing, components and constraints make smaller
// copies, so that the later and dearer steps see only what may still matter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "monitor.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

class CandidateSets {
  public:
    CandidateSets() = default;
    explicit CandidateSets(const TableView& table);

    std::size_t variables() const { return offsets_.size() - 1; }
    std::size_t words() const { return sets_.width(); }  // per set
    std::size_t rows() const { return scores_.size(); }
    std::size_t begin(std::size_t node) const { return offsets_[node]; }
    std::size_t end(std::size_t node) const { return offsets_[node + 1]; }
    double score(std::size_t row) const { return scores_[row]; }
    SetView set(std::size_t row) const { return sets_[row]; }
    std::size_t node_of(std::size_t row) const {
        return static_cast<std::size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), row) -
                                        offsets_.begin() - 1);
    }
    // The row of the table that the first of all copies was made from.
    std::int64_t origin(std::size_t row) const { return origins_[row]; }
    // The number that the node had in that table.
    std::int64_t node_origin(std::size_t node) const { return node_origins_[node]; }
    std::span<const double> scores() const { return scores_; }
    std::span<const std::int64_t> origins() const { return origins_; }
    std::span<const std::int64_t> node_origins() const { return node_origins_; }
    const BitRows& all_sets() const { return sets_; }
    std::span<const std::size_t> offsets() const { return offsets_; }

    // The rows r with keep[r] != 0.
    CandidateSets kept(std::span<const std::uint8_t> keep) const;

    // The nodes in `nodes` (ascending) alone, renumbered from 0. Parents outside are left out of the sets:
    // this is for a component of the candidate-parent graph, whose outside parents can never close a cycle.
    // Of sets that become equal, the best stays.
    CandidateSets component(std::span<const std::int32_t> nodes, Ticker& ticker) const;

    // Without the sets that have a subset of at least the same score: they are in no network that is better
    // than every other. (Teyssier and Koller 2005, lemma 1, called it pruning.) Safe for the optimum only.
    // Not all of them, where that would take long; if it is stopped, the sets not looked at yet stay.
    CandidateSets undominated(Ticker& ticker) const;

  private:
    void append(const CandidateSets& from, std::size_t row);

    std::vector<std::size_t> offsets_{0};
    std::vector<double> scores_;
    BitRows sets_;
    std::vector<std::int64_t> origins_;
    std::vector<std::int64_t> node_origins_;
};

}  // namespace arcwise
