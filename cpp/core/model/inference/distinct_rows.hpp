// Equal rows of codes get one number, so that what depends on the row alone is computed once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// Numbers the distinct rows in lexicographic order. `columns` from the slowest to the fastest.
class DistinctRows {
  public:
    explicit DistinctRows(std::size_t rows) : keys_(rows, 0) {}

    void append(std::span<const std::int32_t> column, std::size_t arity) {
        if (bound_ > std::numeric_limits<std::uint64_t>::max() / arity) compress();
        for (std::size_t row = 0; row < keys_.size(); ++row)
            keys_[row] = keys_[row] * arity + static_cast<std::uint64_t>(column[row]);
        bound_ *= arity;
    }

    // Afterwards, keys are ranks, and each rank has an example.
    void finish() { compress(); }
    std::size_t count() const { return examples_.size(); }
    std::size_t example(std::size_t rank) const { return examples_[rank]; }
    std::size_t rank(std::size_t row) const { return static_cast<std::size_t>(keys_[row]); }

  private:
    void compress() {
        if (bound_ <= 4 * keys_.size() + 1024) {
            compress_small();
            return;
        }
        std::vector<std::pair<std::uint64_t, std::size_t>> sorted(keys_.size());
        for (std::size_t row = 0; row < keys_.size(); ++row) sorted[row] = {keys_[row], row};
        std::sort(sorted.begin(), sorted.end());
        examples_.clear();
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (i == 0 || sorted[i].first != sorted[i - 1].first) examples_.push_back(sorted[i].second);
            keys_[sorted[i].second] = examples_.size() - 1;
        }
        bound_ = examples_.size();
    }

    // Without sorting: a place for every possible key.
    void compress_small() {
        constexpr auto none = std::numeric_limits<std::size_t>::max();
        std::vector<std::size_t> first(static_cast<std::size_t>(bound_), none);
        for (auto row = keys_.size(); row-- > 0;) first[static_cast<std::size_t>(keys_[row])] = row;
        examples_.clear();
        std::vector<std::size_t> ranks(first.size(), 0);
        for (std::size_t key = 0; key < first.size(); ++key)
            if (first[key] != none) {
                ranks[key] = examples_.size();
                examples_.push_back(first[key]);
            }
        for (auto& key : keys_) key = ranks[static_cast<std::size_t>(key)];
        bound_ = examples_.size();
    }

    std::vector<std::uint64_t> keys_;
    std::uint64_t bound_ = 1;  // keys are below
    std::vector<std::size_t> examples_;
};

}  // namespace arcwise
