#include "posterior/all_dags/set_bounds.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "posterior/all_dags/block_order.hpp"

namespace arcwise {

bool SetBounds::find(const BlockRows& rows, WorkerTeam& team, Ticker& ticker) {
    const std::size_t sets = std::size_t{1} << rows.nodes();
    best = LargeArray<std::int32_t>(sets);
    completion = LargeArray<std::int32_t>(sets);
    if (!find_best(rows, team, ticker) || !find_completions(rows, team, ticker)) return false;
    optimum = completion[0];
    return true;
}

namespace {

// Calls body(block, weights) for all blocks, group after group and those of one at the same time, with the
// levels of the block; false if stopped. `before` sets of twice as many as there are were done already.
template <class Groups, class Body>
bool for_blocks(const Groups& groups, const BlockRows& rows, WorkerTeam& team, Ticker& ticker,
                std::size_t before, Body body) {
    const std::size_t sets = std::size_t{1} << rows.nodes();
    std::vector<BlockWeights> weights;
    for (std::size_t worker = 0; worker < team.size(); ++worker) weights.emplace_back(rows);
    std::size_t done = 0;
    for (const auto& group : groups) {
        const bool whole = team.run(
            group.size(),
            [&](std::size_t worker, std::size_t task) {
                weights[worker].find_levels(group[task]);
                body(group[task], weights[worker]);
            },
            [&](std::size_t begun) {
                return ticker.poll_now({(before + (done + begun) * rows.length()) / 2, 4 * sets});
            });
        if (!whole) return false;
        done += group.size();
    }
    return true;
}

}  // namespace

// best(X + v) >= best(X) + level_v(X), from small sets to large ones. Blocks that are worked on at the same
// time may give to the same one: whoever comes first, the largest stays.
bool SetBounds::find_best(const BlockRows& rows, WorkerTeam& team, Ticker& ticker) {
    constexpr std::size_t locks = 64;
    const std::size_t length = rows.length(), first = rows.first_nodes();
    std::fill_n(best.data(), best.size(), ParentWeights::impossible);
    best[0] = 0;
    std::vector<std::mutex> guards(locks);
    const auto give = [&](std::size_t block, const BlockWeights& weights) {
        std::int32_t* own = &best[block * length];
        for (std::size_t set = 0; set < length; ++set) {
            const std::int32_t here = own[set];
            if (here == ParentWeights::impossible) continue;
            for (std::size_t left = (length - 1) & ~set; left != 0; left &= left - 1) {
                auto& there = own[set | (left & (~left + 1))];
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                there = std::max(there, here + weights.levels(v)[set]);
            }
        }
        for (std::size_t v = first; v < rows.nodes(); ++v) {
            if (rows.in_block(v, block)) continue;
            const std::size_t above = block | (std::size_t{1} << (v - first));
            const std::int32_t* step = weights.levels(v);
            std::int32_t* there = &best[above * length];
            const std::lock_guard lock(guards[above % locks]);
            for (std::size_t set = 0; set < length; ++set)
                there[set] = std::max(there[set], add(own[set], step[set]));
        }
    };
    return for_blocks(rising_blocks(rows.blocks(), rows.blocks()), rows, team, ticker, 0, give);
}

// completion(X) >= completion(X + v) + level_v(X), from large sets to small ones.
bool SetBounds::find_completions(const BlockRows& rows, WorkerTeam& team, Ticker& ticker) {
    const std::size_t length = rows.length(), first = rows.first_nodes(), sets = completion.size();
    const auto take = [&](std::size_t block, const BlockWeights& weights) {
        std::int32_t* own = &completion[block * length];
        std::fill_n(own, length, ParentWeights::impossible);
        for (std::size_t v = first; v < rows.nodes(); ++v) {
            if (rows.in_block(v, block)) continue;
            const std::int32_t* step = weights.levels(v);
            const std::int32_t* there = &completion[(block | (std::size_t{1} << (v - first))) * length];
            for (std::size_t set = 0; set < length; ++set)
                own[set] = std::max(own[set], add(there[set], step[set]));
        }
        for (std::size_t set = length; set-- > 0;) {
            std::int32_t most = block * length + set == sets - 1 ? 0 : own[set];
            for (std::size_t left = (length - 1) & ~set; left != 0; left &= left - 1) {
                const auto v = static_cast<std::size_t>(std::countr_zero(left));
                most = std::max(most, add(own[set | (left & (~left + 1))], weights.levels(v)[set]));
            }
            own[set] = most;
        }
    };
    return for_blocks(falling_blocks(rows.blocks(), rows.blocks()), rows, team, ticker, sets, take);
}

}  // namespace arcwise
