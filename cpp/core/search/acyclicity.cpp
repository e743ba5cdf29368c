#include "search/acyclicity.hpp"

#include <algorithm>

namespace arcwise {

AcyclicityPropagator::AcyclicityPropagator(const CandidateSets& sets)
    : sets_(sets),
      n_(sets.variables()),
      words_(sets.words()),
      ancestors_(n_ * words_),
      scratch_(words_),
      witness_(n_) {
    for (std::size_t v = 0; v < n_; ++v) witness_[v] = sets.begin(v);
}

std::size_t AcyclicityPropagator::place(std::span<const std::uint8_t> allowed, std::size_t waiting,
                                        bits::Word* placed) {
    std::fill(placed, placed + words_, 0);
    pending_.clear();
    for (std::size_t v = 0; v < n_; ++v)
        if (v != waiting) pending_.push_back(v);
    std::size_t count = 0;
    for (bool progress = true; progress && !pending_.empty();) {
        progress = false;
        std::size_t left = 0;
        for (const std::size_t v : pending_) {
            const std::size_t hint = witness_[v];
            bool fits = hint < sets_.end(v) && allowed[hint] && bits::subset(sets_.set(hint), placed, words_);
            for (std::size_t row = sets_.begin(v); !fits && row < sets_.end(v); ++row) {
                if (!allowed[row] || !bits::subset(sets_.set(row), placed, words_)) continue;
                witness_[v] = row;
                fits = true;
            }
            if (fits) {
                bits::add(placed, v);
                ++count;
                progress = true;
            } else {
                pending_[left++] = v;
            }
        }
        pending_.resize(left);
    }
    return count;
}

bool AcyclicityPropagator::drop_closing_sets(std::span<std::uint8_t> allowed, bool& changed) {
    // Required parents: what all allowed sets share.
    for (std::size_t v = 0; v < n_; ++v) {
        bits::Word* common = ancestors_.data() + v * words_;
        std::fill(common, common + words_, ~bits::Word{0});
        bool any = false;
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row]) continue;
            any = true;
            bits::Word rest = 0;
            for (std::size_t w = 0; w < words_; ++w) rest |= (common[w] &= sets_.set(row)[w]);
            if (rest == 0) break;
        }
        if (!any) return false;
    }
    // Transitive closure (Warshall).
    for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t v = 0; v < n_; ++v)
            if (bits::test(ancestors_.data() + v * words_, k))
                for (std::size_t w = 0; w < words_; ++w)
                    ancestors_[v * words_ + w] |= ancestors_[k * words_ + w];
    for (std::size_t v = 0; v < n_; ++v) {
        if (bits::test(ancestors_.data() + v * words_, v)) return false;
        std::fill(scratch_.begin(), scratch_.end(), 0);
        bool descends = false;
        for (std::size_t u = 0; u < n_; ++u) {
            if (!bits::test(ancestors_.data() + u * words_, v)) continue;
            bits::add(scratch_.data(), u);
            descends = true;
        }
        if (!descends) continue;
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row] || !bits::intersects(sets_.set(row), scratch_.data(), words_)) continue;
            allowed[row] = 0;
            changed = true;
        }
    }
    return true;
}

bool AcyclicityPropagator::drop_early_sets(std::span<std::uint8_t> allowed, bool& changed) {
    if (place(allowed, n_, scratch_.data()) < n_) return false;
    for (std::size_t v = 0; v < n_; ++v) {
        if (place(allowed, v, scratch_.data()) + 1 == n_) continue;  // v can come last: every set fits
        bool any = false;
        for (std::size_t row = sets_.begin(v); row < sets_.end(v); ++row) {
            if (!allowed[row]) continue;
            if (bits::subset(sets_.set(row), scratch_.data(), words_)) {
                any = true;
            } else {
                allowed[row] = 0;
                changed = true;
            }
        }
        if (!any) return false;
    }
    return true;
}

bool AcyclicityPropagator::propagate(std::span<std::uint8_t> allowed) {
    for (bool changed = true; changed;) {
        changed = false;
        if (!drop_closing_sets(allowed, changed)) return false;
        if (changed) continue;
        if (!drop_early_sets(allowed, changed)) return false;
    }
    return true;
}

}  // namespace arcwise
