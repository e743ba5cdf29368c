#include "posterior/all_dags/dag_sampler.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>

#include "parallel_for.hpp"
#include "posterior/all_dags/block_order.hpp"
#include "posterior/all_dags/sink_walk.hpp"
#include "xoshiro.hpp"

namespace arcwise {

namespace {
// Draws that a thread makes before it takes the next ones, and that memory is taken for at a time.
constexpr std::size_t together = 16, portion = 1 << 16;
}  // namespace

DagSampler::DagSampler(const TableView& table, double cut, std::size_t threads)
    : table_(table),
      cut_(cut),
      threads_(threads),
      n_(table.variables),
      all_((std::size_t{1} << table.variables) - 1) {
    assert(n_ >= 1 && n_ <= 30);
}

std::size_t DagSampler::bytes_for(const TableView& table, std::size_t threads) {
    const std::size_t n = table.variables, sets = std::size_t{1} << n;
    return WholeWeights::bytes_for(n) + sets * (16 + 40 * threads) + 44 * table.rows();
}

bool DagSampler::prepare(Ticker& ticker) {
    const std::size_t sets = all_ + 1;
    if (!rows_.prepare(table_)) return false;
    const BlockRows blocks(rows_, table_);
    WorkerTeam team(threads_);
    if (!bounds_.find(blocks, team, ticker) || bounds_.optimum == ParentWeights::impossible ||
        !weights_.find(rows_, table_, threads_, ticker))
        return false;
    floor_ = rows_.floor_of(bounds_.optimum, cut_);
    completions_ = LargeArray<double>(sets);
    completions_[all_] = 1;
    std::vector<SinkWalk> walks(threads_, SinkWalk(rows_, bounds_, floor_));
    std::vector<std::array<double, 32>> unused(threads_);
    std::size_t done = 0;
    for (const auto& group : falling_blocks(blocks.blocks(), blocks.blocks())) {
        const bool whole = team.run(
            group.size(),
            [&](std::size_t worker, std::size_t task) {
                auto& walk = walks[worker];
                const std::size_t first = group[task] * blocks.length();
                for (std::size_t set = first + blocks.length(); set-- > first;) {
                    if (set == all_ || !bounds_.within_cut(set, floor_)) continue;
                    walk.enter(weights_, set);
                    completions_[set] = walk.pull(set, bounds_.best[set], completions_.data(),
                                                  unused[worker].data(), blocks.length() - 1);
                }
            },
            [&](std::size_t) { return ticker.poll_now({2 * sets + 2 * done, 4 * sets}); });
        if (!whole) return false;
        done += group.size() * blocks.length();
    }
    row_numbers_.resize(n_);
    for (std::size_t v = 0; v < n_; ++v) {
        const auto first = static_cast<std::size_t>(table_.node_offsets[v]);
        const auto last = static_cast<std::size_t>(table_.node_offsets[v + 1]);
        for (std::size_t row = first; row < last; ++row)
            row_numbers_[v].push_back(std::uint64_t{rows_.masks[row]} << 32 | (row - first));
        std::ranges::sort(row_numbers_[v]);
    }
    return completions_[0] > 0;
}

// What one thread needs to draw DAGs.
class DagSampler::Drawing {
  public:
    explicit Drawing(const DagSampler& from) : from_(from), walk_(from.rows_, from.bounds_, from.floor_) {}

    // Draws one DAG. Rounding can lead where there is none, once in some 10^12 draws: then another is drawn.
    double draw(Xoshiro random, std::uint32_t* rows) {
        while (true) {
            std::size_t placed = 0, last = 0;
            double score = 0;
            while (placed != from_.all_) {
                const std::size_t layer = draw_layer(placed, last, random);
                if (layer == 0) break;
                std::size_t left = layer;
                for (; left != 0; left &= left - 1) {
                    const auto v = static_cast<std::size_t>(std::countr_zero(left));
                    const auto row = draw_row(v, placed, last, random);
                    if (row < 0) break;
                    rows[v] = static_cast<std::uint32_t>(row);
                    score +=
                        from_.table_.scores[static_cast<std::size_t>(from_.table_.node_offsets[v] + row)];
                }
                if (left != 0) break;
                placed |= layer;
                last = layer;
            }
            if (placed == from_.all_) return score;
        }
    }

