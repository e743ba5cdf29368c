// One data set and one score, ready for many local searches: what a bootstrap keeps between replicates.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "local/child_groups.hpp"
#include "local/climb.hpp"
#include "local/family_scores.hpp"
#include "local/first_ascent.hpp"
#include "local/genetic.hpp"
#include "local/neighbour_scores.hpp"
#include "local/replicate_batch.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// The data as blocks of indicator bytes are shared and never change; a learner belongs to one thread. The
// tables of the score's terms stay valid as long as the weights sum to the same N, as they do in a bootstrap;
// other weights make new tables.
class LocalLearner {
  public:
    LocalLearner(const StateBlocks& data, ChildGroups groups, ArcRules rules, std::size_t memory)
        : data_(data),
          groups_(std::move(groups)),
          rules_(std::move(rules)),
          rules_of_(groups_.rules_of(rules_)),
          memory_(memory) {
        tables_.resize(groups_.scores.size());
    }

    // Calls search(scores) with the scores of the weighted data; empty weights: every row once.
    template <class Search>
    SearchOutcome with_scores(std::span<const std::int64_t> weights, Search search) {
        std::vector<std::unique_ptr<NeighbourSource>> made;
        std::vector<std::int64_t> own;
        const std::size_t each = memory_ / groups_.scores.size();
        for (std::size_t g = 0; g < groups_.scores.size(); ++g) {
            if (groups_.scores[g] == nullptr) {
                made.push_back(nullptr);
                continue;
            }
            const auto masked = groups_.masked_weights(weights, g, data_.rows(), own);
            made.push_back(std::make_unique<NeighbourScores>(data_, masked, *groups_.scores[g],
                                                             tables_for(g, masked), rules_of_[g], each));
        }
        FamilyScores scores(std::move(made), groups_.group_of, rules_);
        return search(scores);
    }

    // Calls search(k, scores) with the scores of replicate k for k = 0, 1, .. until it returns false. All
    // have the same number of cases, below 2^32, and are counted together; all rows tell of all children,
    // and the searches look at all variables (RefinementRange::narrow).
    template <class Search>
    void with_replicates(ReplicateCounts& counts, Ticker& ticker, Search search) {
        assert(&counts.data() == &data_);
        assert(groups_.scores.size() == 1 && groups_.counted.empty() && groups_.scores[0] != nullptr);
        ReplicateBatch batch(counts, ticker, [&](std::span<const std::int64_t> one) {
            return std::make_unique<NeighbourScores>(data_, one, *groups_.scores[0], tables_for(0, one),
                                                     rules_of_[0], memory_);
        });
        for (std::size_t k = 0; k < counts.replicates() && ticker.reason() == Status::complete; ++k) {
            FamilyScores scores(batch.scores(k));
            if (!search(k, scores)) return;
            batch.finish(k);
        }
    }

    const ArcRules& rules() const { return rules_; }

  private:
    CellTermTables* tables_for(std::size_t group, std::span<const std::int64_t> weights) {
        const SetScore* set_score = groups_.scores[group]->set_score();
        if (set_score == nullptr) return nullptr;
        std::int64_t cases = weights.empty() ? static_cast<std::int64_t>(data_.rows()) : 0;
        for (const auto weight : weights) cases += weight;
        auto& tables = tables_[group];
        if (!tables || tables->cases() != cases) tables.emplace(*set_score, cases);
        return &*tables;
    }

    const StateBlocks& data_;
    ChildGroups groups_;
    ArcRules rules_;
    std::vector<ArcRules> rules_of_;  // of each group: no arc into other groups' children
    std::size_t memory_;
    std::vector<std::optional<CellTermTables>> tables_;
};

}  // namespace arcwise
