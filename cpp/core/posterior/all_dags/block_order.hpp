// The order in which blocks of sets (block_weights.hpp) are worked on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace arcwise {

using BlockGroups = std::vector<std::vector<std::size_t>>;

// Groups of blocks that may be worked on at the same time: they have equally many last nodes, so that no set
// of one holds one of another. At most so many at a time; the groups joined are the same sequence whatever
// their size, so that sums in its order do not depend on it.
inline BlockGroups rising_blocks(std::size_t blocks, std::size_t most_together) {
    const auto last_nodes = static_cast<std::size_t>(std::countr_zero(blocks));
    BlockGroups groups;
    for (std::size_t size = 0; size <= last_nodes; ++size) {
        std::vector<std::size_t> level;
        for (std::size_t block = 0; block < blocks; ++block)
            if (static_cast<std::size_t>(std::popcount(block)) == size) level.push_back(block);
        const std::size_t parts = (level.size() + most_together - 1) / most_together;  // of about one size
        for (std::size_t part = 0; part < parts; ++part)
            groups.emplace_back(
                level.begin() + static_cast<std::ptrdiff_t>(part * level.size() / parts),
                level.begin() + static_cast<std::ptrdiff_t>((part + 1) * level.size() / parts));
    }
    return groups;
}

inline BlockGroups falling_blocks(std::size_t blocks, std::size_t most_together) {
    auto groups = rising_blocks(blocks, most_together);
    std::ranges::reverse(groups);
    for (auto& group : groups) std::ranges::reverse(group);
    return groups;
}

}  // namespace arcwise
