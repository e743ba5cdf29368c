#include "local/neighbour_scores.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace arcwise {

namespace {

// For rows that wait, of one search: what it never asks for is let go.
constexpr std::size_t waiting_memory = std::size_t{16} << 20;

}  // namespace

NeighbourScores::NeighbourScores(const StateBlocks& data, std::span<const std::int64_t> weights,
                                 const LocalScore& score, CellTermTables* tables, const ArcRules& rules,
                                 std::size_t memory, std::size_t counts_memory)
    : sample_(data, weights, score, tables, rules, std::min(memory, counts_memory)),
      additions_(sample_),
      gains_(data.variables()),
      candidates_(data, memory),
      memory_(memory),
      rows_(memory),
      wide_rows_(memory),
      waiting_(waiting_memory) {
    assert((tables == nullptr) == (score.set_score() == nullptr));
    assert(tables == nullptr || tables->cases() == cases());
    assert(rules.variables() == data.variables());
}

const Parents& NeighbourScores::key_of(std::size_t child, std::span<const std::int32_t> parents) {
    key_.assign(1, static_cast<std::int32_t>(child));
    key_.insert(key_.end(), parents.begin(), parents.end());
    return key_;
}

NeighbourScores::Row NeighbourScores::row(std::size_t child, std::span<const std::int32_t> parents) {
    if (auto known = rows_.find(key_of(child, parents))) return known;
    if (parents.empty() && !filled_ && !candidates_.are_narrow()) {
        // Searches start at the empty graph: all its rows are made together, once.
        filled_ = true;
        fill_empty_rows();
        if (auto filled = rows_.find(key_of(child, parents))) return filled;
    }
    if (is_shared(child, parents))
        if (auto waiting = take_waiting(key_of(child, parents))) return waiting;
    if (is_stopped()) return bare_row(local(child, parents));
    auto fresh = compute(child, parents);
    rows_.store(key_of(child, parents), fresh);
    return fresh;
}

double NeighbourScores::local(std::size_t child, std::span<const std::int32_t> parents) {
    const Parents key = key_of(child, parents);
    if (const auto row = rows_.find(key)) return row->own;
    if (const auto found = locals_.find(key); found != locals_.end()) return found->second;
    if (parents.empty())
        return keep_local(key, sample_.scorer.score(child, {}, sample_.marginal_segments(child, partition_)));
    if (is_shared(child, parents)) {
        if (const auto waiting = waiting_.find(key)) {
            ++sample_.scorer.families_scored;  // it counts as one, once, whatever its row has
            return keep_local(key, waiting->own);
        }
    }
    sample_.counter.sorter().sort(child, parents, partition_);
    return keep_local(key, sample_.scorer.score(child, parents, partition_));
}

double NeighbourScores::keep_local(const Parents& key, double value) {
    if (locals_.size() > memory_ / 128) locals_.clear();
    locals_.emplace(key, value);
    return value;
}

void NeighbourScores::settle(NeighbourRow& row, std::size_t child, std::span<const std::int32_t> parents,
                             std::size_t x) {
    if (!row.is_bounded(x)) return;
    row.set(x, local(child, with(parents, x)));
    row.set_bounded(x, false);
}

void NeighbourScores::settle_all(NeighbourRow& row, std::size_t child,
                                 std::span<const std::int32_t> parents) {
    row.for_each([&](std::size_t x) { settle(row, child, parents, x); });
}

void NeighbourScores::narrow(std::vector<Parents> lists) {
    candidates_.narrow(std::move(lists));
    wide_rows_ = std::exchange(rows_, RowCache(memory_));
    sample_.counter.forget();
}

void NeighbourScores::widen() {
    rows_ = std::exchange(wide_rows_, RowCache(memory_));
    candidates_.widen();
    sample_.counter.forget();
}

NeighbourScores::Row NeighbourScores::compute(std::size_t child, std::span<const std::int32_t> parents) {
    prepare_bounds();
    sample_.counter.look_at(child, parents, candidates_.blocks(child));
    return score_counted(child, parents);
}

// The row of the family that the counter has turned to.
NeighbourScores::Row NeighbourScores::score_counted(std::size_t child,
                                                    std::span<const std::int32_t> parents) {
    auto row = candidates_.empty_row(child);
    const bool is_narrow = candidates_.are_narrow();
    const Segments& segments = sample_.counter.segments();
    row->own = sample_.scorer.score(child, parents, segments);
    row->prior = sample_.scorer.prior(child, parents);
    if (!is_narrow) gains_.add_parents(child, parents);
    sample_.scorer.score_removals(child, parents, segments, sample_.counter.sorter(), *row);
    families_spared_ += variables() - row->toggled.size();
    if (parents.size() >= rules().limit(child)) return row;
    additions_.begin(child, parents, *row);
    additions_.score_all(candidates_.blocks(child));
    sample_.counter.keep();
    row->rank_additions(parents);
    if (!is_narrow) gains_.add_gains(child, *row);
    return row;
}

void NeighbourScores::prepare_bounds() {
    if (sample_.bounds.are_known()) return;
    for (std::size_t x = 0; x < variables(); ++x)
        sample_.bounds.set(x, local(x, {}) - sample_.scorer.prior(x, {}));
}

void NeighbourScores::receive_marginal(std::size_t child, std::shared_ptr<const SegmentCounts> counts) {
    assert(cases() <= std::numeric_limits<std::uint32_t>::max());
    sample_.marginal_counts.resize(variables());
    sample_.marginal_counts[child] = std::move(counts);
}

// A row that was made because another search needed it is not there as long as nobody asks: how many families
// a search has scored decides when its refinement ends, and must not depend on the others.
void NeighbourScores::receive(std::size_t child, std::span<const std::int32_t> parents,
                              std::shared_ptr<SegmentCounts> counts) {
    const Parents key = key_of(child, parents);
    if (candidates_.are_narrow() || rows_.find(key) || waiting_.find(key)) return;
    const std::uint64_t scored = families_scored();
    const bool knows = sample_.bounds.are_known();
    auto locals = knows ? decltype(locals_){} : locals_;
    prepare_bounds();
    const std::uint64_t before = families_scored();
    sample_.counter.take(child, parents, sample_.data, std::move(counts));
    auto row = score_counted(child, parents);
    row->unclaimed = families_scored() - before;
    sample_.scorer.families_scored = scored;
    if (!knows) {  // it has not come so far by itself
        sample_.bounds.forget();
        locals_ = std::move(locals);
    }
    waiting_.store(key, std::move(row));
}

// Is the row waiting, or has it been made now?
bool NeighbourScores::is_shared(std::size_t child, std::span<const std::int32_t> parents) {
    if (shared_ == nullptr || candidates_.are_narrow()) return false;
    if (waiting_.find(key_of(child, parents))) return true;
    const Parents asked_for(parents.begin(), parents.end());  // scratch lists may change meanwhile
    return shared_->count(child, asked_for);
}

// From now on the row counts as scored, as if it had been made now.
NeighbourScores::Row NeighbourScores::take_waiting(const Parents& key) {
    auto row = waiting_.find(key);
    if (!row) return nullptr;
    const Parents own = key;
    waiting_.erase(own);
    prepare_bounds();
    sample_.scorer.families_scored += std::exchange(row->unclaimed, 0);
    rows_.store(own, row);
    return row;
}

}  // namespace arcwise
