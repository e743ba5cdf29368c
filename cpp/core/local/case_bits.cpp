#include "local/case_bits.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ARCWISE_ONE_TARGET)
#include <immintrin.h>
#define ARCWISE_HAS_CASE_BITS
#endif

namespace arcwise {

namespace {

constexpr std::size_t width = StateBlocks::width;
constexpr std::size_t at_once = 16;      // rows that one tree adds
constexpr std::size_t most_planes = 16;  // counts are below 2^16

// About what it takes, in processor cycles: a row that is sorted, 64 cases of a cell that are intersected,
// and those that are listed.
constexpr double sorted_row = 10.0, intersected_word = 0.8, listed_word = 9.0;

struct ListSum {
    const std::uint64_t* masks;  // rows x step
    std::size_t step;
    std::size_t blocks;
    const std::uint16_t* lists;
    std::span<const std::size_t> ends;
    std::uint32_t* counts;  // blocks x segments x 64
};

#ifdef ARCWISE_HAS_CASE_BITS
#define ARCWISE_BITS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx512vpopcntdq,popcnt")))

bool is_supported() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
}

// Writes the bits that both have, and returns how many there are.
ARCWISE_BITS std::int64_t intersect(const std::uint64_t* one, const std::uint64_t* other, std::size_t words,
                                    std::uint64_t* both) {
    __m512i total = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        const __m512i bits = _mm512_and_si512(_mm512_loadu_si512(one + w), _mm512_loadu_si512(other + w));
        _mm512_storeu_si512(both + w, bits);
        total = _mm512_add_epi64(total, _mm512_popcnt_epi64(bits));
    }
    alignas(64) std::int64_t totals[8];
    _mm512_store_si512(totals, total);
    return ((totals[0] + totals[1]) + (totals[2] + totals[3])) +
           ((totals[4] + totals[5]) + (totals[6] + totals[7]));
}

// Writes the rows of the cases in `chosen`, of 32, and up to 16 more; returns the end. Mostly there are a
// few: half a vector is written then, since a write across two lines of the cache costs two.
ARCWISE_BITS inline std::uint16_t* list_some(__mmask32 chosen, const std::uint16_t* rows,
                                             std::uint16_t* list) {
    const __m512i some = _mm512_maskz_compress_epi16(chosen, _mm512_loadu_si512(rows));
    const auto count = static_cast<std::size_t>(_mm_popcnt_u32(chosen));
    if (count <= 16)
        _mm512_mask_storeu_epi64(list, 0x0f, some);
    else
        _mm512_storeu_si512(list, some);
    return list + count;
}

ARCWISE_BITS std::uint16_t* list_rows(const std::uint64_t* bits, std::size_t words, const std::uint16_t* rows,
                                      std::uint16_t* list) {
    for (std::size_t w = 0; w < words; ++w, rows += 64) {
        list = list_some(static_cast<__mmask32>(bits[w]), rows, list);
        list = list_some(static_cast<__mmask32>(bits[w] >> 32), rows + 32, list);
    }
    return list;
}

// Two bits of three of the same value: `sum` becomes the lower, and the higher is returned.
ARCWISE_BITS inline __m256i carry_of(__m256i& sum, __m256i one, __m256i other) {
    const __m256i carry = _mm256_ternarylogic_epi64(sum, one, other, 0xe8);
    sum = _mm256_ternarylogic_epi64(sum, one, other, 0x96);
    return carry;
}

// Plane p of some columns is bit p of their sums. The columns of 64 in `planes` are written as numbers.
ARCWISE_BITS inline void write_sums(const std::uint64_t (*planes)[StateBlocks::together], std::size_t count,
                                    std::size_t block, std::uint32_t* sums) {
    for (std::size_t half = 0; half < 2; ++half) {
        __m512i sum = _mm512_setzero_si512();
        for (std::size_t p = 0; p < count; ++p) {
            const auto mask = static_cast<__mmask32>(planes[p][block] >> (32 * half));
            const __m512i value = _mm512_set1_epi16(static_cast<short>(1U << p));
            sum = _mm512_mask_add_epi16(sum, mask, sum, value);
        }
        // Widened by the compiler: GCC 12 warns of its own functions for it.
        alignas(64) std::uint16_t narrow[32];
        _mm512_store_si512(narrow, sum);
        for (std::size_t column = 0; column < 32; ++column) sums[32 * half + column] = narrow[column];
    }
}

