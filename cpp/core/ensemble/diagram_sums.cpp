#include "ensemble/diagram_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "ensemble/incoming_edges.hpp"
#include "ensemble/loss_layer.hpp"
#include "ensemble/loss_merger.hpp"

namespace arcwise {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
// Entries handled between two looks at the clock: some tenths of a millisecond.
constexpr std::size_t work_per_poll = std::size_t{1} << 15;
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
          grain_(grain),
          families_(families),
          memory_(memory),
          ticker_(ticker),
          layers_(diagram.nodes + 1) {}

    bool run(DiagramSums& sums, std::size_t rows) {
        const std::size_t states = diagram_.states(), last = diagram_.nodes;
        if (!take(diagram_.bytes() + states * sizeof(double))) return false;
        if (families_ && !take(rows * (sizeof(BigCount) + sizeof(double)))) return false;
        sums.row_counts.assign(families_ ? rows : 0, 0);
        sums.row_masses.assign(families_ ? rows : 0, 0);
        if (last == 0) {
            sums.count = 1;
            sums.mass = 1;
            return true;
        }
        least_.assign(states, std::numeric_limits<double>::infinity());
        least_[0] = 0;
        for (std::size_t s = 0; s < states; ++s) {
            for (auto e = diagram_.edge_begin[s]; e < diagram_.edge_begin[s + 1]; ++e)
                least_[diagram_.edge_target[e]] =
                    std::min(least_[diagram_.edge_target[e]], least_[s] + diagram_.edge_detour[e]);
            if (worked(diagram_.edge_begin[s + 1] - diagram_.edge_begin[s])) return false;
        }
        if (!begin_at(0) || !begin_at(last)) return false;
        top_ = 0;
        bottom_ = last;
        while (top_ + 1 < bottom_) {
            const bool down = layers_[top_].size() <= layers_[bottom_].size();
            pinned_ = {top_, bottom_};
            if (!(down ? extend(top_, top_ + 1) : extend(bottom_, bottom_ - 1))) return false;
            down ? ++top_ : --bottom_;
        }
        return meet(sums);
    }

    void account(DiagramSums& sums) const {
        sums.overflow = overflow_;
        sums.peak = peak_;
        sums.remade = remade_;
    }

  private:
    std::size_t first(std::size_t layer) const { return diagram_.layer_begin[layer]; }
    std::size_t width(std::size_t layer) const { return first(layer + 1) - first(layer); }

    // Every byte is asked for before it is taken. Where the limit would be passed, layers that can be made
    // again give way; if there are none, the work stops.
    bool take(std::size_t bytes) {
        while (held_ + bytes > memory_) {
            const std::size_t victim = most_dispensable();
            if (victim == none) {
                ticker_.stop(Status::memory_limit);
                return false;
            }
            release(victim);
        }
        held_ += bytes;
        peak_ = std::max(peak_, held_);
        return true;
    }
    void release(std::size_t layer) {
        held_ -= layers_[layer].bytes();
        layers_[layer] = LossLayer();
    }
    // True if the work must stop.
    bool worked(std::size_t entries) {
        work_ += entries + 1;
        done_ += entries;
        if (work_ < work_per_poll) return false;
        work_ = 0;
        return ticker_.poll_now({done_, 0});
    }

    // The lists of the first layer (losses on the ways to it) or of the last (on the ways from it).
    bool begin_at(std::size_t layer) {
        const LossItem<std::uint64_t> nothing_lost{0.0, 1};
        const auto bytes = LossLayer::bytes_of_states(width(layer));
        if (!take(bytes)) return false;
        LossLayer made(width(layer));
        for (std::size_t s = 0; s < width(layer); ++s) {
            if (!take(made.growth(1, 1))) return false;
            made.append(std::span(&nothing_lost, 1), 1);
        }
        layers_[layer] = std::move(made);
        return true;
    }

