// A score that holds its data, ready for many local searches: the counterpart of LocalLearner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "local/child_groups.hpp"
#include "local/climb.hpp"
#include "local/data_neighbours.hpp"
#include "local/family_scores.hpp"

namespace arcwise {

class DataLearner {
  public:
    // All scores hold their data, of this many rows.
    DataLearner(std::size_t rows, ChildGroups groups, ArcRules rules, std::size_t memory)
        : rows_(rows),
          groups_(std::move(groups)),
          rules_(std::move(rules)),
          rules_of_(groups_.rules_of(rules_)),
          memory_(memory) {}

    // Calls search(scores) with the scores of the weighted rows; empty weights: as the scores have them.
    template <class Search>
    SearchOutcome with_scores(std::span<const std::int64_t> weights, Search search) {
        std::vector<std::unique_ptr<DataScore>> weighted;
        std::vector<std::unique_ptr<NeighbourSource>> made;
        std::vector<std::int64_t> own;
        const std::size_t each = memory_ / groups_.scores.size();
        for (std::size_t g = 0; g < groups_.scores.size(); ++g) {
            const LocalScore* score = groups_.scores[g];
            if (score == nullptr) {
                made.push_back(nullptr);
                continue;
            }
            const DataScore* held = score->data_score();
            if (!weights.empty()) {
                weighted.push_back(held->weighted(groups_.masked_weights(weights, g, rows_, own)));
                held = weighted.back().get();
            }
            made.push_back(std::make_unique<DataNeighbours>(*held, score->prior(), rules_of_[g], each));
        }
        FamilyScores scores(std::move(made), groups_.group_of, rules_);
        return search(scores);
    }

    const ArcRules& rules() const { return rules_; }

  private:
    std::size_t rows_;
    ChildGroups groups_;
    ArcRules rules_;
    std::vector<ArcRules> rules_of_;  // of each group
    std::size_t memory_;
};

}  // namespace arcwise
