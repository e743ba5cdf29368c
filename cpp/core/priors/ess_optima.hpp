// The BDeu-optimal networks for many equivalent sample sizes, from the spectra of all sets.
//
// g(T) of every set is found for eight sizes at a time: one pass over the spectra, eight lanes wide. Then
// nothing is pruned and no list of parent sets is made: for so few variables, the best parent set within
// every subset comes from one superset-maximum transform per variable, and the network from the subset
// recursion best[U] = max over v of best[U - v] + (best parent set of v within U - v) (Silander & Myllymaki
// 2006). On 14 variables that is some two million additions and comparisons, about a millisecond; building
// and pruning a table takes forty times as long, and most of it is not counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "monitor.hpp"
#include "priors/count_spectra.hpp"

namespace arcwise {

// Which parent sets each variable may have; masks of variables, one entry per variable.
struct FamilyRules {
    std::vector<std::uint32_t> required;
    std::vector<std::uint32_t> allowed;  // with the required
    std::vector<std::int32_t> limits;
};

struct EssOptima {
    Status status = Status::complete;
    std::vector<std::uint8_t> solved;    // one per size; all unless stopped
    std::vector<double> scores;          // minus infinity if no acyclic network satisfies the rules
    std::vector<std::uint32_t> parents;  // (sizes, variables): masks of variables
};

class EssOptimizer {
  public:
    // The spectra must not change any more.
    explicit EssOptimizer(const CountSpectra& spectra);

    static double memory_for(std::size_t variables, std::size_t threads);

    // One optimum per size; with `averaged`, one more under the mean of the log scores over all sizes.
    EssOptima solve(std::span<const double> ess, bool averaged, const FamilyRules& rules, std::size_t threads,
                    Monitor& monitor, double seconds = std::numeric_limits<double>::infinity()) const;

  private:
    class Worker;

    const CountSpectra& spectra_;
    // For each shape the counts that occur in its sets, ascending; a term's number is its place in `counts_`.
    std::vector<std::size_t> shape_begin_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> terms_of_runs_;  // the spectra's runs in the order of the sets, by term
    std::vector<std::uint32_t> cells_of_runs_;
    std::vector<std::size_t> run_begin_;  // by set
};

}  // namespace arcwise
