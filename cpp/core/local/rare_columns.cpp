#include "local/rare_columns.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace arcwise {

bool RareColumns::fits(std::span<const std::int32_t> arities, std::size_t rows) {
    std::size_t columns = 1 + at_once;
    for (const auto arity : arities) {
        const auto states = static_cast<std::size_t>(arity);
        if (states > StateBlocks::width + 1) return false;  // it is in no block
        columns += states - 1;
    }
    return columns * cell_bytes <= std::numeric_limits<std::uint16_t>::max() &&
           rows * (arities.size() + at_once) <= std::numeric_limits<std::uint32_t>::max();
}

RareColumns::RareColumns(const StateBlocks& data) : rows_(data.rows()) {
    const std::size_t n = data.variables();
    codes_.resize(n * rows_);
    std::vector<std::size_t> frequencies;
    for (std::size_t v = 0; v < n; ++v) {
        const auto column = data.column(v);
        auto* codes = codes_.data() + v * rows_;
        frequencies.assign(data.arity(v), 0);
        for (std::size_t row = 0; row < rows_; ++row) {
            codes[row] = static_cast<std::uint8_t>(column[row]);
            ++frequencies[codes[row]];
        }
        usual_.push_back(
            static_cast<std::size_t>(std::ranges::max_element(frequencies) - frequencies.begin()));
        auto& rare = rows_of_.emplace_back();
        for (std::size_t row = 0; row < rows_; ++row)
            if (codes[row] != usual_.back()) rare.push_back(static_cast<std::uint32_t>(row));
        first_.push_back(columns_);
        columns_ += data.arity(v) - 1;
    }
    const std::size_t cases = columns_++;
    begins_.reserve(rows_ + 1);
    begins_.push_back(0);
    const auto add = [&](std::size_t column) {
        lists_.push_back(static_cast<std::uint16_t>(column * cell_bytes));
    };
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t v = 0; v < n; ++v) {
            const std::size_t code = codes_[v * rows_ + row];
            if (code != usual_[v]) add(first_[v] + code - (code > usual_[v] ? 1 : 0));
        }
        add(cases);
        for (std::size_t k = 0; lists_.size() % at_once != 0; ++k) add(columns_ + k);
        begins_.push_back(static_cast<std::uint32_t>(lists_.size()));
    }
}

}  // namespace arcwise
