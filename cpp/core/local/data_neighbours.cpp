#include "local/data_neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace arcwise {

namespace {

Parents key_of(std::size_t child, std::span<const std::int32_t> parents) {
    Parents key{static_cast<std::int32_t>(child)};
    key.insert(key.end(), parents.begin(), parents.end());
    return key;
}

}  // namespace

NeighbourSource::Row DataNeighbours::row(std::size_t child, std::span<const std::int32_t> parents) {
    const Parents key = key_of(child, parents);
    if (auto known = rows_.find(key)) return known;
    if (is_stopped()) return bare_row(local(child, parents));
    auto fresh = compute(child, parents);
    rows_.store(key, fresh);
    return fresh;
}

double DataNeighbours::local(std::size_t child, std::span<const std::int32_t> parents) {
    ++scored_;
    const double value = evaluator_->local(child, parents);
    return prior_ == nullptr ? value : value + prior_->of(child, parents);
}

void DataNeighbours::narrow(std::vector<Parents> lists) {
    lists_ = std::move(lists);
    wide_rows_ = std::exchange(rows_, RowCache(memory_));
}

void DataNeighbours::widen() {
    rows_ = std::exchange(wide_rows_, RowCache(memory_));
    lists_.clear();
}

NeighbourSource::Row DataNeighbours::compute(std::size_t child, std::span<const std::int32_t> parents) {
    auto row = std::make_shared<NeighbourRow>();
    if (!lists_.empty()) row->members = &lists_[child];
    row->toggled.assign(lists_.empty() ? variables() : lists_[child].size(), NeighbourRow::not_allowed);
    row->own = local(child, parents);
    row->prior = prior_ == nullptr ? 0.0 : prior_->of(child, parents);
    if (lists_.empty()) gains_.add_parents(child, parents);
    const bool full = parents.size() >= rules_.limit(child);
    std::size_t k = 0;
    row->for_each([&](std::size_t x) {
        double& value = row->toggled[k++];
        const bool is_parent = std::ranges::binary_search(parents, static_cast<std::int32_t>(x));
        if (x == child || (!is_parent && (full || !rules_.allowed(x, child)))) return;
        value = local(child, is_parent ? without(parents, x) : with(parents, x));
        if (std::isinf(value)) value = NeighbourRow::not_allowed;  // a family that the score does not know
    });
    spared_ += variables() - row->toggled.size();
    if (full) return row;
    row->rank_additions(parents);
    if (lists_.empty()) gains_.add_gains(child, *row);
    return row;
}

}  // namespace arcwise
