// Work on blocks of rows, by several threads; which thread takes which block never shows in the result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "monitor.hpp"

namespace arcwise {

inline constexpr std::size_t row_block = 2048;

// Calls make_worker() once per thread and the worker for every block: worker(block, first row, end row). The
// calling thread works too, and is the only one to ask the monitor.
template <class MakeWorker>
Status for_row_blocks(std::size_t rows, std::size_t threads, Monitor& monitor, MakeWorker make_worker) {
    const std::size_t blocks = (rows + row_block - 1) / row_block;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    const auto run = [&](Ticker* ticker) {
        auto worker = make_worker();
        for (auto block = next++; block < blocks && !stop; block = next++) {
            const auto first = block * row_block;
            worker(block, first, std::min(rows, first + row_block));
            if (ticker != nullptr && ticker->poll_now({first, rows})) stop = true;
        }
    };
    Ticker ticker(monitor, std::numeric_limits<double>::infinity());
    // Once before the work, however short: the other threads may leave nothing to this one.
    if (ticker.poll_now({0, rows})) return ticker.reason();
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, blocks); ++t) others.emplace_back(run, nullptr);
    run(&ticker);
    others.clear();
    return ticker.reason();
}

}  // namespace arcwise
