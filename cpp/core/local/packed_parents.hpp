// Parent lists as two arrays, the form in which they cross the native boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "local/changing_dag.hpp"

namespace arcwise {

// Node v has the parents members[offsets[v] .. offsets[v + 1]).
struct PackedParents {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> members;
};

inline PackedParents pack_parents(const std::vector<Parents>& parents) {
    PackedParents packed;
    for (const auto& list : parents) {
        packed.members.insert(packed.members.end(), list.begin(), list.end());
        packed.offsets.push_back(static_cast<std::int64_t>(packed.members.size()));
    }
    return packed;
}

inline std::vector<Parents> unpack_parents(std::span<const std::int64_t> offsets,
                                           std::span<const std::int32_t> members) {
    std::vector<Parents> parents;
    for (std::size_t v = 0; v + 1 < offsets.size(); ++v)
        parents.emplace_back(members.begin() + offsets[v], members.begin() + offsets[v + 1]);
    return parents;
}

}  // namespace arcwise
