#include "local/replicate_counts.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace arcwise {

namespace {

constexpr std::size_t lanes = ReplicateCounts::lanes;
constexpr std::size_t most_combinations = 2048;
constexpr std::size_t most_cells = std::size_t{1}
                                   << 17;  // as many as a search keeps whole (family_counter.cpp)
constexpr std::uint32_t most_sum = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t line = 64;

typedef std::uint8_t Bytes __attribute__((vector_size(lanes), may_alias));
typedef std::uint16_t Words __attribute__((vector_size(2 * lanes), may_alias));

std::size_t aligned_place(const std::vector<std::uint8_t>& storage) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    return (line - address % line) % line;
}

struct RowSums {
    std::size_t rows;
    const std::uint32_t* some;  // which rows; null: all of them
    const std::uint16_t* keys;
    const std::uint32_t* begins;
    const std::uint16_t* lists;
    const std::uint8_t* bytes;  // rows x lanes
    const std::uint8_t* most;
    std::size_t columns;
    std::size_t stride;
    std::size_t combinations;
    Words* small;
    std::uint32_t* room;
    std::uint32_t* sums;
};

// Adds what is in the 16 bits of a combination to its sums.
inline __attribute__((always_inline)) void empty_cells(const RowSums& job, std::size_t key) {
    Words* words = job.small + key * job.stride;
    std::uint32_t* sums = job.sums + key * job.columns * lanes;
    for (std::size_t column = 0; column < job.columns; ++column) {
        const Words one = words[column];
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[column * lanes + lane] += one[lane];
        words[column] = Words{};
    }
    job.room[key] = most_sum;
}

// The loop, made once per instruction set below. Integers only: every instruction set gives the same result.
// Where a column's cells are is in the lists, in bytes.
template <bool all>
inline __attribute__((always_inline)) void sum_some(const RowSums& job) {
    static_assert(RareColumns::at_once == 4 && RareColumns::cell_bytes == sizeof(Words));
    const std::uint32_t* const begins = job.begins;
    const std::uint16_t* const lists = job.lists;
    const std::size_t step = job.stride * sizeof(Words);
    char* const small = reinterpret_cast<char*>(job.small);
    std::uint32_t* const room = job.room;
    for (std::size_t i = 0; i < job.rows; ++i) {
        const std::size_t row = all ? i : job.some[i];
        const std::size_t key = job.keys[row];
        const std::uint32_t most = job.most[row];
        if (most > room[key]) [[unlikely]]
            empty_cells(job, key);
        room[key] -= most;
        const auto bytes = *reinterpret_cast<const Bytes*>(job.bytes + row * lanes);
        const Words weights = __builtin_convertvector(bytes, Words);
        char* const cells = small + key * step;
        const std::uint16_t* column = lists + begins[row];
        const std::uint16_t* const end = lists + begins[row + 1];
        do {
            *reinterpret_cast<Words*>(cells + column[0]) += weights;
            *reinterpret_cast<Words*>(cells + column[1]) += weights;
            *reinterpret_cast<Words*>(cells + column[2]) += weights;
            *reinterpret_cast<Words*>(cells + column[3]) += weights;
            column += 4;
        } while (column != end);
    }
    for (std::size_t key = 0; key < job.combinations; ++key)
        if (room[key] != most_sum) empty_cells(job, key);
}

inline __attribute__((always_inline)) void sum_rows(const RowSums& job) {
    if (job.some == nullptr)
        sum_some<true>(job);
    else
        sum_some<false>(job);
}

void sum_portable(const RowSums& job) {
    sum_rows(job);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ARCWISE_ONE_TARGET)
__attribute__((target("avx2"))) void sum_avx2(const RowSums& job) {
    sum_rows(job);
}
__attribute__((target("avx512f,avx512bw,avx512vl"))) void sum_avx512(const RowSums& job) {
    sum_rows(job);
}
auto choose_sum() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return &sum_avx512;
    return __builtin_cpu_supports("avx2") ? &sum_avx2 : &sum_portable;
}
#else
auto choose_sum() {
    return &sum_portable;
}
#endif

}  // namespace

ReplicateCounts::ReplicateCounts(const StateBlocks& data, const RareColumns& rare,
                                 std::span<const std::span<const std::int64_t>> weights, std::size_t memory)
    : data_(data), rare_(rare), replicates_(weights.size()), memory_(memory), most_(data.rows(), 0) {
    assert(replicates_ <= lanes);
    storage_.assign(data.rows() * lanes + line, 0);
    aligned_ = aligned_place(storage_);
    auto* bytes = storage_.data() + aligned_;
    for (std::size_t lane = 0; lane < replicates_; ++lane) {
        assert(weights[lane].size() == data.rows());
        for (std::size_t row = 0; row < data.rows(); ++row) {
            const std::int64_t weight = weights[lane][row];
            const auto byte = static_cast<std::uint8_t>(std::min<std::int64_t>(weight, 255));
            bytes[row * lanes + lane] = byte;
            most_[row] = std::max(most_[row], byte);
            if (weight > 255)
                heavies_.push_back(
                    {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(lane), weight - 255});
        }
    }
}

