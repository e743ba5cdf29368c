// A lower bound on the cost of an acyclic completion, by raising one cluster after the other: no linear
// program.
//
// Some variable of a cluster C has a set without members of C. So if all such sets of C's variables have a
// reduced cost of d or more, the bound may be raised by d, and d is taken off these reduced costs. This
// goes on until the sets of reduced cost 0 have an acyclic choice; where they have none, what cannot be
// placed is a cluster that may be raised, and is first made as small as that allows (the reduced-cost
// clusters of Troesser, de Givry and Katsirelos 2021, who found as we do that without making them small the
// bound is useless). In the end the multipliers are far from the best ones (on wdbc_BIC the bound is 54 below
// the optimum, where the linear program's is 7), but cost a tenth of a millisecond.
//
// What decides is which clusters are raised first. The pool of all clusters found so far is gone through by
// size, the small ones first, and among equals those that were raised most often. By size falling, by what
// was gained, last used first, or raising all by a part of what they allow, the search takes from four to
// more than a hundred times as many nodes (docs/benchmarks/exact.md).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "exact/search_domain.hpp"

namespace arcwise {

class ClusterAscent {
  public:
    // The bound for the variables in `free`, whose sets are in `domain`, while those in `placed` are decided:
    // false as soon as start + the bound reaches `goal` (or if there is no completion), else the sum. If the
    // ticker says to stop, the bound is what was reached by then.
    bool raise(const SearchDomain& domain, Mask placed, Mask free, Cost start, Cost goal, Ticker& ticker);
    Cost bound() const { return bound_; }
    // Of the last domain's entries, as far as their variables were free.
    const std::vector<Cost>& reduced() const { return reduced_; }
    std::size_t clusters() const { return pool_.size(); }
    // Entries and clusters looked at so far.
    std::uint64_t work() const { return work_; }

  private:
    struct Cluster {
        Mask members;
        int size;
        std::uint64_t raised;
    };

    bool begin(const SearchDomain& domain, Mask free);
    bool raise_one(const SearchDomain& domain, Mask cluster);
    Mask unplaced(const SearchDomain& domain, Mask placed, Mask rest);
    Mask smallest(const SearchDomain& domain, Mask cluster, Mask others, Ticker& ticker);
    void remember(Mask cluster);

    std::vector<Cluster> pool_;
    std::unordered_set<Mask> known_;
    std::vector<Cost> reduced_;
    std::array<std::vector<std::size_t>, 64> zero_;  // of a free variable: the entries of reduced cost 0
    Cost bound_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace arcwise
