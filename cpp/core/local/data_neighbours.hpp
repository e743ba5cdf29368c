// The neighbours of a family under a score that holds its data (data_score.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "local/neighbour_source.hpp"
#include "scores/data_score.hpp"
#include "scores/family_prior.hpp"

namespace arcwise {

// Every score in a row is computed, none is a bound: a family costs less than to think about it.
class DataNeighbours final : public NeighbourSource {
  public:
    DataNeighbours(const DataScore& score, const FamilyPrior* prior, const ArcRules& rules,
                   std::size_t memory)
        : evaluator_(score.evaluator()),
          prior_(prior),
          rules_(rules),
          gains_(score.variables()),
          memory_(memory),
          rows_(memory),
          wide_rows_(memory) {}

    Row row(std::size_t child, std::span<const std::int32_t> parents) override;
    void settle(NeighbourRow&, std::size_t, std::span<const std::int32_t>, std::size_t) override {}
    void settle_all(NeighbourRow&, std::size_t, std::span<const std::int32_t>) override {}
    double local(std::size_t child, std::span<const std::int32_t> parents) override;

    const ParentGains& gains() const override { return gains_; }
    void narrow(std::vector<Parents> lists) override;
    void widen() override;

    const ArcRules& rules() const override { return rules_; }
    std::size_t variables() const override { return rules_.variables(); }
    std::uint64_t families_scored() const override { return scored_; }
    std::uint64_t families_meant() const override { return scored_ + spared_; }

  private:
    Row compute(std::size_t child, std::span<const std::int32_t> parents);

    std::unique_ptr<FamilyEvaluator> evaluator_;
    const FamilyPrior* prior_;
    const ArcRules& rules_;
    ParentGains gains_;
    std::size_t memory_;
    std::vector<Parents> lists_;  // the candidates of each child, while rows are narrow
    RowCache rows_;
    RowCache wide_rows_;  // rows of all variables, while rows are narrow
    std::uint64_t scored_ = 0;
    std::uint64_t spared_ = 0;
};

}  // namespace arcwise