// Of several lanes side by side: a row's bytes are in one line of the cache, which is read once for them.
void ReplicateCounts::unpack(std::size_t lane, std::span<std::vector<std::int64_t>> weights) const {
    for (auto& one : weights) one.resize(rare_.rows());
    const auto* bytes = storage_.data() + aligned_ + lane;
    for (std::size_t row = 0; row < rare_.rows(); ++row, bytes += lanes)
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k][row] = bytes[k];
    for (const auto& heavy : heavies_)
        if (heavy.lane >= lane && heavy.lane < lane + weights.size())
            weights[heavy.lane - lane][heavy.row] += heavy.more;
}

std::size_t ReplicateCounts::bytes() const {
    return storage_.size() + most_.size() + heavies_.size() * sizeof(Heavy) + known_bytes_ +
           counted_.size() * sizeof(counted_[0]) + keys_.size() * sizeof(keys_[0]) + small_.size() +
           room_.size() * sizeof(room_[0]);
}

void ReplicateCounts::forget() {
    known_.clear();
    known_bytes_ = 0;
    counted_ = {};
    counted_set_ = {};
    small_ = {};
}

// Too many to be a key or to stay in a cache: most_combinations and one.
std::size_t ReplicateCounts::combinations(const Parents& set) const {
    std::size_t product = 1;
    for (const auto v : set)
        product = std::min(product * data_.arity(static_cast<std::size_t>(v)), most_combinations + 1);
    return product;
}

void ReplicateCounts::keep(const Parents& set, const Sums& sums) {
    PackedSums packed(sums, rare_.columns() * lanes, lanes);
    const std::size_t bytes = packed.bytes();
    if (known_bytes_ + bytes > memory_) {
        known_.clear();
        known_bytes_ = 0;
    }
    known_bytes_ += bytes;
    known_.emplace(set, std::move(packed));
}

bool ReplicateCounts::count(std::size_t child, std::span<const std::int32_t> parents) {
    Parents set = with(parents, child);
    const std::size_t cells = combinations(set);
    if (cells > most_combinations || cells * data_.blocks() * StateBlocks::width > most_cells) return false;
    child_ = child;
    parents_.assign(parents.begin(), parents.end());
    steps_.assign(parents.size() + 1, 0);
    std::size_t step = 1;
    for (std::size_t k = set.size(); k-- > 0;) {
        const auto place = std::ranges::find(parents_, set[k]) - parents_.begin();  // the child's is the last
        steps_[static_cast<std::size_t>(place)] = step;
        step *= data_.arity(static_cast<std::size_t>(set[k]));
    }
    if (set == counted_set_) return true;
    counted_set_.clear();  // if memory is short now, what is counted is of no set
    if (const auto found = known_.find(set); found != known_.end()) {
        counted_ = found->second.unpacked();
    } else {
        counted_ = sums_of(set);
        keep(set, counted_);
    }
    counted_set_ = std::move(set);
    return true;
}

ReplicateCounts::Sums ReplicateCounts::sums_of(const Parents& set) {
    Sums made(combinations(set) * rare_.columns() * lanes, 0);
    const PackedSums* base = nullptr;
    std::size_t place = set.size();
    for (std::size_t k = 0; k < set.size(); ++k) {
        const auto rows_of = [&](std::size_t i) {
            return rare_.rows_of(static_cast<std::size_t>(set[i])).size();
        };
        if (base != nullptr && rows_of(k) >= rows_of(place)) continue;
        const auto found = known_.find(without(set, static_cast<std::size_t>(set[k])));
        if (found == known_.end()) continue;
        base = &found->second;
        place = k;
    }
    find_keys(set);
    if (base != nullptr) {
        add_rows(rare_.rows_of(static_cast<std::size_t>(set[place])), false, made);
        add_heavies(set, place, made);
        subtract(set, place, base->unpacked(), made);
    } else {
        add_rows({}, true, made);
        add_heavies(set, set.size(), made);
    }
    return made;
}

// Combinations in mixed radix, the first variable slowest.
void ReplicateCounts::find_keys(const Parents& set) {
    keys_.assign(rare_.rows(), 0);
    auto* keys = keys_.data();
    for (const auto v : set) {
        const auto arity = static_cast<std::uint16_t>(data_.arity(static_cast<std::size_t>(v)));
        const auto* codes = rare_.codes(static_cast<std::size_t>(v)).data();
        for (std::size_t row = 0; row < keys_.size(); ++row)
            keys[row] = static_cast<std::uint16_t>(keys[row] * arity + codes[row]);
    }
}

