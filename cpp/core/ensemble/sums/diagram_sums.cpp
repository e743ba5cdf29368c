#include "ensemble/sums/diagram_sums.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "ensemble/diagram/layer_links.hpp"
#include "ensemble/sums/loss_layer.hpp"
#include "ensemble/sums/loss_lists.hpp"
#include "ensemble/sums/loss_store.hpp"

namespace arcwise {

namespace {

// Bytes of a diagram from which on it is worth milliseconds to give back what its construction left behind.
constexpr std::size_t large_diagram = std::size_t{1} << 26;

// The GNU library keeps the pages of small blocks that were freed: after building a diagram of 30 MB, 66 MB.
void give_back_free_pages() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// Both return whether 128 bits are not enough. Inner loops keep that to themselves until they end: a flag of
// the object would be written at every step.
bool add_to(BigCount& sum, BigCount summand) {
    return __builtin_add_overflow(sum, summand, &sum);
}
bool add_product_to(BigCount& sum, BigCount a, BigCount b) {
    BigCount product;
    bool overflow = false;
    if (((a | b) >> 64) == 0)
        product = static_cast<BigCount>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b);
    else
        overflow = __builtin_mul_overflow(a, b, &product);
    return add_to(sum, product) || overflow;
}

class Summation {
  public:
    Summation(const NetworkDiagram& diagram, double slack, double grain, bool families, std::size_t memory,
              Ticker& ticker)
        : diagram_(diagram),
          slack_(slack),
          families_(families),
          store_(diagram.nodes, memory, ticker),
          lists_(diagram, slack, grain, store_, ticker) {}

    bool run(DiagramSums& sums, std::size_t rows) {
        const std::size_t last = diagram_.nodes;
        if (!store_.take(diagram_.bytes() + LossLists::bytes_of_states(diagram_.states()))) return false;
        if (families_ && !store_.take(rows * (sizeof(BigCount) + sizeof(double)))) return false;
        sums.row_counts.assign(families_ ? rows : 0, 0);
        sums.row_masses.assign(families_ ? rows : 0, 0);
        if (last == 0) {
            sums.count = 1;
            sums.mass = 1;
            return true;
        }
        if (slack_ < 0) return true;
        if (!lists_.plan() || !lists_.begin(Side::to)) return false;
        for (std::size_t layer = 0; layer < last; ++layer) {
            store_.set_frontier(layer);
            if (!lists_.extend(Side::to, layer)) return false;
        }
        ShareLayer completions;
        if (!complete_within(completions, sums) || !lists_.begin(Side::from)) return false;
        if (!families_) store_.release(Side::to, last);
        for (std::size_t layer = last; layer-- > 0;)
            if (!cross(layer, completions, sums)) return false;
        if (!families_ || overflow_ || lists_.overflow()) return true;
        store_.give(completions.bytes());
        completions = ShareLayer();
        ShareLayer beginnings;  // of the first layer, at which no path is beyond the level
        for (std::size_t layer = 0; layer < last; ++layer)
            if (!follow(layer, beginnings, sums)) return false;
        return true;
    }

    void account(DiagramSums& sums) const {
        sums.overflow = overflow_ || lists_.overflow();
        sums.peak = store_.peak();
        sums.remade = lists_.remade();
    }

  private:
    // The paths that never pass the level: they end in the lists of the last layer, each complete.
    bool complete_within(ShareLayer& completions, DiagramSums& sums) {
        const std::size_t last = diagram_.nodes;
        const LossStore::Pin kept(store_, Side::to, last);
        const LossLayer& ends = store_.at(Side::to, last);
        if (families_ && !reserve(completions, ends.size())) return false;
        for (std::size_t s = 0; s < lists_.width(last); ++s) {
            if (!weigh(ends, s)) return false;
            for (std::size_t i = 0; i < losses_.size(); ++i) {
                overflow_ |= add_to(sums.count, ways_[i]);
                sums.mass += weights_[i];
            }
            counts_.assign(losses_.size(), 1);
            masses_.assign(losses_.size(), 1);
            if (families_ && !append(completions)) return false;
        }
        return true;
    }