    // Layers up to top_ hold losses on the ways to their states, those from bottom_ on of the ways from them.
    // Either kind is made from the layer before it, beginning at the first or the last layer, which stay. The
    // others are checkpoints: all of them while there is room, and when there is not, the one between the
    // nearest neighbours goes (of several the largest), so that those that stay are spread evenly and what is
    // missing between two of them is made again when it is needed (Griewank & Walther 2000, "revolve", but
    // with checkpoints as large and as many as the memory decides).
    std::size_t most_dispensable() const {
        std::size_t found = none, least_gap = none;
        for (std::size_t layer = 1; layer < diagram_.nodes; ++layer) {
            if (!layers_[layer].stored() || std::find(pinned_.begin(), pinned_.end(), layer) != pinned_.end())
                continue;
            const bool above = layer <= top_;
            std::size_t before = layer - 1, after = layer + 1;
            while (!layers_[before].stored() && (above || before > bottom_)) --before;
            while (!layers_[after].stored() && (!above || after < top_)) ++after;
            const std::size_t gap = after - before;
            if (found == none || gap < least_gap ||
                (gap == least_gap && layers_[layer].bytes() > layers_[found].bytes())) {
                found = layer;
                least_gap = gap;
            }
        }
        return found;
    }

    // Makes a layer that gave way again, from the nearest one that did not; `other` must not give way.
    bool restore(std::size_t layer, std::size_t other) {
        std::size_t from = layer;
        while (!layers_[from].stored()) from += layer <= top_ ? none : 1;
        while (from != layer) {
            const std::size_t next = layer <= top_ ? from + 1 : from - 1;
            pinned_ = {from, other};
            ++remade_;
            if (!extend(from, next)) return false;
            from = next;
        }
        pinned_ = {layer, other};
        return true;
    }

    // The links of the states of `layer` with those of the next or the previous one.
    class Links {
      public:
        Links(Summation& sum, std::size_t layer, bool onwards)
            : sum_(sum),
              layer_(layer),
              onwards_(onwards),
              first_edge_(sum.diagram_.edge_begin[sum.first(onwards ? layer : layer - 1)]) {}
        Links(const Links&) = delete;
        ~Links() { sum_.held_ -= taken_; }
        bool prepare() {
            if (onwards_) return true;
            const auto edges = sum_.diagram_.edge_begin[sum_.first(layer_)] - first_edge_;
            const auto bytes = IncomingEdges::bytes_for(sum_.width(layer_), edges);
            if (!sum_.take(bytes)) return false;
            taken_ = bytes;
            incoming_.build(sum_.diagram_, layer_ - 1);
            return true;
        }
        std::span<const Link> of(std::size_t state) {
            if (!onwards_) return incoming_.of(state);
            own_.clear();
            const auto s = sum_.first(layer_) + state;
            const auto next = sum_.first(layer_ + 1);
            for (auto e = sum_.diagram_.edge_begin[s]; e < sum_.diagram_.edge_begin[s + 1]; ++e)
                own_.push_back({static_cast<std::uint32_t>(sum_.diagram_.edge_target[e] - next),
                                static_cast<std::uint32_t>(e - first_edge_)});
            return own_;
        }
        double detour(const Link& link) const { return sum_.diagram_.edge_detour[first_edge_ + link.edge]; }
        std::uint32_t row(const Link& link) const { return sum_.diagram_.edge_row[first_edge_ + link.edge]; }

      private:
        Summation& sum_;
        std::size_t layer_;
        bool onwards_;
        std::uint64_t first_edge_;
        std::size_t taken_ = 0;
        IncomingEdges incoming_;
        std::vector<Link> own_;
    };

    // Makes the lists of `outer` from those of its neighbour `inner`.
    bool extend(std::size_t inner, std::size_t outer) {
        const bool down = outer > inner;
        const auto states = width(outer);
        if (!take(LossLayer::bytes_of_states(states))) return false;
        LossLayer made(states);
        Links links(*this, outer, !down);
        if (!links.prepare()) return false;
        for (std::size_t s = 0; s < states; ++s) {
            const double lost = down ? 0.0 : least_[first(outer) + s];
            const bool ended = layers_[inner].narrow() ? append(made, narrow_, layers_[inner], links, s, lost)
                                                       : append(made, wide_, layers_[inner], links, s, lost);
            if (!ended) return false;
        }
        const auto before = made.bytes();
        made.trim();
        held_ -= before - made.bytes();
        layers_[outer] = std::move(made);
        if (!families_) release(inner);
        return true;
    }

