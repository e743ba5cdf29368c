#include "local/family_counter.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace arcwise {

namespace {

constexpr std::size_t width = StateBlocks::width;
constexpr std::size_t most_cells = std::size_t{1} << 17;  // half a megabyte: more is counted block by block
constexpr std::size_t fewest_rows = 8192;  // fewer are counted as quickly as counts are looked up
constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

// About what it takes, in processor cycles: a row that is sorted, a row in a block, a segment of a
// difference, and its share of a block.
constexpr double sorted_row = 6.0, counted_row = 2.3, derived_segment = 150.0, derived_block = 80.0;

// Compares the states of parents, of which one list lacks the parent at `place`.
int compare_without(const std::uint32_t* longer, std::size_t count, std::size_t place,
                    const std::uint32_t* shorter) {
    for (std::size_t k = 0; k < count; ++k) {
        if (k == place) continue;
        if (longer[k] != *shorter) return longer[k] < *shorter ? -1 : 1;
        ++shorter;
    }
    return 0;
}

}  // namespace

namespace {

// Rows that count more than a byte holds.
template <class Count>
void add_heavies(const StateBlocks& data, const StateBlocks& blocks, std::size_t block,
                 const RowPartition& partition, std::size_t first, std::size_t last, Count* counts) {
    if (partition.heavies.empty()) return;
    std::size_t i = first == 0 ? 0 : partition.heavy_ends[first - 1];
    for (std::size_t s = first; s < last; ++s) {
        for (; i < partition.heavy_ends[s]; ++i) {
            for (const auto& slot : blocks.slots(block)) {
                const auto code =
                    data.column(static_cast<std::size_t>(slot.variable))[partition.heavy_order[i]];
                if (code > 0)
                    counts[(s - first) * width + slot.first + code - 1] +=
                        static_cast<Count>(partition.heavies[i]);
            }
        }
    }
}

}  // namespace

template <class Count>
void count_block(const StateBlocks& data, const StateBlocks& blocks, std::size_t block,
                 const RowPartition& partition, std::size_t first, std::size_t last, Count* counts) {
    const std::size_t begin = first == 0 ? 0 : partition.ends[first - 1];
    const auto ends = std::span(partition.ends).subspan(first, last - first);
    std::fill_n(counts, (last - first) * width, Count{0});
    blocks.add_segments(block, partition.order, partition.bytes, begin, ends, counts);
    add_heavies(data, blocks, block, partition, first, last, counts);
}

void count_blocks(const StateBlocks& data, const StateBlocks& blocks, std::size_t block, std::size_t several,
                  const RowPartition& partition, std::uint32_t* counts) {
    const std::size_t cells = partition.count() * width;
    std::fill_n(counts, several * cells, 0);
    blocks.add_segments(block, several, partition.order, partition.bytes, 0, partition.ends, counts);
    for (std::size_t b = 0; b < several; ++b)
        add_heavies(data, blocks, block + b, partition, 0, partition.count(), counts + b * cells);
}

FamilyCounter::FamilyCounter(const StateBlocks& data, const RowWeights& weights, std::size_t memory)
    : data_(data),
      weights_(weights),
      sorter_(data_, weights_),
      bits_(data_, weights_),
      known_(memory),
      keeps_(memory > 0 && weights.rows.size() >= fewest_rows &&
             weights.cases <= std::numeric_limits<std::uint32_t>::max()) {}

void FamilyCounter::look_at(std::size_t child, std::span<const std::int32_t> parents,
                            const StateBlocks& blocks) {
    turn_to(child, parents, blocks);
    base_ = keeps_ ? find_base() : nullptr;
    if (keeps_ && !base_ && parents.size() == 1 && !is_known(child)) {
        count_alone(child, blocks);
        turn_to(child, parents, blocks);
        base_ = find_base();
    }
    if (base_)
        derive();
    else if (!keeps_ && bits_.suits(child, parents))
        split();
    else
        segments_ = &sorted();
    whole_ = fits_whole();
}

void FamilyCounter::split() {
    start_own();
    bits_.split(child_, parents_, own_->segments);
    segments_ = &own_->segments;
    is_split_ = true;
}

void FamilyCounter::take(std::size_t child, std::span<const std::int32_t> parents, const StateBlocks& blocks,
                         std::shared_ptr<SegmentCounts> counts) {
    turn_to(child, parents, blocks);
    base_ = nullptr;
    own_ = std::move(counts);
    has_own_ = true;
    segments_ = &own_->segments;
    whole_ = true;
}

std::shared_ptr<const SegmentCounts> FamilyCounter::count_from_bits(std::size_t child,
                                                                    const StateBlocks& blocks) {
    if (keeps_ || !bits_.suits(child, {})) return nullptr;
    look_at(child, {}, blocks);
    if (!whole_ || !bits_.is_quick()) return nullptr;
    for (std::size_t block = 0; block < blocks.blocks(); ++block) counts(block);
    return own_;
}

