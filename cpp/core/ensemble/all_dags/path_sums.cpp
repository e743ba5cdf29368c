#include "ensemble/all_dags/path_sums.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "ensemble/all_dags/parent_sums.hpp"

namespace arcwise {

namespace {

using Real = long double;

// T(Z, B) for all Z within `nodes`, B being everything else that may be a parent. A set Z passes its weight
// on to the sets Z + S in which all of S are sinks, with inclusion-exclusion over S; products over S grow by
// one factor at a time.
class ConditionalSums {
  public:
    explicit ConditionalSums(const ParentSums& parents)
        : parents_(parents),
          weight_(parents.within.empty() ? 1 : parents.within[0].size()),
          product_(weight_.size()) {}

    const std::vector<Real>& of(std::size_t nodes, std::size_t others) {
        for (std::size_t z = nodes;; z = (z - 1) & nodes) {
            weight_[z] = 0;
            if (z == 0) break;
        }
        weight_[0] = 1;
        for (std::size_t z = 0;; z = (z - nodes) & nodes) {  // subsets, ascending
            const std::size_t free = nodes & ~z;
            weight_[z] = std::max<Real>(weight_[z], 0);
            const Real here = weight_[z];
            product_[0] = -here;
            for (std::size_t s = free & (~free + 1); s != 0; s = (s - free) & free) {
                const auto low = s & (~s + 1);
                const auto v = static_cast<std::size_t>(std::countr_zero(low));
                product_[s] = -product_[s ^ low] * parents_.within[v][z | others];
                weight_[z | s] += product_[s];
            }
            if (z == nodes) break;
        }
        return weight_;
    }

  private:
    const ParentSums& parents_;
    std::vector<Real> weight_, product_;
};

}  // namespace

PathSums sum_paths_of_all_dags(const TableView& table, Ticker& ticker) {
    const std::size_t n = table.variables;
    assert(n <= 20);
    const std::size_t sets = std::size_t{1} << n, all = sets - 1;
    PathSums result;
    const ParentSums parents(table);
    ConditionalSums conditional(parents);
    const std::vector<Real> total = conditional.of(all, 0);  // R
    std::vector<Real> reached(n * sets, 0);                  // H_i(X) at [i * sets + X]
    std::vector<Real> sums(n * n, 0), whole(n, 0);
    // Sets in ascending order: every subset comes before its supersets.
    std::uint64_t done = 0;
    const auto work = static_cast<std::uint64_t>(std::pow(4.0, static_cast<double>(n)));
    for (std::size_t x = 1; x < sets; ++x) {
        if (ticker.poll_now({done, work})) {
            result.status = ticker.reason();
            return result;
        }
        done += static_cast<std::uint64_t>(std::pow(3.0, std::popcount(x)));
        const auto& inside = conditional.of(x, all ^ x);
        for (std::size_t rest = x; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(rest));
            const Real* smaller = &reached[i * sets];
            const std::size_t others = x ^ (std::size_t{1} << i);
            Real value = inside[x];
            for (std::size_t y = others; y != 0;) {  // Y = X - (a nonempty part y of the others)
                value -= smaller[x ^ y] * inside[y];
                y = (y - 1) & others;
            }
            value = std::max<Real>(value, 0);
            reached[i * sets + x] = value;
            const Real share = value * total[all ^ x] / total[all];
            whole[i] += share;
            for (std::size_t w = others; w != 0; w &= w - 1)
                sums[i * n + static_cast<std::size_t>(std::countr_zero(w))] += share;
        }
    }
    result.probabilities.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        result.defect = std::max(result.defect, static_cast<double>(std::abs(whole[i] - 1)));
        for (std::size_t j = 0; j < n; ++j)
            result.probabilities[i * n + j] = static_cast<double>(std::min<Real>(sums[i * n + j], 1));
    }
    return result;
}

}  // namespace arcwise
