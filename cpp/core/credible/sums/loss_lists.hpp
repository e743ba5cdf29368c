// The lists of losses of a diagram's states: on the ways to them, and on the ways on.
//
// A path begins with losses that are looked up in lists "to" its states, and at some state it changes over to
// the lists "from" them. Where, is decided by its *level*, the part of the slack that was spoilt: a way to
// state v that loses a, where the best one loses m, has the level (a - m) / (slack - m). Along a path the
// level never falls: after an edge with detour d it is at least (a + d - m - d) / (slack - m - d). So with a
// level per layer that never rises, every path passes it once or never, and both kinds of lists are short:
// those to v end at the level of v's layer, and those from v begin with what is left of the slack beyond it.
// From the first layer to the last, the level goes from 1 to 0. How many losses a list has depends on the
// product of the layers that it goes over and of what they may lose together: with n layers and the slack s
// that is at most n s / 4, in the middle, where lists that meet in one layer come to n s / 2 (half of the
// layers, the whole slack), as do lists that meet at half of the slack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cache_line.hpp"
#include "credible/diagram/layer_links.hpp"
#include "credible/diagram/network_diagram.hpp"
#include "credible/sums/layer_pass.hpp"
#include "credible/sums/level_histogram.hpp"
#include "credible/sums/loss_layer.hpp"
#include "credible/sums/loss_merger.hpp"
#include "credible/sums/loss_store.hpp"

namespace arcwise {

// A loss belongs to a list if, on top of `lost`, it stays within `most`.
struct LossLimit {
    double lost, most;
    bool passed_by(double loss) const { return lost + loss > most; }
};

class LossLists {
  public:
    LossLists(const NetworkDiagram& diagram, double slack, double grain, LossStore& store, LayerPass& pass)
        : diagram_(diagram),
          slack_(slack),
          grain_(grain),
          store_(store),
          pass_(pass),
          workers_(pass.workers()) {}

    // These return false if the work must stop.
    //
    // Chooses the level of each layer; no lists are there afterwards.
    bool plan();
    // The lists of the first layer (losses on the ways to it) or of the last (on the ways from it).
    bool begin(Side side);
    // Makes the lists of the next layer from those of `inner`, which is stored. Lists from states can be made
    // when all lists to states have been there.
    bool extend(Side side, std::size_t inner);
    // Makes a layer that gave way again, from the nearest one that did not.
    bool restore(Side side, std::size_t layer);

    // What a loss must stay within to be in a list of the state, which is counted within its layer. Losses as
    // they are stored, plus one detour, are compared with it, wherever the question comes up: every path
    // passes the level at the same place for all purposes.
    LossLimit limit(Side side, std::size_t layer, std::size_t state) const {
        const std::size_t s = first(layer) + state;
        if (side == Side::to) return {0, threshold(levels_[layer], s)};
        return {planning_ ? threshold(1 - reaches_[layer], s) : beyond_[s], slack_};
    }
    std::size_t first(std::size_t layer) const { return diagram_.layer_begin[layer]; }
    std::size_t width(std::size_t layer) const { return first(layer + 1) - first(layer); }

    bool overflow() const { return overflow_; }  // a number of ways beyond 2^128
    std::size_t remade() const { return remade_; }
    static std::size_t bytes_of_states(std::size_t states) { return 2 * states * sizeof(double); }

  private:
    static constexpr double sample_slack = 0.4;

    // What a thread merges with.
    struct alignas(cache_line_padding) Worker {
        LossMerger<std::uint64_t> narrow;
        LossMerger<BigCount> wide;
        std::vector<Link> links;
        std::span<const Link> own;  // of the state at hand
        template <class Count>
        LossMerger<Count>& merger() {
            if constexpr (sizeof(Count) <= 8)
                return narrow;
            else
                return wide;
        }
    };
    // The lists of a layer, of which all numbers before fit into a Count.
    template <class Count>
    class Extension;

    std::size_t next(Side side, std::size_t layer) const { return side == Side::to ? layer + 1 : layer - 1; }
    double threshold(double level, std::size_t s) const {
        return std::min(slack_, least_[s] + level * std::max(0.0, slack_ - least_[s]));
    }
    bool find_least();
    bool sample(Side side);
    bool measure(Side side, std::size_t inner, const LayerLinks& links);

    const NetworkDiagram& diagram_;
    double slack_, grain_;
    LossStore& store_;
    LayerPass& pass_;
    std::vector<Worker> workers_;
    std::vector<double> least_;    // per state: what the best way to it loses
    std::vector<double> beyond_;   // per state: the least loss on a way to it that passed the level
    std::vector<double> levels_;   // per layer
    std::vector<double> reaches_;  // per layer: the part of the slack that lists from it use while planning
    bool planning_ = false;
    std::vector<LevelHistogram> sampled_;  // per layer, of the lists to it, while planning
    std::size_t sample_steps_ = 0;
    std::size_t narrow_room_ = 0, wide_room_ = 0;  // entries for which the store was asked to merge them
    std::size_t remade_ = 0;
    bool overflow_ = false;
};

}  // namespace arcwise
