#include "ensemble/all_dags/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "ensemble/all_dags/parent_sums.hpp"

namespace arcwise {

namespace {

using Real = long double;

// A sum with a running correction (Neumaier 1974).
struct Compensated {
    Real sum = 0, lost = 0;
    void add(Real x) {
        const Real next = sum + x;
        lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    Real value() const { return sum + lost; }
};

}  // namespace

ExactSums sum_all_dags(const TableView& table, Ticker& ticker) {
    const std::size_t n = table.variables;
    assert(n <= 24);
    const std::size_t sets = std::size_t{1} << n;
    ExactSums result;
    const auto stopped = [&] {
        result.status = ticker.reason();
        return result;
    };
    const ParentSums parents(table);
    const auto& alpha = parents.within;
    // R(U), subsets before supersets. product[k]: over the nodes of S, doubled along the subsets of U.
    std::vector<Real> total(sets, 0);
    total[0] = 1;
    for (std::size_t set = 1; set < sets; ++set) {
        if (ticker.poll({set, 2 * sets})) return stopped();
        Compensated sum;
        for (std::size_t sinks = set; sinks != 0; sinks = (sinks - 1) & set) {
            const std::size_t rest = set ^ sinks;
            Real term = total[rest];
            for (std::size_t w = sinks; w != 0 && term != 0; w &= w - 1)
                term *= alpha[static_cast<std::size_t>(std::countr_zero(w))][rest];
            sum.add(std::popcount(sinks) % 2 == 1 ? term : -term);
        }
        total[set] = std::max<Real>(sum.value(), 0);
    }
    const Real whole = total[sets - 1];
    result.log_total = static_cast<double>(std::log(whole));
    for (const double s : parents.shift) result.log_total += s;
    // In reverse: d log R(V) / d R(U) and / d alpha_v(X).
    std::vector<Real> weight(sets, 0);
    std::vector<std::vector<Compensated>> slope(n, std::vector<Compensated>(sets));
    weight[sets - 1] = 1 / whole;
    std::vector<Compensated> gathered(sets);
    for (std::size_t set = sets - 1; set > 0; --set) {
        if (ticker.poll({2 * sets - set, 2 * sets})) return stopped();
        const Real here = set == sets - 1 ? weight[set] : gathered[set].value();
        if (here == 0) continue;
        for (std::size_t sinks = set; sinks != 0; sinks = (sinks - 1) & set) {
            const std::size_t rest = set ^ sinks;
            const Real sign = std::popcount(sinks) % 2 == 1 ? here : -here;
            // Products of all but one factor: from the left and from the right.
            std::size_t nodes[24], count = 0;
            for (std::size_t w = sinks; w != 0; w &= w - 1)
                nodes[count++] = static_cast<std::size_t>(std::countr_zero(w));
            Real right[25];
            right[count] = 1;
            for (std::size_t i = count; i-- > 0;) right[i] = right[i + 1] * alpha[nodes[i]][rest];
            gathered[rest].add(sign * right[0]);
            Real left = sign * total[rest];
            for (std::size_t i = 0; i < count && left != 0; ++i) {
                slope[nodes[i]][rest].add(left * right[i + 1]);
                left *= alpha[nodes[i]][rest];
            }
        }
    }
    // A family (v, P) is in alpha_v(X) of every X that holds P: sums over supersets.
    result.probabilities.assign(table.rows(), 0);
    for (std::size_t v = 0; v < n; ++v) {
        std::vector<Real> up(sets);
        for (std::size_t set = 0; set < sets; ++set) up[set] = slope[v][set].value();
        for (std::size_t b = 0; b < n; ++b)
            for (std::size_t set = 0; set < sets; ++set)
                if (((set >> b) & 1U) == 0) up[set] += up[set | (std::size_t{1} << b)];
        const auto first = static_cast<std::size_t>(table.node_offsets[v]);
        const auto last = static_cast<std::size_t>(table.node_offsets[v + 1]);
        Real sum = 0;
        for (std::size_t row = first; row < last; ++row) {
            const Real p = std::max<Real>(
                std::exp(static_cast<Real>(table.scores[row] - parents.shift[v])) * up[parents.masks[row]],
                0);
            result.probabilities[row] = static_cast<double>(p);
            sum += p;
        }
        result.defect = std::max(result.defect, static_cast<double>(std::abs(sum - 1)));
        for (std::size_t row = first; row < last; ++row)
            result.probabilities[row] /= static_cast<double>(sum);
    }
    return result;
}

}  // namespace arcwise
