#include "exact/cut_bound.hpp"

#include <algorithm>
#include <limits>

namespace arcwise {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The cuts with a positive multiplier that one node is in: clusters with k = 1 apart, because for those one
// AND decides.
struct CutsOfNode {
    BitRows plain_members;
    std::vector<double> plain;
    std::vector<std::size_t> other;

    explicit CutsOfNode(std::size_t variables) : plain_members(variables) {}

    void collect(const CutPool& pool, std::size_t node) {
        plain_members.resize(0);
        plain.clear();
        other.clear();
        for (std::size_t c = 0; c < pool.size(); ++c) {
            if (pool.multiplier(c) == 0 || !pool.members(c).has(node)) continue;
            if (pool.code(c) != 1) {
                other.push_back(c);
                continue;
            }
            plain_members.append(pool.members(c));
            plain.push_back(pool.multiplier(c));
        }
    }

    double price(const CutPool& pool, std::size_t node, const CandidateSets& sets, std::size_t row) const {
        const SetView set = sets.set(row);
        double price = 0;
        if (pool.words() == 1) {
            for (std::size_t c = 0; c < plain.size(); ++c)
                price += (plain_members.words()[c] & set.words()[0]) != 0 ? plain[c] : 0;
        } else {
            for (std::size_t c = 0; c < plain.size(); ++c)
                if (plain_members[c].meets(set)) price += plain[c];
        }
        for (const std::size_t c : other) price += pool.multiplier(c) * pool.coefficient(c, node, sets, row);
        return price;
    }
};

}  // namespace

BoundResult cut_bound(const CandidateSets& sets, const CutPool& pool, std::span<const std::uint8_t> allowed) {
    BoundResult result{0, std::vector<double>(sets.rows(), infinity)};
    CutsOfNode cuts(pool.variables());
    for (std::size_t v = 0; v < sets.variables(); ++v) {
        cuts.collect(pool, v);
        double best = -infinity;
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
            if (!allowed.empty() && !allowed[row]) continue;
            const double value = sets.score(row) - cuts.price(pool, v, sets, row);
            result.reduced_costs[row] = value;
            best = std::max(best, value);
        }
        result.bound += best;
        if (best == -infinity) return {best, std::vector<double>(sets.rows(), infinity)};
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
            if (result.reduced_costs[row] != infinity)
                result.reduced_costs[row] = best - result.reduced_costs[row];
    }
    for (std::size_t c = 0; c < pool.size(); ++c) result.bound += pool.side(c) * pool.multiplier(c);
    return result;
}

}  // namespace arcwise
