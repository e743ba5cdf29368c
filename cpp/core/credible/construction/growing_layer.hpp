// The layer of a diagram that is under construction: states that are reached in several ways are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arcwise {

// States are found again by their keys. A problem (layer_builder.hpp) may refuse to join two ways with the
// same key; then there are several states with it, and they are tried in the order of their making.
template <class Problem>
class GrowingLayer {
  public:
    using State = typename Problem::State;
    using Key = typename Problem::Key;

    const std::vector<State>& states() const { return states_; }
    // What the states take, with their keys in the index.
    std::size_t bytes() const { return bytes_; }
    // What they will take once the layer is done and nothing is looked up any more.
    std::size_t settled_bytes() const { return settled_bytes_; }

    // The number of the state that a way leads to.
    template <class Way>
    std::uint32_t reach(Problem& problem, const Key& key, const Way& way) {
        const auto fresh = static_cast<std::uint32_t>(states_.size());
        const auto [entry, first] = index_.try_emplace(key, fresh);
        if (!first) {
            std::uint32_t at = entry->second;
            for (;;) {
                if (problem.join(states_[at], way)) return at;
                if (at >= others_.size() || others_[at] == none) break;
                at = others_[at];
            }
            others_.resize(states_.size() + 1, none);
            others_[at] = fresh;
        }
        states_.push_back(problem.make(key, way));
        const auto own = problem.state_bytes(states_.back());
        settled_bytes_ += own;
        bytes_ += own + problem.key_bytes(key);
        return fresh;
    }

    // Gives the states away and starts again.
    void settle(std::vector<State>& layer) {
        layer.swap(states_);
        states_.clear();
        index_.clear();
        others_.clear();
        bytes_ = settled_bytes_ = 0;
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    std::vector<State> states_;
    std::unordered_map<Key, std::uint32_t, typename Problem::Hash> index_;
    std::vector<std::uint32_t> others_;  // per state: the next one with the same key; often not needed
    std::size_t bytes_ = 0, settled_bytes_ = 0;
};

}  // namespace arcwise
