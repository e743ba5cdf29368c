#include "parent_sets/data_source.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "scores/data_score.hpp"
#include "scores/family_prior.hpp"

namespace arcwise {

namespace {

class Scorer final : public SetScorer {
  public:
    Scorer(const SetRanks& ranks, std::vector<const LocalScore*> scores)
        : ranks_(ranks), scores_(std::move(scores)) {
        for (const auto* score : scores_) evaluators_.push_back(score->data_score()->evaluator());
    }

    void sum_sets(const SetIndex&, std::size_t, std::size_t, std::span<const std::uint8_t>,
                  SetValues&) override {
        assert(false);  // no score is a sum over cells
    }

    void score_families(const SetIndex& index, std::size_t first, std::size_t last,
                        std::span<FamilyValues> values) override {
        const std::size_t size = index.set_size();
        Rank rank = index.rank(first);
        for (std::size_t slot = first;;) {
            ranks_.unrank(rank, size, members_);
            std::ranges::reverse(members_);  // ascending
            for (std::size_t place = 0; place < size; ++place) {
                parents_ = members_;
                parents_.erase(parents_.begin() + static_cast<std::ptrdiff_t>(place));
                const auto child = static_cast<std::size_t>(members_[place]);
                for (std::size_t f = 0; f < values.size(); ++f) {
                    const auto entry = slot * size + place;
                    if (values[f].needed[entry] == 0) continue;
                    double value = evaluators_[f]->local(child, parents_);
                    double bound = evaluators_[f]->superset_bound(child, parents_);
                    if (const FamilyPrior* prior = scores_[f]->prior()) {
                        value += prior->of(child, parents_);
                        bound += prior->most(child, parents_);
                    }
                    values[f].scores[entry] = value;
                    values[f].bounds[entry] = bound;
                }
            }
            if (++slot == last) return;
            rank = index.next(rank, slot - 1);
        }
    }

  private:
    const SetRanks& ranks_;
    std::vector<const LocalScore*> scores_;
    std::vector<std::unique_ptr<FamilyEvaluator>> evaluators_;
    std::vector<std::int32_t> members_;
    std::vector<std::int32_t> parents_;
};

// Positions are the variables. What the builder makes of numbers of states (cells, bounds by shape) is of no
// consequence: every variable has two.
class Source final : public CountSource {
  public:
    explicit Source(std::size_t variables) : labels_(variables), arities_(variables, 2) {
        std::iota(labels_.begin(), labels_.end(), 0);
    }
    std::span<const std::int32_t> labels() const override { return labels_; }
    std::span<const std::size_t> arities() const override { return arities_; }
    std::int64_t cases() const override { return 0; }
    std::size_t rows() const override { return 1; }
    double full_likelihood(std::size_t) const override { return 0.0; }
    bool sum_subsets(const SetScore&, std::span<const std::int32_t>, std::size_t, std::span<double>,
                     const std::function<bool(std::size_t, std::size_t)>&) const override {
        assert(false);  // no score is a sum over cells
        return false;
    }
    std::unique_ptr<SetScorer> scorer(const SetRanks& ranks,
                                      [[maybe_unused]] std::vector<const SetScore*> set_scores,
                                      std::vector<const LocalScore*> family_scores) const override {
        assert(set_scores.empty());
        return std::make_unique<Scorer>(ranks, std::move(family_scores));
    }

  private:
    std::vector<std::int32_t> labels_;
    std::vector<std::size_t> arities_;
};

}  // namespace

std::unique_ptr<CountSource> make_data_source(std::size_t variables) {
    return std::make_unique<Source>(variables);
}

}  // namespace arcwise
