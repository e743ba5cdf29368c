#include "parent_sets/candidates.hpp"

namespace arcwise {

SetIndex index_groups(const Candidates& alive, const SetRanks& ranks) {
    const std::size_t width = alive.set_size - 1;
    SetIndex index(width, ranks.sets(width), alive.groups());
    {
        SetIndex::Marker marker(index);
        for (std::size_t group = 0; group < alive.groups(); ++group)
            marker.mark(ranks.rank(alive.tops_of(group)));
    }
    index.seal();
    return index;
}

}  // namespace arcwise
