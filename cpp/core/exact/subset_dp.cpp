#include "exact/subset_dp.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "parallel_for.hpp"

namespace arcwise {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t block_bits = 9;
constexpr std::size_t layer_bits = 6;
// Layered: parts of at least 2^14 subsets, and not more than 4,096 of them, since each goes through all sets
// once. Two layers are then 42 % of all parts; with one part per subset they would be 29 %.
constexpr std::size_t most_layer_bits = 12;
constexpr std::size_t part_bits = 14;

}  // namespace

// One thread's buffers and the walk over one part of the subsets.
class SubsetDp::Worker {
  public:
    explicit Worker(SubsetDp& dp) : dp_(dp), block_size_(std::size_t{1} << dp.low_) {
        local_.resize(dp.n_ * block_size_);
        lists_.resize(dp.high_ + 2);
        for (auto& level : lists_) level.resize(dp.n_);
        accumulated_.resize(block_size_);
        last_.resize(dp.layered_ ? block_size_ : 0);
    }

    // All subsets whose top bits are `part`.
    void run_part(std::size_t part) {
        const std::size_t middle = dp_.middle_;
        const auto excluded = static_cast<std::uint32_t>(~part << (dp_.low_ + middle)) &
                              static_cast<std::uint32_t>((std::uint64_t{1} << dp_.n_) - 1);
        const auto undecided = static_cast<std::uint32_t>((std::uint64_t{1} << (dp_.low_ + middle)) - 1);
        auto& lists = lists_[middle];
        for (std::size_t v = 0; v < dp_.n_; ++v) {
            lists[v].clear();
            for (std::size_t row = dp_.sets_.begin(v); row < dp_.sets_.end(v); ++row) {
                const auto set = static_cast<std::uint32_t>(dp_.sets_.set(row).words().front());
                if ((set & excluded) != 0) continue;
                lists[v].push_back({set, dp_.sets_.score(row)});
                if ((set & undecided) == 0) break;  // always possible in this part: the rest is worse
            }
        }
        descend(middle, part << middle, middle);
    }

  private:
    // Decides the nodes low_ + bit - 1, .., low_; `source` is the level whose lists hold here.
    void descend(std::size_t bit, std::size_t block, std::size_t source) {
        if (bit == 0) {
            run_block(block, lists_[source]);
            return;
        }
        const std::uint32_t node = std::uint32_t{1} << (dp_.low_ + bit - 1);
        const std::uint32_t undecided = node - 1;
        auto& filtered = lists_[bit - 1];
        for (std::size_t v = 0; v < dp_.n_; ++v) {
            filtered[v].clear();
            for (const Candidate& candidate : lists_[source][v]) {
                if ((candidate.set & node) != 0) continue;
                filtered[v].push_back(candidate);
                if ((candidate.set & undecided) == 0)
                    break;  // always possible from here on: the rest is worse
            }
        }
        descend(bit - 1, block, bit - 1);
        descend(bit - 1, block | (std::size_t{1} << (bit - 1)), source);
    }

    // The best possible score of v for every low part of the block.
    void fill_local(double* local, const std::vector<Candidate>& list) {
        const auto mask = static_cast<std::uint32_t>(block_size_ - 1);
        if (!list.empty() && (list.front().set & mask) == 0) {
            std::fill(local, local + block_size_, list.front().score);
            return;
        }
        std::fill(local, local + block_size_, impossible);
        std::uint32_t used = 0;
        for (const Candidate& candidate : list) {
            const std::uint32_t part = candidate.set & mask;
            if (local[part] == impossible) local[part] = candidate.score;
            used |= part;
            if (part == 0) break;
        }
        for (std::size_t bit = 0; bit < dp_.low_; ++bit) {
            if (((used >> bit) & 1U) == 0) {
                // No set holds this node: the upper half is a copy of the lower.
                const std::size_t step = std::size_t{1} << bit;
                for (std::size_t base = step; base < block_size_; base += 2 * step)
                    std::copy(local + base - step, local + base, local + base);
                continue;
            }
            const std::size_t step = std::size_t{1} << bit;
            for (std::size_t base = step; base < block_size_; base += 2 * step)
                for (std::size_t i = 0; i < step; ++i)
                    local[base + i] = std::max(local[base + i], local[base - step + i]);
        }
    }

    void run_block(std::size_t block, const std::vector<std::vector<Candidate>>& lists) {
        double* best = dp_.block_values(block);
        std::fill(accumulated_.begin(), accumulated_.end(), impossible);
        if (block == 0) accumulated_[0] = 0;
        std::fill(last_.begin(), last_.end(), 0.0);
        for (std::size_t v = dp_.low_; v < dp_.n_; ++v) {
            const std::size_t bit = std::size_t{1} << (v - dp_.low_);
            if ((block & bit) == 0) continue;
            fill_local(local_.data(), lists[v]);
            const double* before = dp_.block_values(block ^ bit);
            if (dp_.layered_) {
                const auto node = static_cast<double>(v);
                double* total = accumulated_.data();
                double* last = last_.data();
                for (std::size_t i = 0; i < block_size_; ++i) {
                    const double value = before[i] + local_[i];
                    last[i] = value > total[i] ? node : last[i];
                    total[i] = std::max(total[i], value);
                }
                continue;
            }
            for (std::size_t i = 0; i < block_size_; ++i)
                accumulated_[i] = std::max(accumulated_[i], before[i] + local_[i]);
        }
        for (std::size_t v = 0; v < dp_.low_; ++v) fill_local(local_.data() + v * block_size_, lists[v]);
        for (std::size_t i = 0; i < block_size_; ++i) {
            double value = impossible;
            std::size_t last = 0;
            for (std::size_t rest = i; rest != 0; rest &= rest - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(rest));
                const double other = best[i ^ (std::size_t{1} << v)] + local_[v * block_size_ + i];
                last = other > value ? v : last;
                value = std::max(value, other);
            }
            best[i] = std::max(value, accumulated_[i]);
            if (dp_.layered_)
                dp_.last_[(block << dp_.low_) + i] = static_cast<std::uint8_t>(
                    value >= accumulated_[i] ? last : static_cast<std::size_t>(last_[i]));
        }
    }

    SubsetDp& dp_;
    std::size_t block_size_;
    std::vector<double> local_;        // per node and low part
    std::vector<double> accumulated_;  // per low part
    std::vector<double> last_;  // per low part: the node that accumulated_ comes from (doubles, for SIMD)
    std::vector<std::vector<std::vector<Candidate>>> lists_;
};

