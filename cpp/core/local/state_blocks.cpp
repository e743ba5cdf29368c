#include "local/state_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ARCWISE_ONE_TARGET)
#include <immintrin.h>
#endif

namespace arcwise {

namespace {

constexpr std::size_t rows_at_once = 256;  // x 64 bytes: half of a first-level cache

struct SegmentSum {
    const std::uint8_t* bytes;   // rows x 64, or ..
    const std::uint64_t* masks;  // .. one bit for each, of some blocks side by side
    std::size_t step;            // from the masks of a row to those of the next
    std::size_t blocks;          // how many are wanted, with masks
    std::size_t rows;
    const std::uint32_t* order;
    const std::uint8_t* weights;  // null: every row counts once
    std::size_t begin;
    std::span<const std::size_t> ends;
    std::uint32_t* sums;
};

// The loop, for vectors of any length: the compiler makes it once per instruction set below. Bytes hold up to
// 255, so a run of rows ends when the next weight would overflow it. Integers only: every instruction set
// gives the same result.
template <class Vector, bool weighted>
inline __attribute__((always_inline)) void sum_with(const SegmentSum& job) {
    constexpr std::size_t lanes = StateBlocks::width / sizeof(Vector);
    constexpr std::size_t ahead = 24;
    const std::size_t last = job.ends.empty() ? job.begin : job.ends.back();
    std::size_t i = job.begin;
    std::uint32_t* sums = job.sums;
    for (const std::size_t end : job.ends) {
        while (i < end) {
            Vector total[lanes] = {};
            std::uint32_t room = 255;
            for (; i < end; ++i) {
                const std::uint32_t weight = weighted ? job.weights[i] : 1;
                if (weight > room) break;
                room -= weight;
                if (i + ahead < last)
                    __builtin_prefetch(job.bytes + std::size_t{job.order[i + ahead]} * StateBlocks::width);
                const auto* row = reinterpret_cast<const Vector*>(job.bytes + std::size_t{job.order[i]} *
                                                                                  StateBlocks::width);
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    if constexpr (weighted)
                        total[lane] += row[lane] & static_cast<std::uint8_t>(weight);
                    else
                        total[lane] -= row[lane];  // minus 255 is plus one, modulo 256
                }
            }
            alignas(64) std::uint8_t bytes[StateBlocks::width];
            __builtin_memcpy(bytes, total, sizeof bytes);
            for (std::size_t column = 0; column < StateBlocks::width; ++column) sums[column] += bytes[column];
        }
        sums += StateBlocks::width;
    }
}

template <std::size_t size>
struct VectorOf {
    typedef std::uint8_t type __attribute__((vector_size(size), may_alias));
};

template <std::size_t size>
inline __attribute__((always_inline)) void sum_any(const SegmentSum& job) {
    if (job.weights == nullptr)
        sum_with<typename VectorOf<size>::type, false>(job);
    else
        sum_with<typename VectorOf<size>::type, true>(job);
}

void sum_portable(const SegmentSum& job) {
    sum_any<16>(job);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ARCWISE_ONE_TARGET)
__attribute__((target("avx2"))) void sum_avx2(const SegmentSum& job) {
    sum_any<32>(job);
}
#define ARCWISE_MASKS __attribute__((target("avx512f,avx512bw,avx512vl")))

ARCWISE_MASKS inline void add_bytes(__m512i total, std::uint32_t* sums) {
    alignas(64) std::uint8_t bytes[StateBlocks::width];
    _mm512_store_si512(bytes, total);
    for (std::size_t column = 0; column < StateBlocks::width; ++column) sums[column] += bytes[column];
}

ARCWISE_MASKS inline std::uint32_t sum_of(const std::uint8_t* weights, std::size_t count) {
    const auto chosen = static_cast<__mmask32>(~std::uint64_t{0} >> (64 - count));
    const __m256i halves = _mm256_sad_epu8(_mm256_maskz_loadu_epi8(chosen, weights), _mm256_setzero_si256());
    const __m128i sums = _mm_add_epi64(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si64(sums) + _mm_extract_epi64(sums, 1));
}

// The same with a mask per row: where the processor adds only the bytes that a mask names, nothing else need
// be read of a row. Its place and weight are read once for all blocks. Whether bytes could overflow is asked
// once for 32 rows. `far`: the masks do not fit the cache.
template <bool weighted, bool far, std::size_t blocks>
ARCWISE_MASKS void sum_masks_of(const SegmentSum& job) {
    constexpr std::size_t at_once = 32, ahead = 24;
    const std::size_t last = job.ends.empty() ? job.begin : job.ends.back();
    const std::uint64_t* masks = job.masks;
    const std::uint32_t* order = job.order;
    const std::uint8_t* weights = job.weights;
    const std::size_t step = job.step;
    const std::size_t sums_of_block = job.ends.size() * StateBlocks::width;
    std::size_t i = job.begin;
    std::uint32_t* sums = job.sums;
    for (const std::size_t end : job.ends) {
        __m512i total[blocks];
        for (auto& one : total) one = _mm512_setzero_si512();
        std::uint32_t room = 255;
        const auto flush = [&]() ARCWISE_MASKS {
            for (std::size_t b = 0; b < blocks; ++b) add_bytes(total[b], sums + b * sums_of_block);
        };
        while (i < end) {
            std::size_t count = std::min(at_once, end - i);
            std::uint32_t more = weighted ? sum_of(weights + i, count) : static_cast<std::uint32_t>(count);
            if (more > 255) {
                count = 1;
                more = weights[i];
            }
            if (more > room) {
                flush();
                for (auto& one : total) one = _mm512_setzero_si512();
                room = 255;
            }
            room -= more;
            for (const std::size_t stop = i + count; i < stop; ++i) {
                if (far && i + ahead < last) __builtin_prefetch(masks + std::size_t{order[i + ahead]} * step);
                const __m512i weight = _mm512_set1_epi8(static_cast<char>(weighted ? weights[i] : 1));
                const std::uint64_t* mask = masks + std::size_t{order[i]} * step;
                for (std::size_t b = 0; b < blocks; ++b)
                    total[b] = _mm512_mask_add_epi8(total[b], mask[b], total[b], weight);
            }
        }
        flush();
        sums += StateBlocks::width;
    }
}

template <std::size_t blocks>
ARCWISE_MASKS void sum_masks_in(const SegmentSum& job) {
    constexpr std::size_t near_masks = std::size_t{1} << 15;  // a quarter of a megabyte
    const bool weighted = job.weights != nullptr;
    if (job.rows * job.step > near_masks)
        weighted ? sum_masks_of<true, true, blocks>(job) : sum_masks_of<false, true, blocks>(job);
    else
        weighted ? sum_masks_of<true, false, blocks>(job) : sum_masks_of<false, false, blocks>(job);
}

ARCWISE_MASKS void sum_masks(const SegmentSum& job) {
    static_assert(StateBlocks::together == 4);
    switch (job.blocks) {
        case 1:
            return sum_masks_in<1>(job);
        case 2:
            return sum_masks_in<2>(job);
        case 3:
            return sum_masks_in<3>(job);
        default:
            return sum_masks_in<4>(job);
    }
}
#undef ARCWISE_MASKS

bool adds_by_mask() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
auto choose_sum() {
    if (adds_by_mask()) return &sum_masks;
    return __builtin_cpu_supports("avx2") ? &sum_avx2 : &sum_portable;
}
#else
bool adds_by_mask() {
    return false;
}
auto choose_sum() {
    return &sum_portable;
}
#endif

}  // namespace