// The sums of sixteen rows have four planes; what exceeds them is carried on into those above, as far as so
// many sixteens can reach. The words of a row beyond `step` are those of its neighbours: nobody reads their
// sums.
ARCWISE_BITS void sum_lists(const ListSum& job) {
    const std::uint64_t* masks = job.masks;
    const std::size_t step = job.step;
    const std::uint16_t* list = job.lists;
    const auto row = [masks, step](std::uint16_t number) ARCWISE_BITS {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks + number * step));
    };
    for (std::size_t s = 0; s < job.ends.size(); ++s) {
        __m256i ones = _mm256_setzero_si256(), twos = ones, fours = ones, eights = ones;
        __m256i above[most_planes - 4];
        std::size_t reached = 0;  // planes above
        std::size_t groups = 0;
        for (const std::uint16_t* end = job.lists + job.ends[s]; list != end; list += at_once) {
            const __m256i twos_0 = carry_of(ones, row(list[0]), row(list[1]));
            const __m256i twos_1 = carry_of(ones, row(list[2]), row(list[3]));
            const __m256i fours_0 = carry_of(twos, twos_0, twos_1);
            const __m256i twos_2 = carry_of(ones, row(list[4]), row(list[5]));
            const __m256i twos_3 = carry_of(ones, row(list[6]), row(list[7]));
            const __m256i fours_1 = carry_of(twos, twos_2, twos_3);
            const __m256i eights_0 = carry_of(fours, fours_0, fours_1);
            const __m256i twos_4 = carry_of(ones, row(list[8]), row(list[9]));
            const __m256i twos_5 = carry_of(ones, row(list[10]), row(list[11]));
            const __m256i fours_2 = carry_of(twos, twos_4, twos_5);
            const __m256i twos_6 = carry_of(ones, row(list[12]), row(list[13]));
            const __m256i twos_7 = carry_of(ones, row(list[14]), row(list[15]));
            const __m256i fours_3 = carry_of(twos, twos_6, twos_7);
            const __m256i eights_1 = carry_of(fours, fours_2, fours_3);
            __m256i carry = carry_of(eights, eights_0, eights_1);
            if (static_cast<std::size_t>(std::bit_width(++groups)) > reached)
                above[reached++] = _mm256_setzero_si256();
            for (std::size_t p = 0; p < reached; ++p) {
                const __m256i both = _mm256_and_si256(above[p], carry);
                above[p] = _mm256_xor_si256(above[p], carry);
                carry = both;
            }
        }
        alignas(32) std::uint64_t planes[most_planes][StateBlocks::together];
        const auto write = [&planes](std::size_t p, __m256i plane) ARCWISE_BITS {
            _mm256_store_si256(reinterpret_cast<__m256i*>(planes[p]), plane);
        };
        write(0, ones);
        write(1, twos);
        write(2, fours);
        write(3, eights);
        for (std::size_t p = 0; p < reached; ++p) write(4 + p, above[p]);
        for (std::size_t b = 0; b < job.blocks; ++b)
            write_sums(planes, 4 + reached, b, job.counts + (b * job.ends.size() + s) * width);
    }
}
#undef ARCWISE_BITS
#else
bool is_supported() {
    return false;
}
std::int64_t intersect(const std::uint64_t*, const std::uint64_t*, std::size_t, std::uint64_t*) {
    return 0;
}
std::uint16_t* list_rows(const std::uint64_t*, std::size_t, const std::uint16_t*, std::uint16_t* list) {
    return list;
}
void sum_lists(const ListSum&) {}
#endif

}  // namespace

CaseBits::CaseBits(const StateBlocks& data, const RowWeights& weights) : data_(data) {
    static const bool supported = is_supported();
    const std::size_t rows = weights.rows.size();
    const auto cases = static_cast<std::size_t>(weights.cases);
    if (!supported || !data.has_masks() || !weights.heavies.empty() || cases == 0 || cases > 4 * rows) return;
    // A row number has 16 bits, as a count has; the last number is that of the row without bits.
    constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max() - at_once;
    if (cases > most || data.rows() > most) return;
    words_ = (cases + 511) / 512 * 8;
    const double sorted = static_cast<double>(rows) * sorted_row / static_cast<double>(words_);
    most_segments_ = static_cast<std::size_t>(sorted / listed_word);
    most_cells_ = static_cast<std::size_t>(sorted / 4 / intersected_word);
    rows_.reserve(words_ * 64);
    for (std::size_t i = 0; i < rows; ++i)
        rows_.insert(rows_.end(), weights.bytes.empty() ? 1 : weights.bytes[i],
                     static_cast<std::uint16_t>(weights.rows[i]));
    assert(rows_.size() == cases);
    all_.assign(words_, 0);
    for (std::size_t i = 0; i < cases; ++i) all_[i / 64] |= std::uint64_t{1} << (i % 64);
    rows_.resize(words_ * 64, 0);
    bits_.resize(data.variables());
}

