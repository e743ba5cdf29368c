// A partition of the rows into the classes that agree on some variables, and its refinement by one more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace arcwise {

struct Partition {
    std::vector<std::uint32_t> class_of;  // one per row
    std::vector<std::uint32_t> first;     // a row of each class
    std::size_t classes() const { return first.size(); }
};

// Splits every class by the variable's states. Classes are numbered in the order in which the rows show them,
// so that the result depends on the data and the order of refinements alone.
// Cost: the rows; while classes x arity stays below 8 x rows a table is used, beyond it a hash table.
template <class Code>
class Refiner {
  public:
    void refine(const Partition& coarse, const Code* column, std::size_t rows, std::size_t arity,
                Partition& fine) {
        fine.class_of.resize(rows);
        fine.first.clear();
        if (coarse.classes() <= (8 * rows + 1024) / arity)
            with_table(coarse, column, rows, arity, fine);
        else
            with_hash(coarse, column, rows, arity, fine);
    }

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    static std::uint32_t add(Partition& fine, std::size_t row) {
        fine.first.push_back(static_cast<std::uint32_t>(row));
        return static_cast<std::uint32_t>(fine.first.size() - 1);
    }

    void with_table(const Partition& coarse, const Code* column, std::size_t rows, std::size_t arity,
                    Partition& fine) {
        number_.assign(coarse.classes() * arity, none);
        for (std::size_t row = 0; row < rows; ++row) {
            auto& number = number_[coarse.class_of[row] * arity + column[row]];
            if (number == none) number = add(fine, row);
            fine.class_of[row] = number;
        }
    }

    void with_hash(const Partition& coarse, const Code* column, std::size_t rows, std::size_t arity,
                   Partition& fine) {
        std::size_t capacity = 1024;
        while (capacity < 2 * rows) capacity *= 2;
        number_.assign(capacity, none);
        keys_.resize(capacity);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto key = static_cast<std::uint64_t>(coarse.class_of[row]) * arity + column[row];
            auto slot = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & (capacity - 1);
            while (number_[slot] != none && keys_[slot] != key) slot = (slot + 1) & (capacity - 1);
            if (number_[slot] == none) {
                keys_[slot] = key;
                number_[slot] = add(fine, row);
            }
            fine.class_of[row] = number_[slot];
        }
    }

    std::vector<std::uint32_t> number_;
    std::vector<std::uint64_t> keys_;
};

}  // namespace arcwise
