#include "parent_sets/candidate_sets.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <unordered_map>

namespace arcwise {
namespace {

constexpr std::size_t most_looked_up = 9;    // parents: 512 subsets
constexpr std::size_t most_compared = 1024;  // rows

// The kept sets of one node, by content: open addressing over row numbers.
class SetIndex {
  public:
    SetIndex(const CandidateSets& sets, std::size_t expected) : sets_(sets) {
        slots_.resize(std::bit_ceil(expected * 2 + 2), empty_slot);
    }
    bool contains(SetView set) const {
        for (std::size_t slot = set.hash() & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot] == empty_slot) return false;
            if (sets_.set(slots_[slot]) == set) return true;
        }
    }
    void insert(std::size_t row) {
        std::size_t slot = sets_.set(row).hash() & (slots_.size() - 1);
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
                     std::size_t row, LongSet& scratch) {
    const SetView set = sets.set(row);
    const std::size_t size = set.size();
    if (size <= most_looked_up && (std::size_t{8} << size) < kept.size()) {
        std::size_t members[most_looked_up];
        std::size_t count = 0;
        set.for_each([&](std::size_t i) { members[count++] = i; });
        scratch.fill(false);
        // Gray code: each step changes one member.
        if (index.contains(scratch)) return true;
        for (std::size_t step = 1; step < (std::size_t{1} << size); ++step) {
            scratch.toggle(members[std::countr_zero(step)]);
            if (index.contains(scratch)) return true;
        }
        return false;
    }
    const std::size_t compared = std::min(kept.size(), most_compared);
    return std::any_of(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(compared),
                       [&](std::size_t other) { return sets.set(other).within(set); });
}

}  // namespace

CandidateSets::CandidateSets(const TableView& table) : sets_(table.variables, table.rows()) {
    offsets_.resize(table.variables + 1);
    for (std::size_t v = 0; v <= table.variables; ++v)
        offsets_[v] = static_cast<std::size_t>(table.node_offsets[v]);
    scores_.assign(table.scores.begin(), table.scores.end());
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (const std::int32_t parent : table.parents(row)) sets_[row].add(static_cast<std::size_t>(parent));
    origins_.resize(table.rows());
    std::iota(origins_.begin(), origins_.end(), std::int64_t{0});
    node_origins_.resize(table.variables);
    std::iota(node_origins_.begin(), node_origins_.end(), std::int64_t{0});
}

void CandidateSets::append(const CandidateSets& from, std::size_t row) {
    scores_.push_back(from.scores_[row]);
    sets_.append(from.set(row));
    origins_.push_back(from.origins_[row]);
}

CandidateSets CandidateSets::kept(std::span<const std::uint8_t> keep) const {
    assert(keep.size() == rows());
    CandidateSets result;
    result.sets_ = BitRows(variables());
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
    result.sets_ = BitRows(nodes.size());
    std::vector<std::int32_t> number(variables(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        number[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
    for (const std::int32_t node : nodes) {
        const auto v = static_cast<std::size_t>(node);
        for (std::size_t row = begin(v); row < end(v); ++row) {
            result.scores_.push_back(scores_[row]);
            result.origins_.push_back(origins_[row]);
            result.sets_.resize(result.scores_.size());
            SetSpan target = result.sets_[result.scores_.size() - 1];
            set(row).for_each([&](std::size_t parent) {
                if (number[parent] >= 0) target.add(static_cast<std::size_t>(number[parent]));
            });
        }
        result.offsets_.push_back(result.scores_.size());
        result.node_origins_.push_back(node_origins_[v]);
    }
    return result.undominated(ticker);
}

CandidateSets CandidateSets::undominated(Ticker& ticker) const {
    std::vector<std::uint8_t> keep(rows(), 1);
    LongSet scratch = long_set(variables());
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
