// Sets of variables as numbers: the position of a set among all sets of its size in colex order.
//
// The set p_1 < ... < p_m has the rank C(p_1, 1) + ... + C(p_m, m) (the combinatorial number system): a
// perfect hash, ordered by the largest member, then the next, with the smallest varying fastest. 128 bits
// hold the ranks of any subset of 128 variables and of 16 out of 1,000.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

__extension__ typedef unsigned __int128 Rank;

class SetRanks {
  public:
    explicit SetRanks(std::size_t variables) : variables_(variables) { grow(2); }

    std::size_t variables() const { return variables_; }

    // C(v, size) for v <= n; saturates at the largest Rank. `grow` must have been called for the size.
    Rank choose(std::size_t v, std::size_t size) const { return rows_[size][v]; }

    // The number of sets of `size`, and whether their ranks can be computed.
    Rank sets(std::size_t size) const { return rows_[size][variables_]; }
    bool representable(std::size_t size) const { return sets(size) != largest; }

    // Makes sizes up to `size` available; not to be called while other threads read.
    void grow(std::size_t size) {
        while (rows_.size() <= size) {
            std::vector<Rank> row(variables_ + 1, rows_.empty() ? 1 : 0);
            if (!rows_.empty()) {
                const auto& above = rows_.back();
                for (std::size_t v = 1; v <= variables_; ++v) {
                    const Rank sum = row[v - 1] + above[v - 1];
                    row[v] = sum < row[v - 1] || above[v - 1] == largest ? largest : sum;
                }
            }
            rows_.push_back(std::move(row));
        }
    }

    // Members ascending.
    Rank rank(std::span<const std::int32_t> members) const {
        Rank sum = 0;
        for (std::size_t t = 0; t < members.size(); ++t)
            sum += choose(static_cast<std::size_t>(members[t]), t + 1);
        return sum;
    }

    // The members of the set, descending.
    void unrank(Rank rank, std::size_t size, std::vector<std::int32_t>& descending) const {
        descending.resize(size);
        std::size_t above = variables_;
        for (std::size_t t = size; t > 0; --t) {
            // The largest v < above with C(v, t) <= rank.
            std::size_t low = t - 1;
            std::size_t high = above;
            while (high - low > 1) {
                const auto middle = (low + high) / 2;
                if (choose(middle, t) <= rank)
                    low = middle;
                else
                    high = middle;
            }
            descending[size - t] = static_cast<std::int32_t>(low);
            rank -= choose(low, t);
            above = low;
        }
    }

  private:
    static constexpr Rank largest = ~Rank{0};
    std::size_t variables_;
    std::vector<std::vector<Rank>> rows_;  // rows_[size][v]
};

}  // namespace arcwise