template <class Code>
StateBlocks::StateBlocks(const Columns<Code>& data)
    : rows_(data.rows),
      arities_(data.arities, data.arities + data.variables),
      codes_(data.codes, data.codes + data.variables * data.rows) {
    std::vector<std::int32_t> all(data.variables);
    std::iota(all.begin(), all.end(), 0);
    lay_out(all, *this);
}

StateBlocks::StateBlocks(const StateBlocks& whole, std::span<const std::int32_t> variables)
    : rows_(whole.rows_), arities_(whole.arities_) {
    lay_out(variables, whole);
}

void StateBlocks::lay_out(std::span<const std::int32_t> variables, const StateBlocks& whole) {
    std::size_t used = 0;
    for (const auto variable : variables) {
        const auto v = static_cast<std::size_t>(variable);
        const std::size_t columns = arities_[v] - 1;
        if (columns > width) {
            wide_.push_back(variable);
            continue;
        }
        if (slots_.empty() || used + columns > width) {
            slots_.emplace_back();
            used = 0;
        }
        slots_.back().push_back({variable, static_cast<std::uint32_t>(used)});
        used += columns;
    }
    if (adds_by_mask())
        fill_masks(whole);
    else
        fill_bytes(whole);
}

void StateBlocks::fill_masks(const StateBlocks& whole) {
    masks_.assign(slots_.size() * (rows_ + 1) + together, 0);
    for (std::size_t block = 0; block < slots_.size(); ++block) {
        auto* masks = masks_.data() + first_mask(block);
        const std::size_t step = mask_step(block);
        for (const auto& slot : slots_[block]) {
            const auto codes = whole.column(static_cast<std::size_t>(slot.variable));
            if (arities_[static_cast<std::size_t>(slot.variable)] < 2) continue;
            for (std::size_t row = 0; row < rows_; ++row) {
                const std::uint64_t seen = codes[row] > 0;
                masks[row * step] |= seen << (slot.first + codes[row] - seen);
            }
        }
    }
}