    template <class Count>
    bool append(LossLayer& made, LossMerger<Count>& merger, const LossLayer& inner, Links& links,
                std::size_t state, double lost) {
        std::size_t entries = 0;
        const auto own = links.of(state);
        for (const Link& link : own) entries += inner.end(link.state) - inner.begin(link.state);
        if (!take(merger.growth(entries))) return false;
        merger.start(entries);
        for (const Link& link : own) {
            const double step = links.detour(link);
            const auto end = inner.end(link.state);
            for (auto i = inner.begin(link.state); i < end; ++i) {
                const double loss = inner.loss(i) + step;
                if (lost + loss > slack_) break;
                merger.add(loss, inner.ways<Count>(i));
            }
            merger.end_list();
        }
        if (worked(merger.size() * (1 + merger.lists()))) return false;
        std::span<const LossItem<Count>> merged;
        BigCount bits = 0;
        if (!merger.settle(grain_, merged, bits)) {
            if constexpr (sizeof(Count) <= 8) return append(made, wide_, inner, links, state, lost);
            overflow_ = true;
        }
        if (!take(made.growth(merged.size(), bits))) return false;
        made.append(merged, bits);
        return true;
    }

    // Counts the pairs on both sides of each edge between top_ and bottom_ that fit into the slack together,
    // and if asked, passes on to all layers what their entries contribute to.
    bool meet(DiagramSums& sums) {
        pinned_ = {top_, bottom_};
        ShareLayer shares;
        if (!reach(top_, bottom_, shares, &sums)) return false;
        if (!families_ || overflow_) return true;
        for (std::size_t layer = top_; layer-- > 0;)
            if (!share(layer, layer + 1, shares, sums)) return false;
        held_ -= shares.bytes();
        shares = ShareLayer();
        if (!restore(bottom_, none) || !restore(top_, bottom_) || !reach(bottom_, top_, shares, nullptr))
            return false;
        if (top_ > 0) release(top_);
        for (std::size_t layer = bottom_; layer++ < diagram_.nodes;)
            if (!share(layer, layer - 1, shares, sums)) return false;
        return true;
    }

    // For each entry of the layer `near`: how many ways of the layer `far` fit into what it leaves of the
    // slack. With `sums`, adds up the edges between them, too.
    bool reach(std::size_t near, std::size_t far, ShareLayer& shares, DiagramSums* sums) {
        const LossLayer& mine = layers_[near];
        const LossLayer& others = layers_[far];
        const bool down = far > near;
        Links links(*this, near, down);
        if (!links.prepare() || (families_ && !reserve(shares, mine.size()))) return false;
        for (std::size_t s = 0; s < width(near); ++s) {
            if (!weigh(mine, s)) return false;
            for (const Link& link : links.of(s)) {
                const double step = links.detour(link), weight = std::exp(-step);
                BigCount count = 0, edge_count = 0;
                double mass = 0, edge_mass = 0;
                bool overflow = false;
                auto j = others.begin(link.state);
                const auto end = others.end(link.state);
                for (std::size_t i = losses_.size(); i-- > 0;) {
                    for (; j < end; ++j) {
                        const double above = down ? losses_[i] : others.loss(j);
                        const double below = down ? others.loss(j) : losses_[i];
                        if (above + step + below > slack_) break;
                        const auto ways = others.ways<BigCount>(j);
                        overflow |= add_to(count, ways);
                        mass += static_cast<double>(ways) * std::exp(-others.loss(j));
                    }
                    if (families_) {
                        overflow |= add_to(counts_[i], count);
                        masses_[i] += mass * weight;
                    }
                    if (sums != nullptr) {
                        overflow |= add_product_to(edge_count, ways_[i], count);
                        edge_mass += weights_[i] * mass;
                    }
                }
                overflow_ |= overflow;
                if (sums != nullptr) add_edge(*sums, links.row(link), edge_count, edge_mass * weight, true);
                if (worked(losses_.size() + (j - others.begin(link.state)))) return false;
            }
            if (families_ && !append(shares)) return false;
        }
        return true;
    }

