// The places of a layered drawing, layer by layer, and the steps of arcs between neighbouring layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Layer k holds the places members[offsets[k]] to members[offsets[k + 1] - 1], from left to right. A place
// below `nodes` is a node, others are bends of arcs; every place is in one layer. Step s leads from tails[s]
// to heads[s], one layer below.
struct LayerView {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> members;
    std::span<const std::int32_t> tails;
    std::span<const std::int32_t> heads;
    std::size_t nodes = 0;

    [[nodiscard]] std::size_t layers() const { return offsets.size() - 1; }
    [[nodiscard]] std::size_t places() const { return members.size(); }
};

// For every place the numbers of its neighbours in one direction, in the order of the steps.
class Neighbours {
  public:
    Neighbours(std::size_t places, std::span<const std::int32_t> from, std::span<const std::int32_t> to)
        : offsets_(places + 1, 0), targets_(from.size()) {
        for (const std::int32_t place : from) {
            ++offsets_[static_cast<std::size_t>(place) + 1];
        }
        for (std::size_t place = 0; place < places; ++place) {
            offsets_[place + 1] += offsets_[place];
        }
        std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
        for (std::size_t step = 0; step < from.size(); ++step) {
            targets_[next[static_cast<std::size_t>(from[step])]++] = to[step];
        }
    }

    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t place) const {
        const auto at = static_cast<std::size_t>(place);
        return std::span(targets_).subspan(offsets_[at], offsets_[at + 1] - offsets_[at]);
    }

  private:
    std::vector<std::size_t> offsets_;
    std::vector<std::int32_t> targets_;
};

}  // namespace arcwise
