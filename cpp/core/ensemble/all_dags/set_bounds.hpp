// The best DAG over every set of nodes, and the best completion of it, in levels (parent_weights.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ensemble/all_dags/parent_weights.hpp"

namespace arcwise {

struct SetBounds {
    std::vector<std::int32_t> best, completion;  // per set; ParentWeights::impossible if there is none
    std::int32_t optimum = 0;

    // False if stopped.
    bool find(const ParentWeights& weights, Ticker& ticker) {
        const std::size_t n = weights.nodes, sets = std::size_t{1} << n, all = sets - 1;
        constexpr auto impossible = ParentWeights::impossible;
        best.assign(sets, impossible);
        completion.assign(sets, impossible);
        best[0] = completion[all] = 0;
        const auto add = [](std::int32_t a, std::int32_t b) {
            return a == impossible || b == impossible ? impossible : a + b;
        };
        for (std::size_t set = 1; set < sets; ++set) {
            if (ticker.poll({sets + set / 2, 4 * sets})) return false;
            for (std::size_t left = set; left != 0; left &= left - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                const std::size_t rest = set ^ (std::size_t{1} << v);
                best[set] = std::max(best[set], add(best[rest], weights.level[v][weights.place(set, v)]));
            }
        }
        for (std::size_t set = all; set-- > 0;) {
            if (ticker.poll({2 * sets - set / 2, 4 * sets})) return false;
            for (std::size_t left = all ^ set; left != 0; left &= left - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                completion[set] = std::max(completion[set], add(completion[set | (std::size_t{1} << v)],
                                                                weights.level[v][weights.place(set, v)]));
            }
        }
        optimum = completion[0];
        return true;
    }
};

}  // namespace arcwise
