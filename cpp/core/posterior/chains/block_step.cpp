#include "posterior/chains/block_step.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// DAGs of types with less than exp(-40) of the best one's weight are not drawn: doubles have no digits there.
constexpr double least_log = -40;

using Types = std::array<std::uint8_t, BlockStep::most>;

bool is_acyclic(const Types& types, std::size_t size) {
    std::uint32_t placed = 0;
    for (std::size_t round = 0; round < size; ++round)
        for (std::size_t i = 0; i < size; ++i)
            if ((types[i] & ~placed) == 0) placed |= 1U << i;
    return placed == (1U << size) - 1;
}

// All DAGs on `size` nodes as sets of parents; that of the first node changes slowest.
std::vector<Types> all_dags(std::size_t size) {
    std::vector<Types> found;
    const std::size_t each = std::size_t{1} << size;
    Types types{};
    const auto fill = [&](const auto& self, std::size_t place) -> void {
        if (place == size) {
            if (is_acyclic(types, size)) found.push_back(types);
            return;
        }
        for (std::size_t type = 0; type < each; ++type) {
            if (type >> place & 1) continue;
            types[place] = static_cast<std::uint8_t>(type);
            self(self, place + 1);
        }
    };
    fill(fill, 0);
    return found;
}

const std::vector<Types>& dags_of(std::size_t size) {
    static const std::array<std::vector<Types>, BlockStep::most> kept{all_dags(1), all_dags(2), all_dags(3),
                                                                      all_dags(4)};
    return kept[size - 1];
}

}  // namespace

BlockStep::BlockStep(const FamilyIndex& index, const HeatedRows& heated, double window)
    : index_(index),
      heated_(heated),
      window_(window / heated.heat),
      cones_(index.variables(), 0),
      reached_(most, long_set(index.variables())) {}

template <std::size_t size, bool narrow>
void BlockStep::collect(std::size_t place, std::size_t node) {
    Rows& own = rows_[place];
    constexpr std::size_t each = std::size_t{1} << size;
    const std::uint32_t self = 1U << place;
    const double heat = heated_.heat, best = index_.score(index_.first_row(node));
    std::array<double, types> tops;
    // Where a set is one word, a type is a few operations on it.
    std::array<Word, size> cones;
    if constexpr (narrow)
        for (std::size_t other = 0; other < size; ++other) cones[other] = reached_[other].words()[0];
    const auto type_of_row = [&](std::int64_t row) {
        if constexpr (!narrow) return type_of(index_.parents(row));
        const Word parents = index_.word(row);
        std::uint32_t type = 0;
        for (std::size_t other = 0; other < size; ++other)
            type |= static_cast<std::uint32_t>((parents & cones[other]) != 0) << other;
        return type;
    };
    own.entries.clear();
    for (std::size_t type = 0; type < each; ++type) {
        own.limits[type] = tops[type] = -infinity;
        own.sums[type] = 0;
    }
    std::array<bool, types> far{};
    for (std::size_t chunk = index_.chunk_without(node, reached_[place]);
         chunk < index_.first_chunk(node + 1); ++chunk) {
        // All rows of a chunk have the parents that they share; their types are at least that of these.
        const auto [begin, end] = index_.chunk(chunk);
        const std::uint32_t least = type_of(index_.shared_parents(chunk));
        const double highest = index_.score(begin);
        if (highest < own.limits[0]) break;
        if ((least & self) != 0 || highest < own.limits[least]) continue;
        for (auto row = begin; row < end; ++row) {
            const std::uint32_t type = type_of_row(row);
            const double score = index_.score(row);
            if ((type & self) != 0 || score < own.limits[type]) continue;
            if (tops[type] == -infinity) {
                tops[type] = score;
                far[type] = heat * (score - best) < least_weight;
                for (std::size_t more = 0; more < each; ++more)
                    if ((type & ~more) == 0 && own.limits[more] == -infinity)
                        own.limits[more] = score - window_;
            }
            const double weight = far[type] ? std::exp(heat * (score - tops[type]))
                                            : heated_.weights[static_cast<std::size_t>(row)];
            own.sums[type] += weight;
            own.entries.push_back({static_cast<std::int32_t>(row), type, weight});
        }
    }
    for (std::size_t type = 0; type < each; ++type)
        own.logs[type] = tops[type] == -infinity
                             ? -infinity
                             : heat * (far[type] ? tops[type] : best) + std::log(own.sums[type]);
}

std::size_t BlockStep::draw_types(std::size_t size, Xoshiro& random) {
    const auto& dags = dags_of(size);
    logs_.resize(dags.size());
    sums_.resize(dags.size());
    double best = -infinity;
    for (std::size_t i = 0; i < dags.size(); ++i) {
        double log = 0;
        for (std::size_t place = 0; place < size; ++place) log += rows_[place].logs[dags[i][place]];
        logs_[i] = log;
        best = std::max(best, log);
    }
    double total = 0;
    for (std::size_t i = 0; i < dags.size(); ++i) {
        if (logs_[i] - best >= least_log) total += std::exp(logs_[i] - best);
        sums_[i] = total;
    }
    const double wanted = random.uniform() * total;
    const auto found = std::ranges::upper_bound(sums_, wanted);
    // Rounding may bring `wanted` to the total: then the last that has a weight.
    return static_cast<std::size_t>((found == sums_.end() ? std::ranges::lower_bound(sums_, total) : found) -
                                    sums_.begin());
}

bool BlockStep::draw(std::span<const std::size_t> block, WalkingDag& dag, std::span<const std::int64_t> rows,
                     Xoshiro& random) {
    const std::size_t size = block.size();
    assert(size >= 1 && size <= most);
    std::ranges::fill(cones_, std::uint8_t{0});
    for (std::size_t place = 0; place < size; ++place) {
        LongSet& cone = reached_[place];
        cone.fill(false);
        for (const auto node : block) cone.add(node);
        dag.spread(block[place], cone);
        for (const auto node : block) cone.remove(node);
        cone.add(block[place]);
        const auto bit = static_cast<std::uint8_t>(1U << place);
        cone.for_each([&](std::size_t node) { cones_[node] |= bit; });
    }
    const bool narrow = index_.variables() <= 64;
    const auto gather = [&]<std::size_t known>(std::size_t place) {
        return narrow ? collect<known, true>(place, block[place])
                      : collect<known, false>(place, block[place]);
    };
    for (std::size_t place = 0; place < size; ++place) {
        switch (size) {
            case 1:
                gather.template operator()<1>(place);
                break;
            case 2:
                gather.template operator()<2>(place);
                break;
            case 3:
                gather.template operator()<3>(place);
                break;
            default:
                gather.template operator()<4>(place);
                break;
        }
        const std::int64_t row = rows[block[place]];
        if (index_.score(row) < rows_[place].limits[type_of(index_.parents(row))]) return false;
    }
    const Types& drawn = dags_of(size)[draw_types(size, random)];
    for (std::size_t place = 0; place < size; ++place) {
        const Rows& own = rows_[place];
        const std::uint32_t type = drawn[place];
        const double wanted = random.uniform() * own.sums[type];
        double sum = 0;
        for (const auto& entry : own.entries) {
            if (entry.type != type) continue;
            drawn_[place] = entry.row;
            sum += entry.weight;
            if (sum > wanted) break;
        }
    }
    return true;
}

}  // namespace arcwise