    // Counts the paths that pass the level between `layer` and the next one: for each entry on this side
    // of an edge, the ways on that what is left of the slack allows. If asked, `completions`, the number and
    // weight of the ways on for each entry of the next layer, become those for the entries of this one.
    // Ends with the losses on the ways from this layer.
    bool cross(std::size_t layer, ShareLayer& completions, DiagramSums& sums) {
        store_.set_frontier(layer);
        {
            const LossStore::Pin below(store_, Side::to, layer + 1), far(store_, Side::from, layer + 1);
            if ((families_ && !lists_.restore(Side::to, layer + 1)) || !lists_.restore(Side::to, layer))
                return false;
            const LossStore::Pin near(store_, Side::to, layer);
            const LossLayer& mine = store_.at(Side::to, layer);
            const LossLayer& within = store_.at(Side::to, layer + 1);
            const LossLayer& onwards = store_.at(Side::from, layer + 1);
            ShareLayer reached, passed;
            if (!accumulate(onwards, reached) || (families_ && !reserve(passed, mine.size()))) return false;
            LayerLinks links(diagram_, layer, true, store_);
            for (std::size_t s = 0; s < lists_.width(layer); ++s) {
                if (mine.begin(s) == mine.end(s)) continue;
                if (!weigh(mine, s)) return false;
                for (const Link& link : links.of(s)) {
                    const double step = links.detour(link);
                    const auto limit = lists_.limit(Side::to, layer + 1, link.state);
                    const auto begin =
                        families_ ? pass_on(within, link, step, limit, completions, links.row(link), sums)
                                  : crossing(losses_, step, limit);
                    if (begin < losses_.size() && losses_[begin] + step <= slack_)
                        jump(begin, onwards, reached, link, step, links.row(link), sums);
                    if (lists_.worked(losses_.size())) return false;
                }
                if (families_ && !append(passed)) return false;
            }
            store_.give(reached.bytes() + completions.bytes());
            completions = std::move(passed);
        }
        if (!families_) store_.release(Side::to, layer);
        if ((layer > 0 || families_) && !lists_.extend(Side::from, layer + 1)) return false;
        if (!families_) store_.release(Side::from, layer + 1);
        return true;
    }

    // Where the losses begin that pass the limit with `step`.
    std::size_t crossing(std::span<const double> losses, double step, const LossLimit limit) const {
        const auto within = [&](double loss) { return !limit.passed_by(loss + step); };
        return static_cast<std::size_t>(std::partition_point(losses.begin(), losses.end(), within) -
                                        losses.begin());
    }

    // The pairs of an entry of losses_ from `begin` on and one at the other end of the edge that fit into the
    // slack together. There may be many more of the latter, so that we look ahead in growing steps.
    void jump(std::size_t begin, const LossLayer& onwards, const ShareLayer& reached, const Link& link,
              double step, std::uint32_t row, DiagramSums& sums) {
        const double weight = std::exp(-step);
        const auto list = onwards.begin(link.state);
        const double* const losses = onwards.losses() + list;
        const std::size_t size = onwards.end(link.state) - list;
        BigCount count = 0, edge_count = 0;
        double mass = 0, edge_mass = 0;
        bool overflow = false;
        std::size_t fit = 0;
        for (std::size_t i = losses_.size(); i-- > begin;) {
            const double above = losses_[i] + step;
            std::size_t stride = 1;
            const auto old = fit;
            while (fit + stride <= size && above + losses[fit + stride - 1] <= slack_) {
                fit += stride;
                stride *= 2;
            }
            while ((stride /= 2) > 0)
                if (fit + stride <= size && above + losses[fit + stride - 1] <= slack_) fit += stride;
            if (fit > old) {
                count = reached.count(list + fit - 1);
                mass = reached.mass(list + fit - 1);
            }
            if (families_) {
                overflow |= add_to(counts_[i], count);
                masses_[i] += mass * weight;
            }
            overflow |= add_product_to(edge_count, ways_[i], count);
            edge_mass += weights_[i] * mass;
        }
        overflow |= add_to(sums.count, edge_count);
        sums.mass += edge_mass * weight;
        overflow_ |= overflow;
        add_edge(sums, row, edge_count, edge_mass * weight);
    }

