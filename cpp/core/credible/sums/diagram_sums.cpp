#include "credible/sums/diagram_sums.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "cache_line.hpp"
#include "credible/diagram/layer_links.hpp"
#include "credible/sums/layer_pass.hpp"
#include "credible/sums/loss_layer.hpp"
#include "credible/sums/loss_lists.hpp"
#include "credible/sums/loss_store.hpp"
#include "credible/sums/state_entries.hpp"

namespace arcwise {

namespace {

// Bytes of a diagram from which on it is worth milliseconds to give back what its construction left behind.
constexpr std::size_t large_diagram = std::size_t{1} << 26;

// Edges from which on sums take longer than to start a thread.
constexpr std::size_t edges_for_threads = std::size_t{1} << 13;

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
              std::size_t threads, Ticker& ticker)
        : diagram_(diagram),
          slack_(slack),
          families_(families),
          store_(diagram.nodes, memory, ticker),
          pass_(threads, store_, ticker),
          lists_(diagram, slack, grain, store_, pass_),
          workers_(pass_.workers()) {}

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
        StateEntries& own = workers_[0];
        for (std::size_t s = 0; s < lists_.width(last); ++s) {
            if (!reserve_entries(ends.end(s) - ends.begin(s), 0)) return false;
            own.weigh(ends, s, 0);
            for (std::size_t i = 0; i < own.size(); ++i) {
                overflow_ |= add_to(sums.count, own.ways[i]);
                sums.mass += own.weights[i];
            }
            own.counts.assign(own.size(), 1);
            own.masses.assign(own.size(), 1);
            if (families_ && !append(completions, own.counts, own.masses, 1)) return false;
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
            const LayerLinks links(diagram_, layer, true, store_);
            const auto find = [&](StateEntries& own, std::size_t s) {
                std::size_t steps = 0;
                for (const Link& link : links.of(s, own.links)) {
                    const double step = links.detour(link);
                    const auto limit = lists_.limit(Side::to, layer + 1, link.state);
                    const auto begin =
                        families_ ? pass_on(own, within, link, step, limit, completions, links.row(link))
                                  : crossing(own.losses, step, limit);
                    if (begin < own.size() && own.losses[begin] + step <= slack_)
                        jump(own, begin, onwards, reached, link, step, links.row(link));
                    steps += own.size() + 1;
                }
                return steps;
            };
            if (!run(mine, links, families_ ? &passed : nullptr, find, sums)) return false;
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

    // The pairs of an entry of the state from `begin` on and one at the other end of the edge that fit into
    // the slack together. There may be many more of the latter, so that we look ahead in growing steps.
    void jump(StateEntries& own, std::size_t begin, const LossLayer& onwards, const ShareLayer& reached,
              const Link& link, double step, std::uint32_t row) const {
        const double weight = std::exp(-step);
        const auto list = onwards.begin(link.state);
        const double* const losses = onwards.losses() + list;
        const std::size_t size = onwards.end(link.state) - list;
        BigCount count = 0, edge_count = 0;
        double mass = 0, edge_mass = 0;
        bool overflow = false;
        std::size_t fit = 0;
        for (std::size_t i = own.size(); i-- > begin;) {
            const double above = own.losses[i] + step;
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
                overflow |= add_to(own.counts[i], count);
                own.masses[i] += mass * weight;
            }
            overflow |= add_product_to(edge_count, own.ways[i], count);
            edge_mass += own.weights[i] * mass;
        }
        own.overflow |= overflow;
        own.edges.push_back({edge_count, edge_mass * weight, row, true});
    }

