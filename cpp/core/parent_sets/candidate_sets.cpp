#include "parent_sets/candidate_sets.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <unordered_map>

namespace arcwise {
namespace {

constexpr std::size_t most_looked_up = 9;    // parents: 512 subsets
constexpr std::size_t most_compared = 1024;  // rows

std::uint64_t hash_set(const bits::Word* set, std::size_t words) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (std::size_t w = 0; w < words; ++w) {
        hash = (hash ^ set[w]) * 0xD6E8FEB86659FD93U;
        hash ^= hash >> 32;
    }
    return hash;
}

// The kept sets of one node, by content: open addressing over row numbers.
class SetIndex {
  public:
    SetIndex(const CandidateSets& sets, std::size_t expected) : sets_(sets) {
        slots_.resize(std::bit_ceil(expected * 2 + 2), empty_slot);
    }
    bool contains(const bits::Word* set) const {
        const std::size_t words = sets_.words();
        for (std::size_t slot = hash_set(set, words) & (slots_.size() - 1);;
             slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot] == empty_slot) return false;
            if (std::equal(set, set + words, sets_.set(slots_[slot]))) return true;
        }
    }
    void insert(std::size_t row) {
        std::size_t slot = hash_set(sets_.set(row), sets_.words()) & (slots_.size() - 1);
        while (slots_[slot] != empty_slot) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = row;
    }

  private:
    static constexpr std::size_t empty_slot = static_cast<std::size_t>(-1);
    const CandidateSets& sets_;
    std::vector<std::size_t> slots_;
};

// Whether one of `kept` (rows of better or equal score) is a subset of the row's set. Tests the kept rows, or
// looks up all 2^k subsets if that is less work. Of many kept rows a large set is compared with the best
// ones only: to find every dominated one among two million sets of a dozen parents would take minutes, and it
// is no more than a saving.
bool has_kept_subset(const CandidateSets& sets, const SetIndex& index, const std::vector<std::size_t>& kept,
                     std::size_t row, std::vector<bits::Word>& scratch) {
    const std::size_t words = sets.words();
    const bits::Word* set = sets.set(row);
    const std::size_t size = bits::count(set, words);
    if (size <= most_looked_up && (std::size_t{8} << size) < kept.size()) {
        std::size_t members[most_looked_up];
        std::size_t count = 0;
        bits::for_each(set, words, [&](std::size_t i) { members[count++] = i; });
        std::fill(scratch.begin(), scratch.end(), 0);
        // Gray code: each step changes one member.
        if (index.contains(scratch.data())) return true;
        for (std::size_t step = 1; step < (std::size_t{1} << size); ++step) {
            const std::size_t member = members[std::countr_zero(step)];
            scratch[member >> 6] ^= bits::Word{1} << (member & 63);
            if (index.contains(scratch.data())) return true;
        }
        return false;
    }
    const std::size_t compared = std::min(kept.size(), most_compared);
    return std::any_of(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(compared),
                       [&](std::size_t other) { return bits::subset(sets.set(other), set, words); });
}

}  // namespace

CandidateSets::CandidateSets(const TableView& table) : words_(bits::words_for(table.variables)) {
    offsets_.resize(table.variables + 1);
    for (std::size_t v = 0; v <= table.variables; ++v)
        offsets_[v] = static_cast<std::size_t>(table.node_offsets[v]);
    scores_.assign(table.scores.begin(), table.scores.end());
    sets_.assign(table.rows() * words_, 0);
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (const std::int32_t parent : table.parents(row))
            bits::add(sets_.data() + row * words_, static_cast<std::size_t>(parent));
    origins_.resize(table.rows());
    std::iota(origins_.begin(), origins_.end(), std::int64_t{0});
    node_origins_.resize(table.variables);
    std::iota(node_origins_.begin(), node_origins_.end(), std::int64_t{0});
}

void CandidateSets::append(const CandidateSets& from, std::size_t row) {
    scores_.push_back(from.scores_[row]);
    sets_.insert(sets_.end(), from.set(row), from.set(row) + words_);
    origins_.push_back(from.origins_[row]);
}

CandidateSets CandidateSets::kept(std::span<const std::uint8_t> keep) const {
    assert(keep.size() == rows());
    CandidateSets result;
    result.words_ = words_;
    result.node_origins_ = node_origins_;
    for (std::size_t v = 0; v < variables(); ++v) {
        for (std::size_t row = begin(v); row < end(v); ++row)
            if (keep[row] != 0) result.append(*this, row);
        result.offsets_.push_back(result.scores_.size());
    }
    return result;
}

CandidateSets CandidateSets::component(std::span<const std::int32_t> nodes, Ticker& ticker) const {
    CandidateSets result;
    result.words_ = bits::words_for(nodes.size());
    std::vector<std::int32_t> number(variables(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        number[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
    for (const std::int32_t node : nodes) {
        const auto v = static_cast<std::size_t>(node);
        for (std::size_t row = begin(v); row < end(v); ++row) {
            result.scores_.push_back(scores_[row]);
            result.origins_.push_back(origins_[row]);
            result.sets_.resize(result.sets_.size() + result.words_, 0);
            bits::Word* target = result.sets_.data() + result.sets_.size() - result.words_;
            bits::for_each(set(row), words_, [&](std::size_t parent) {
                if (number[parent] >= 0) bits::add(target, static_cast<std::size_t>(number[parent]));
            });
        }
        result.offsets_.push_back(result.scores_.size());
        result.node_origins_.push_back(node_origins_[v]);
    }
    return result.undominated(ticker);
}

CandidateSets CandidateSets::undominated(Ticker& ticker) const {
    std::vector<std::uint8_t> keep(rows(), 1);
    std::vector<bits::Word> scratch(words_);
    for (std::size_t v = 0; v < variables(); ++v) {
        SetIndex index(*this, end(v) - begin(v));
        std::vector<std::size_t> kept_rows;
        for (std::size_t row = begin(v); row < end(v); ++row) {
            if (ticker.poll_now({row, rows()})) return kept(keep);
            if (has_kept_subset(*this, index, kept_rows, row, scratch)) {
                keep[row] = 0;
                continue;
            }
            kept_rows.push_back(row);
            index.insert(row);
        }
    }
    return kept(keep);
}

}  // namespace arcwise
