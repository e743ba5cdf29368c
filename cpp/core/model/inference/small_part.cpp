#include "model/inference/small_part.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "model/philox.hpp"

namespace arcwise {

namespace {

constexpr double most_cells = 1024.0;
constexpr std::size_t most_entries = std::size_t{1} << 31;

std::size_t index(std::int32_t v) {
    return static_cast<std::size_t>(v);
}

bool touches(std::span<const std::int32_t> family, std::span<const std::int32_t> members) {
    return std::ranges::any_of(family, [&](std::int32_t v) { return std::ranges::binary_search(members, v); });
}

}  // namespace

bool SmallPart::suits(const ProbabilityTables& tables, std::span<const std::int32_t> members,
                      double max_cells) {
    double cells = 1;
    for (const auto v : members) cells *= static_cast<double>(tables.arity(index(v)));
    if (cells > std::min(most_cells, max_cells)) return false;
    for (std::size_t v = 0; v < tables.variables(); ++v)
        if ((tables.has_undefined(v) || tables.table(v).size() > most_entries) &&
            touches(tables.family(v), members))
            return false;
    return true;
}

SmallPart::SmallPart(const ProbabilityTables& tables, std::span<const std::int32_t> members)
    : members_(members.begin(), members.end()) {
    std::size_t cells = 1;
    for (const auto v : members) {
        arities_.push_back(tables.arity(index(v)));
        cells *= arities_.back();
    }
    products_.resize(cells);
    for (std::size_t v = 0; v < tables.variables(); ++v) {
        const auto family = tables.family(v);
        if (!touches(family, members)) continue;
        Table table{tables.table(v), {}, {}};
        std::vector<std::uint32_t> strides(members_.size(), 0);
        std::size_t stride = 1;
        for (std::size_t k = family.size(); k-- > 0;) {
            const auto place = std::ranges::lower_bound(members_, family[k]);
            if (place == members_.end() || *place != family[k]) {
                table.around.emplace_back(family[k], stride);
            } else {
                strides[static_cast<std::size_t>(place - members_.begin())] = static_cast<std::uint32_t>(stride);
            }
            stride *= tables.arity(index(family[k]));
        }
        // Member by member, from the last, which varies fastest: what is there is repeated for every state.
        table.offsets.reserve(cells);
        table.offsets.push_back(0);
        for (std::size_t m = members_.size(); m-- > 0;) {
            const std::size_t size = table.offsets.size();
            for (std::size_t state = 1; state < arities_[m]; ++state)
                for (std::size_t cell = 0; cell < size; ++cell)
                    table.offsets.push_back(table.offsets[cell] +
                                            static_cast<std::uint32_t>(state) * strides[m]);
        }
        tables_.push_back(std::move(table));
    }
}

template <class Code>
bool SmallPart::draw(Code* codes, std::size_t rows, std::size_t row, std::array<std::uint64_t, 2> key) {
    std::ranges::fill(products_, 1.0);
    for (const auto& table : tables_) {
        const double* start = table.values.data();
        for (const auto& [v, stride] : table.around) start += stride * codes[index(v) * rows + row];
        for (std::size_t cell = 0; cell < products_.size(); ++cell)
            products_[cell] *= start[table.offsets[cell]];
    }
    std::span<const double> left(products_);
    if (!(std::accumulate(left.begin(), left.end(), 0.0) > std::numeric_limits<double>::min() * 1e20))
        return false;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const std::size_t width = left.size() / arities_[m];
        const double share =
            unit_interval(philox({row, static_cast<std::uint64_t>(members_[m]), 0, 0}, key)[0]) *
            std::accumulate(left.begin(), left.end(), 0.0);
        std::size_t state = 0, last = 0;
        double sum = 0;
        for (; state < arities_[m]; ++state) {
            const auto block = left.subspan(state * width, width);
            const double own = std::accumulate(block.begin(), block.end(), 0.0);
            sum += own;
            if (own > 0) last = state;
            if (share < sum) break;
        }
        if (state == arities_[m]) state = last;  // by rounding
        codes[index(members_[m]) * rows + row] = static_cast<Code>(state);
        left = left.subspan(state * width, width);
    }
    return true;
}

template bool SmallPart::draw(std::uint8_t*, std::size_t, std::size_t, std::array<std::uint64_t, 2>);
template bool SmallPart::draw(std::uint16_t*, std::size_t, std::size_t, std::array<std::uint64_t, 2>);
template bool SmallPart::draw(std::uint32_t*, std::size_t, std::size_t, std::array<std::uint64_t, 2>);

}  // namespace arcwise
