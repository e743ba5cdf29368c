// Sums of a set score's cell terms over many counts, by tables.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "scores/local_score.hpp"

namespace arcwise {

// One thread's tables of cell_term(n, |S|), one per |S| (one in all if terms are universal), filled when
// first asked for: NaN stands for an entry that was not computed yet, and makes itself known in the sum.
class TermSums {
  public:
    TermSums(const SetScore& score, std::int64_t cases) : score_(&score) {
        constexpr std::int64_t longest_shared = std::int64_t{1} << 20;
        constexpr std::int64_t longest = std::int64_t{1} << 13;
        length_ = static_cast<std::size_t>(
                      std::min(cases, score.terms_are_universal() ? longest_shared : longest)) +
                  1;
        complete_ = static_cast<std::int64_t>(length_) > cases;
    }

    // g(S) without rounding differences between threads: the order of the counts is the order of the sum.
    template <class Count>
    double sum(std::span<const Count> counts, double cells) {
        double* terms = table(cells);
        const double total = complete_ ? add_all(terms, counts) : add_checked(terms, counts, cells);
        if (!std::isnan(total)) return total + score_->constant(cells);
        fill(terms, counts, cells);
        return (complete_ ? add_all(terms, counts) : add_checked(terms, counts, cells)) +
               score_->constant(cells);
    }

  private:
    double* table(double cells) {
        const double key = score_->terms_are_universal() ? 0.0 : cells;
        if (last_ != nullptr && key == last_key_) return last_;
        constexpr std::size_t most = 2048;
        if (tables_.size() > most) tables_.clear();
        auto& made = tables_[std::bit_cast<std::uint64_t>(key)];
        if (made.empty()) {
            made.assign(length_, std::numeric_limits<double>::quiet_NaN());
            made[0] = 0.0;
        }
        last_key_ = key;
        last_ = made.data();
        return last_;
    }

    template <class Count>
    static double add_all(const double* terms, std::span<const Count> counts) {
        double a = 0.0;
        double b = 0.0;
        double c = 0.0;
        double d = 0.0;
        std::size_t at = 0;
        for (; at + 4 <= counts.size(); at += 4) {
            a += terms[static_cast<std::size_t>(counts[at])];
            b += terms[static_cast<std::size_t>(counts[at + 1])];
            c += terms[static_cast<std::size_t>(counts[at + 2])];
            d += terms[static_cast<std::size_t>(counts[at + 3])];
        }
        for (; at < counts.size(); ++at) a += terms[static_cast<std::size_t>(counts[at])];
        return (a + b) + (c + d);
    }

    template <class Count>
    double add_checked(const double* terms, std::span<const Count> counts, double cells) const {
        double total = 0.0;
        for (const auto count : counts) {
            const auto n = static_cast<std::size_t>(count);
            total += n < length_ ? terms[n] : score_->cell_term(static_cast<std::int64_t>(count), cells);
        }
        return total;
    }

    template <class Count>
    void fill(double* terms, std::span<const Count> counts, double cells) const {
        for (const auto count : counts) {
            const auto n = static_cast<std::size_t>(count);
            if (n < length_ && std::isnan(terms[n]))
                terms[n] = score_->cell_term(static_cast<std::int64_t>(count), cells);
        }
    }

    const SetScore* score_;
    std::size_t length_;
    bool complete_;
    std::unordered_map<std::uint64_t, std::vector<double>> tables_;
    double last_key_ = -1.0;
    double* last_ = nullptr;
};

}  // namespace arcwise
