// The parents of a node as a list, ascending.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using Parents = std::vector<std::int32_t>;

inline Parents with(std::span<const std::int32_t> parents, std::size_t x) {
    Parents result(parents.begin(), parents.end());
    const auto value = static_cast<std::int32_t>(x);
    result.insert(std::ranges::lower_bound(result, value), value);
    return result;
}

inline Parents without(std::span<const std::int32_t> parents, std::size_t x) {
    Parents result(parents.begin(), parents.end());
    std::erase(result, static_cast<std::int32_t>(x));
    return result;
}

}  // namespace arcwise
