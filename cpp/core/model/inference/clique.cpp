#include "model/inference/clique.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "model/inference/arithmetic.hpp"

namespace arcwise {

namespace {

constexpr std::size_t block_limit = 4096;
constexpr double split_cells = 1 << 18;
constexpr std::size_t least_tasks = 16;

}  // namespace

Clique::Clique(std::vector<std::size_t> arities) : arities_(std::move(arities)) {
    const auto k = arities_.size();
    for (const auto r : arities_) cells_ *= static_cast<double>(r);
    block_ = k;
    while (block_ > 0 && (block_ == k || block_cells_ * arities_[block_ - 1] <= block_limit))
        block_cells_ *= arities_[--block_];
    inner_.assign(k + 1, 1);
    for (auto l = block_; l < k; ++l) inner_[l + 1] = inner_[l] * arities_[l];
    if (cells_ >= split_cells)
        while (split_ < block_ && tasks_ < least_tasks) tasks_ *= arities_[split_++];
}

Clique::Operand Clique::operand(std::span<const std::size_t> strides) const {
    Operand made{0, {strides.begin(), strides.end()}, {}};
    const auto k = arities_.size();
    assert(strides.size() == k);
    for (std::size_t l = 0; l < k; ++l)
        if (strides[l] != 0) made.level = l + 1;
    bool varies = false;
    for (auto l = block_; l + 1 < made.level; ++l) varies = varies || strides[l] != 0;
    if (!varies) return made;
    made.starts.assign(inner_[made.level - 1], 0);
    for (auto l = block_; l + 1 < made.level; ++l)  // from level l to l + 1, in place, from the back
        for (auto p = inner_[l]; p-- > 0;) {
            const auto start = made.starts[p];
            for (auto x = arities_[l]; x-- > 0;)
                made.starts[p * arities_[l] + x] = start + static_cast<std::uint32_t>(x * strides[l]);
        }
    return made;
}

void Clique::prepare() {
    const auto k = arities_.size();
    first_.assign(k + 2, 0);
    for (const auto& input : inputs_) ++first_[input.level + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    by_level_.resize(inputs_.size());
    auto next = first_;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        by_level_[next[inputs_[i].level]++] = static_cast<std::uint32_t>(i);
    deepest_first_.resize(outputs_.size());
    std::iota(deepest_first_.begin(), deepest_first_.end(), 0);
    std::stable_sort(deepest_first_.begin(), deepest_first_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return outputs_[a].level > outputs_[b].level;
    });
}

Clique Clique::without_outputs() const {
    Clique copy = *this;
    copy.outputs_.clear();
    return copy;
}

bool Clique::shared_by_tasks(std::size_t output) const {
    const auto& strides = outputs_[output].strides;
    return std::any_of(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(split_),
                       [](std::size_t stride) { return stride == 0; });
}

// Level l to l + 1, in place, from the back.
template <class Arithmetic>
void Clique::expand(std::size_t l, std::span<const double* const> tables, CliqueScratch& scratch) const {
    const auto r = arities_[l];
    const auto begin = first_[l + 1], end = first_[l + 2];
    auto* const all = scratch.cells.data();
    for (auto p = inner_[l]; p-- > 0;) {
        const auto value = all[p];
        auto* const cells = all + p * r;
        if (begin == end || value == Arithmetic::zero) {
            std::fill(cells, cells + r, value);
            continue;
        }
        for (auto i = begin; i < end; ++i) {
            const auto which = by_level_[i];
            const auto& input = inputs_[which];
            const auto* const table =
                tables[which] + scratch.in_at[which] + (input.starts.empty() ? 0 : input.starts[p]);
            const auto stride = input.strides[l];
            if (i == begin) {
                if (stride == 1)
                    for (std::size_t x = 0; x < r; ++x) cells[x] = Arithmetic::times(value, table[x]);
                else
                    for (std::size_t x = 0; x < r; ++x)
                        cells[x] = Arithmetic::times(value, table[x * stride]);
            } else if (stride == 1) {
                for (std::size_t x = 0; x < r; ++x) cells[x] = Arithmetic::times(cells[x], table[x]);
            } else {
                for (std::size_t x = 0; x < r; ++x) cells[x] = Arithmetic::times(cells[x], table[x * stride]);
            }
        }
    }
}

// The cells are at the output's level.
template <class Arithmetic>
void Clique::add_to(std::size_t output, double* sum, const double* cells) const {
    const auto& shape = outputs_[output];
    if (shape.level <= block_) {
        *sum = Arithmetic::plus(*sum, cells[0]);
        return;
    }
    const auto l = shape.level - 1;
    const auto r = arities_[l];
    const auto stride = shape.strides[l];
    for (std::size_t p = 0; p < inner_[l]; ++p) {
        auto* const to = sum + (shape.starts.empty() ? 0 : shape.starts[p]);
        for (std::size_t x = 0; x < r; ++x)
            to[x * stride] = Arithmetic::plus(to[x * stride], cells[p * r + x]);
    }
}

template <class Arithmetic>
void Clique::run(std::span<const double* const> tables, std::span<double* const> sums, std::size_t task,
                 CliqueScratch& scratch) const {
    const auto k = arities_.size();
    scratch.in_at.assign(inputs_.size(), 0);
    scratch.out_at.assign(outputs_.size(), 0);
    scratch.digits.assign(block_, 0);
    scratch.prefix.resize(block_ + 1);
    if (scratch.cells.size() < block_cells_) scratch.cells.resize(block_cells_);
    auto* const in_at = scratch.in_at.data();
    auto* const out_at = scratch.out_at.data();
    auto* const prefix = scratch.prefix.data();
    auto* const cells = scratch.cells.data();
    // Moves every operand by `steps` states of variable l, on or back.
    const auto move = [&](std::size_t l, std::size_t steps, bool back) {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const auto by = steps * inputs_[i].strides[l];
            in_at[i] = back ? in_at[i] - by : in_at[i] + by;
        }
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            const auto by = steps * outputs_[i].strides[l];
            out_at[i] = back ? out_at[i] - by : out_at[i] + by;
        }
    };
    const auto multiply = [&](std::size_t l) {
        double product = l == 0 ? Arithmetic::one : prefix[l - 1];
        for (auto i = first_[l]; i < first_[l + 1]; ++i)
            product = Arithmetic::times(product, tables[by_level_[i]][in_at[by_level_[i]]]);
        prefix[l] = product;
    };
    for (std::size_t l = split_; l-- > 0; task /= arities_[l]) move(l, task % arities_[l], false);
    for (std::size_t l = 0; l <= split_; ++l) multiply(l);
    auto level = split_;  // prefix[0 .. level] belong to the present configuration
    for (bool more = true; more;) {
        while (level < block_ && prefix[level] != Arithmetic::zero) multiply(++level);
        if (prefix[level] != Arithmetic::zero) {
            cells[0] = prefix[block_];
            for (auto l = block_; l < k; ++l) expand<Arithmetic>(l, tables, scratch);
            auto at = k;
            for (const auto output : deepest_first_) {
                const auto to = std::max(outputs_[output].level, block_);
                const auto run = inner_[at] / inner_[to];
                if (run > 1)
                    for (std::size_t p = 0; p < inner_[to]; ++p)
                        cells[p] = Arithmetic::sum(cells + p * run, run);
                at = to;
                add_to<Arithmetic>(output, sums[output] + out_at[output], cells);
            }
        }
        for (more = false; level > split_ && !more;) {
            auto& digit = scratch.digits[--level];
            more = digit + 1 < arities_[level];
            move(level, more ? 1 : digit, !more);
            digit = more ? digit + 1 : 0;
        }
    }
}

