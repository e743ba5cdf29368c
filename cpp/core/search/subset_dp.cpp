#include "search/subset_dp.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>
#include <mutex>
#include <thread>

namespace arcwise {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t block_bits = 9;
constexpr std::size_t layer_bits = 6;

}  // namespace

// One thread's buffers and the walk over one part of the subsets.
class SubsetDp::Worker {
  public:
    explicit Worker(SubsetDp& dp) : dp_(dp), block_size_(std::size_t{1} << dp.low_) {
        local_.resize(dp.n_ * block_size_);
        lists_.resize(dp.high_ + 2);
        for (auto& level : lists_) level.resize(dp.n_);
        accumulated_.resize(block_size_);
    }

    // All subsets whose top bits are `part`.
    void run_part(std::size_t part) {
        const std::size_t middle = dp_.high_ - dp_.top_;
        const auto excluded = static_cast<std::uint32_t>(~part << (dp_.low_ + middle)) &
                              static_cast<std::uint32_t>((std::uint64_t{1} << dp_.n_) - 1);
        auto& lists = lists_[middle];
        for (std::size_t v = 0; v < dp_.n_; ++v) {
            lists[v].clear();
            for (std::size_t row = dp_.sets_.begin(v); row < dp_.sets_.end(v); ++row) {
                const auto set = static_cast<std::uint32_t>(*dp_.sets_.set(row));
                if ((set & excluded) == 0) lists[v].push_back({set, dp_.sets_.score(row)});
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
        double* best = dp_.best_.data() + (block << dp_.low_);
        std::fill(accumulated_.begin(), accumulated_.end(), impossible);
        if (block == 0) accumulated_[0] = 0;
        for (std::size_t v = dp_.low_; v < dp_.n_; ++v) {
            const std::size_t bit = std::size_t{1} << (v - dp_.low_);
            if ((block & bit) == 0) continue;
            fill_local(local_.data(), lists[v]);
            const double* before = dp_.best_.data() + ((block ^ bit) << dp_.low_);
            for (std::size_t i = 0; i < block_size_; ++i)
                accumulated_[i] = std::max(accumulated_[i], before[i] + local_[i]);
        }
        for (std::size_t v = 0; v < dp_.low_; ++v) fill_local(local_.data() + v * block_size_, lists[v]);
        for (std::size_t i = 0; i < block_size_; ++i) {
            double value = accumulated_[i];
            for (std::size_t rest = i; rest != 0; rest &= rest - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(rest));
                value = std::max(value, best[i ^ (std::size_t{1} << v)] + local_[v * block_size_ + i]);
            }
            best[i] = value;
        }
    }

    SubsetDp& dp_;
    std::size_t block_size_;
    std::vector<double> local_;        // per node and low part
    std::vector<double> accumulated_;  // per low part
    std::vector<std::vector<std::vector<Candidate>>> lists_;
};

SubsetDp::SubsetDp(const CandidateSets& sets)
    : sets_(sets),
      n_(sets.variables()),
      low_(std::min(n_, block_bits)),
      high_(n_ - low_),
      top_(std::min(high_, layer_bits)) {
    assert(n_ <= largest);
}

bool SubsetDp::run(std::size_t threads, Ticker& ticker) {
    best_.assign(std::size_t{1} << n_, impossible);
    const std::size_t parts = std::size_t{1} << top_;
    std::vector<Worker> workers;
    workers.reserve(std::max<std::size_t>(threads, 1));
    for (std::size_t t = 0; t < std::max<std::size_t>(threads, 1); ++t) workers.emplace_back(*this);
    std::uint64_t done = 0;
    for (std::size_t layer = 0; layer <= top_; ++layer) {
        std::vector<std::size_t> members;
        for (std::size_t part = 0; part < parts; ++part)
            if (static_cast<std::size_t>(std::popcount(part)) == layer) members.push_back(part);
        std::atomic<std::size_t> next{0};
        std::atomic<bool> stopped{false};
        std::mutex reporting;
        const auto work = [&](Worker& worker) {
            for (std::size_t i = next++; i < members.size() && !stopped; i = next++) {
                worker.run_part(members[i]);
                const std::lock_guard<std::mutex> lock(reporting);
                if (ticker.poll_now({++done, parts})) stopped = true;
            }
        };
        std::vector<std::thread> others;
        for (std::size_t t = 1; t < workers.size(); ++t) others.emplace_back(work, std::ref(workers[t]));
        work(workers[0]);
        for (auto& other : others) other.join();
        if (stopped) return false;
    }
    return true;
}

std::vector<std::int64_t> SubsetDp::rows() const {
    std::vector<std::int64_t> rows(n_, -1);
    auto left = static_cast<std::uint32_t>((std::uint64_t{1} << n_) - 1);
    while (left != 0) {
        bool found = false;
        for (std::uint32_t rest = left; rest != 0 && !found; rest &= rest - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(rest));
            const std::uint32_t before = left & ~(std::uint32_t{1} << v);
            for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
                if ((static_cast<std::uint32_t>(*sets_.set(row)) & ~before) != 0) continue;
                if (best_[before] + sets_.score(row) == best_[left]) {
                    rows[v] = static_cast<std::int64_t>(row);
                    left = before;
                    found = true;
                }
                break;
            }
        }
        assert(found);
        if (!found) break;
    }
    return rows;
}

}  // namespace arcwise
