#include "exact/cut_pool.hpp"

#include <algorithm>
#include <cassert>

namespace arcwise {

double CutPool::side(std::size_t i) const {
    if (codes_[i] == 0) return weights_[i]->side;
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
        weights_.push_back(nullptr);
        multipliers_.push_back(0);
    }
}

void CutPool::extend_weighted(SetView members, const CandidateSets& sets,
                              std::span<const double> coefficients, double side) {
    assert(coefficients.size() == sets.rows());
    Weights weights{{}, std::vector<std::int64_t>(variables(), 0), side};
    const auto origins = sets.origins();
    members.for_each([&](std::size_t v) {
        const auto of_node = origins.subspan(sets.begin(v), sets.end(v) - sets.begin(v));
        const auto [low, high] = std::ranges::minmax(of_node);
        weights.shift[v] = static_cast<std::int64_t>(weights.values.size()) - low;
        weights.values.resize(weights.values.size() + static_cast<std::size_t>(high - low) + 1, 0);
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
            weights.values[static_cast<std::size_t>(sets.origin(row) + weights.shift[v])] = coefficients[row];
    });
    const std::int32_t code = 0;
    extend(members.words(), {&code, 1});
    weights_.back() = std::make_shared<const Weights>(std::move(weights));
}

void CutPool::extend_from(const CutPool& other, std::span<const std::uint8_t> take) {
    assert(take.size() == other.size() && other.variables() == variables());
    for (std::size_t i = 0; i < take.size(); ++i) {
        if (take[i] == 0) continue;
        extend(other.members(i).words(), other.codes().subspan(i, 1));
        weights_.back() = other.weights_[i];
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
        weights_[kept] = weights_[i];
        multipliers_[kept++] = multipliers_[i];
    }
    members_.resize(kept);
    codes_.resize(kept);
    corners_.resize(kept);
    weights_.resize(kept);
    multipliers_.resize(kept);
}

}  // namespace arcwise