template <class Body>
void Clique::for_each_configuration(std::size_t fixed, std::span<std::size_t> digits,
                                    std::vector<std::size_t>& at, Body body) const {
    const auto k = arities_.size();
    at.assign(inputs_.size(), 0);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        for (std::size_t l = 0; l < fixed; ++l) at[i] += digits[l] * inputs_[i].strides[l];
    std::fill(digits.begin() + static_cast<std::ptrdiff_t>(fixed), digits.end(), 0);
    for (bool more = true; more;) {
        body();
        more = false;
        for (auto l = k; l > fixed && !more;) {
            --l;
            more = digits[l] + 1 < arities_[l];
            const auto next = more ? digits[l] + 1 : 0;
            for (std::size_t i = 0; i < inputs_.size(); ++i) {
                at[i] += next * inputs_[i].strides[l];
                at[i] -= digits[l] * inputs_[i].strides[l];
            }
            digits[l] = next;
        }
    }
}

void Clique::choose(std::span<const double* const> tables, std::size_t fixed,
                    std::span<std::size_t> digits) const {
    std::vector<std::size_t> at, best;
    double top = 0;
    for_each_configuration(fixed, digits, at, [&] {
        double sum = 0;
        for (std::size_t i = 0; i < inputs_.size(); ++i) sum += tables[i][at[i]];
        if (best.empty() || sum > top) {
            top = sum;
            best.assign(digits.begin(), digits.end());
        }
    });
    std::copy(best.begin(), best.end(), digits.begin());
}

template <class Arithmetic>
void Clique::draw(std::span<const double* const> tables, std::size_t fixed, double share,
                  std::span<std::size_t> digits, std::vector<double>& weights) const {
    std::vector<std::size_t> at;
    weights.clear();
    for_each_configuration(fixed, digits, at, [&] {
        double product = Arithmetic::one;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            product = Arithmetic::times(product, tables[i][at[i]]);
        weights.push_back(product);
    });
    if (Arithmetic::in_logs) {
        const auto top = *std::max_element(weights.begin(), weights.end());
        for (auto& weight : weights) weight = std::exp(weight - top);
    }
    std::partial_sum(weights.begin(), weights.end(), weights.begin());
    // The first whose sum is above the share: one of weight 0 has the sum of the one before it. A share that
    // rounds up to the whole sum is that of the last one with a weight.
    auto chosen = std::upper_bound(weights.begin(), weights.end(), share * weights.back());
    if (chosen == weights.end()) chosen = std::lower_bound(weights.begin(), weights.end(), weights.back());
    auto cell = static_cast<std::size_t>(chosen - weights.begin());
    for (auto l = arities_.size(); l-- > fixed; cell /= arities_[l]) digits[l] = cell % arities_[l];
}

template void Clique::draw<SumProduct>(std::span<const double* const>, std::size_t, double,
                                       std::span<std::size_t>, std::vector<double>&) const;
template void Clique::draw<LogSumProduct>(std::span<const double* const>, std::size_t, double,
                                          std::span<std::size_t>, std::vector<double>&) const;
template void Clique::run<SumProduct>(std::span<const double* const>, std::span<double* const>, std::size_t,
                                      CliqueScratch&) const;
template void Clique::run<LogSumProduct>(std::span<const double* const>, std::span<double* const>,
                                         std::size_t, CliqueScratch&) const;
template void Clique::run<MaxProduct>(std::span<const double* const>, std::span<double* const>, std::size_t,
                                      CliqueScratch&) const;

}  // namespace arcwise
