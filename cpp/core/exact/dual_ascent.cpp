#include "exact/dual_ascent.hpp"

#include <algorithm>
#include <limits>

#include "parent_sets/components.hpp"

namespace arcwise {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Ascender {
  public:
    Ascender(const CandidateSets& sets, std::span<const double> reduced_costs, double least)
        : sets_(sets),
          n_(sets.variables()),
          least_(least),
          costs_(reduced_costs.begin(), reduced_costs.end()),
          free_(n_),
          stuck_(long_set(n_)) {
        for (std::size_t v = 0; v < n_; ++v)
            for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
                if (costs_[row] <= least) free_[v].push_back(row);
    }

    Ascent run(std::size_t limit, Ticker& ticker) {
        for (std::size_t v = 0; v < n_; ++v) stuck_.add(v);
        while (ascent_.steps.size() < limit && !ticker.poll_now({})) {
            const std::vector<LongSet> clusters = closed_clusters();
            if (clusters.empty()) break;
            bool raised = false;
            for (const LongSet& cluster : clusters)
                if (ascent_.steps.size() < limit) raised |= raise(cluster);
            if (!raised) break;
        }
        return std::move(ascent_);
    }

  private:
    // Places nodes one after the other, each with a free set among those placed; those that stay are
    // `stuck_`.
    void place() {
        std::vector<std::size_t> waiting;
        stuck_.for_each([&](std::size_t v) { waiting.push_back(v); });
        for (bool changed = true; changed;) {
            changed = false;
            std::size_t kept = 0;
            for (const std::size_t v : waiting) {
                const bool placed = std::any_of(free_[v].begin(), free_[v].end(), [&](std::size_t row) {
                    return !sets_.set(row).meets(stuck_);
                });
                if (placed) {
                    stuck_.remove(v);
                    changed = true;
                } else {
                    waiting[kept++] = v;
                }
            }
            waiting.resize(kept);
        }
    }

    // Clusters that every free set of their nodes has a member in: of the graph of the free sets among the
    // nodes that are stuck, the strong components that no arc enters.
    std::vector<LongSet> closed_clusters() {
        place();
        BitRows parents(n_, n_);
        stuck_.for_each([&](std::size_t v) {
            for (const std::size_t row : free_[v]) parents[v] |= sets_.set(row);
            parents[v] &= stuck_;
        });
        const std::vector<std::int32_t> component = strong_components(parents);
        std::vector<LongSet> clusters(n_, long_set(n_));
        stuck_.for_each([&](std::size_t v) { clusters[static_cast<std::size_t>(component[v])].add(v); });
        std::vector<LongSet> closed;
        for (const LongSet& cluster : clusters) {
            bool enters = cluster.empty();
            cluster.for_each([&](std::size_t v) { enters |= !SetView(parents[v]).within(cluster); });
            if (!enters) closed.push_back(cluster);
        }
        return closed;
    }

    // Gives the cluster the largest multiplier; false if it has no set to offer at all.
    bool raise(const LongSet& cluster) {
        leaving_.clear();
        double step = infinity;
        cluster.for_each([&](std::size_t v) {
            for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
                if (costs_[row] == infinity || sets_.set(row).meets(cluster)) continue;
                leaving_.push_back({v, row});
                step = std::min(step, costs_[row]);
            }
        });
        if (step == infinity) return false;
        for (const auto& [v, row] : leaving_) {
            costs_[row] -= step;
            if (costs_[row] <= least_) free_[v].push_back(row);
        }
        ascent_.members.insert(ascent_.members.end(), cluster.words().begin(), cluster.words().end());
        ascent_.steps.push_back(step);
        return true;
    }

    const CandidateSets& sets_;
    std::size_t n_;
    double least_;
    std::vector<double> costs_;
    std::vector<std::vector<std::size_t>> free_;  // per node: rows that cost nothing
    LongSet stuck_;
    std::vector<std::pair<std::size_t, std::size_t>> leaving_;
    Ascent ascent_;
};

}  // namespace

Ascent ascend(const CandidateSets& sets, std::span<const double> reduced_costs, std::size_t limit,
              double least, Ticker& ticker) {
    return Ascender(sets, reduced_costs, least).run(limit, ticker);
}

}  // namespace arcwise
