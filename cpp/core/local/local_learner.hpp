// One data set and one score, ready for many local searches: what a bootstrap keeps between replicates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "local/climb.hpp"
#include "local/first_ascent.hpp"
#include "local/genetic.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// The data as blocks of indicator bytes are shared and never change; a learner belongs to one thread. The
// tables of the score's terms stay valid as long as the weights sum to the same N, as they do in a bootstrap;
// other weights make new tables.
class LocalLearner {
  public:
    LocalLearner(const StateBlocks& data, const LocalScore& score, ArcRules rules, std::size_t memory)
        : data_(data), score_(score), rules_(std::move(rules)), memory_(memory) {}

    // Calls search(scores) with the neighbour scores of the weighted data; empty weights: every row once.
    template <class Search>
    SearchOutcome with_scores(std::span<const std::int64_t> weights, Search search) {
        CellTermTables* tables = nullptr;
        if (const SetScore* set_score = score_.set_score()) {
            std::int64_t cases = weights.empty() ? static_cast<std::int64_t>(data_.rows()) : 0;
            for (const auto weight : weights) cases += weight;
            if (!tables_ || tables_->cases() != cases) tables_.emplace(*set_score, cases);
            tables = &*tables_;
        }
        NeighbourScores scores(data_, weights, score_, tables, rules_, memory_);
        return search(scores);
    }

    const ArcRules& rules() const { return rules_; }

  private:
    const StateBlocks& data_;
    const LocalScore& score_;
    ArcRules rules_;
    std::size_t memory_;
    std::optional<CellTermTables> tables_;
};

}  // namespace arcwise
