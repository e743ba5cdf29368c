#include "parent_sets/set_batch.hpp"

#include <algorithm>

namespace arcwise {

SetBatch::SetBatch(const SetIndex& index, std::span<const std::uint8_t> known, SetValues& values)
    : index_(index), values_(&values) {
    every_ = std::none_of(known.begin(), known.end(), [](std::uint8_t one) { return one != 0; });
    for (std::size_t slot = 0; !every_ && slot < known.size(); ++slot)
        if (known[slot] == 0) slots_.push_back(slot);
}

SetBatch::SetBatch(const SetIndex& index, std::span<FamilyValues> families)
    : index_(index), families_(families) {}

std::vector<std::uint64_t> SetBatch::ranks(std::size_t first, std::size_t last) const {
    std::vector<std::uint64_t> words;
    if (first >= last) return words;
    words.reserve(rank_words * (last - first));
    Rank rank = index_.rank(slot(first));
    for (std::size_t place = first;;) {
        words.push_back(static_cast<std::uint64_t>(rank));
        words.push_back(static_cast<std::uint64_t>(rank >> 64));
        if (++place == last) return words;
        rank = slot(place) == slot(place - 1) + 1 ? index_.next(rank, slot(place - 1))
                                                  : index_.rank(slot(place));
    }
}

std::vector<std::uint8_t> SetBatch::needed(std::size_t first, std::size_t last) const {
    std::vector<std::uint8_t> found;
    const auto width = static_cast<std::ptrdiff_t>(set_size());
    for (const auto& own : families_)
        found.insert(found.end(), own.needed.begin() + static_cast<std::ptrdiff_t>(first) * width,
                     own.needed.begin() + static_cast<std::ptrdiff_t>(last) * width);
    return found;
}

bool SetBatch::store_sums(std::size_t first, std::span<const double> sums,
                          std::span<const std::uint32_t> occupied) {
    const std::size_t count = occupied.size();
    if (values_ == nullptr || first > size() || count > size() - first ||
        sums.size() != count * values_->sums.size())
        return false;
    for (std::size_t at = 0; at < count; ++at) {
        for (std::size_t s = 0; s < values_->sums.size(); ++s)
            values_->sums[s][slot(first + at)] = sums[s * count + at];
        values_->occupied[slot(first + at)] = occupied[at];
    }
    return true;
}

bool SetBatch::store_families(std::size_t first, std::span<const double> scores,
                              std::span<const double> bounds) {
    const std::size_t whole = families_.size() * set_size();
    if (whole == 0 || scores.size() % whole != 0 || bounds.size() != scores.size()) return false;
    const std::size_t count = scores.size() / families_.size();
    if (first > size() || count / set_size() > size() - first) return false;
    for (std::size_t f = 0; f < families_.size(); ++f) {
        const auto at = static_cast<std::ptrdiff_t>(f * count);
        const auto to = static_cast<std::ptrdiff_t>(first * set_size());
        std::copy_n(scores.begin() + at, count, families_[f].scores.begin() + to);
        std::copy_n(bounds.begin() + at, count, families_[f].bounds.begin() + to);
    }
    return true;
}

SetTask::SetTask(std::unique_ptr<CountSource> source, const std::vector<const LocalScore*>& scores)
    : source_(std::move(source)), ranks_(source_->labels().size()) {
    std::vector<const SetScore*> set_scores;
    std::vector<const LocalScore*> family_scores;
    for (const auto* score : scores)
        if (const SetScore* set_score = score->set_score())
            set_scores.push_back(set_score);
        else
            family_scores.push_back(score);
    set_scores_ = set_scores.size();
    family_scores_ = family_scores.size();
    scorer_ = source_->scorer(ranks_, std::move(set_scores), std::move(family_scores));
}

SetIndex SetTask::index_of(std::size_t set_size, std::span<const std::uint64_t> ranks) {
    ranks_.grow(set_size + 2);
    std::vector<Rank> whole(ranks.size() / rank_words);
    for (std::size_t at = 0; at < whole.size(); ++at)
        whole[at] = (static_cast<Rank>(ranks[rank_words * at + 1]) << 64) | ranks[rank_words * at];
    return SetIndex::of_ranks(set_size, std::move(whole));
}

SetValues SetTask::sum_sets(std::size_t set_size, std::span<const std::uint64_t> ranks) {
    const SetIndex index = index_of(set_size, ranks);
    SetValues values;
    values.sums.assign(set_scores_, std::vector<double>(index.size()));
    values.occupied.resize(index.size());
    if (index.size() > 0) scorer_->sum_sets(index, 0, index.size(), {}, values);
    std::vector<double> all;
    for (const auto& own : values.sums) all.insert(all.end(), own.begin(), own.end());
    values.sums = {std::move(all)};
    return values;
}

FamilyValues SetTask::score_families(std::size_t set_size, std::span<const std::uint64_t> ranks,
                                     std::span<const std::uint8_t> needed) {
    const SetIndex index = index_of(set_size, ranks);
    const auto entries = static_cast<std::ptrdiff_t>(index.size() * set_size);
    std::vector<FamilyValues> values(family_scores_);
    for (std::size_t f = 0; f < family_scores_; ++f) {
        const auto own = needed.begin() + static_cast<std::ptrdiff_t>(f) * entries;
        values[f].needed.assign(own, own + entries);
        values[f].scores.resize(values[f].needed.size());
        values[f].bounds.resize(values[f].needed.size());
    }
    if (index.size() > 0) scorer_->score_families(index, 0, index.size(), values);
    FamilyValues all;
    for (const auto& own : values) {
        all.scores.insert(all.scores.end(), own.scores.begin(), own.scores.end());
        all.bounds.insert(all.bounds.end(), own.bounds.begin(), own.bounds.end());
    }
    return all;
}

}  // namespace arcwise