    // Passes what the entries of `outer` contribute to on to those of `inner`, from which they were made;
    // `shares` are outer's before and inner's after. Comparisons are those of `append`, to the bit, so that
    // every entry is found again in the one that it went into.
    bool share(std::size_t inner, std::size_t outer, ShareLayer& shares, DiagramSums& sums) {
        if (!restore(outer, none) || !restore(inner, outer)) return false;
        const LossLayer& mine = layers_[inner];
        const LossLayer& made = layers_[outer];
        const bool down = outer > inner;
        Links links(*this, inner, down);
        ShareLayer passed;
        if (!links.prepare() || !reserve(passed, mine.size())) return false;
        for (std::size_t s = 0; s < width(inner); ++s) {
            if (!weigh(mine, s)) return false;
            for (const Link& link : links.of(s)) {
                const double step = links.detour(link), weight = std::exp(-step);
                const double lost = down ? 0.0 : least_[first(outer) + link.state];
                BigCount count = 0;
                double mass = 0;
                bool overflow = false;
                auto j = made.begin(link.state);
                const auto end = made.end(link.state);
                if (j == end) continue;  // nothing within the slack comes here
                BigCount others = shares.count(j);
                double other_mass = shares.mass(j) * weight;
                std::size_t i = 0;
                for (; i < losses_.size(); ++i) {
                    const double loss = losses_[i] + step;
                    if (lost + loss > slack_) break;
                    if (j + 1 < end && made.loss(j + 1) <= loss) {
                        do ++j;
                        while (j + 1 < end && made.loss(j + 1) <= loss);
                        others = shares.count(j);
                        other_mass = shares.mass(j) * weight;
                    }
                    overflow |= add_product_to(count, ways_[i], others) | add_to(counts_[i], others);
                    mass += weights_[i] * other_mass;
                    masses_[i] += other_mass;
                }
                overflow_ |= overflow;
                add_edge(sums, links.row(link), count, mass, false);
                if (worked(i + (j - made.begin(link.state)))) return false;
            }
            if (!append(passed)) return false;
        }
        held_ -= shares.bytes();
        shares = std::move(passed);
        // Where the sides meet, the upper layer is needed once more.
        if (outer != top_ && outer != diagram_.nodes) release(outer);
        return true;
    }

    // A state's entries in losses_, ways_ and weights_; counts_ and masses_ begin at zero.
    bool weigh(const LossLayer& layer, std::size_t state) {
        const auto size = layer.end(state) - layer.begin(state);
        const auto bytes = size * (2 * sizeof(BigCount) + 3 * sizeof(double));
        if (bytes > scratch_) {
            if (!take(bytes - scratch_)) return false;
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
        if (!take(shares.growth(entries, 0))) return false;
        shares.reserve(entries);
        return true;
    }
    // counts_ and masses_ of the next state.
    bool append(ShareLayer& shares) {
        BigCount bits = 0;
        for (const BigCount count : counts_) bits |= count;
        if (!take(shares.growth(0, bits))) return false;
        shares.append(counts_, masses_, bits);
        return true;
    }

    void add_edge(DiagramSums& sums, std::uint32_t row, BigCount count, double mass, bool to_total) {
        if (to_total) {
            overflow_ |= add_to(sums.count, count);
            sums.mass += mass;
        }
        if (!families_) return;
        overflow_ |= add_to(sums.row_counts[row], count);
        sums.row_masses[row] += mass;
    }

    const NetworkDiagram& diagram_;
    double slack_, grain_;
    bool families_;
    std::size_t memory_;
    Ticker& ticker_;
    std::vector<double> least_;      // per state: what the best way to it loses
    std::vector<LossLayer> layers_;  // those that are stored
    std::size_t top_ = 0, bottom_ = 0;
    std::array<std::size_t, 2> pinned_{none, none};  // layers that must not give way
    LossMerger<std::uint64_t> narrow_;
    LossMerger<BigCount> wide_;
    std::vector<double> losses_, weights_, masses_;  // of one state
    std::vector<BigCount> ways_, counts_;
    std::size_t held_ = 0, peak_ = 0, scratch_ = 0;  // bytes
    std::size_t remade_ = 0;
    std::size_t work_ = 0;
    std::uint64_t done_ = 0;
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
