#include "exact/cut_pool.hpp"

#include <algorithm>
#include <cassert>

namespace arcwise {

double CutPool::side(std::size_t i) const {
    if (codes_[i] < 0) return four_node_facets()[static_cast<std::size_t>(-codes_[i] - 1)].side;
    return static_cast<double>(members(i).size()) - codes_[i];
}

void CutPool::extend(std::span<const Word> members, std::span<const std::int32_t> codes) {
    assert(members.size() == codes.size() * words());
    members_.append(members);
    for (const std::int32_t code : codes) {
        std::array<std::uint32_t, 4> corners{};
        if (code < 0) {
            std::size_t next = 0;
            members_[codes_.size()].for_each(
                [&](std::size_t v) { corners[next++ & 3U] = static_cast<std::uint32_t>(v); });
            assert(next == 4);
        }
        codes_.push_back(code);
        corners_.push_back(corners);
        multipliers_.push_back(0);
    }
}

void CutPool::set_multipliers(std::span<const double> multipliers) {
    assert(multipliers.size() == size());
    for (std::size_t i = 0; i < multipliers.size(); ++i)
        multipliers_[i] = multipliers[i] > 0 ? multipliers[i] : 0;
}

void CutPool::keep(std::span<const std::uint8_t> keep) {
    assert(keep.size() == size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
        if (keep[i] == 0) continue;
        std::ranges::copy(members(i).words(), members_[kept].words().begin());
        codes_[kept] = codes_[i];
        corners_[kept] = corners_[i];
        multipliers_[kept++] = multipliers_[i];
    }
    members_.resize(kept);
    codes_.resize(kept);
    corners_.resize(kept);
    multipliers_.resize(kept);
}

}  // namespace arcwise
