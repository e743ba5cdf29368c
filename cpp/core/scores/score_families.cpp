#include "scores/score_families.hpp"

#include <algorithm>

#include "scores/row_groups.hpp"

namespace arcwise {

namespace {

template <class Code, class Function>
std::vector<double> for_families(const Columns<Code>& data, std::span<const std::int32_t> children,
                                 std::span<const std::int64_t> offsets, std::span<const std::int32_t> parents,
                                 Function function) {
    const std::int64_t cases = data.cases();
    std::vector<double> values;
    values.reserve(children.size());
    for (std::size_t f = 0; f < children.size(); ++f) {
        const auto begin = static_cast<std::size_t>(offsets[f]);
        const auto mine = parents.subspan(begin, static_cast<std::size_t>(offsets[f + 1]) - begin);
        const auto counted = count_family(data, children[f], mine);
        const auto arity = static_cast<std::size_t>(data.arities[children[f]]);
        values.push_back(function(Family{children[f], mine, counted.counts, arity, counted.parent_cells,
                                         cases, counted.configurations}));
    }
    return values;
}

}  // namespace

template <class Code>
FamilyCounts count_family(const Columns<Code>& data, std::int32_t child,
                          std::span<const std::int32_t> parents) {
    FamilyCounts family;
    family.parent_cells = 1.0;
    for (const auto parent : parents) family.parent_cells *= data.arities[parent];
    const auto [group, groups] = group_rows(data, parents);
    const auto arity = static_cast<std::size_t>(data.arities[child]);
    const auto column = data.column(static_cast<std::size_t>(child));
    family.counts.assign(groups * arity, 0);
    for (std::size_t row = 0; row < data.rows; ++row)
        family.counts[group[row] * arity + column[row]] += data.weight(row);
    if (family.parent_cells <= 1e18) {
        family.configurations.assign(groups, 0);
        for (std::size_t row = 0; row < data.rows; ++row) {
            std::uint64_t index = 0;
            for (const auto parent : parents) {
                const auto arity_of = static_cast<std::uint64_t>(data.arities[parent]);
                index = index * arity_of + data.column(static_cast<std::size_t>(parent))[row];
            }
            family.configurations[group[row]] = index;
        }
    }
    // A row of weight zero is no case: its configuration does not occur.
    std::size_t kept = 0;
    for (std::size_t j = 0; j < groups; ++j) {
        const auto* row = family.counts.data() + j * arity;
        if (std::all_of(row, row + arity, [](std::int64_t n) { return n == 0; })) continue;
        std::copy_n(row, arity, family.counts.data() + kept * arity);
        if (!family.configurations.empty()) family.configurations[kept] = family.configurations[j];
        ++kept;
    }
    family.counts.resize(kept * arity);
    if (!family.configurations.empty()) family.configurations.resize(kept);
    return family;
}

template <class Code>
std::vector<double> score_families(const LocalScore& score, const Columns<Code>& data,
                                   std::span<const std::int32_t> children,
                                   std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents) {
    return for_families(data, children, offsets, parents,
                        [&](const Family& family) { return score.local(family); });
}

template <class Code>
std::vector<double> bound_families(const LocalScore& score, const Columns<Code>& data,
                                   std::span<const std::int32_t> children,
                                   std::span<const std::int64_t> offsets,
                                   std::span<const std::int32_t> parents) {
    return for_families(data, children, offsets, parents,
                        [&](const Family& family) { return score.superset_bound(family); });
}

#define ARCWISE_INSTANTIATE(Code)                                                                          \
    template FamilyCounts count_family(const Columns<Code>&, std::int32_t, std::span<const std::int32_t>); \
    template std::vector<double> score_families(                                                           \
        const LocalScore&, const Columns<Code>&, std::span<const std::int32_t>,                            \
        std::span<const std::int64_t>, std::span<const std::int32_t>);                                     \
    template std::vector<double> bound_families(                                                           \
        const LocalScore&, const Columns<Code>&, std::span<const std::int32_t>,                            \
        std::span<const std::int64_t>, std::span<const std::int32_t>);
ARCWISE_INSTANTIATE(std::uint8_t)
ARCWISE_INSTANTIATE(std::uint16_t)
ARCWISE_INSTANTIATE(std::uint32_t)
#undef ARCWISE_INSTANTIATE

}  // namespace arcwise
