#include "ensemble/completion_bounds.hpp"

#include <algorithm>

#include "monitor.hpp"

namespace arcwise {

std::vector<double> best_over_subsets(const ComponentProblem<1>& problem, Ticker& ticker) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const std::size_t n = problem.nodes;
    std::vector<double> best(std::size_t{1} << n, none);
    best[0] = 0;
    for (std::uint64_t set = 1; set < best.size(); ++set) {
        if (ticker.poll({set, best.size()})) return {};
        double value = none;
        for (std::uint64_t rest = set; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(rest));
            const std::uint64_t left = set & ~(std::uint64_t{1} << v);
            // Rows fall in score: the first that fits is the best.
            for (auto row = problem.offsets[v]; row < problem.offsets[v + 1]; ++row) {
                const double sum = problem.rows[row].score + best[left];
                if (sum <= value) break;
                if ((problem.rows[row].parents.word(0) & ~left) == 0) {
                    value = sum;
                    break;
                }
            }
        }
        best[set] = value;
    }
    return best;
}

}  // namespace arcwise
