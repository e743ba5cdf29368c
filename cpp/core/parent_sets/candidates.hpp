// The parent sets of one child and one size that are still alive, and how those of the next size follow.
//
// A set can only be alive if all its subsets with one member less are (Agrawal & Srikant 1994: Apriori), and
// the best score among its proper subsets is the best among those: both are found in one pass. Sets are
// grouped by all members but the smallest ("tops"); a group lists its smallest members ("lows") ascending,
// and groups come in colex order. The subsets of tops + {x < y} are tops + x and tops + y, both in the group
// of tops, and for each a in tops the set tops - a + {x, y}, in the group of tops - a + y: for given y, all x
// are found by intersecting the lists of |tops| + 1 groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parent_sets/set_index.hpp"
#include "parent_sets/set_rank.hpp"

namespace arcwise {

struct Candidates {
    std::size_t set_size = 0;
    std::vector<std::int32_t> tops;          // set_size - 1 per group, ascending
    std::vector<std::int64_t> group_ends{};  // of lows
    std::vector<std::int32_t> lows;          // one per set; for the empty set one entry, -1
    std::vector<double> best;                // one per set: the best score so far, of it or its subsets

    std::size_t groups() const { return group_ends.size(); }
    std::size_t sets() const { return lows.size(); }
    std::span<const std::int32_t> tops_of(std::size_t group) const {
        const std::size_t width = set_size == 0 ? 0 : set_size - 1;
        return {tops.data() + group * width, width};
    }
    std::size_t begin_of(std::size_t group) const {
        return group == 0 ? 0 : static_cast<std::size_t>(group_ends[group - 1]);
    }
    std::size_t end_of(std::size_t group) const { return static_cast<std::size_t>(group_ends[group]); }
    std::size_t bytes() const {
        return 4 * tops.capacity() + 8 * group_ends.capacity() + 4 * lows.capacity() + 8 * best.capacity();
    }

    // Adds a set to the last group; `close` ends the group if it has a set, under the given tops.
    void add(std::int32_t low, double value) {
        lows.push_back(low);
        best.push_back(value);
    }
    void close(std::span<const std::int32_t> group_tops) {
        const std::int64_t begin = group_ends.empty() ? 0 : group_ends.back();
        if (static_cast<std::int64_t>(lows.size()) == begin) return;
        tops.insert(tops.end(), group_tops.begin(), group_tops.end());
        group_ends.push_back(static_cast<std::int64_t>(lows.size()));
    }
};

// The sets of the next size whose subsets are all alive, in order: `visit(tops, low, best_of_subsets)` for
// each, `close(tops)` after each group; `close` returns false to stop. `allowed`: the variables that may be
// parents, ascending.
template <class Visit, class Close>
void extend(const Candidates& alive, std::span<const std::int32_t> allowed, const SetRanks& ranks,
            Visit visit, Close close);

// The number of each group by the rank of its tops: groups are in colex order, as the slots of a SetIndex
// are.
SetIndex index_groups(const Candidates& alive, const SetRanks& ranks);

template <class Visit, class Close>
void extend(const Candidates& alive, std::span<const std::int32_t> allowed, const SetRanks& ranks,
            Visit visit, Close close) {
    if (alive.sets() == 0) return;
    if (alive.set_size == 0) {
        for (const auto low : allowed) visit(std::span<const std::int32_t>{}, low, alive.best[0]);
        close(std::span<const std::int32_t>{});
        return;
    }
    const SetIndex groups = index_groups(alive, ranks);
    const std::size_t width = alive.set_size - 1;    // tops per group
    std::vector<std::int32_t> tops(alive.set_size);  // of the new set: y, then those of the group
    std::vector<Rank> rank_without(width);  // of the group's tops without one of them, with y = 0 below them
    std::vector<std::size_t> others(width);
    std::vector<std::size_t> seen(ranks.variables(), 0);  // in how many of the lists x was found so far
    std::vector<double> best(ranks.variables(), 0.0);
    for (std::size_t group = 0; group < alive.groups(); ++group) {
        const auto inner = alive.tops_of(group);
        std::copy(inner.begin(), inner.end(), tops.begin() + 1);
        for (std::size_t skip = 0; skip < width; ++skip) {
            rank_without[skip] = 0;
            for (std::size_t t = 0; t < width; ++t)
                if (t != skip)
                    rank_without[skip] +=
                        ranks.choose(static_cast<std::size_t>(inner[t]), t < skip ? t + 2 : t + 1);
        }
        const auto first = alive.begin_of(group);
        for (std::size_t at = first + 1; at < alive.end_of(group); ++at) {
            const auto y = alive.lows[at];
            bool complete = true;
            for (std::size_t skip = 0; skip < width && complete; ++skip) {
                others[skip] = groups.slot(rank_without[skip] + static_cast<Rank>(y));
                complete = others[skip] != SetIndex::absent;
            }
            if (!complete) continue;
            tops[0] = y;
            for (std::size_t below = first; below < at; ++below) {
                const auto x = static_cast<std::size_t>(alive.lows[below]);
                seen[x] = 1;
                best[x] = std::max(alive.best[below], alive.best[at]);
            }
            std::size_t lists = 1;
            for (const auto other : others) {
                for (std::size_t set = alive.begin_of(other); set < alive.end_of(other); ++set) {
                    const auto x = static_cast<std::size_t>(alive.lows[set]);
                    if (seen[x] != lists) continue;
                    ++seen[x];
                    best[x] = std::max(best[x], alive.best[set]);
                }
                ++lists;
            }
            for (std::size_t below = first; below < at; ++below) {
                const auto x = static_cast<std::size_t>(alive.lows[below]);
                if (seen[x] == lists) visit(std::span<const std::int32_t>(tops), alive.lows[below], best[x]);
                seen[x] = 0;
            }
            if (!close(std::span<const std::int32_t>(tops))) return;
        }
    }
}

}  // namespace arcwise
