// The order in which blocks of sets (block_weights.hpp) are worked on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace arcwise {

// Blocks that may be worked on at the same time: they have equally many last nodes, so that no set of one
// holds one of another. At most so many at a time, whatever the number of threads, so that sums over them
// have one order.
constexpr std::size_t most_together = 16;

inline std::vector<std::vector<std::size_t>> rising_blocks(std::size_t blocks) {
    const auto last_nodes = static_cast<std::size_t>(std::countr_zero(blocks));
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t size = 0; size <= last_nodes; ++size) {
        groups.emplace_back();
        for (std::size_t block = 0; block < blocks; ++block) {
            if (static_cast<std::size_t>(std::popcount(block)) != size) continue;
            if (groups.back().size() == most_together) groups.emplace_back();
            groups.back().push_back(block);
        }
    }
    return groups;
}

inline std::vector<std::vector<std::size_t>> falling_blocks(std::size_t blocks) {
    auto groups = rising_blocks(blocks);
    std::ranges::reverse(groups);
    return groups;
}

}  // namespace arcwise
