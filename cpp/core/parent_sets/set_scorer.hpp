// Turns counts into scores: the set functions g(S) of all set scores at once, and the local scores of
// families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "parent_sets/set_index.hpp"
#include "parent_sets/set_rank.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// What is known of the sets of one SetIndex; one entry per slot.
struct SetValues {
    std::vector<std::vector<double>> sums;  // g(S) for each set score
    std::vector<std::uint32_t> occupied;    // cells that occur
};

// The families of the sets of one SetIndex, for one score that is no set score; set_size entries per slot,
// the child's place in the set (ascending positions) counting.
struct FamilyValues {
    std::vector<std::uint8_t> needed;
    std::vector<double> scores;
    std::vector<double> bounds;  // of the score's superset_bound
};

// One thread's scorer. Variables are positions of the collapsed data.
class SetScorer {
  public:
    virtual ~SetScorer() = default;
    // Fills the values of slots first .. last - 1, except those with a nonzero entry in `known` (if not
    // empty).
    virtual void sum_sets(const SetIndex& index, std::size_t first, std::size_t last,
                          std::span<const std::uint8_t> known, SetValues& values) = 0;
    // Fills what is needed of the families in slots first .. last - 1; values[f] belongs to family score f.
    virtual void score_families(const SetIndex& index, std::size_t first, std::size_t last,
                                std::span<FamilyValues> values) = 0;
};

// The data as the builder sees them: collapsed, with variables in an order of their own ("positions").
class CountSource {
  public:
    virtual ~CountSource() = default;
    virtual std::span<const std::int32_t> labels() const = 0;  // position -> variable
    virtual std::span<const std::size_t> arities() const = 0;  // by position
    virtual std::int64_t cases() const = 0;
    virtual std::size_t rows() const = 0;
    // LL of the variable at a position given all others: no parent set has a larger one. At most 0.
    virtual double full_likelihood(std::size_t position) const = 0;
    // g of every subset of the positions (subset_sums.hpp), bit b of its index standing for positions[b];
    // false if poll(done, total) said to stop.
    virtual bool sum_subsets(const SetScore& score, std::span<const std::int32_t> positions,
                             std::size_t threads, std::span<double> sums,
                             const std::function<bool(std::size_t, std::size_t)>& poll) const = 0;
    virtual std::unique_ptr<SetScorer> scorer(const SetRanks& ranks, std::vector<const SetScore*> set_scores,
                                              std::vector<const LocalScore*> family_scores) const = 0;
};

template <class Code>
std::unique_ptr<CountSource> make_count_source(const Columns<Code>& data);

}  // namespace arcwise