  private:
    struct Candidate {
        std::size_t node;
        double within, before;  // alpha_v(U) and alpha_v(U - L), without the exponent of the former
        std::int32_t exponent;
        double likely;  // the probability that its parents are in U and not all in U - L, up to a factor
    };

    // alpha_v(X) without the exponent that is given.
    double weight(std::size_t v, std::size_t set, std::int32_t exponent) const {
        const std::int32_t level = from_.weights_.level(v, set);
        if (level == ParentWeights::impossible) return 0;
        const std::int32_t power = from_.rows_.exponent(level) - exponent;
        return power < -1022 ? 0 : from_.weights_.mantissa(v, set) * power_of_two(power);
    }

    // G(W) in units of that of U, times 2^exponent.
    double completion(std::int32_t scale, std::size_t above, std::int32_t exponent) const {
        const double sum = from_.completions_[above];
        if (sum == 0) return 0;  // beyond the cut
        const std::int32_t power = scale + exponent - walk_.scale(above);
        return power < -1022 ? 0 : sum * power_of_two(power);
    }

    // What the layer after (U, L) is drawn from.
    struct State {
        std::vector<Candidate> candidates;
        std::vector<double> sums;  // at 2^k + T: F_k(T), for T among the first k candidates
    };

    void prepare(State& state, std::size_t placed, std::size_t last) {
        find_candidates(state.candidates, placed, last);
        fold(state, placed);
    }

    void find_candidates(std::vector<Candidate>& candidates, std::size_t placed, std::size_t last) {
        candidates.clear();
        walk_.enter(from_.weights_, placed);
        const std::int32_t scale = walk_.scale(placed), best = from_.bounds_.best[placed];
        for (std::size_t left = walk_.candidates(); left != 0; left &= left - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t above = placed | (std::size_t{1} << v);
            if (best + walk_.step(v) + from_.bounds_.completion[above] < from_.floor_) continue;
            const std::int32_t exponent = walk_.exponent(v);
            const double before = placed == 0 ? 0 : weight(v, placed & ~last, exponent);
            const double within = walk_.factor(v);
            candidates.push_back(
                {v, within, before, exponent, (within - before) * completion(scale, above, exponent)});
        }
        std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::likely);
    }

    void fold(State& state, std::size_t placed) {
        const std::size_t m = state.candidates.size();
        const std::int32_t scale = walk_.scale(placed);
        state.sums.resize(std::max(state.sums.size(), std::size_t{2} << m));
        above_.resize(std::max(above_.size(), std::size_t{1} << m));
        exponents_.resize(above_.size());
        double* whole = &state.sums[std::size_t{1} << m];
        above_[0] = static_cast<std::uint32_t>(placed);
        exponents_[0] = 0;
        whole[0] = completion(scale, placed, 0);
        for (std::size_t k = 0; k < m; ++k) {
            const std::size_t bit = std::size_t{1} << k;
            const auto node = std::uint32_t{1} << state.candidates[k].node;
            for (std::size_t t = 0; t < bit; ++t) {
                above_[bit + t] = above_[t] | node;
                exponents_[bit + t] = exponents_[t] + state.candidates[k].exponent;
                whole[bit + t] = completion(scale, above_[bit + t], exponents_[bit + t]);
            }
        }
        for (std::size_t k = m; k-- > 0;) {
            const std::size_t size = std::size_t{1} << k;
            const double before = state.candidates[k].before;
            const double* from = &state.sums[2 * size];
            double* to = &state.sums[size];
            for (std::size_t t = 0; t < size; ++t) to[t] = from[t] - before * from[size + t];
        }
    }

    // The nodes of the next layer; 0 where rounding led.
    std::size_t draw_layer(std::size_t placed, std::size_t last, Xoshiro& random) {
        State& state = placed == 0 ? first_ : next_;
        if (placed != 0 || state.sums.empty()) prepare(state, placed, last);
        std::size_t layer = 0, inside = 0;
        double undecided = state.sums[1];
        outside_.assign(1, 0);
        signs_.assign(1, 1.0);
        for (std::size_t k = 0; k < state.candidates.size(); ++k) {
            const auto& candidate = state.candidates[k];
            const std::size_t bit = std::size_t{1} << k;
            const double* from = &state.sums[(bit << 1) + inside + bit];
            double sum = 0;
            for (std::size_t t = 0; t < outside_.size(); ++t) sum += signs_[t] * from[outside_[t]];
            const double joins = (candidate.within - candidate.before) * sum;
            if (random.uniform() * undecided < joins) {
                layer |= std::size_t{1} << candidate.node;
                inside |= bit;
                // The factor that all further sums have in common is left out.
                undecided = sum;
            } else {
                undecided -= joins;
                const std::size_t size = outside_.size();
                outside_.resize(2 * size);
                signs_.resize(2 * size);
                for (std::size_t t = 0; t < size; ++t) {
                    outside_[size + t] = outside_[t] | static_cast<std::uint32_t>(bit);
                    signs_[size + t] = -candidate.within * signs_[t];
                }
            }
        }
        return layer;
    }

