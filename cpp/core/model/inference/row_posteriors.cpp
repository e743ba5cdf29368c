#include "model/inference/row_posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "parallel_for.hpp"

namespace arcwise {

namespace {

// Counts through the configurations of some variables, the last fastest, with the cell of a table.
class Odometer {
  public:
    void begin(std::size_t start) {
        arities_.clear();
        strides_.clear();
        digits_.clear();
        at_ = start;
    }
    void add(std::size_t arity, std::size_t stride) {
        arities_.push_back(arity);
        strides_.push_back(stride);
        digits_.push_back(0);
    }
    std::size_t at() const { return at_; }
    bool next() {
        for (std::size_t v = arities_.size(); v-- > 0;) {
            at_ += strides_[v];
            if (++digits_[v] < arities_[v]) return true;
            at_ -= strides_[v] * arities_[v];
            digits_[v] = 0;
        }
        return false;
    }

  private:
    std::vector<std::size_t> arities_, strides_, digits_;
    std::size_t at_ = 0;
};

}  // namespace

// The table of a variable given its parents, cut to what the row observed; over the missing ones among them.
template <class Code>
Factor RowPosteriors<Code>::factor_of(std::size_t variable, std::size_t row) const {
    const auto parents = network_.parents_of(variable);
    std::vector<std::pair<std::int32_t, std::size_t>> open;  // missing variables with their strides
    std::size_t stride = 1, start = 0;
    const auto place = [&](std::int32_t v) {
        const auto position = static_cast<std::size_t>(v);
        if (lacks(position, row))
            open.emplace_back(v, stride);
        else
            start += stride * data_.column(position)[row];
        stride *= arity(v);
    };
    place(static_cast<std::int32_t>(variable));
    for (std::size_t p = parents.size(); p-- > 0;) place(parents[p]);
    std::ranges::sort(open);
    Factor factor;
    thread_local Odometer odometer;
    odometer.begin(start);
    for (const auto& [v, own] : open) {
        factor.variables.push_back(v);
        odometer.add(arity(v), own);
    }
    const auto table = network_.table(variable);
    do factor.values.push_back(table[odometer.at()]);
    while (odometer.next());
    return factor;
}

template <class Code>
auto RowPosteriors<Code>::make_row(std::size_t row) const -> Row {
    Row made;
    const std::size_t n = data_.variables;
    made.part_of.assign(n, -1);
    std::vector<std::size_t> root(n);
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    std::vector<Factor> factors;
    for (std::size_t v = 0; v < n; ++v) {
        if ((flag(v, row) & set) != 0) continue;
        Factor factor = factor_of(v, row);
        if (factor.variables.empty()) {
            made.log_probability += std::log(factor.values[0]);
            if (!(factor.values[0] > 0)) made.status = ExpectationStatus::impossible;
            continue;
        }
        for (const auto other : factor.variables)
            root[find(static_cast<std::size_t>(other))] = find(static_cast<std::size_t>(factor.variables[0]));
        factors.push_back(std::move(factor));
    }
    std::vector<std::vector<Factor>> groups(n);
    for (auto& factor : factors)
        groups[find(static_cast<std::size_t>(factor.variables[0]))].push_back(std::move(factor));
    for (auto& group : groups) {
        if (group.empty()) continue;
        std::vector<const Factor*> all;
        for (const auto& factor : group) all.push_back(&factor);
        std::vector<std::int32_t> members;
        unite(all, members);
        Part part;
        double log_sum = 0, log_scale = 0;
        // The largest entry of each table becomes 1: a missing cell may have hundreds of observed children,
        // and the product of as many probabilities is too small for a double.
        for (auto& factor : group) {
            const double top = std::ranges::max(factor.values);
            if (!(top > 0)) continue;
            for (auto& value : factor.values) value /= top;
            log_scale += std::log(top);
        }
        if (cells_of(members, arities()) <= static_cast<double>(limits_.table_cells)) {
            contract(all, members, arities(), part.joint);
            const double sum = std::accumulate(part.joint.values.begin(), part.joint.values.end(), 0.0);
            for (auto& value : part.joint.values) value /= sum;
            log_sum = std::log(sum);
        } else {
            if (!part.tree.build(group, arities(), limits_.max_cells, log_sum)) {
                made.status = ExpectationStatus::too_large;
                return made;
            }
            part.joint.variables = std::move(members);
        }
        made.log_probability += log_scale + log_sum;
        if (!std::isfinite(log_sum)) made.status = ExpectationStatus::impossible;
        if (made.status != ExpectationStatus::complete) return made;
        for (const auto v : part.joint.variables) {
            Factor own;
            if (!distribution(part, std::span(&v, 1), own)) made.status = ExpectationStatus::too_large;
            part.single.push_back(std::move(own.values));
            made.part_of[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(made.parts.size());
        }
        made.parts.push_back(std::move(part));
    }
    return made;
}

template <class Code>
ExpectationStatus RowPosteriors<Code>::prepare(Ticker& ticker) {
    rows_.clear();
    kept_.assign(data_.rows, -1);
    log_likelihood_ = 0;
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < data_.rows; ++row) {
        if (row % 16 == 0 && ticker.poll_now({row, data_.rows})) return ExpectationStatus::interrupted;
        if (data_.weight(row) == 0) continue;
        Row made = make_row(row);
        if (made.status != ExpectationStatus::complete) {
            refused_row_ = row;
            return made.status;
        }
        log_likelihood_ += static_cast<double>(data_.weight(row)) * made.log_probability;
        bytes += sizeof(Row);
        for (const auto& part : made.parts) {
            bytes += sizeof(Part) + part.joint.values.size() * 8 + part.joint.variables.size() * 4;
            bytes += part.tree.bytes();
            for (const auto& own : part.single) bytes += sizeof(own) + own.size() * 8;
        }
        if (bytes > limits_.memory) continue;
        kept_[row] = static_cast<std::int64_t>(rows_.size());
        rows_.push_back(std::move(made));
    }
    return ExpectationStatus::complete;
}

// The joint distribution of some variables of a part. False if a table would be too large.
template <class Code>
bool RowPosteriors<Code>::distribution(const Part& part, std::span<const std::int32_t> asked,
                                       Factor& result) const {
    if (part.joint.values.empty()) return part.tree.marginal(asked, arities(), limits_.max_cells, result);
    const Factor* whole[] = {&part.joint};
    contract(whole, asked, arities(), result);
    return true;
}

// Adds a row to the counts of a family: the product of what each of its parts says about the missing members.
template <class Code>
ExpectationStatus RowPosteriors<Code>::add_row(const Row& row, std::size_t number,
                                               std::span<const std::int32_t> family,
                                               std::span<const std::size_t> strides, double* counts) const {
    thread_local std::vector<std::pair<std::size_t, double>> shares, next;
    thread_local std::vector<std::int32_t> asked;
    thread_local Factor own;
    thread_local Odometer odometer;
    std::size_t base = 0;
    bool whole = true;
    for (std::size_t k = 0; k < family.size(); ++k) {
        const auto v = static_cast<std::size_t>(family[k]);
        if (row.part_of[v] >= 0)
            whole = false;
        else
            base += strides[k] * data_.column(v)[number];
    }
    const auto weight = static_cast<double>(data_.weight(number));
    if (whole) {
        counts[base] += weight;
        return ExpectationStatus::complete;
    }
    shares.assign(1, {base, weight});
    for (std::size_t k = 0; k < family.size(); ++k) {
        const auto place = row.part_of[static_cast<std::size_t>(family[k])];
        if (place < 0) continue;
        bool seen = false;
        asked.clear();
        for (std::size_t other = 0; other < family.size(); ++other) {
            if (row.part_of[static_cast<std::size_t>(family[other])] != place) continue;
            seen = seen || other < k;
            asked.push_back(family[other]);
        }
        if (seen) continue;
        const auto& part = row.parts[static_cast<std::size_t>(place)];
        next.clear();
        const auto share_out = [&](double value, std::size_t cell) {
            if (value > 0)
                for (const auto& [at, share] : shares) next.emplace_back(at + cell, share * value);
        };
        if (asked.size() == 1) {
            const auto among = std::ranges::lower_bound(part.joint.variables, asked[0]);
            const auto& single = part.single[static_cast<std::size_t>(among - part.joint.variables.begin())];
            for (std::size_t state = 0; state < single.size(); ++state)
                share_out(single[state], state * strides[k]);
        } else {
            std::ranges::sort(asked);
            if (!distribution(part, asked, own)) return ExpectationStatus::too_large;
            odometer.begin(0);
            for (const auto v : asked)
                odometer.add(
                    arity(v),
                    strides[static_cast<std::size_t>(std::ranges::find(family, v) - family.begin())]);
            for (const double value : own.values) {
                share_out(value, odometer.at());
                odometer.next();
            }
        }
        std::swap(shares, next);
    }
    for (const auto& [cell, share] : shares) counts[cell] += share;
    return ExpectationStatus::complete;
}

template <class Code>
ExpectationStatus RowPosteriors<Code>::count(std::span<const std::int32_t> children,
                                             std::span<const std::int64_t> offsets,
                                             std::span<const std::int32_t> parents,
                                             std::vector<double>& counts, Ticker& ticker) const {
    struct Asked {
        std::vector<std::int32_t> members;
        std::vector<std::size_t> strides;
        std::size_t begin = 0;
        ExpectationStatus status = ExpectationStatus::complete;
    };
    std::vector<Asked> families(children.size());
    std::size_t cells = 0;
    for (std::size_t f = 0; f < children.size(); ++f) {
        auto& family = families[f];
        const auto begin = static_cast<std::size_t>(offsets[f]),
                   end = static_cast<std::size_t>(offsets[f + 1]);
        family.members.assign(parents.begin() + static_cast<std::ptrdiff_t>(begin),
                              parents.begin() + static_cast<std::ptrdiff_t>(end));
        family.members.push_back(children[f]);
        family.strides.assign(family.members.size(), 1);
        std::size_t stride = 1;
        for (std::size_t k = family.members.size(); k-- > 0;) {
            family.strides[k] = stride;
            stride *= arity(family.members[k]);
        }
        family.begin = cells;
        cells += stride;
    }
    counts.assign(cells, 0.0);
    const bool finished = parallel_for(
        limits_.threads, families.size(),
        [&](std::size_t, std::size_t f) {
            auto& family = families[f];
            const auto child = static_cast<std::size_t>(children[f]);
            for (std::size_t row = 0; row < data_.rows; ++row) {
                if (data_.weight(row) == 0 || (flag(child, row) & set) != 0) continue;
                Row again;
                const Row* made = nullptr;
                if (kept_[row] >= 0)
                    made = &rows_[static_cast<std::size_t>(kept_[row])];
                else
                    made = &(again = make_row(row));
                family.status =
                    add_row(*made, row, family.members, family.strides, counts.data() + family.begin);
                if (family.status != ExpectationStatus::complete) return;
            }
        },
        [&](std::size_t started) { return ticker.poll_now({started, families.size()}); });
    if (!finished) return ExpectationStatus::interrupted;
    for (const auto& family : families)
        if (family.status != ExpectationStatus::complete) return family.status;
    return ExpectationStatus::complete;
}

template class RowPosteriors<std::uint8_t>;
template class RowPosteriors<std::uint16_t>;
template class RowPosteriors<std::uint32_t>;

}  // namespace arcwise