void StateBlocks::fill_bytes(const StateBlocks& whole) {
    storage_.assign(slots_.size() * rows_ * width + width, 0);
    aligned_ = (width - reinterpret_cast<std::uintptr_t>(storage_.data()) % width) % width;
    for (std::size_t block = 0; block < slots_.size(); ++block) {
        auto* bytes = storage_.data() + aligned_ + block * rows_ * width;
        // Some rows at a time, which stay in the cache for all variables of the block.
        for (std::size_t first = 0; first < rows_; first += rows_at_once) {
            const std::size_t last = std::min(rows_, first + rows_at_once);
            for (const auto& slot : slots_[block]) {
                const auto codes = whole.column(static_cast<std::size_t>(slot.variable));
                if (arities_[static_cast<std::size_t>(slot.variable)] < 2) continue;
                auto* place = bytes + first * width + slot.first;
                // State 0 writes a zero where there is one: a branch would often be guessed wrong.
                for (std::size_t row = first; row < last; ++row, place += width) {
                    const std::uint32_t seen = codes[row] > 0;
                    place[codes[row] - seen] = static_cast<std::uint8_t>(0 - seen);
                }
            }
        }
    }
}

void StateBlocks::add_segments(std::size_t block, std::size_t blocks, std::span<const std::uint32_t> order,
                               std::span<const std::uint8_t> weights, std::size_t begin,
                               std::span<const std::size_t> ends, std::uint32_t* sums) const {
    assert(weights.empty() || weights.size() == order.size());
    assert(blocks > 0 && block / together == (block + blocks - 1) / together);
    static const auto sum = choose_sum();
    SegmentSum job{
        nullptr, nullptr, 0,   blocks, rows_, order.data(), weights.empty() ? nullptr : weights.data(),
        begin,   ends,    sums};
    if (!masks_.empty()) {
        const auto masks = masks_of(block);
        job.masks = masks.first;
        job.step = masks.step;
        sum(job);
        return;
    }
    for (std::size_t b = 0; b < blocks; ++b, job.sums += ends.size() * width) {
        job.bytes = storage_.data() + aligned_ + (block + b) * rows_ * width;
        sum(job);
    }
}

void StateBlocks::add_segments(std::size_t block, std::span<const std::uint32_t> order,
                               std::span<const std::uint8_t> weights, std::size_t begin,
                               std::span<const std::size_t> ends, std::int64_t* sums,
                               std::size_t stretch) const {
    std::vector<std::size_t> stretch_ends, segments;
    for (std::size_t s = 0; s < ends.size(); ++s) {
        for (std::size_t first = s == 0 ? begin : ends[s - 1]; first < ends[s];) {
            first = std::min(ends[s], first + stretch);
            stretch_ends.push_back(first);
            segments.push_back(s);
        }
    }
    std::vector<std::uint32_t> partial(segments.size() * width, 0);
    add_segments(block, order, weights, begin, stretch_ends, partial.data());
    for (std::size_t i = 0; i < segments.size(); ++i)
        for (std::size_t column = 0; column < width; ++column)
            sums[segments[i] * width + column] += partial[i * width + column];
}

template StateBlocks::StateBlocks(const Columns<std::uint8_t>&);
template StateBlocks::StateBlocks(const Columns<std::uint16_t>&);
template StateBlocks::StateBlocks(const Columns<std::uint32_t>&);

}  // namespace arcwise
