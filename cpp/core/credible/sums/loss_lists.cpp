#include "credible/sums/loss_lists.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

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
        if (pass_.worked(diagram_.edge_begin[s + 1] - diagram_.edge_begin[s])) return false;
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
bool LossLists::measure(Side side, std::size_t inner, const LayerLinks& links) {
    const LossLayer& known = store_.at(side, inner);
    const std::size_t outer = next(side, inner);
    auto& shares = side == Side::to ? levels_ : reaches_;
    struct alignas(cache_line_padding) Part {
        LevelHistogram histogram;
    };
    std::vector<Part> parts(workers_.size());
    const auto look = [&](std::size_t worker, std::size_t begin, std::size_t end) {
        LevelHistogram& histogram = parts[worker].histogram;
        for (std::size_t s = begin; s < end; ++s) {
            const double least = least_[first(outer) + s];
            if (least > slack_) continue;
            const double lost = side == Side::to ? least : 0.0;
            const double scale = slack_ > least ? 1 / (slack_ - least) : 0;
            for (const Link& link : links.of(s, workers_[worker].links)) {
                const double step = links.detour(link) - lost;
                const auto last = known.end(link.state);
                for (auto i = known.begin(link.state); i < last; ++i)
                    histogram.add((known.loss(i) + step) * scale);
            }
        }
    };
    if (!pass_.split(width(outer), known.size() + links.size(), look)) return false;
    LevelHistogram& histogram = parts[0].histogram;
    for (std::size_t worker = 1; worker < parts.size(); ++worker) histogram.add(parts[worker].histogram);
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

// Merges, for each state, the lists of its neighbours.
template <class Count>
class LossLists::Extension {
  public:
    struct Result {
        std::span<const LossItem<Count>> merged;
        BigCount bits = 0;
        std::size_t entries = 0;  // of the neighbours
        std::size_t steps = 0;
        double left_out = infinity;  // the least loss that was not within the limit
        bool empty = false, fits = true;

        bool keep_in(ResultPage& page) { return page.keep(merged); }
    };

    Extension(LossLists& lists, Side side, std::size_t inner, const LayerLinks& links, LossLayer& made)
        : lists_(lists),
          side_(side),
          inner_(inner),
          outer_(lists.next(side, inner)),
          known_(lists.store_.at(side, inner)),
          links_(links),
          made_(made) {}

    void measure(std::size_t worker, std::size_t state, Result& result) const {
        result.empty = lists_.least_[lists_.first(outer_) + state] > lists_.slack_ ||
                       (side_ == Side::from && lists_.limit(side_, outer_, state).passed_by(0));
        if (result.empty) return;
        Worker& own = lists_.workers_[worker];
        own.own = links_.of(state, own.links);
        for (const Link& link : own.own) result.entries += known_.end(link.state) - known_.begin(link.state);
    }
    // A merger grows by a quarter.
    static std::size_t scratch_bytes(const Result& result) {
        return LossMerger<Count>::bytes_for(result.entries + result.entries / 4 + 16);
    }
    static std::size_t result_bytes(const Result& result) { return result.entries * sizeof(LossItem<Count>); }
    void shrink(std::size_t worker, std::size_t bytes) {
        shrink_merger<std::uint64_t>(worker, bytes);
        shrink_merger<BigCount>(worker, bytes);
    }
    void produce(std::size_t worker, std::size_t state, Result& result) const {
        if (!result.empty) merge(lists_.workers_[worker], state, result);
    }

    bool reserve(const Result& result) const { return result.empty || reserve<Count>(result.entries); }
    bool consume(std::size_t state, const Result& result) {
        if (pass().worked(result.steps)) return false;
        if (!result.fits) {
            if constexpr (sizeof(Count) <= 8) return consume_wide(state, result);
            lists_.overflow_ = true;
        }
        return append(state, result);
    }

  private:
    LayerPass& pass() const { return lists_.pass_; }
    template <class Size>
    std::size_t& room() const {
        return sizeof(Size) <= 8 ? lists_.narrow_room_ : lists_.wide_room_;
    }
    template <class Size>
    bool reserve(std::size_t entries) const {
        const auto capacity = grown_capacity(room<Size>(), entries);
        if (!lists_.store_.take(LossMerger<Size>::bytes_for(capacity - room<Size>()))) return false;
        room<Size>() = capacity;
        return true;
    }
    template <class Size>
    void shrink_merger(std::size_t worker, std::size_t bytes) {
        auto& merger = lists_.workers_[worker].template merger<Size>();
        if (worker == 0) bytes += LossMerger<Size>::bytes_for(room<Size>());
        if (LossMerger<Size>::bytes_for(merger.capacity()) > bytes) merger.release();
    }

    template <class Found>
    void merge(Worker& worker, std::size_t state, Found& result) const {
        using Size = decltype(result.merged.front().ways);
        auto& merger = worker.template merger<std::remove_const_t<Size>>();
        const LossLimit limit = lists_.limit(side_, outer_, state);
        merger.start(result.entries);
        for (const Link& link : worker.own) {
            const double step = links_.detour(link);
            const auto end = known_.end(link.state);
            for (auto i = known_.begin(link.state); i < end; ++i) {
                const double loss = known_.loss(i) + step;
                if (limit.passed_by(loss)) {
                    result.left_out = std::min(result.left_out, loss);
                    break;
                }
                merger.add(loss, known_.ways<std::remove_const_t<Size>>(i));
            }
            merger.end_list();
        }
        result.steps = merger.size() * (1 + merger.lists());
        result.fits = merger.settle(lists_.grain_, result.merged, result.bits);
        if (side_ == Side::from || lists_.planning_) return;
        for (const Link& link : worker.own)
            result.left_out = std::min(
                result.left_out, lists_.beyond_[lists_.first(inner_) + link.state] + links_.detour(link));
    }
    // Where 64 bits are not enough. That is seen in one layer; the next one is merged in 128 bits.
    bool consume_wide(std::size_t state, const Result& narrow) {
        typename Extension<BigCount>::Result result;
        result.entries = narrow.entries;
        if (!reserve<BigCount>(result.entries)) return false;
        Worker& own = lists_.workers_[0];
        own.own = links_.of(state, own.links);
        merge(own, state, result);
        lists_.overflow_ |= !result.fits;
        return !pass().worked(result.steps) && append(state, result);
    }
    template <class Found>
    bool append(std::size_t state, const Found& result) {
        if (!lists_.store_.take(made_.growth(result.merged.size(), result.bits))) return false;
        made_.append(result.merged, result.bits);
        if (side_ == Side::to && !lists_.planning_ && !result.empty)
            lists_.beyond_[lists_.first(outer_) + state] = result.left_out;
        return true;
    }

    LossLists& lists_;
    Side side_;
    std::size_t inner_, outer_;
    const LossLayer& known_;
    const LayerLinks& links_;
    LossLayer& made_;
};

bool LossLists::extend(Side side, std::size_t inner) {
    const LossStore::Pin kept(store_, side, inner);
    const LossLayer& known = store_.at(side, inner);
    const std::size_t outer = next(side, inner), states = width(outer);
    if (!store_.take(LossLayer::bytes_of_states(states))) return false;
    LossLayer made(states);
    LayerLinks links(diagram_, outer, side == Side::from, store_);
    if (!links.prepare() || (planning_ && !measure(side, inner, links))) return false;
    const auto fill = [&]<class Count>(Extension<Count> extension) {
        return pass_.run(extension, states, known.size() + links.size());
    };
    if (known.narrow() ? !fill(Extension<std::uint64_t>(*this, side, inner, links, made))
                       : !fill(Extension<BigCount>(*this, side, inner, links, made)))
        return false;
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

}  // namespace arcwise