void FamilyCounter::turn_to(std::size_t child, std::span<const std::int32_t> parents,
                            const StateBlocks& blocks) {
    child_ = child;
    parents_.assign(parents.begin(), parents.end());
    blocks_ = &blocks;
    is_sorted_ = false;
    is_split_ = false;
    has_own_ = false;
}

// Room for the counts of this family: that of the last one, unless it was kept.
void FamilyCounter::start_own() {
    if (own_.use_count() != 1) own_ = known_.fresh();
    own_->segments.clear();
    own_->counted.clear();
    has_own_ = true;
}

bool FamilyCounter::fits_whole() const {
    const std::size_t cells = segments_->count() * blocks_->blocks() * width;
    return cells <= most_cells && weights_.cases <= std::numeric_limits<std::uint32_t>::max();
}

const RowPartition& FamilyCounter::sorted() {
    if (!is_sorted_) sorter_.sort(child_, parents_, partition_);
    is_sorted_ = true;
    return partition_;
}

bool FamilyCounter::is_known(std::size_t child) {
    key_.assign(1, static_cast<std::int32_t>(child));
    return known_.find(key_) != nullptr;
}

// A child without parents is counted for the sake of the families with one, of which a search meets several.
void FamilyCounter::count_alone(std::size_t child, const StateBlocks& blocks) {
    turn_to(child, {}, blocks);
    segments_ = &sorted();
    whole_ = fits_whole();
    if (!whole_) return;
    for (std::size_t block = 0; block < blocks.blocks(); ++block) counts(block);
    keep();
}

// Of the families with one parent less that are known, the one whose parent has the fewest rare rows.
std::shared_ptr<const SegmentCounts> FamilyCounter::find_base() {
    std::shared_ptr<const SegmentCounts> best;
    std::size_t fewest = 0;
    for (std::size_t k = 0; k < parents_.size(); ++k) {
        const std::size_t rare = sorter_.rare_rows(static_cast<std::size_t>(parents_[k])).count();
        if (best && rare >= fewest) continue;
        key_.assign(1, static_cast<std::int32_t>(child_));
        for (const auto p : parents_)
            if (p != parents_[k]) key_.push_back(p);
        auto found = known_.find(key_);
        if (!found || !is_quicker(*found, k)) continue;
        best = std::move(found);
        fewest = rare;
        place_ = k;
    }
    return best;
}

// One more parent makes at least twice the segments: where that many would cost more than all rows, nothing
// follows from this family.
bool FamilyCounter::is_worth_keeping() const {
    const auto blocks = static_cast<double>(blocks_->blocks());
    return 2.0 * static_cast<double>(segments_->count()) * (derived_segment + derived_block * blocks) <
           0.7 * static_cast<double>(weights_.rows.size()) * (sorted_row + counted_row * blocks);
}

bool FamilyCounter::is_quicker(const SegmentCounts& base, std::size_t place) {
    const auto parent = static_cast<std::size_t>(parents_[place]);
    const auto rare = static_cast<double>(sorter_.rare_rows(parent).count());
    const auto blocks = static_cast<double>(blocks_->blocks());
    const auto segments = static_cast<double>(base.segments.count() * data_.arity(parent));
    const double spared = static_cast<double>(weights_.rows.size()) - rare;
    return spared * (sorted_row + counted_row * blocks) >
           segments * (derived_segment + derived_block * blocks);
}

// The configurations of the base with the parent in its usual state, and those that occur among the rare
// rows, are both in mixed-radix order, and so is what they are merged into.
void FamilyCounter::derive() {
    const auto parent = static_cast<std::size_t>(parents_[place_]);
    usual_ = sorter_.rare_rows(parent).usual;
    sorter_.sort_rare(child_, parents_, place_, rare_);
    find_places_in_base();
    start_own();
    own_->segments.parents = parents_.size();
    source_.clear();
    usual_at_.assign(base_->segments.count(), nowhere);
    const auto& base = base_->segments;
    std::size_t next = 0;
    for (std::size_t config = 0; config < base.configurations(); ++config) {
        // Before (b, usual) come the rare ones that are smaller: by the parents in front, then by this one.
        const auto comes_before = [&](std::size_t r) {
            const auto* codes = rare_.codes_of(r);
            const auto* others = base.codes_of(config);
            for (std::size_t k = 0; k < parents_.size(); ++k) {
                const std::uint32_t mine = k == place_ ? usual_ : others[k < place_ ? k : k - 1];
                if (codes[k] != mine) return codes[k] < mine;
            }
            return false;
        };
        while (next < rare_.configurations() && comes_before(next)) emit_rare(next++);
        emit_usual(config);
    }
    while (next < rare_.configurations()) emit_rare(next++);
    segments_ = &own_->segments;
}