bool CaseBits::suits(std::size_t child, std::span<const std::int32_t> parents) const {
    std::size_t cells = data_.arity(child);
    for (const auto p : parents) {
        if (cells > most_cells_) return false;
        cells *= data_.arity(static_cast<std::size_t>(p));
    }
    return cells <= most_cells_;
}

const std::uint64_t* CaseBits::bits_of(std::size_t variable) {
    auto& bits = bits_[variable];
    if (!bits.empty()) return bits.data();
    bits.assign(data_.arity(variable) * words_, 0);
    const auto codes = data_.column(variable);
    for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t left = all_[w]; left != 0; left &= left - 1)
            bits[codes[rows_[64 * w + static_cast<std::size_t>(std::countr_zero(left))]] * words_ + w] |=
                left & (0 - left);
    return bits.data();
}

// Splits the first parts into the states of a variable that occur in them; returns how many that makes.
std::size_t CaseBits::split_by(std::size_t variable, std::size_t parts) {
    const std::size_t arity = data_.arity(variable);
    const std::uint64_t* bits = bits_of(variable);
    finer_.resize(parts * arity * words_);
    pieces_.clear();
    for (std::size_t part = 0; part < parts; ++part) {
        for (std::size_t state = 0; state < arity; ++state) {
            const std::int64_t total = intersect(parts_.data() + part * words_, bits + state * words_, words_,
                                                 finer_.data() + pieces_.size() * words_);
            if (total == 0) continue;
            pieces_.push_back({static_cast<std::uint32_t>(state), static_cast<std::uint32_t>(part), total});
        }
    }
    std::swap(parts_, finer_);
    return pieces_.size();
}

// The first parent is the slowest: each splits what those before it have made.
void CaseBits::split(std::size_t child, std::span<const std::int32_t> parents, Segments& result) {
    assert(suits(child, parents));
    result.clear();
    result.parents = parents.size();
    is_listed_ = false;
    parts_.assign(all_.begin(), all_.end());
    std::size_t configurations = 1;
    for (std::size_t k = 0; k < parents.size(); ++k) {
        configurations = split_by(static_cast<std::size_t>(parents[k]), configurations);
        finer_codes_.clear();
        for (const auto& piece : pieces_) {
            const auto* before = result.codes.data() + piece.of * k;
            finer_codes_.insert(finer_codes_.end(), before, before + k);
            finer_codes_.push_back(piece.state);
        }
        std::swap(result.codes, finer_codes_);
    }
    segments_ = split_by(child, configurations);
    result.config_ends.resize(configurations);
    for (std::size_t s = 0; s < segments_; ++s) {
        result.states.push_back(pieces_[s].state);
        result.totals.push_back(pieces_[s].total);
        result.config_ends[pieces_[s].of] = s + 1;
    }
}

void CaseBits::list_cases() {
    if (std::exchange(is_listed_, true)) return;
    constexpr std::size_t beyond = 64;  // what list_rows and filling up write at most
    lists_.resize(words_ * 64 + segments_ * at_once + beyond);
    ends_.resize(segments_);
    const auto nobody = static_cast<std::uint16_t>(data_.rows());
    std::size_t begin = 0;
    for (std::size_t s = 0; s < segments_; ++s) {
        auto* end = list_rows(parts_.data() + s * words_, words_, rows_.data(), lists_.data() + begin);
        std::fill_n(end, at_once, nobody);
        const auto listed = static_cast<std::size_t>(end - lists_.data());
        begin = (listed + at_once - 1) / at_once * at_once;
        ends_[s] = begin;
    }
}

void CaseBits::count(const StateBlocks& blocks, std::size_t block, std::size_t several,
                     std::uint32_t* counts) {
    assert(block % StateBlocks::together == 0 && blocks.rows() == data_.rows());
    list_cases();
    const auto [masks, step] = blocks.masks_of(block);
    sum_lists({masks, step, several, lists_.data(), ends_, counts});
}

}  // namespace arcwise
