// Work on blocks of rows, by several threads; which thread takes which block never shows in the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "monitor.hpp"
#include "parallel_for.hpp"

namespace arcwise {

inline constexpr std::size_t row_block = 2048;

// Calls make_worker() once per thread and the worker for every block: worker(block, first row, end row). The
// calling thread works too, and is the only one to ask the monitor.
template <class MakeWorker>
Status for_row_blocks(std::size_t rows, std::size_t threads, Monitor& monitor, MakeWorker make_worker) {
    const std::size_t blocks = (rows + row_block - 1) / row_block;
    Ticker ticker(monitor, std::numeric_limits<double>::infinity());
    // Once before the work, however short: the other threads may leave nothing to this one.
    if (ticker.poll_now({0, rows})) return ticker.reason();
    std::vector<std::optional<decltype(make_worker())>> workers(
        std::clamp<std::size_t>(threads, 1, blocks + 1));
    parallel_for(
        workers.size(), blocks,
        [&](std::size_t number, std::size_t block) {
            auto& worker = workers[number];
            if (!worker) worker.emplace(make_worker());
            const auto first = block * row_block;
            (*worker)(block, first, std::min(rows, first + row_block));
        },
        [&](std::size_t started) { return ticker.poll_now({std::min(rows, started * row_block), rows}); });
    return ticker.reason();
}

}  // namespace arcwise
