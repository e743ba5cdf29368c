#include "ensemble/sums/loss_lists.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The level up to which lists to a layer take as many steps as those from it beyond that level.
double balance(const LevelHistogram& to, const LevelHistogram& from) {
    double low = 0, high = 1;
    while (high - low > 1e-3) {
        const double middle = (low + high) / 2;
        (to.log_steps(middle) < from.log_steps(1 - middle) ? low : high) = middle;
    }
    return high == 1 ? 1 : low;
}

}  // namespace

bool LossLists::find_least() {
    least_.assign(diagram_.states(), infinity);
    least_[0] = 0;
    for (std::size_t s = 0; s < least_.size(); ++s) {
        for (auto e = diagram_.edge_begin[s]; e < diagram_.edge_begin[s + 1]; ++e)
            least_[diagram_.edge_target[e]] =
                std::min(least_[diagram_.edge_target[e]], least_[s] + diagram_.edge_detour[e]);
        if (worked(diagram_.edge_begin[s + 1] - diagram_.edge_begin[s])) return false;
    }
    return true;
}

// A layer's level is where the lists to it take as many steps as those from it. How many they take is known
// when they are made, so samples are made first, of either kind, within a part of the slack: in each layer
// the smallest losses, as many as the widest layer has edges. What they say about small losses is extended to
// larger ones, and what they say about levels holds for the whole slack, too.
bool LossLists::plan() {
    const std::size_t last = diagram_.nodes;
    beyond_.assign(diagram_.states(), infinity);
    if (!find_least()) return false;
    const auto bytes = (last + 1) * (sizeof(LevelHistogram) + 2 * sizeof(double));
    if (!store_.take(bytes)) return false;
    sampled_.resize(last + 1);
    levels_.assign(last + 1, 1);
    reaches_.assign(last + 1, 1);
    for (std::size_t d = 0; d < last; ++d)
        sample_steps_ = std::max<std::size_t>(
            sample_steps_, diagram_.edge_begin[first(d + 1)] - diagram_.edge_begin[first(d)]);
    planning_ = true;
    const double whole = slack_;
    slack_ *= sample_slack;
    if (!sample(Side::to) || !sample(Side::from)) return false;
    slack_ = whole;
    planning_ = false;
    sampled_ = std::vector<LevelHistogram>();
    store_.give((last + 1) * sizeof(LevelHistogram));
    levels_[last] = 0;
    // They must never rise: halfway between the lowest so far and the highest to come.
    double highest = 0, lowest = 1;
    for (std::size_t layer = last + 1; layer-- > 0;)
        reaches_[layer] = highest = std::max(highest, levels_[layer]);
    for (std::size_t layer = 0; layer <= last; ++layer) {
        lowest = std::min(lowest, levels_[layer]);
        levels_[layer] = (lowest + reaches_[layer]) / 2;
    }
    return true;
}

bool LossLists::sample(Side side) {
    const std::size_t last = diagram_.nodes;
    std::size_t layer = side == Side::to ? 0 : last;
    if (!begin(side)) return false;
    for (std::size_t made = 0; made < last; ++made, layer = next(side, layer)) {
        if (!extend(side, layer)) return false;
        store_.drop(side, layer);
    }
    store_.drop(side, layer);
    return true;
}

// Looks at the levels of all that lists of `inner` would pass on, and allows the next layer as much of it as
// samples may have.
bool LossLists::measure(Side side, std::size_t inner, LayerLinks& links) {
    const LossLayer& known = store_.at(side, inner);
    const std::size_t outer = next(side, inner);
    auto& shares = side == Side::to ? levels_ : reaches_;
    LevelHistogram histogram;
    for (std::size_t s = 0; s < width(outer); ++s) {
        const double least = least_[first(outer) + s];
        if (least > slack_) continue;
        const double lost = side == Side::to ? least : 0.0;
        const double scale = slack_ > least ? 1 / (slack_ - least) : 0;
        std::size_t steps = 0;
        for (const Link& link : links.of(s)) {
            const double step = links.detour(link) - lost;
            const auto end = known.end(link.state);
            for (auto i = known.begin(link.state); i < end; ++i, ++steps)
                histogram.add((known.loss(i) + step) * scale);
        }
        if (worked(steps)) return false;
    }
    histogram.close(shares[inner]);
    shares[outer] = std::min(shares[inner], histogram.level_of(sample_steps_));
    if (side == Side::to)
        sampled_[outer] = histogram;
    else
        levels_[outer] = balance(sampled_[outer], histogram);
    return true;
}