    // Passes the shares of the entries that those of the state went into with the link on to them, and adds
    // up the edge. Comparisons are those of merging, to the bit, so that every entry is found again in the
    // one that it went into. Returns where the losses begin that were not within the limit.
    std::size_t pass_on(StateEntries& own, const LossLayer& made, const Link& link, double step,
                        const LossLimit limit, const ShareLayer& shares, std::uint32_t row) const {
        auto j = made.begin(link.state);
        const auto end = made.end(link.state);
        if (j == end) return 0;  // nothing within the limit comes here
        const double weight = std::exp(-step);
        BigCount count = 0, others = shares.count(j);
        double mass = 0, other_mass = shares.mass(j) * weight;
        bool overflow = false;
        std::size_t i = 0;
        for (; i < own.size(); ++i) {
            const double loss = own.losses[i] + step;
            if (limit.passed_by(loss)) break;
            if (j + 1 < end && made.loss(j + 1) <= loss) {
                do ++j;
                while (j + 1 < end && made.loss(j + 1) <= loss);
                others = shares.count(j);
                other_mass = shares.mass(j) * weight;
            }
            overflow |= add_product_to(count, own.ways[i], others);
            overflow |= add_to(own.counts[i], others);
            mass += own.weights[i] * other_mass;
            own.masses[i] += other_mass;
        }
        own.overflow |= overflow;
        own.edges.push_back({count, mass, row, false});
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
            const auto weigh_far = [&](std::size_t, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    far_weights_[i] = static_cast<double>(to.ways<BigCount>(i)) * std::exp(-to.loss(i));
            };
            if (!pass_.split(to.size(), to.size(), weigh_far)) return false;
            const auto find = [&](StateEntries& own, std::size_t s) {
                std::size_t steps = 0;
                const auto within = lists_.limit(Side::to, layer + 1, s);
                for (const Link& link : links.of(s, own.links)) {
                    const double step = links.detour(link);
                    const auto limit = lists_.limit(Side::from, layer, link.state);
                    pass_on(own, made, link, step, limit, beginnings, links.row(link));
                    steps += own.size() + arrive(own, to, link, step, within) + 1;
                }
                return steps;
            };
            if (!run(mine, links, &passed, find, sums)) return false;
            store_.give(beginnings.bytes() + far_weights_.size() * sizeof(double));
            far_weights_ = std::vector<double>();
            beginnings = std::move(passed);
        }
        store_.release(Side::from, layer);
        return true;
    }

    // For each entry of the state, on ways on: the ways that pass the level with this edge and leave enough
    // of the slack. Returns how many entries it looked at.
    std::size_t arrive(StateEntries& own, const LossLayer& to, const Link& link, double step,
                       const LossLimit limit) const {
        const auto list = to.begin(link.state), end = to.end(link.state);
        const auto begin = list + crossing(std::span(to.losses() + list, end - list), step, limit);
        const double weight = std::exp(-step);
        BigCount count = 0;
        double mass = 0;
        bool overflow = false;
        auto j = begin;
        if (begin == end) return 0;
        for (std::size_t i = own.size(); i-- > 0;) {
            for (; j < end && to.loss(j) + step + own.losses[i] <= slack_; ++j) {
                overflow |= add_to(count, to.ways<BigCount>(j));
                mass += far_weights_[j];
            }
            overflow |= add_to(own.counts[i], count);
            own.masses[i] += mass * weight;
        }
        own.overflow |= overflow;
        return j - begin;
    }

    // For each entry the number and weight of the ways of its list up to it.
    bool accumulate(const LossLayer& layer, ShareLayer& reached) {
        struct alignas(cache_line_padding) Found {
            BigCount bits = 0;
            bool overflow = false;
        };
        std::vector<Found> found(pass_.workers());
        // The last counts are the largest: first how wide they are, then all of them.
        const auto measure = [&](std::size_t worker, std::size_t first, std::size_t last) {
            Found own = found[worker];
            for (std::size_t s = first; s < last; ++s) {
                BigCount count = 0;
                for (auto i = layer.begin(s); i < layer.end(s); ++i)
                    own.overflow |= add_to(count, layer.ways<BigCount>(i));
                own.bits |= count;
            }
            found[worker] = own;
        };
        const auto fill = [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) {
                BigCount count = 0;
                double mass = 0;
                for (auto i = layer.begin(s); i < layer.end(s); ++i) {
                    const auto ways = layer.ways<BigCount>(i);
                    count += ways;
                    mass += static_cast<double>(ways) * std::exp(-layer.loss(i));
                    reached.set(i, count, mass);
                }
            }
        };
        if (!pass_.split(layer.states(), layer.size(), measure)) return false;
        BigCount bits = 0;
        for (const Found& own : found) {
            bits |= own.bits;
            overflow_ |= own.overflow;
        }
        if (overflow_) bits = ~BigCount{0};
        if (!reserve(reached, layer.size(), bits)) return false;
        return pass_.split(layer.states(), layer.size(), fill);
    }

    // Weighs the entries of each state and calls find(entries, state), which returns how many steps it took;
    // adds what it found for edges to the sums, and the counts and masses of the entries to `shares`, if that
    // is given.
    template <class Find>
    class SharePass {
      public:
        struct Result {
            std::span<const BigCount> counts;
            std::span<const double> masses;
            std::span<const EdgeShare> edges;
            BigCount bits = 0;  // of the counts
            std::size_t entries = 0, edge_room = 0, steps = 0;
            bool overflow = false;

            bool keep_in(ResultPage& page) {
                return page.keep(counts) && page.keep(masses) && page.keep(edges);
            }
        };

        SharePass(Summation& owner, const LossLayer& layer, const LayerLinks& links, ShareLayer* shares,
                  Find& find, DiagramSums& sums)
            : owner_(owner), layer_(layer), links_(links), shares_(shares), find_(find), sums_(sums) {}

        void measure(std::size_t, std::size_t state, Result& result) const {
            result.entries = layer_.end(state) - layer_.begin(state);
            if (result.entries > 0) result.edge_room = links_.count(state) * (owner_.families_ ? 2 : 1);
        }
        static std::size_t scratch_bytes(const Result& result) {
            return result.entries * StateEntries::of_entry + result.edge_room * sizeof(EdgeShare);
        }
        std::size_t result_bytes(const Result& result) const {
            return result.entries * (shares_ == nullptr ? 0 : sizeof(BigCount) + sizeof(double)) +
                   result.edge_room * sizeof(EdgeShare);
        }
        void shrink(std::size_t worker, std::size_t bytes) const {
            if (worker == 0)
                bytes += owner_.entry_room_ * StateEntries::of_entry + owner_.edge_room_ * sizeof(EdgeShare);
            if (owner_.workers_[worker].bytes() > bytes) owner_.workers_[worker] = StateEntries();
        }
        void produce(std::size_t worker, std::size_t state, Result& result) const {
            if (result.entries == 0) return;
            StateEntries& own = owner_.workers_[worker];
            own.weigh(layer_, state, result.edge_room);
            result.steps = find_(own, state);
            result.edges = own.edges;
            result.overflow = own.overflow;
            if (shares_ == nullptr) return;
            for (const BigCount count : own.counts) result.bits |= count;
            result.counts = own.counts;
            result.masses = own.masses;
        }

        bool reserve(const Result& result) const {
            return owner_.reserve_entries(result.entries, result.edge_room);
        }
        bool consume(std::size_t, const Result& result) const {
            owner_.overflow_ |= result.overflow;
            for (const EdgeShare& edge : result.edges) owner_.add_edge(sums_, edge);
            if (owner_.pass_.worked(result.steps)) return false;
            return shares_ == nullptr || owner_.append(*shares_, result.counts, result.masses, result.bits);
        }

      private:
        Summation& owner_;
        const LossLayer& layer_;
        const LayerLinks& links_;
        ShareLayer* shares_;
        Find& find_;
        DiagramSums& sums_;
    };
    template <class Find>
    bool run(const LossLayer& layer, const LayerLinks& links, ShareLayer* shares, Find find,
             DiagramSums& sums) {
        SharePass<Find> job(*this, layer, links, shares, find, sums);
        return pass_.run(job, layer.states(), layer.size() + links.size());
    }

    // Whether there is memory to weigh a state with so many entries, and to hold so many edges of it.
    bool reserve_entries(std::size_t entries, std::size_t edges) {
        const auto more_entries = std::max(entries, entry_room_) - entry_room_;
        const auto more_edges = std::max(edges, edge_room_) - edge_room_;
        if (!store_.take(more_entries * StateEntries::of_entry + more_edges * sizeof(EdgeShare)))
            return false;
        entry_room_ += more_entries;
        edge_room_ += more_edges;
        return true;
    }

    bool reserve(ShareLayer& shares, std::size_t entries, BigCount bits = 0) {
        if (!store_.take(shares.growth(entries, bits))) return false;
        shares.reserve(entries, bits);
        return true;
    }
    // Those of the next state; `bits` are those of its counts.
    bool append(ShareLayer& shares, std::span<const BigCount> counts, std::span<const double> masses,
                BigCount bits) {
        if (!store_.take(shares.growth(0, bits))) return false;
        shares.append(counts, masses, bits);
        return true;
    }

    void add_edge(DiagramSums& sums, const EdgeShare& edge) {
        if (edge.crosses) {
            overflow_ |= add_to(sums.count, edge.count);
            sums.mass += edge.mass;
        }
        if (!families_) return;
        overflow_ |= add_to(sums.row_counts[edge.row], edge.count);
        sums.row_masses[edge.row] += edge.mass;
    }

    const NetworkDiagram& diagram_;
    double slack_;
    bool families_;
    LossStore store_;
    LayerPass pass_;
    LossLists lists_;
    std::vector<StateEntries> workers_;
    std::vector<double> far_weights_;             // of a layer
    std::size_t entry_room_ = 0, edge_room_ = 0;  // for which the store was asked
    bool overflow_ = false;
};

}  // namespace

DiagramSums sum_diagram(const NetworkDiagram& diagram, double slack, double grain, std::size_t rows,
                        bool families, std::size_t memory, std::size_t threads, Ticker& ticker) {
    DiagramSums sums;
    if (diagram.states() == 0) return sums;
    if (diagram.bytes() >= large_diagram) give_back_free_pages();
    Summation summation(diagram, std::min(slack, diagram.slack), grain, families, memory,
                        diagram.edges() < edges_for_threads ? 1 : threads, ticker);
    if (!summation.run(sums, rows)) sums.status = ticker.reason();
    summation.account(sums);
    return sums;
}

}  // namespace arcwise
