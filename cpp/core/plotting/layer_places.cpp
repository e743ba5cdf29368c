#include "plotting/layer_places.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace arcwise {
namespace {

constexpr double ALONE = 0.1;  // the weight of a place without neighbours, which wishes to stay

struct Link {
    std::int32_t other;
    double weight;
};

// Places that stand side by side without a gap: the mean of what they wish for, less where each stands in the
// group.
struct Group {
    double mean;
    double weight;
    std::size_t count;
};

class Placing {
  public:
    Placing(const LayerView& given, std::span<const double> weights, std::span<const double> sizes)
        : given_(given), sizes_(sizes), links_(given.places()), at_(given.places(), 0.0) {
        for (std::size_t step = 0; step < given.tails.size(); ++step) {
            links_[index(given.tails[step])].push_back({given.heads[step], weights[step]});
            links_[index(given.heads[step])].push_back({given.tails[step], weights[step]});
        }
        for (std::size_t layer = 0; layer < given.layers(); ++layer) {
            double total = 0.0;
            for (const std::int32_t place : layer_of(layer)) {
                total += sizes_[index(place)];
            }
            double left = -total / 2;
            for (const std::int32_t place : layer_of(layer)) {
                at_[index(place)] = left + sizes_[index(place)] / 2;
                left += sizes_[index(place)];
            }
        }
    }

    std::vector<double> after(int rounds) {
        const std::size_t count = given_.layers();
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t step = 0; step < count; ++step) {
                place(round % 2 == 0 ? step : count - 1 - step);
            }
        }
        return at_;
    }

  private:
    static std::size_t index(std::int32_t place) { return static_cast<std::size_t>(place); }

    [[nodiscard]] std::span<const std::int32_t> layer_of(std::size_t layer) const {
        const auto begin = static_cast<std::size_t>(given_.offsets[layer]);
        return given_.members.subspan(begin, static_cast<std::size_t>(given_.offsets[layer + 1]) - begin);
    }

    void place(std::size_t layer) {
        const std::span<const std::int32_t> row = layer_of(layer);
        groups_.clear();
        offsets_.clear();
        double offset = 0.0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            offset += k == 0 ? 0.0 : (sizes_[index(row[k - 1])] + sizes_[index(row[k])]) / 2;
            offsets_.push_back(offset);
            double total = 0.0;
            double sum = 0.0;
            for (const Link& link : links_[index(row[k])]) {
                total += link.weight;
                sum += at_[index(link.other)] * link.weight;
            }
            const double wish = total > 0.0 ? sum / total : at_[index(row[k])];
            Group own{wish - offset, total > 0.0 ? total : ALONE, 1};
            while (!groups_.empty() && groups_.back().mean > own.mean) {
                const Group& last = groups_.back();
                own.mean = (own.mean * own.weight + last.mean * last.weight) / (own.weight + last.weight);
                own.weight += last.weight;
                own.count += last.count;
                groups_.pop_back();
            }
            groups_.push_back(own);
        }
        std::size_t k = 0;
        for (const Group& group : groups_) {
            for (std::size_t member = 0; member < group.count; ++member, ++k) {
                at_[index(row[k])] = group.mean + offsets_[k];
            }
        }
    }

    LayerView given_;
    std::span<const double> sizes_;
    std::vector<std::vector<Link>> links_;
    std::vector<double> at_;
    std::vector<Group> groups_;
    std::vector<double> offsets_;
};

}  // namespace

std::vector<double> place_layers(const LayerView& given, std::span<const double> weights,
                                 std::span<const double> sizes, int rounds) {
    assert(given.tails.size() == given.heads.size() && weights.size() == given.tails.size());
    assert(sizes.size() == given.places());
    return Placing(given, weights, sizes).after(rounds);
}

}  // namespace arcwise