bool LossLists::begin(Side side) {
    const LossItem<std::uint64_t> nothing_lost{0.0, 1};
    const std::size_t layer = side == Side::to ? 0 : diagram_.nodes;
    if (!store_.take(LossLayer::bytes_of_states(width(layer)))) return false;
    LossLayer made(width(layer));
    for (std::size_t s = 0; s < width(layer); ++s) {
        if (!store_.take(made.growth(1, 1))) return false;
        made.append(std::span(&nothing_lost, 1), 1);
    }
    store_.put(side, layer, std::move(made));
    return true;
}

bool LossLists::extend(Side side, std::size_t inner) {
    const LossStore::Pin kept(store_, side, inner);
    const LossLayer& known = store_.at(side, inner);
    const bool to = side == Side::to;
    const std::size_t outer = next(side, inner), states = width(outer);
    if (!store_.take(LossLayer::bytes_of_states(states))) return false;
    LossLayer made(states);
    LayerLinks links(diagram_, outer, !to, store_);
    if (!links.prepare() || (planning_ && !measure(side, inner, links))) return false;
    for (std::size_t s = 0; s < states; ++s) {
        if (least_[first(outer) + s] > slack_ || (!to && limit(side, outer, s).passed_by(0))) {
            made.append(std::span<const LossItem<std::uint64_t>>(), 0);
            continue;
        }
        const auto own = links.of(s);
        double left_out = infinity;
        const bool ended = known.narrow()
                               ? append(made, narrow_, known, links, own, limit(side, outer, s), left_out)
                               : append(made, wide_, known, links, own, limit(side, outer, s), left_out);
        if (!ended) return false;
        if (!to || planning_) continue;
        for (const Link& link : own)
            left_out = std::min(left_out, beyond_[first(inner) + link.state] + links.detour(link));
        beyond_[first(outer) + s] = left_out;
    }
    const auto before = made.bytes();
    made.trim();
    store_.give(before - made.bytes());
    store_.put(side, outer, std::move(made));
    return true;
}

bool LossLists::restore(Side side, std::size_t layer) {
    std::size_t from = layer;
    while (!store_.stored(side, from)) side == Side::to ? --from : ++from;
    for (; from != layer; from = next(side, from), ++remade_)
        if (!extend(side, from)) return false;
    return true;
}

// The list of one more state from those of its neighbours; `left_out` is the least loss that was not within
// the limit.
template <class Count>
bool LossLists::append(LossLayer& made, LossMerger<Count>& merger, const LossLayer& known,
                       const LayerLinks& links, std::span<const Link> own, const LossLimit limit,
                       double& left_out) {
    std::size_t entries = 0;
    for (const Link& link : own) entries += known.end(link.state) - known.begin(link.state);
    if (!store_.take(merger.growth(entries))) return false;
    merger.start(entries);
    for (const Link& link : own) {
        const double step = links.detour(link);
        const auto end = known.end(link.state);
        for (auto i = known.begin(link.state); i < end; ++i) {
            const double loss = known.loss(i) + step;
            if (limit.passed_by(loss)) {
                left_out = std::min(left_out, loss);
                break;
            }
            merger.add(loss, known.ways<Count>(i));
        }
        merger.end_list();
    }
    if (worked(merger.size() * (1 + merger.lists()))) return false;
    std::span<const LossItem<Count>> merged;
    BigCount bits = 0;
    if (!merger.settle(grain_, merged, bits)) {
        if constexpr (sizeof(Count) <= 8) return append(made, wide_, known, links, own, limit, left_out);
        overflow_ = true;
    }
    if (!store_.take(made.growth(merged.size(), bits))) return false;
    made.append(merged, bits);
    return true;
}

}  // namespace arcwise