    // A row of v within U that is not within U - L, counted within the node; -1 where rounding led.
    std::int64_t draw_row(std::size_t v, std::size_t placed, std::size_t last, Xoshiro& random) {
        const auto exponent = from_.rows_.exponent(from_.weights_.level(v, placed));
        std::size_t within = placed, members = 0;
        dropped_.assign(1, 0);
        double left = weight(v, placed, exponent) - (placed == 0 ? 0 : weight(v, placed & ~last, exponent));
        std::size_t undecided = placed & ~last;
        if (placed != 0) {  // the first member in L
            double target = random.uniform() * left, all = weight(v, within, exponent);
            for (std::size_t rest = last; rest != 0; rest &= rest - 1) {
                const std::size_t bit = rest & (~rest + 1);
                const double without = weight(v, within ^ bit, exponent);
                if (target < all - without || (rest & (rest - 1)) == 0) {
                    members = bit;
                    left = all - without;
                    dropped_.push_back(bit);
                    undecided |= rest & (rest - 1);
                    break;
                }
                target -= all - without;
                all = without;
                within ^= bit;
            }
        }
        for (; undecided != 0; undecided &= undecided - 1) {
            const std::size_t bit = undecided & (~undecided + 1);
            double without = 0;
            for (const auto drop : dropped_) {
                const double part = weight(v, within & ~(bit | drop), exponent);
                without += (std::popcount(drop) & 1) != 0 ? -part : part;
            }
            if (random.uniform() * left < without) {
                within ^= bit;
                left = without;
            } else {
                members |= bit;
                left -= without;
                const std::size_t size = dropped_.size();
                for (std::size_t t = 0; t < size; ++t) dropped_.push_back(dropped_[t] | bit);
            }
        }
        const auto& rows = from_.row_numbers_[v];
        const auto found = std::ranges::lower_bound(rows, std::uint64_t{members} << 32);
        if (found == rows.end() || (*found >> 32) != members) return -1;
        return static_cast<std::int64_t>(*found & 0xffffffffU);
    }

    const DagSampler& from_;
    SinkWalk walk_;
    State first_, next_;  // the first stays, for all draws
    std::vector<double> signs_;
    std::vector<std::uint32_t> above_, outside_;
    std::vector<std::int32_t> exponents_;
    std::vector<std::size_t> dropped_;
};

DrawnDags DagSampler::draw(std::size_t count, std::uint64_t seed, std::size_t threads, Ticker& ticker) const {
    DrawnDags drawn;
    std::vector<Drawing> drawings;
    for (std::size_t i = 0; i < threads; ++i) drawings.emplace_back(*this);
    for (std::size_t first = 0; first < count; first += portion) {
        const std::size_t last = std::min(count, first + portion);
        drawn.rows.resize(last * n_);
        drawn.scores.resize(last);
        const std::size_t tasks = (last - first + together - 1) / together;
        std::atomic<std::size_t> done{
            0};  // tasks are begun in their order, and those that were begun are ended
        const bool whole = parallel_for(
            threads, tasks,
            [&](std::size_t worker, std::size_t task) {
                const std::size_t begin = first + task * together, end = std::min(last, begin + together);
                for (std::size_t i = begin; i < end; ++i)
                    drawn.scores[i] =
                        drawings[worker].draw(Xoshiro(Xoshiro::mix(seed + i)), &drawn.rows[i * n_]);
                ++done;
            },
            [&](std::size_t begun) { return ticker.poll_now({first + begun * together, count}); });
        if (whole) continue;
        drawn.status = ticker.reason();
        drawn.scores.resize(std::min(last, first + done * together));
        drawn.rows.resize(drawn.scores.size() * n_);
        break;
    }
    return drawn;
}

}  // namespace arcwise
