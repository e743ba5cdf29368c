// What a score is to the core: a number for a variable given its parents, from the family's counts alone.
#pragma once

#include <cstddef>
#include <cstdint>
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
};

// A score that is the difference of one function of variable sets: s(i | P) = g(P + i) - g(P), with
//   g(T) = constant(|T|) + sum over the cells of T that occur of cell_term(n, |T|),   |T| = product of
//   arities.
// BIC, AIC, LL, BDeu, qNML and qBDJ are such scores (DESIGN: one table per set serves all of its families).
class SetScore {
  public:
    virtual ~SetScore() = default;
    virtual double cell_term(std::int64_t count, double cells) const = 0;
    virtual double constant(double cells) const = 0;
    // True if cell_term does not depend on `cells`: one table of terms then serves every set.
    virtual bool terms_are_universal() const = 0;
};

class LocalScore {
  public:
    virtual ~LocalScore() = default;
    // The local score of the family; natural logarithm, higher is better.
    virtual double local(const Family& family) const = 0;
    // The set function, if the score is the difference of one; else null.
    virtual const SetScore* set_score() const { return nullptr; }
    virtual bool needs_configurations() const { return false; }
};

}  // namespace arcwise
