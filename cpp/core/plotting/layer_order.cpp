#include "plotting/layer_order.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

namespace arcwise {
namespace {

constexpr int MOST_ROUNDS = 4;  // of swaps in one sweep
constexpr double EQUAL = 1e-9;  // means that differ by no more are one

// How many of the numbers that were added lie above another (Fenwick's tree).
class Counter {
  public:
    explicit Counter(std::size_t size) : sums_(size + 1, 0) {}

    void add(std::size_t value) {
        ++total_;
        for (std::size_t at = value + 1; at < sums_.size(); at += at & (~at + 1)) {
            ++sums_[at];
        }
    }

    [[nodiscard]] std::int64_t above(std::size_t value) const {
        std::int64_t up_to = 0;
        for (std::size_t at = value + 1; at > 0; at -= at & (~at + 1)) {
            up_to += sums_[at];
        }
        return total_ - up_to;
    }

  private:
    std::vector<std::int64_t> sums_;
    std::int64_t total_ = 0;
};

class Ordering {
  public:
    explicit Ordering(const LayerView& given)
        : given_(given),
          up_(given.places(), given.heads, given.tails),
          down_(given.places(), given.tails, given.heads),
          members_(given.members.begin(), given.members.end()),
          position_(given.places()),
          mean_(given.places()) {
        for (std::size_t layer = 0; layer < given.layers(); ++layer) {
            number(layer);
        }
    }

    LayerOrder best(int sweeps) {
        LayerOrder best{members_, crossings()};
        for (int sweep = 0; sweep < sweeps && !(best.crossings == 0 && sweep > 1); ++sweep) {
            sort_layers(sweep % 2 == 0);
            swap_neighbours();
            const std::int64_t found = crossings();
            if (found < best.crossings || (found == best.crossings && sweep < 2)) {
                best = {members_, found};
            }
        }
        return best;
    }

  private:
    std::span<std::int32_t> layer_of(std::size_t layer) {
        const auto begin = static_cast<std::size_t>(given_.offsets[layer]);
        return std::span(members_).subspan(begin,
                                           static_cast<std::size_t>(given_.offsets[layer + 1]) - begin);
    }

    void number(std::size_t layer) {
        std::int32_t next = 0;
        for (const std::int32_t place : layer_of(layer)) {
            position_[static_cast<std::size_t>(place)] = next++;
        }
    }

    [[nodiscard]] std::int32_t position(std::int32_t place) const {
        return position_[static_cast<std::size_t>(place)];
    }

    void sort_layers(bool downward) {
        const std::size_t count = given_.layers();
        for (std::size_t step = 1; step < count; ++step) {
            const std::size_t layer = downward ? step : count - 1 - step;
            const std::size_t fixed = downward ? layer - 1 : layer + 1;
            sort_by_neighbours(layer, layer_of(fixed).size(), downward ? up_ : down_);
        }
    }

    // By the mean place of each member's neighbours; of equal ones, bends come in the middle.
    void sort_by_neighbours(std::size_t layer, std::size_t fixed, const Neighbours& neighbours) {
        const std::span<std::int32_t> row = layer_of(layer);
        const auto across = static_cast<double>(std::max<std::size_t>(fixed, 2) - 1);
        const auto along = static_cast<double>(std::max<std::size_t>(row.size(), 2) - 1);
        for (const std::int32_t place : row) {
            const auto near = neighbours.of(place);
            std::int64_t sum = 0;
            for (const std::int32_t other : near) {
                sum += position(other);
            }
            mean_[static_cast<std::size_t>(place)] =
                near.empty() ? static_cast<double>(position(place)) * across / along
                             : static_cast<double>(sum) / static_cast<double>(near.size());
        }
        const auto mean = [&](std::int32_t place) { return mean_[static_cast<std::size_t>(place)]; };
        std::ranges::stable_sort(row, {}, mean);
        std::size_t start = 0;
        while (start < row.size()) {
            std::size_t end = start;
            while (end < row.size() && !(mean(row[end]) > mean(row[start]) + EQUAL)) {
                ++end;
            }
            put_bends_in_the_middle(row.subspan(start, end - start));
            start = end;
        }
        number(layer);
    }

    void put_bends_in_the_middle(std::span<std::int32_t> group) {
        if (group.size() < 2) {
            return;
        }
        nodes_.clear();
        bends_.clear();
        for (const std::int32_t place : group) {
            (static_cast<std::size_t>(place) < given_.nodes ? nodes_ : bends_).push_back(place);
        }
        const auto half = static_cast<std::ptrdiff_t>(nodes_.size() / 2);
        auto out = std::copy(nodes_.begin(), nodes_.begin() + half, group.begin());
        out = std::copy(bends_.begin(), bends_.end(), out);
        std::copy(nodes_.begin() + half, nodes_.end(), out);
    }

    void swap_neighbours() {
        bool improved = true;
        for (int round = 0; improved && round < MOST_ROUNDS; ++round) {
            improved = false;
            for (std::size_t layer = 0; layer < given_.layers(); ++layer) {
                const std::span<std::int32_t> row = layer_of(layer);
                for (std::size_t i = 0; i + 1 < row.size(); ++i) {
                    if (gain(row[i], row[i + 1]) > 0) {
                        std::swap(row[i], row[i + 1]);
                        improved = true;
                    }
                }
                number(layer);
            }
        }
    }

    // How many crossings fewer there are if two neighbours swap places.
    [[nodiscard]] std::int64_t gain(std::int32_t left, std::int32_t right) const {
        return gain(up_.of(left), up_.of(right)) + gain(down_.of(left), down_.of(right));
    }

    [[nodiscard]] std::int64_t gain(std::span<const std::int32_t> left,
                                    std::span<const std::int32_t> right) const {
        std::int64_t fewer = 0;
        for (const std::int32_t a : left) {
            for (const std::int32_t b : right) {
                fewer +=
                    static_cast<int>(position(a) > position(b)) - static_cast<int>(position(a) < position(b));
            }
        }
        return fewer;
    }

    [[nodiscard]] std::int64_t crossings() {
        std::int64_t total = 0;
        for (std::size_t layer = 0; layer + 1 < given_.layers(); ++layer) {
            Counter seen(layer_of(layer + 1).size());
            for (const std::int32_t place : layer_of(layer)) {
                for (const std::int32_t target : down_.of(place)) {
                    total += seen.above(static_cast<std::size_t>(position(target)));
                }
                for (const std::int32_t target : down_.of(place)) {
                    seen.add(static_cast<std::size_t>(position(target)));
                }
            }
        }
        return total;
    }

    LayerView given_;
    Neighbours up_;
    Neighbours down_;
    std::vector<std::int32_t> members_;
    std::vector<std::int32_t> position_;
    std::vector<double> mean_;
    std::vector<std::int32_t> nodes_;
    std::vector<std::int32_t> bends_;
};

}  // namespace

LayerOrder order_layers(const LayerView& given, int sweeps) {
    assert(given.tails.size() == given.heads.size());
    return Ordering(given).best(sweeps);
}

}  // namespace arcwise
