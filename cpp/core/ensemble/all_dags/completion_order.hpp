// The order in which sums over completions of a set are found: every set after all larger ones that hold it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

#include "parallel_for.hpp"

namespace arcwise {

// Sets come in blocks that have the same of the last nodes. A block needs those that hold its last nodes and
// more, so blocks with equally many of them can be worked on at the same time; within a block sets fall, so
// that memory is read in order.
class CompletionOrder {
  public:
    explicit CompletionOrder(std::size_t nodes)
        : last_nodes_(std::min<std::size_t>(6, nodes / 2)), first_nodes_(nodes - last_nodes_) {}

    std::size_t blocks() const { return std::size_t{1} << last_nodes_; }

    // Calls body(worker, block, set) for all sets, and poll(sets that are done) now and then, from the first
    // worker; false if that told to stop.
    template <class Body, class Poll>
    bool for_all(std::size_t threads, Body body, Poll poll) const {
        const std::size_t length = std::size_t{1} << first_nodes_;
        std::atomic<bool> stop{false};
        for (std::size_t size = last_nodes_ + 1, done = 0; size-- > 0;) {
            std::vector<std::size_t> ready;
            for (std::size_t block = 0; block < blocks(); ++block)
                if (static_cast<std::size_t>(std::popcount(block)) == size) ready.push_back(block);
            parallel_for(
                threads, ready.size(),
                [&](std::size_t worker, std::size_t task) {
                    for (std::size_t i = length; i-- > 0 && !stop;) {
                        if (worker == 0 && poll((done + task) * length)) stop = true;
                        body(worker, ready[task], ready[task] << first_nodes_ | i);
                    }
                },
                [](std::size_t) { return false; });
            if (stop) return false;
            done += ready.size();
        }
        return true;
    }

  private:
    std::size_t last_nodes_, first_nodes_;
};

}  // namespace arcwise