    // Passes the shares of the entries that losses_ went into with the link on to them, and adds up the edge.
    // Comparisons are those of `append`, to the bit, so that every entry is found again in the one that it
    // went into. Returns where the losses begin that were not within the limit.
    std::size_t pass_on(const LossLayer& made, const Link& link, double step, const LossLimit limit,
                        const ShareLayer& shares, std::uint32_t row, DiagramSums& sums) {
        auto j = made.begin(link.state);
        const auto end = made.end(link.state);
        if (j == end) return 0;  // nothing within the limit comes here
        const double weight = std::exp(-step);
        BigCount count = 0, others = shares.count(j);
        double mass = 0, other_mass = shares.mass(j) * weight;
        bool overflow = false;
        std::size_t i = 0;
        for (; i < losses_.size(); ++i) {
            const double loss = losses_[i] + step;
            if (limit.passed_by(loss)) break;
            if (j + 1 < end && made.loss(j + 1) <= loss) {
                do ++j;
                while (j + 1 < end && made.loss(j + 1) <= loss);
                others = shares.count(j);
                other_mass = shares.mass(j) * weight;
            }
            overflow |= add_product_to(count, ways_[i], others);
            overflow |= add_to(counts_[i], others);
            mass += weights_[i] * other_mass;
            masses_[i] += other_mass;
        }
        overflow_ |= overflow;
        add_edge(sums, row, count, mass);
        return i;
    }

    // Of paths beyond the level: `beginnings`, the number and weight of the ways to each entry of the
    // losses from `layer`, become those of the next layer. They come over the level right here, or from
    // an entry of `layer`.
    bool follow(std::size_t layer, ShareLayer& beginnings, DiagramSums& sums) {
        store_.set_frontier(layer);
        {
            const LossStore::Pin above(store_, Side::from, layer);
            if (!lists_.restore(Side::from, layer) || !lists_.restore(Side::from, layer + 1)) return false;
            const LossStore::Pin near(store_, Side::from, layer + 1);
            if (!lists_.restore(Side::to, layer)) return false;
            if (layer > 0) store_.release(Side::to, layer - 1);
            const LossStore::Pin far(store_, Side::to, layer);
            const LossLayer& made = store_.at(Side::from, layer);
            const LossLayer& mine = store_.at(Side::from, layer + 1);
            const LossLayer& to = store_.at(Side::to, layer);
            ShareLayer passed;
            LayerLinks links(diagram_, layer + 1, false, store_);
            if (!links.prepare() || !reserve(passed, mine.size()) || !store_.take(to.size() * sizeof(double)))
                return false;
            far_weights_.resize(to.size());
            for (std::size_t i = 0; i < to.size(); ++i)
                far_weights_[i] = static_cast<double>(to.ways<BigCount>(i)) * std::exp(-to.loss(i));
            for (std::size_t s = 0; s < lists_.width(layer + 1); ++s) {
                if (mine.begin(s) == mine.end(s)) continue;
                if (!weigh(mine, s)) return false;
                const auto within = lists_.limit(Side::to, layer + 1, s);
                for (const Link& link : links.of(s)) {
                    const double step = links.detour(link);
                    const auto limit = lists_.limit(Side::from, layer, link.state);
                    pass_on(made, link, step, limit, beginnings, links.row(link), sums);
                    if (lists_.worked(losses_.size() + arrive(to, link, step, within))) return false;
                }
                if (!append(passed)) return false;
            }
            store_.give(beginnings.bytes() + far_weights_.size() * sizeof(double));
            far_weights_ = std::vector<double>();
            beginnings = std::move(passed);
        }
        store_.release(Side::from, layer);
        return true;
    }