void FamilyCounter::find_places_in_base() {
    const auto& base = base_->segments;
    left_ = base.totals;
    base_config_.resize(rare_.configurations());
    base_segment_.resize(rare_.count());
    for (std::size_t config = 0; config < rare_.configurations(); ++config) {
        std::size_t low = 0, high = base.configurations();
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            const bool is_below =
                compare_without(rare_.codes_of(config), parents_.size(), place_, base.codes_of(middle)) < 0;
            (is_below ? high : low) = middle;
        }
        base_config_[config] = low;
        std::size_t place = base.first_segment(low);
        for (std::size_t s = rare_.first_segment(config); s < rare_.config_ends[config]; ++s) {
            while (base.states[place] != rare_.states[s]) ++place;
            assert(place < base.config_ends[low]);
            base_segment_[s] = place;
            left_[place] -= rare_.totals[s];
        }
    }
}

void FamilyCounter::emit_usual(std::size_t base_config) {
    auto& made = own_->segments;
    const auto& base = base_->segments;
    const std::size_t before = made.count();
    for (std::size_t s = base.first_segment(base_config); s < base.config_ends[base_config]; ++s) {
        assert(left_[s] >= 0);
        if (left_[s] == 0) continue;
        usual_at_[s] = static_cast<std::uint32_t>(made.count());
        source_.push_back(static_cast<std::uint32_t>(2 * s));
        made.states.push_back(base.states[s]);
        made.totals.push_back(left_[s]);
    }
    if (made.count() == before) return;
    made.config_ends.push_back(made.count());
    const auto* others = base.codes_of(base_config);
    made.codes.insert(made.codes.end(), others, others + place_);
    made.codes.push_back(usual_);
    made.codes.insert(made.codes.end(), others + place_, others + base.parents);
}

void FamilyCounter::emit_rare(std::size_t config) {
    auto& made = own_->segments;
    for (std::size_t s = rare_.first_segment(config); s < rare_.config_ends[config]; ++s) {
        source_.push_back(static_cast<std::uint32_t>(2 * s + 1));
        made.states.push_back(rare_.states[s]);
        made.totals.push_back(rare_.totals[s]);
    }
    made.config_ends.push_back(made.count());
    const auto* codes = rare_.codes_of(config);
    made.codes.insert(made.codes.end(), codes, codes + rare_.parents);
}

const std::uint32_t* FamilyCounter::counts(std::size_t block) {
    assert(whole_);
    if (!has_own_) {
        start_own();
        own_->segments = static_cast<const Segments&>(partition_);
        segments_ = &own_->segments;
    }
    if (own_->counted.empty()) own_->make_room(blocks_->blocks());
    if (own_->counted[block] == 0) count_group(block);
    return own_->of(block);
}

// All blocks of a group together, which takes little more than one of them.
void FamilyCounter::count_group(std::size_t block) {
    const std::size_t first = block - block % StateBlocks::together;
    const std::size_t several = std::min(StateBlocks::together, blocks_->blocks() - first);
    std::fill_n(own_->counted.begin() + static_cast<std::ptrdiff_t>(first), several, std::uint8_t{1});
    if (base_ && base_->counted[first] != 0)
        subtract(first, several);
    else if (is_split_ && bits_.is_quick())
        bits_.count(*blocks_, first, several, own_->of(first));
    else
        count_blocks(data_, *blocks_, first, several, sorted(), own_->of(first));
}

void FamilyCounter::subtract(std::size_t first, std::size_t several) {
    const std::size_t rare_cells = rare_.count() * width;
    rare_counts_.resize(several * rare_cells);
    count_blocks(data_, *blocks_, first, several, rare_, rare_counts_.data());
    for (std::size_t b = 0; b < several; ++b) {
        std::uint32_t* counts = own_->of(first + b);
        const std::uint32_t* base = base_->of(first + b);
        const std::uint32_t* rare = rare_counts_.data() + b * rare_cells;
        for (std::size_t s = 0; s < source_.size(); ++s)
            std::copy_n((source_[s] % 2 == 0 ? base : rare) + source_[s] / 2 * width, width,
                        counts + s * width);
        for (std::size_t s = 0; s < rare_.count(); ++s) {
            const std::uint32_t at = usual_at_[base_segment_[s]];
            if (at == nowhere) continue;
            std::uint32_t* left = counts + at * width;
            const std::uint32_t* gone = rare + s * width;
            for (std::size_t column = 0; column < width; ++column) left[column] -= gone[column];
        }
    }
}

void FamilyCounter::keep() {
    if (!keeps_ || !has_own_ || own_->counted.empty()) return;
    if (!is_worth_keeping()) return;
    key_.assign(1, static_cast<std::int32_t>(child_));
    key_.insert(key_.end(), parents_.begin(), parents_.end());
    known_.keep(key_, own_);
}

template void count_block(const StateBlocks&, const StateBlocks&, std::size_t, const RowPartition&,
                          std::size_t, std::size_t, std::uint32_t*);
template void count_block(const StateBlocks&, const StateBlocks&, std::size_t, const RowPartition&,
                          std::size_t, std::size_t, std::int64_t*);

}  // namespace arcwise
