#include "exact/cluster_ascent.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace arcwise {

bool ClusterAscent::begin(const SearchDomain& domain, Mask free) {
    reduced_.resize(domain.sets.size());
    for (Mask left = free; left != 0; left &= left - 1) {
        const std::size_t v = lowest(left);
        zero_[v].clear();
        if (domain.begin[v] == domain.end[v]) return false;
        const Cost least = domain.costs[domain.begin[v]];
        bound_ += least;
        for (std::size_t i = domain.begin[v]; i < domain.end[v]; ++i) {
            reduced_[i] = domain.costs[i] - least;
            if (reduced_[i] == 0) zero_[v].push_back(i);
        }
        work_ += domain.end[v] - domain.begin[v];
    }
    return true;
}

// False if the cluster has nothing to give: a set of reduced cost 0 has no member of it.
bool ClusterAscent::raise_one(const SearchDomain& domain, Mask cluster) {
    for (Mask left = cluster; left != 0; left &= left - 1)
        for (const std::size_t i : zero_[lowest(left)])
            if ((domain.sets[i] & cluster) == 0) return false;
    Cost least = no_cost;
    for_each_bit(cluster, [&](std::size_t v) {
        for (std::size_t i = domain.begin[v]; i < domain.end[v]; ++i)
            least = std::min(least, (domain.sets[i] & cluster) == 0 ? reduced_[i] : no_cost);
        work_ += 2 * (domain.end[v] - domain.begin[v]);
    });
    bound_ += least;
    if (least == no_cost) return true;  // no acyclic choice
    for_each_bit(cluster, [&](std::size_t v) {
        for (std::size_t i = domain.begin[v]; i < domain.end[v]; ++i) {
            if ((domain.sets[i] & cluster) != 0) continue;
            reduced_[i] -= least;
            if (reduced_[i] == 0) zero_[v].push_back(i);
        }
    });
    return true;
}

// What is left of `rest` if variables are placed with sets of reduced cost 0 among those placed.
Mask ClusterAscent::unplaced(const SearchDomain& domain, Mask placed, Mask rest) {
    for (bool progress = true; progress && rest != 0;) {
        progress = false;
        for_each_bit(rest, [&](std::size_t v) {
            for (const std::size_t i : zero_[v]) {
                ++work_;
                if ((domain.sets[i] & ~placed) != 0) continue;
                placed |= bit(v);
                rest &= ~bit(v);
                progress = true;
                break;
            }
        });
    }
    return rest;
}

// A part of a cluster that may be raised, too, and no part of which may: each member is left out once.
Mask ClusterAscent::smallest(const SearchDomain& domain, Mask cluster, Mask others, Ticker& ticker) {
    const Mask all = cluster | others;
    for (Mask tried = 0; (cluster & ~tried) != 0;) {
        const std::uint64_t before = work_;
        const Mask without = bit(lowest(cluster & ~tried));
        tried |= without;
        const Mask rest = cluster & ~without;
        if (const Mask left = unplaced(domain, all & ~rest, rest); left != 0) cluster = left;
        if (ticker.poll_after(work_ - before)) break;
    }
    return cluster;
}

void ClusterAscent::remember(Mask cluster) {
    if (!known_.insert(cluster).second) return;
    const Cluster entry{cluster, std::popcount(cluster), 1};
    const auto later = [](const Cluster& a, const Cluster& b) { return a.size < b.size; };
    pool_.insert(std::upper_bound(pool_.begin(), pool_.end(), entry, later), entry);
}

bool ClusterAscent::raise(const SearchDomain& domain, Mask placed, Mask free, Cost start, Cost goal,
                          Ticker& ticker) {
    bound_ = start;
    if (!begin(domain, free) || bound_ >= goal) return false;
    work_ += pool_.size();
    std::uint64_t before = work_;
    const auto stops = [&] { return ticker.poll_after(work_ - std::exchange(before, work_)); };
    for (std::size_t c = 0; c < pool_.size() && !stops(); ++c) {
        if ((pool_[c].members & ~free) != 0 || !raise_one(domain, pool_[c].members)) continue;
        if (bound_ >= goal) return false;
        ++pool_[c].raised;
        if (c > 0 && pool_[c].size == pool_[c - 1].size && pool_[c].raised > pool_[c - 1].raised)
            std::swap(pool_[c], pool_[c - 1]);
    }
    while (!stops()) {
        const Mask rest = unplaced(domain, placed, free);
        if (rest == 0) break;
        const Mask cluster = smallest(domain, rest, (placed | free) & ~rest, ticker);
        remember(cluster);
        raise_one(domain, cluster);
        if (bound_ >= goal) return false;
    }
    return true;
}

}  // namespace arcwise
