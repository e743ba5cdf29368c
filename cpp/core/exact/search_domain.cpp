#include "exact/search_domain.hpp"

namespace arcwise {

// What is left of `rest` if variables are placed one after the other, each with a set among those placed.
Mask SearchDomain::unplaced(Mask placed, Mask rest, std::uint64_t& work) const {
    for (bool progress = true; progress && rest != 0;) {
        progress = false;
        for_each_bit(rest, [&](std::size_t v) {
            std::size_t i = begin[v];
            while (i < end[v] && (sets[i] & ~placed) != 0) ++i;
            work += i - begin[v] + 1;
            if (i == end[v]) return;
            placed |= bit(v);
            rest &= ~bit(v);
            progress = true;
        });
    }
    return rest;
}

bool SearchDomain::drop_early_sets(Mask placed, Mask free, std::uint64_t& work, Ticker& ticker) {
    if (unplaced(placed, free, work) != 0) return false;
    for (Mask left = free; left != 0; left &= left - 1) {
        const std::size_t v = lowest(left);
        const std::uint64_t before = work;
        const Mask late = unplaced(placed, free & ~bit(v), work);
        if (late != 0)  // else v can come last: every set fits
            keep_of(v, [&](std::size_t i) { return (sets[i] & late) == 0; });
        if (ticker.poll_after(work - before)) break;
    }
    return true;
}

}  // namespace arcwise