void ReplicateCounts::add_rows(std::span<const std::uint32_t> some, bool all, Sums& sums) {
    static const auto sum = choose_sum();
    const std::size_t count = sums.size() / (rare_.columns() * lanes);
    small_.assign(count * rare_.stride() * sizeof(Words) + line, 0);
    room_.assign(count, most_sum);
    sum({all ? rare_.rows() : some.size(), all ? nullptr : some.data(), keys_.data(), rare_.begins(),
         rare_.lists(), storage_.data() + aligned_, most_.data(), rare_.columns(), rare_.stride(), count,
         reinterpret_cast<Words*>(small_.data() + aligned_place(small_)), room_.data(), sums.data()});
}

// Of all rows, or of those in which the variable at `place` is not in its usual state.
void ReplicateCounts::add_heavies(const Parents& set, std::size_t place, Sums& sums) const {
    for (const auto& heavy : heavies_) {
        if (place < set.size()) {
            const auto v = static_cast<std::size_t>(set[place]);
            if (rare_.codes(v)[heavy.row] == rare_.usual(v)) continue;
        }
        std::uint32_t* own = sums.data() + keys_[heavy.row] * rare_.columns() * lanes;
        for (const auto column : rare_.columns_of(heavy.row)) {
            const std::size_t at = column / RareColumns::cell_bytes;
            if (at < rare_.columns()) own[at * lanes + heavy.lane] += static_cast<std::uint32_t>(heavy.more);
        }
    }
}

// What has the variable in its usual state is what all rows have less what the other rows have.
void ReplicateCounts::subtract(const Parents& set, std::size_t place, const Sums& base, Sums& sums) const {
    const auto v = static_cast<std::size_t>(set[place]);
    const std::size_t arity = data_.arity(v), usual = rare_.usual(v);
    const std::size_t cell = rare_.columns() * lanes;
    std::size_t after = 1;
    for (std::size_t k = place + 1; k < set.size(); ++k)
        after *= data_.arity(static_cast<std::size_t>(set[k]));
    for (std::size_t key = 0; key * cell < base.size(); ++key) {
        std::uint32_t* first = sums.data() + (key / after * arity * after + key % after) * cell;
        std::uint32_t* left = first + usual * after * cell;
        std::copy_n(base.data() + key * cell, cell, left);
        for (std::size_t state = 0; state < arity; ++state) {
            if (state == usual) continue;
            const std::uint32_t* gone = first + state * after * cell;
            for (std::size_t i = 0; i < cell; ++i) left[i] -= gone[i];
        }
    }
}

std::shared_ptr<SegmentCounts> ReplicateCounts::of(std::size_t replicate) const {
    auto made = std::make_shared<SegmentCounts>();
    auto& segments = made->segments;
    const std::size_t columns = rare_.columns();
    const auto at = [&](std::size_t key) { return counted_.data() + key * columns * lanes + replicate; };
    const auto total_of = [&](std::size_t key) { return at(key)[(columns - 1) * lanes]; };
    const std::size_t states = data_.arity(child_);
    std::size_t configurations = 1;
    for (const auto p : parents_) configurations *= data_.arity(static_cast<std::size_t>(p));
    segments.parents = parents_.size();
    std::vector<std::uint32_t> codes(parents_.size(), 0);
    std::vector<std::size_t> kept;  // keys
    for (std::size_t config = 0; config < configurations; ++config) {
        std::size_t key = 0;
        for (std::size_t k = 0; k < codes.size(); ++k) key += codes[k] * steps_[k];
        const std::size_t before = kept.size();
        for (std::size_t state = 0; state < states; ++state, key += steps_.back()) {
            if (total_of(key) == 0) continue;
            segments.states.push_back(static_cast<std::uint32_t>(state));
            segments.totals.push_back(total_of(key));
            kept.push_back(key);
        }
        if (kept.size() > before) {
            segments.config_ends.push_back(kept.size());
            segments.codes.insert(segments.codes.end(), codes.begin(), codes.end());
        }
        for (std::size_t k = codes.size(); k-- > 0;) {  // the next configuration, the last parent fastest
            if (++codes[k] < data_.arity(static_cast<std::size_t>(parents_[k]))) break;
            codes[k] = 0;
        }
    }

    made->make_room(data_.blocks());
    std::ranges::fill(made->counted, std::uint8_t{1});
    for (std::size_t block = 0; block < data_.blocks(); ++block) {
        std::uint32_t* counts = made->of(block);
        std::fill_n(counts, kept.size() * StateBlocks::width, 0);
        for (const auto key : kept) {
            for (const auto& slot : data_.slots(block)) {
                const auto v = static_cast<std::size_t>(slot.variable);
                const std::uint32_t* rare = at(key) + rare_.first(v) * lanes;
                std::uint32_t rest = total_of(key);
                for (std::size_t state = 0; state < data_.arity(v); ++state) {
                    if (state == rare_.usual(v)) continue;
                    if (state > 0) counts[slot.first + state - 1] = *rare;
                    rest -= *rare;
                    rare += lanes;
                }
                if (rare_.usual(v) > 0) counts[slot.first + rare_.usual(v) - 1] = rest;
            }
            counts += StateBlocks::width;
        }
    }
    return made;
}

}  // namespace arcwise
