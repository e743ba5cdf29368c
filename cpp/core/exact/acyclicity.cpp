#include "exact/acyclicity.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {

AcyclicityPropagator::AcyclicityPropagator(const CandidateSets& sets)
    : sets_(sets), n_(sets.variables()), ancestors_(n_, n_), scratch_(long_set(n_)), witness_(n_) {
    for (std::size_t v = 0; v < n_; ++v) witness_[v] = sets.begin(v);
}

std::size_t AcyclicityPropagator::place(std::span<const std::uint8_t> allowed, std::size_t waiting,
                                        SetSpan placed) {
    placed.fill(false);
    pending_.clear();
    for (std::size_t v = 0; v < n_; ++v)
        if (v != waiting) pending_.push_back(v);
    std::size_t count = 0;
    for (bool progress = true; progress && !pending_.empty();) {
        progress = false;
        std::size_t left = 0;
        for (const std::size_t v : pending_) {
            const std::size_t hint = witness_[v];
            bool fits = hint < sets_.end(v) && allowed[hint] && sets_.set(hint).within(placed);
            for (std::size_t row = sets_.begin(v); !fits && row < sets_.end(v); ++row) {
                if (!allowed[row] || !sets_.set(row).within(placed)) continue;
                witness_[v] = row;
                fits = true;
            }
            if (fits) {
                placed.add(v);
                ++count;
                progress = true;
            } else {
                pending_[left++] = v;
            }
        }
        pending_.resize(left);
    }
    return count;
}

bool AcyclicityPropagator::drop_closing_sets(std::span<std::uint8_t> allowed, bool& changed) {
    // Required parents: what all allowed sets share.
    for (std::size_t v = 0; v < n_; ++v) {
        SetSpan common = ancestors_[v];
        common.fill(true);
        bool any = false;
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row]) continue;
            any = true;
            common &= sets_.set(row);
            if (common.empty()) break;
        }
        if (!any) return false;
    }
    // Transitive closure (Warshall).
    for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t v = 0; v < n_; ++v)
            if (ancestors_[v].has(k)) ancestors_[v] |= ancestors_[k];
    for (std::size_t v = 0; v < n_; ++v) {
        if (ancestors_[v].has(v)) return false;
        scratch_.fill(false);
        bool descends = false;
        for (std::size_t u = 0; u < n_; ++u) {
            if (!ancestors_[u].has(v)) continue;
            scratch_.add(u);
            descends = true;
        }
        if (!descends) continue;
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row] || !sets_.set(row).meets(scratch_)) continue;
            allowed[row] = 0;
            changed = true;
        }
    }
    return true;
}

bool AcyclicityPropagator::drop_early_sets(std::span<std::uint8_t> allowed, bool& changed, Ticker& ticker) {
    if (place(allowed, n_, scratch_) < n_) return false;
    for (std::size_t v = 0; v < n_; ++v) {
        if (ticker.poll_now({v, n_})) return true;
        if (place(allowed, v, scratch_) + 1 == n_) continue;  // v can come last: every set fits
        // One set stays at least: that of v in an order of all nodes, since what comes before v there is
        // placed without v, too; and what is dropped here fits in no order.
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row] || sets_.set(row).within(scratch_)) continue;
            allowed[row] = 0;
            changed = true;
        }
    }
    return true;
}

bool AcyclicityPropagator::propagate(std::span<std::uint8_t> allowed, Ticker& ticker) {
    for (bool changed = true; changed;) {
        changed = false;
        if (ticker.poll_now({})) return true;
        if (!drop_closing_sets(allowed, changed)) return false;
        if (changed) continue;
        if (!drop_early_sets(allowed, changed, ticker)) return false;
    }
    return true;
}

std::vector<std::int32_t> feasible_order(const CandidateSets& sets) {
    const std::size_t n = sets.variables();
    std::vector<std::size_t> starts(n + 1, 0);  // per parent: the rows with it
    std::vector<std::uint32_t> waiting(sets.rows(), 0);
    for (std::size_t row = 0; row < sets.rows(); ++row)
        sets.set(row).for_each([&](std::size_t p) {
            ++starts[p + 1];
            ++waiting[row];
        });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint32_t> with(starts.back());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    std::vector<std::int32_t> order;
    std::vector<std::uint8_t> placed(n, 0);
    const auto place = [&](std::size_t v) {
        if (placed[v] == 0) order.push_back(static_cast<std::int32_t>(v));
        placed[v] = 1;
    };
    for (std::size_t v = 0; v < n; ++v)
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
            sets.set(row).for_each([&](std::size_t p) { with[next[p]++] = static_cast<std::uint32_t>(row); });
            if (waiting[row] == 0) place(v);
        }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto parent = static_cast<std::size_t>(order[i]);
        for (std::size_t at = starts[parent]; at < starts[parent + 1]; ++at)
            if (--waiting[with[at]] == 0) place(sets.node_of(with[at]));
    }
    return order;
}

}  // namespace arcwise
