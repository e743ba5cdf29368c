#include "ensemble/all_dags/set_bounds.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "ensemble/all_dags/block_order.hpp"
#include "parallel_for.hpp"

namespace arcwise {

bool SetBounds::find(const BlockRows& rows, std::size_t threads, Ticker& ticker) {
    const std::size_t sets = std::size_t{1} << rows.nodes();
    best = LargeArray<std::int32_t>(sets);
    completion = LargeArray<std::int32_t>(sets);
    if (!find_best(rows, threads, ticker) || !find_completions(rows, threads, ticker)) return false;
    optimum = completion[0];
    return true;
}

// best(X + v) >= best(X) + level_v(X), from small sets to large ones. Blocks that are worked on at the same
// time may give to the same one: whoever comes first, the largest stays.
bool SetBounds::find_best(const BlockRows& rows, std::size_t threads, Ticker& ticker) {
    constexpr std::size_t locks = 64;
    const std::size_t length = rows.length(), first = rows.first_nodes();
    std::fill_n(best.data(), best.size(), ParentWeights::impossible);
    best[0] = 0;
    std::vector<BlockWeights> weights(threads, BlockWeights(rows));
    std::vector<std::mutex> guards(locks);
    std::size_t done = 0;
    for (const auto& group : rising_blocks(rows.blocks())) {
        parallel_for(
            threads, group.size(),
            [&](std::size_t worker, std::size_t task) {
                const std::size_t block = group[task];
                auto& mine = weights[worker];
                mine.find_levels(block);
                std::int32_t* own = &best[block * length];
                for (std::size_t set = 0; set < length; ++set) {
                    const std::int32_t here = own[set];
                    if (here == ParentWeights::impossible) continue;
                    for (std::size_t left = (length - 1) & ~set; left != 0; left &= left - 1) {
                        auto& there = own[set | (left & (~left + 1))];
                        const auto v = static_cast<std::size_t>(std::countr_zero(left));
                        there = std::max(there, here + mine.levels(v)[set]);
                    }
                }
                for (std::size_t v = first; v < rows.nodes(); ++v) {
                    if (rows.in_block(v, block)) continue;
                    const std::size_t above = block | (std::size_t{1} << (v - first));
                    const std::int32_t* step = mine.levels(v);
                    std::int32_t* there = &best[above * length];
                    const std::lock_guard lock(guards[above % locks]);
                    for (std::size_t set = 0; set < length; ++set)
                        there[set] = std::max(there[set], add(own[set], step[set]));
                }
            },
            [](std::size_t) { return false; });
        done += group.size();
        if (ticker.poll_now({done * length / 2, 4 * best.size()})) return false;
    }
    return true;
}

bool SetBounds::find_completions(const BlockRows& rows, std::size_t threads, Ticker& ticker) {
    const std::size_t length = rows.length(), first = rows.first_nodes(), sets = completion.size();
    std::vector<BlockWeights> weights(threads, BlockWeights(rows));
    std::size_t done = 0;
    for (const auto& group : falling_blocks(rows.blocks())) {
        parallel_for(
            threads, group.size(),
            [&](std::size_t worker, std::size_t task) {
                const std::size_t block = group[task];
                auto& mine = weights[worker];
                mine.find_levels(block);
                std::int32_t* own = &completion[block * length];
                std::fill_n(own, length, ParentWeights::impossible);
                for (std::size_t v = first; v < rows.nodes(); ++v) {
                    if (rows.in_block(v, block)) continue;
                    const std::int32_t* step = mine.levels(v);
                    const std::int32_t* there =
                        &completion[(block | (std::size_t{1} << (v - first))) * length];
                    for (std::size_t set = 0; set < length; ++set)
                        own[set] = std::max(own[set], add(there[set], step[set]));
                }
                for (std::size_t set = length; set-- > 0;) {
                    std::int32_t most = block * length + set == sets - 1 ? 0 : own[set];
                    for (std::size_t left = (length - 1) & ~set; left != 0; left &= left - 1) {
                        const auto v = static_cast<std::size_t>(std::countr_zero(left));
                        most = std::max(most, add(own[set | (left & (~left + 1))], mine.levels(v)[set]));
                    }
                    own[set] = most;
                }
            },
            [](std::size_t) { return false; });
        done += group.size();
        if (ticker.poll_now({sets / 2 + done * length / 2, 4 * sets})) return false;
    }
    return true;
}

}  // namespace arcwise
