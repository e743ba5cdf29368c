// Some replicates of the data that are searched one after the other and counted together.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "local/neighbour_scores.hpp"
#include "local/replicate_counts.hpp"
#include "local/shared_counter.hpp"
#include "monitor.hpp"

namespace arcwise {

// What the first search asks for is counted in all replicates and scored at once, so that the second finds
// most of what it needs; what only the second needs is counted for the rest, and so on. A search gets the
// same numbers as if it were alone, to the last bit: counts are integers, and the scores are made of them by
// the same code. Even how many families it has scored, by which refinement ends, counts those that it asked
// for.
class ReplicateBatch final : public SharedCounter {
  public:
    // make(weights) returns the scores of one replicate. What is counted stays in `counts`.
    template <class Make>
    ReplicateBatch(ReplicateCounts& counts, Ticker& ticker, Make make) : counts_(counts) {
        counts.for_weights(
            [&](std::span<const std::int64_t> weights) { replicates_.push_back(make(weights)); });
        share(counts.data().variables(), ticker);
    }

    NeighbourScores& scores(std::size_t replicate) { return *replicates_[replicate]; }
    // The search of this replicate has ended; they end in their order.
    void finish(std::size_t replicate) {
        replicates_[replicate].reset();
        first_ = replicate + 1;
    }

    bool count(std::size_t child, std::span<const std::int32_t> parents) override {
        if (!counts_.count(child, parents)) return false;
        for (std::size_t k = first_; k < replicates_.size(); ++k)
            replicates_[k]->receive(child, parents, counts_.of(k));
        return true;
    }

  private:
    // Nothing is searched if it is stopped meanwhile.
    void share(std::size_t variables, Ticker& ticker) {
        for (std::size_t child = 0; child < variables; ++child) {
            if (ticker.poll_now({child, variables, 0.0})) return;
            const bool is_counted = counts_.count(child, {});
            assert(is_counted);  // RareColumns::fits
            static_cast<void>(is_counted);
            for (std::size_t k = 0; k < replicates_.size(); ++k)
                replicates_[k]->receive_marginal(child, counts_.of(k));
        }
        for (auto& one : replicates_) one->share(*this);
    }

    ReplicateCounts& counts_;
    std::vector<std::unique_ptr<NeighbourScores>> replicates_;
    std::size_t first_ = 0;  // the first that has not ended
};

}  // namespace arcwise
