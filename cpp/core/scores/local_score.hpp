// What a score is to the core: a number for a variable given its parents, from the family's counts alone, or
// from data that the score itself holds (data_score.hpp).
//
// Scores are immutable after construction (a cache inside one is lock-free and holds only values that do not
// depend on who computed them), so that any number of threads may use one score, with identical bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace arcwise {

// The counts of one variable and its parents, only the parent configurations that occur in the data.
struct Family {
    std::int32_t child;                     // i
    std::span<const std::int32_t> parents;  // P, ascending
    std::span<const std::int64_t> counts;   // n_jk: observed configurations x arity, row by row
    std::size_t arity;                      // r
    double parent_cells;                    // q, floating point: it may exceed any integer
    std::int64_t cases;                     // N
    // The index of each observed configuration in mixed radix, the first parent varying slowest. Only filled
    // for scores that ask for it (LocalScore::needs_configurations), where q is small enough to be an index.
    std::span<const std::uint64_t> configurations;

    std::size_t observed() const { return counts.size() / arity; }  // q+
    std::span<const std::int64_t> row(std::size_t j) const { return counts.subspan(j * arity, arity); }
};

// A score that is the difference of one function of variable sets: s(i | P) = g(P + i) - g(P), with
//   g(T) = constant(|T|) + sum over the cells of T that occur of cell_term(n, |T|),   |T| = product of
//   arities.
// BIC, AIC, LL, BDeu, qNML and qBDJ are such scores: one table per set serves all of its families.
// g is defined up to a multiple of N, which cancels in the difference: the terms are centred so that large
// counts cost no digits. Only differences of sets that hold all N cases mean anything.
class SetScore {
  public:
    virtual ~SetScore() = default;
    virtual double cell_term(std::int64_t count, double cells) const = 0;
    virtual double constant(double cells) const = 0;
    // True if cell_term does not depend on `cells`: one table of terms then serves every set.
    virtual bool terms_are_universal() const = 0;
    // cell_term(0, cells), cell_term(1, cells), ... for the small counts, the same bits as cell_term gives;
    // may be empty. Larger counts go through cell_term. The memory lives as long as the score.
    virtual std::span<const double> terms(double cells) const = 0;
};

class FamilyPrior;  // family_prior.hpp
class DataScore;    // data_score.hpp

class LocalScore {
  public:
    virtual ~LocalScore() = default;
    // The local score of the family; natural logarithm, higher is better.
    virtual double local(const Family& family) const = 0;
    // At least the local score of this family, and of the same child with ANY superset of these parents.
    // Each score's file has the proof. Infinity where no theorem gives a bound.
    virtual double superset_bound(const Family&) const { return std::numeric_limits<double>::infinity(); }
    // As superset_bound, from the family's shape alone: q, and how many of its q r cells occur. It serves the
    // builder of tables, which knows no more of a family whose score is a difference of set functions.
    virtual double shape_bound(double /*parent_cells*/, double /*occupied_cells*/,
                               std::size_t /*arity*/) const {
        return std::numeric_limits<double>::infinity();
    }
    // The set function, if the score is the difference of one; else null.
    virtual const SetScore* set_score() const { return nullptr; }
    // The score without its prior, if it holds its data and needs no counts; else null.
    virtual const DataScore* data_score() const { return nullptr; }
    // w > 0 if the score is exactly LL - w q (r - 1), as BIC and AIC are: their own pruning rules need w.
    virtual double penalty_weight() const { return 0.0; }
    virtual bool needs_configurations() const { return false; }
    // What was believed before the data, or null. `local` and `superset_bound` contain it; `set_score`,
    // `shape_bound` and `penalty_weight` are about the data's part, to which their users add it.
    virtual const FamilyPrior* prior() const { return nullptr; }
};

}  // namespace arcwise
