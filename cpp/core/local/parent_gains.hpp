// The parents that have gained most, and rows of these alone.
//
// Among thousands of variables, nearly all of a row says that there is nothing to gain. So a search that
// comes back to the same children again and again, as refinement does, may be kept to the candidates that
// have gained most before: the sparse candidates of Friedman, Nachman & Pe'er (UAI 1999), found not from
// pairs of variables but from every parent set that the climb came through, since a parent may gain only next
// to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "local/neighbour_row.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// What each variable has gained as a parent of each child.
class ParentGains {
  public:
    explicit ParentGains(std::size_t variables) : gains_(variables) {}

    void add_parents(std::size_t child, std::span<const std::int32_t> parents) {
        for (const auto parent : parents) gains_[child].push_back({parent, been_parent});
        if (gains_[child].size() > 64 * gains_.size()) keep_largest(gains_[child]);
    }
    void add_gains(std::size_t child, const NeighbourRow& row) {
        for (const auto x : row.gaining)
            gains_[child].push_back({x, row.at(static_cast<std::size_t>(x)) - row.own});
    }
    // Adds to `lists`, for each child, the variables that have been its parents, and of those that have
    // gained as one the `most` that gained most, and the child to the lists of these.
    void choose(std::size_t most, std::vector<Parents>& lists) const {
        for (std::size_t child = 0; child < gains_.size(); ++child) {
            auto gains = gains_[child];
            keep_largest(gains);
            std::ranges::stable_sort(gains, std::ranges::greater{}, &Gain::gain);
            for (std::size_t k = 0; k < gains.size() && (k < most || gains[k].gain == been_parent); ++k) {
                lists[child].push_back(gains[k].variable);
                lists[static_cast<std::size_t>(gains[k].variable)].push_back(
                    static_cast<std::int32_t>(child));
            }
        }
    }

  private:
    static constexpr double been_parent = std::numeric_limits<double>::infinity();  // more than any gain
    struct Gain {
        std::int32_t variable;
        double gain;
    };
    // Each variable once, with the largest of its gains, and by its number.
    static void keep_largest(std::vector<Gain>& gains) {
        std::ranges::sort(gains, [](const Gain& a, const Gain& b) {
            return a.variable != b.variable ? a.variable < b.variable : a.gain > b.gain;
        });
        const auto rest = std::ranges::unique(gains, {}, &Gain::variable);
        gains.erase(rest.begin(), rest.end());
    }

    std::vector<std::vector<Gain>> gains_;  // of each child
};

// The candidate parents of each child: all variables, or those of a list. Their columns are laid out anew,
// child by child, so that one block counts them all.
class CandidateLists {
  public:
    CandidateLists(const StateBlocks& data, std::size_t memory) : data_(data), memory_(memory) {}

    bool are_narrow() const { return !lists_.empty(); }
    void narrow(std::vector<Parents> lists) {
        lists_ = std::move(lists);
        blocks_.resize(lists_.size());
    }
    void widen() {
        lists_.clear();
        blocks_.clear();
        bytes_ = 0;
    }
    // Without any score.
    std::shared_ptr<NeighbourRow> empty_row(std::size_t child) const {
        auto row = std::make_shared<NeighbourRow>();
        if (are_narrow()) row->members = &lists_[child];
        row->toggled.assign(are_narrow() ? row->members->size() : data_.variables(),
                            NeighbourRow::not_allowed);
        return row;
    }
    const StateBlocks& blocks(std::size_t child) {
        if (!are_narrow()) return data_;
        auto& own = blocks_[child];
        if (own) return *own;
        if (bytes_ > memory_) {
            for (auto& other : blocks_) other.reset();
            bytes_ = 0;
        }
        own = std::make_unique<StateBlocks>(data_, lists_[child]);
        bytes_ += own->bytes();
        return *own;
    }

  private:
    const StateBlocks& data_;
    std::size_t memory_;
    std::vector<Parents> lists_;                        // of each child; none: all variables
    std::vector<std::unique_ptr<StateBlocks>> blocks_;  // of each child, as needed
    std::size_t bytes_ = 0;
};

}  // namespace arcwise
