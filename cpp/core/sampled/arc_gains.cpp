#include "sampled/arc_gains.hpp"

#include <algorithm>
#include <limits>

#include "xoshiro.hpp"

namespace arcwise {

namespace {

// A table of up to so many times as many cells as rows is counted densely.
constexpr double dense_cells_per_row = 8.0;
constexpr double most_configurations = 9e18;  // what an index can tell apart

// Sum over sorted keys of term(how often the key, divided, occurs).
template <class Term>
double sum_runs(std::span<const std::uint64_t> keys, std::uint64_t divisor, Term term) {
    double sum = 0.0;
    for (std::size_t begin = 0; begin < keys.size();) {
        std::size_t end = begin + 1;
        while (end < keys.size() && keys[end] / divisor == keys[begin] / divisor) ++end;
        sum += term(static_cast<std::int64_t>(end - begin));
        begin = end;
    }
    return sum;
}

}  // namespace

template <class Code>
std::size_t ArcGains<Code>::KeyHash::operator()(const Parents& key) const {
    std::uint64_t hash = key.size();
    for (const auto part : key) hash = Xoshiro::mix(hash ^ static_cast<std::uint64_t>(part));
    return static_cast<std::size_t>(hash);
}

template <class Code>
double ArcGains<Code>::operator()(std::size_t head, std::span<const std::int32_t> others, std::size_t tail) {
    Parents key{static_cast<std::int32_t>(head), static_cast<std::int32_t>(tail)};
    key.insert(key.end(), others.begin(), others.end());
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const double gain = compute(head, others, tail);
    known_.emplace(std::move(key), gain);
    return gain;
}

// One table of (other parents, tail, head) gives both families: without the arc, the states of the tail are
// summed over. The terms are centred by n log N, which cancels, since both families have the same cases.
template <class Code>
double ArcGains<Code>::compute(std::size_t head, std::span<const std::int32_t> others, std::size_t tail) {
    const auto states = static_cast<std::uint64_t>(data_.arities[head]);
    const auto tails = static_cast<std::uint64_t>(data_.arities[tail]);
    double configurations = 1.0;
    for (const auto other : others) configurations *= data_.arities[other];
    const double cells = configurations * static_cast<double>(tails * states);
    if (cells > most_configurations) return -std::numeric_limits<double>::infinity();

    const auto head_flags = flags_of(head), tail_flags = flags_of(tail);
    const auto head_codes = data_.column(head), tail_codes = data_.column(tail);
    keys_.clear();
    for (std::size_t row = 0; row < data_.rows; ++row) {
        if (head_flags[row] != 0 || (tail_flags[row] & missing) != 0) continue;
        std::uint64_t key = 0;
        bool whole = true;
        for (const auto other : others) {
            const auto v = static_cast<std::size_t>(other);
            whole = whole && !(whole_families_ && (flags_of(v)[row] & missing) != 0);
            key = key * static_cast<std::uint64_t>(data_.arities[v]) + data_.column(v)[row];
        }
        if (whole) keys_.push_back((key * tails + tail_codes[row]) * states + head_codes[row]);
    }
    if (keys_.empty()) return -std::numeric_limits<double>::infinity();

    const Terms cell(terms_, ess_ / cells), row_of_cells(terms_, ess_ / (configurations * double(tails)));
    const Terms merged(terms_, ess_ / (configurations * double(states))),
        total(terms_, ess_ / configurations);
    if (cells > dense_cells_per_row * static_cast<double>(data_.rows) + 1024.0) {
        std::ranges::sort(keys_);
        const double more = sum_runs(keys_, 1, cell) - sum_runs(keys_, states, row_of_cells);
        for (auto& key : keys_) key = key / (tails * states) * states + key % states;
        std::ranges::sort(keys_);
        return more - (sum_runs(keys_, 1, merged) - sum_runs(keys_, states, total));
    }
    counts_.assign(static_cast<std::size_t>(cells), 0);
    for (const auto key : keys_) ++counts_[key];
    double more = 0.0, fewer = 0.0;
    std::vector<std::int64_t> sums(states);
    for (std::size_t base = 0; base < counts_.size(); base += tails * states) {
        std::ranges::fill(sums, 0);
        std::int64_t all = 0;
        for (std::size_t t = 0; t < tails; ++t) {
            std::int64_t row = 0;
            for (std::size_t k = 0; k < states; ++k) {
                const auto count = static_cast<std::int64_t>(counts_[base + t * states + k]);
                if (count == 0) continue;
                more += cell(count);
                sums[k] += count;
                row += count;
            }
            if (row > 0) more -= row_of_cells(row);
            all += row;
        }
        if (all == 0) continue;
        for (const auto sum : sums)
            if (sum > 0) fewer += merged(sum);
        fewer -= total(all);
    }
    return more - fewer;
}

template class ArcGains<std::uint8_t>;
template class ArcGains<std::uint16_t>;
template class ArcGains<std::uint32_t>;

}  // namespace arcwise