namespace {

std::size_t top_nodes(std::size_t variables, bool layered) {
    const std::size_t high = variables - std::min(variables, block_bits);
    if (!layered) return std::min(high, layer_bits);
    const std::size_t outside = variables - std::min(variables, part_bits);
    return std::min(outside, most_layer_bits);
}

}  // namespace

std::size_t SubsetDp::memory_for(std::size_t variables, bool layered) {
    const std::size_t spare = std::size_t{1} << 20;
    if (!layered) return (std::size_t{8} << variables) + spare;
    // The largest two neighbouring layers.
    const std::size_t top = top_nodes(variables, true);
    std::vector<std::size_t> choose{1};
    for (std::size_t i = 1; i <= top; ++i) {
        choose.push_back(1);
        for (std::size_t j = i - 1; j > 0; --j) choose[j] += choose[j - 1];
    }
    std::size_t parts = choose[0];
    for (std::size_t i = 0; i < top; ++i) parts = std::max(parts, choose[i] + choose[i + 1]);
    return parts * (std::size_t{8} << (variables - top)) + (std::size_t{1} << variables) + spare;
}

SubsetDp::SubsetDp(const CandidateSets& sets, bool layered)
    : sets_(sets),
      layered_(layered),
      n_(sets.variables()),
      low_(std::min(n_, block_bits)),
      high_(n_ - low_),
      top_(top_nodes(n_, layered)),
      middle_(high_ - top_),
      optimum_(impossible) {
    assert(n_ <= largest);
}

bool SubsetDp::run(std::size_t threads, Ticker& ticker) {
    const std::size_t parts = std::size_t{1} << top_;
    const std::size_t part_size = std::size_t{1} << (n_ - top_);
    parts_.assign(parts, nullptr);
    if (layered_) {
        last_.assign(std::size_t{1} << n_, 0);
    } else {
        best_.assign(std::size_t{1} << n_, impossible);
        for (std::size_t part = 0; part < parts; ++part) parts_[part] = best_.data() + part * part_size;
    }
    // Of the layer before and of this one.
    std::vector<std::vector<double>> previous, current;
    std::vector<Worker> workers;
    threads = std::clamp<std::size_t>(threads, 1, parts);
    workers.reserve(threads);
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back(*this);
    std::uint64_t finished = 0;
    for (std::size_t layer = 0; layer <= top_; ++layer) {
        std::vector<std::size_t> members;
        for (std::size_t part = 0; part < parts; ++part)
            if (static_cast<std::size_t>(std::popcount(part)) == layer) members.push_back(part);
        if (layered_) {
            // What held the layer before last is used again.
            std::swap(previous, current);
            current.resize(members.size());
            for (std::size_t i = 0; i < members.size(); ++i) {
                current[i].resize(part_size);
                parts_[members[i]] = current[i].data();
            }
        }
        const bool done = parallel_for(
            workers.size(), members.size(),
            [&](std::size_t worker, std::size_t i) { workers[worker].run_part(members[i]); },
            [&](std::size_t started) {
                return ticker.poll_now({finished + std::min(started, members.size()), parts});
            });
        if (!done) return false;
        finished += members.size();
    }
    optimum_ = parts_.back()[part_size - 1];
    return true;
}

std::vector<std::int64_t> SubsetDp::rows() const {
    std::vector<std::int64_t> rows(n_, -1);
    // There is one: `left` is a set of nodes that some acyclic choice covers, and `v` one of them.
    const auto best_row = [&](std::size_t v, std::uint32_t before) {
        std::size_t row = sets_.begin(v);
        while ((static_cast<std::uint32_t>(sets_.set(row).words().front()) & ~before) != 0) ++row;
        return row;
    };
    const auto is_last = [&](std::size_t v, std::uint32_t left, std::uint32_t before) {
        if (layered_) return last_[left] == v;
        if (best_[before] == impossible) return false;
        return best_[before] + sets_.score(best_row(v, before)) == best_[left];
    };
    auto left = static_cast<std::uint32_t>((std::uint64_t{1} << n_) - 1);
    while (left != 0) {
        std::uint32_t rest = left;
        while (rest != 0) {
            const auto v = static_cast<std::size_t>(std::countr_zero(rest));
            const std::uint32_t before = left & ~(std::uint32_t{1} << v);
            if (is_last(v, left, before)) {
                rows[v] = static_cast<std::int64_t>(best_row(v, before));
                left = before;
                break;
            }
            rest &= rest - 1;
        }
        assert(rest != 0);
        if (rest == 0) break;
    }
    return rows;
}

}  // namespace arcwise
