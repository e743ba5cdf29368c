// The scores of a family and of its neighbours, and a cache of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "local/parent_list.hpp"
#include "local/segment_counts.hpp"

namespace arcwise {

// The scores of one child with the parents P, and with each candidate x added to P or taken from it.
struct NeighbourRow {
    static constexpr double not_allowed = std::numeric_limits<double>::quiet_NaN();

    double own = 0.0;                   // s(c | P)
    double prior = 0.0;                 // what of it was believed before the data
    const Parents* members = nullptr;   // the candidates, ascending; null: all variables
    std::vector<double> toggled;        // s(c | P + x) or s(c | P - x); NaN where the rules forbid the change
    std::vector<std::uint8_t> bounded;  // 1 where `toggled` is an upper bound, not a score; empty: nowhere
    double best_gain =
        -std::numeric_limits<double>::infinity();  // the best addition, legal or not, minus own
    std::vector<std::int32_t> gaining;             // the additions x, legal or not, that gain
    std::vector<std::int32_t> by_gain;             // the same, the largest gain first
    std::uint64_t unclaimed = 0;  // the families scored in it, as long as nobody has asked for the row

    // Where x stands in the row; the row's length if it is no candidate.
    std::size_t place(std::size_t x) const {
        if (members == nullptr) return x;
        const auto found = std::ranges::lower_bound(*members, static_cast<std::int32_t>(x));
        const bool is_there = found != members->end() && *found == static_cast<std::int32_t>(x);
        return is_there ? static_cast<std::size_t>(found - members->begin()) : toggled.size();
    }
    double at(std::size_t x) const {
        const std::size_t k = place(x);
        return k < toggled.size() ? toggled[k] : not_allowed;
    }
    void set(std::size_t x, double value) { toggled[place(x)] = value; }
    bool is_bounded(std::size_t x) const {
        const std::size_t k = bounded.empty() ? 0 : place(x);
        return k < bounded.size() && bounded[k] != 0;
    }
    void set_bounded(std::size_t x, bool is) {
        if (bounded.empty()) bounded.assign(toggled.size(), 0);
        bounded[place(x)] = is ? 1 : 0;
    }
    // Lists the additions that gain; all are scored.
    void rank_additions(std::span<const std::int32_t> parents) {
        auto parent = parents.begin();
        std::size_t k = 0;
        for_each([&](std::size_t x) {
            const double gain = toggled[k++] - own;
            if (parent != parents.end() && *parent == static_cast<std::int32_t>(x)) {
                ++parent;
                return;
            }
            best_gain = std::max(best_gain, gain);  // no matter what is not allowed: NaN is never more
            if (gain > 0.0) gaining.push_back(static_cast<std::int32_t>(x));
        });
        by_gain = gaining;
        std::ranges::sort(by_gain, std::ranges::greater{},
                          [&](std::int32_t x) { return at(static_cast<std::size_t>(x)); });
    }
    // Calls visit(x) for every candidate, ascending.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t k = 0; k < toggled.size(); ++k)
            visit(members == nullptr ? k : static_cast<std::size_t>((*members)[k]));
    }
};

// A row of a search that has been stopped: no change of it is known.
inline std::shared_ptr<NeighbourRow> bare_row(double own) {
    auto row = std::make_shared<NeighbourRow>();
    row->own = own;
    return row;
}

// Rows by family: the child, then its parents. When they would fill more than `memory` bytes, all are
// forgotten; what callers hold, stays.
class RowCache {
  public:
    using Row = std::shared_ptr<NeighbourRow>;

    explicit RowCache(std::size_t memory) : memory_(memory) {}

    // Null if it is not there.
    Row find(const Parents& family) const {
        const auto found = rows_.find(family);
        return found == rows_.end() ? nullptr : found->second;
    }
    void store(const Parents& family, Row row) {
        const std::size_t bytes = bytes_of(*row);
        if (bytes_ + bytes > memory_) {
            rows_.clear();
            bytes_ = 0;
        }
        bytes_ += bytes;
        rows_.insert_or_assign(family, std::move(row));
    }
    void erase(const Parents& family) {
        const auto found = rows_.find(family);
        bytes_ -= bytes_of(*found->second);
        rows_.erase(found);
    }

  private:
    static std::size_t bytes_of(const NeighbourRow& row) {
        return row.toggled.size() * (sizeof(double) + 1) + row.gaining.size() * 8 + 200;
    }

    std::size_t memory_;
    std::size_t bytes_ = 0;
    std::unordered_map<Parents, Row, FamilyHash> rows_;
};

}  // namespace arcwise
