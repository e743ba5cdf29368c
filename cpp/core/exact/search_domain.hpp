// The candidate sets that are left at a node of a search over orders, for up to 64 variables: one word per
// set, whole numbers as costs, each variable's sets by rising cost. Sets are dropped in place, so that a
// domain that is copied from level to level of the search never allocates after the first time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "monitor.hpp"

namespace arcwise {

using Mask = std::uint64_t;  // one bit per variable
using Cost = std::int64_t;   // what a set is worse than the best of its variable, in units of a grain

constexpr Cost no_cost = std::numeric_limits<Cost>::max() / 4;  // of what does not exist

constexpr Mask bit(std::size_t v) {
    return Mask{1} << v;
}
inline std::size_t lowest(Mask mask) {
    return static_cast<std::size_t>(__builtin_ctzll(mask));
}

template <class Visit>
void for_each_bit(Mask mask, Visit&& visit) {
    for (; mask != 0; mask &= mask - 1) visit(lowest(mask));
}

struct SearchDomain {
    std::vector<Mask> sets;
    std::vector<Cost> costs;
    std::array<std::size_t, 64> begin{}, end{};  // of a variable's sets

    // Drops of a variable the entries for which keep(i) does not hold.
    template <class Keep>
    void keep_of(std::size_t v, Keep&& keep) {
        std::size_t to = begin[v];
        for (std::size_t i = begin[v]; i < end[v]; ++i) {
            if (!keep(i)) continue;
            sets[to] = sets[i];
            costs[to++] = costs[i];
        }
        end[v] = to;
    }

    // Drops the sets that no acyclic completion has: acyclicity.hpp has the rule (the second one). `placed`
    // are decided, `free` are not. False if there is no completion. Adds the sets looked at to `work`. If the
    // ticker says to stop, some of these sets stay.
    bool drop_early_sets(Mask placed, Mask free, std::uint64_t& work, Ticker& ticker);

  private:
    Mask unplaced(Mask placed, Mask rest, std::uint64_t& work) const;
};

}  // namespace arcwise