    // For each entry of losses_, on ways on: the ways that pass the level with this edge and leave enough
    // of the slack. Returns how many entries it looked at.
    std::size_t arrive(const LossLayer& to, const Link& link, double step, const LossLimit limit) {
        const auto list = to.begin(link.state), end = to.end(link.state);
        const auto begin = list + crossing(std::span(to.losses() + list, end - list), step, limit);
        const double weight = std::exp(-step);
        BigCount count = 0;
        double mass = 0;
        bool overflow = false;
        auto j = begin;
        if (begin == end) return 0;
        for (std::size_t i = losses_.size(); i-- > 0;) {
            for (; j < end && to.loss(j) + step + losses_[i] <= slack_; ++j) {
                overflow |= add_to(count, to.ways<BigCount>(j));
                mass += far_weights_[j];
            }
            overflow |= add_to(counts_[i], count);
            masses_[i] += mass * weight;
        }
        overflow_ |= overflow;
        return j - begin;
    }

    // For each entry the number and weight of the ways of its list up to it.
    bool accumulate(const LossLayer& layer, ShareLayer& reached) {
        if (!reserve(reached, layer.size())) return false;
        const std::size_t states = layer.states();
        for (std::size_t s = 0; s < states; ++s) {
            if (!weigh(layer, s)) return false;
            BigCount count = 0;
            double mass = 0;
            for (std::size_t i = 0; i < losses_.size(); ++i) {
                overflow_ |= add_to(count, ways_[i]);
                counts_[i] = count;
                masses_[i] = mass += weights_[i];
            }
            if (!append(reached) || lists_.worked(losses_.size())) return false;
        }
        return true;
    }

    // A state's entries in losses_, ways_ and weights_; counts_ and masses_ begin at zero.
    bool weigh(const LossLayer& layer, std::size_t state) {
        const auto size = layer.end(state) - layer.begin(state);
        const auto bytes = size * (2 * sizeof(BigCount) + 3 * sizeof(double));
        if (bytes > scratch_) {
            if (!store_.take(bytes - scratch_)) return false;
            scratch_ = bytes;
        }
        losses_.assign(layer.losses() + layer.begin(state), layer.losses() + layer.end(state));
        weights_.resize(size);
        ways_.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            ways_[i] = layer.ways<BigCount>(layer.begin(state) + i);
            weights_[i] = static_cast<double>(ways_[i]) * std::exp(-losses_[i]);
        }
        counts_.assign(size, 0);
        masses_.assign(size, 0);
        return true;
    }

    bool reserve(ShareLayer& shares, std::size_t entries) {
        if (!store_.take(shares.growth(entries, 0))) return false;
        shares.reserve(entries);
        return true;
    }
    // counts_ and masses_ of the next state.
    bool append(ShareLayer& shares) {
        BigCount bits = 0;
        for (const BigCount count : counts_) bits |= count;
        if (!store_.take(shares.growth(0, bits))) return false;
        shares.append(counts_, masses_, bits);
        return true;
    }

    void add_edge(DiagramSums& sums, std::uint32_t row, BigCount count, double mass) {
        if (!families_) return;
        overflow_ |= add_to(sums.row_counts[row], count);
        sums.row_masses[row] += mass;
    }

    const NetworkDiagram& diagram_;
    double slack_;
    bool families_;
    LossStore store_;
    LossLists lists_;
    std::vector<double> losses_, weights_, masses_;  // of one state
    std::vector<BigCount> ways_, counts_;
    std::vector<double> far_weights_;  // of a layer
    std::size_t scratch_ = 0;          // bytes
    bool overflow_ = false;
};

}  // namespace

DiagramSums sum_diagram(const NetworkDiagram& diagram, double slack, double grain, std::size_t rows,
                        bool families, std::size_t memory, Ticker& ticker) {
    DiagramSums sums;
    if (diagram.states() == 0) return sums;
    if (diagram.bytes() >= large_diagram) give_back_free_pages();
    Summation summation(diagram, std::min(slack, diagram.slack), grain, families, memory, ticker);
    if (!summation.run(sums, rows)) sums.status = ticker.reason();
    summation.account(sums);
    return sums;
}

}  // namespace arcwise
