// A builder's state: as tables, as flat arrays, and back.
#include <algorithm>
#include <numeric>

#include "parent_sets/builder.hpp"

namespace arcwise {

namespace {

template <class T>
void append(std::vector<T>& target, const std::vector<T>& source) {
    target.insert(target.end(), source.begin(), source.end());
}

// Takes pieces off the arrays from the front; once one is too short, everything is empty and `failed`.
class Unpacker {
  public:
    explicit Unpacker(const PackedState& packed) : packed_(packed) {}
    std::int64_t number() { return take(packed_.numbers, number_, 1, std::int64_t{0}).front(); }
    template <class T>
    std::vector<T> take(const std::vector<T>& source, std::size_t& at, std::int64_t length, T filler) {
        if (length < 0 || static_cast<std::size_t>(length) > source.size() - at) {
            failed = true;
            return {filler};
        }
        const auto begin = source.begin() + static_cast<std::ptrdiff_t>(at);
        at += static_cast<std::size_t>(length);
        return {begin, begin + length};
    }
    std::vector<std::int64_t> numbers(std::int64_t n) {
        return take(packed_.numbers, number_, n, std::int64_t{0});
    }
    std::vector<std::int32_t> members(std::int64_t n) {
        return take(packed_.members, member_, n, std::int32_t{0});
    }
    std::vector<double> values(std::int64_t n) { return take(packed_.values, value_, n, 0.0); }
    bool at_end() const {
        return number_ == packed_.numbers.size() && member_ == packed_.members.size() &&
               value_ == packed_.values.size();
    }
    bool failed = false;

  private:
    const PackedState& packed_;
    std::size_t number_ = 0;
    std::size_t member_ = 0;
    std::size_t value_ = 0;
};

bool within(const std::vector<std::int32_t>& members, std::size_t variables) {
    return std::all_of(members.begin(), members.end(),
                       [&](std::int32_t m) { return m >= -1 && m < static_cast<std::int32_t>(variables); });
}

ChildState unpack_child(Unpacker& from, std::size_t variables) {
    ChildState state;
    state.alive.set_size = static_cast<std::size_t>(std::max<std::int64_t>(0, from.number()));
    const auto groups = from.number();
    const auto sets = from.number();
    const auto kept = from.number();
    const auto width = state.alive.set_size == 0 ? 0 : static_cast<std::int64_t>(state.alive.set_size) - 1;
    if (state.alive.set_size > variables || groups < 0 || groups > sets) from.failed = true;
    if (from.failed) return state;
    state.alive.group_ends = from.numbers(groups);
    state.alive.tops = from.members(groups * width);
    state.alive.lows = from.members(sets);
    state.alive.best = from.values(sets);
    state.sizes = from.members(kept);
    state.scores = from.values(kept);
    std::int64_t length = 0;
    for (const auto size : state.sizes) {
        if (size < 0) from.failed = true;
        length += size;
    }
    if (from.failed) return state;
    state.members = from.members(length);
    const auto& ends = state.alive.group_ends;
    if (!std::is_sorted(ends.begin(), ends.end()) || (ends.empty() ? sets != 0 : ends.back() != sets) ||
        !within(state.alive.tops, variables) || !within(state.alive.lows, variables) ||
        !within(state.members, variables))
        from.failed = true;
    return state;
}

}  // namespace

bool ParentSetBuilder::waits(const Job& job) const {
    return level_ < static_cast<std::int32_t>(job.required.size());
}

bool ParentSetBuilder::finished() const {
    return std::all_of(jobs_.begin(), jobs_.end(),
                       [&](const Job& job) { return !waits(job) && (job.state.alive.sets() == 0); });
}

TableData ParentSetBuilder::table(std::size_t score) const {
    const std::size_t n = position_.size();
    const bool partial = !finished();  // sets beyond the level are not all there, or another score's are not
    TableData rows;
    for (std::size_t v = 0; v < n; ++v) {
        const auto& state = jobs_[score * n + v].state;
        std::size_t at = 0;
        for (std::size_t row = 0; row < state.scores.size(); ++row) {
            const auto size = static_cast<std::size_t>(state.sizes[row]);
            if (!partial || state.sizes[row] <= level_)
                rows.add_row(state.scores[row],
                             std::span<const std::int32_t>(state.members.data() + at, size));
            at += size;
        }
        rows.end_node();
    }
    std::vector<std::int32_t> nodes(n);
    std::iota(nodes.begin(), nodes.end(), 0);
    return sorted_table(rows.view(), nodes, nullptr);
}

PackedState ParentSetBuilder::pack() const {
    PackedState packed;
    packed.numbers = {level_, static_cast<std::int64_t>(jobs_.size()),
                      static_cast<std::int64_t>(statistics_.families),
                      static_cast<std::int64_t>(statistics_.sets)};
    packed.values = {statistics_.peak_bytes};
    for (const auto& job : jobs_) {
        const auto& alive = job.state.alive;
        for (const auto number : {alive.set_size, alive.groups(), alive.sets(), job.state.scores.size()})
            packed.numbers.push_back(static_cast<std::int64_t>(number));
        append(packed.numbers, alive.group_ends);
        append(packed.members, alive.tops);
        append(packed.members, alive.lows);
        append(packed.values, alive.best);
        append(packed.members, job.state.sizes);
        append(packed.values, job.state.scores);
        append(packed.members, job.state.members);
    }
    return packed;
}

bool ParentSetBuilder::restore(const PackedState& packed) {
    Unpacker from(packed);
    const auto level = from.number();
    const auto jobs = from.number();
    BuildStatistics statistics;
    statistics.families = static_cast<std::uint64_t>(from.number());
    statistics.sets = static_cast<std::uint64_t>(from.number());
    statistics.peak_bytes = from.values(1).front();
    if (from.failed || level < -1 || jobs != static_cast<std::int64_t>(jobs_.size())) return false;
    std::vector<ChildState> states;
    for (std::size_t job = 0; job < jobs_.size() && !from.failed; ++job)
        states.push_back(unpack_child(from, position_.size()));
    if (from.failed || !from.at_end()) return false;
    level_ = static_cast<std::int32_t>(level);
    statistics_ = statistics;
    for (std::size_t job = 0; job < jobs_.size(); ++job) jobs_[job].state = std::move(states[job]);
    ranks_.grow(static_cast<std::size_t>(level_ + 4));
    return true;
}

}  // namespace arcwise
