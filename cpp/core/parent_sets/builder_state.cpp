// A builder's state: as tables, as flat arrays, and back.
//
// A packed state may come from a file that was edited: `restore` checks every size, index and order that the
// builder relies on. What it cannot check are the scores; those are the file's.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

// What the state of one child must keep to; sets as `Job` has them, by position or by variable.
struct StateRules {
    std::size_t level;                // the last finished one
    std::size_t required;             // parents that the child must have
    std::size_t limit;                // parents that it may have
    std::vector<std::uint8_t> free;   // position -> may it be added?
    std::vector<std::uint8_t> fixed;  // variable -> must it be a parent?
    std::vector<std::uint8_t> known;  // variable -> may it or must it be a parent?
};

bool ascending(std::span<const std::int32_t> members) {
    return std::adjacent_find(members.begin(), members.end(), std::greater_equal<>()) == members.end();
}

bool all_marked(std::span<const std::int32_t> members, const std::vector<std::uint8_t>& marked) {
    return std::all_of(members.begin(), members.end(), [&](std::int32_t m) {
        return m >= 0 && static_cast<std::size_t>(m) < marked.size() &&
               marked[static_cast<std::size_t>(m)] != 0;
    });
}

// The sets that later levels grow from: `extend` finds them by rank and writes to what they index.
bool sound(const Candidates& alive, const StateRules& rules) {
    if (alive.sets() == 0) return alive.groups() == 0;
    if (rules.level >= rules.limit || rules.level < rules.required) return false;
    if (alive.set_size != rules.level - rules.required) return false;
    if (!std::all_of(alive.best.begin(), alive.best.end(),
                     [](double best) { return best < std::numeric_limits<double>::infinity(); }))
        return false;
    if (alive.set_size == 0) return alive.groups() == 1 && alive.sets() == 1 && alive.lows[0] == -1;
    for (std::size_t group = 0; group < alive.groups(); ++group) {
        const auto tops = alive.tops_of(group);
        const auto begin = alive.begin_of(group);
        const auto end = alive.end_of(group);
        if (begin >= end) return false;
        const std::span<const std::int32_t> lows(alive.lows.data() + begin, end - begin);
        if (!ascending(tops) || !ascending(lows) || !all_marked(tops, rules.free) ||
            !all_marked(lows, rules.free))
            return false;
        if (!tops.empty() && lows.back() >= tops.front()) return false;
        if (group == 0) continue;
        const auto before = alive.tops_of(group - 1);  // in colex order: the largest member first
        if (!std::lexicographical_compare(before.rbegin(), before.rend(), tops.rbegin(), tops.rend()))
            return false;
    }
    return true;
}

// The rows of the table so far.
bool sound(const ChildState& state, const StateRules& rules) {
    std::size_t at = 0;
    for (std::size_t row = 0; row < state.scores.size(); ++row) {
        const auto size = static_cast<std::size_t>(state.sizes[row]);
        if (!std::isfinite(state.scores[row]) || size < rules.required || size > rules.limit) return false;
        const std::span<const std::int32_t> members(state.members.data() + at, size);
        if (!ascending(members) || !all_marked(members, rules.known)) return false;
        const auto held = std::count_if(members.begin(), members.end(), [&](std::int32_t m) {
            return rules.fixed[static_cast<std::size_t>(m)] != 0;
        });
        if (static_cast<std::size_t>(held) != rules.required) return false;
        at += size;
    }
    return sound(state.alive, rules);
}

ChildState unpack_child(Unpacker& from, std::size_t variables) {
    ChildState state;
    const auto set_size = from.number();
    const auto groups = from.number();
    const auto sets = from.number();
    const auto kept = from.number();
    if (set_size < 0 || static_cast<std::size_t>(set_size) > variables || groups < 0 || groups > sets)
        from.failed = true;
    if (from.failed) return state;
    state.alive.set_size = static_cast<std::size_t>(set_size);
    state.alive.group_ends = from.numbers(groups);
    if (from.failed) return state;  // so that the product below cannot overflow
    state.alive.tops = from.members(groups * std::max<std::int64_t>(set_size - 1, 0));
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
    if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends.front() < 0) ||
        (ends.empty() ? sets != 0 : ends.back() != sets))
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
    const auto families = from.number();
    const auto sets = from.number();
    statistics.families = static_cast<std::uint64_t>(families);
    statistics.sets = static_cast<std::uint64_t>(sets);
    statistics.peak_bytes = from.values(1).front();
    if (families < 0 || sets < 0 || !(statistics.peak_bytes >= 0.0 && statistics.peak_bytes < 1e18))
        return false;
    const std::size_t n = position_.size();
    if (from.failed || level < 0 || level > static_cast<std::int64_t>(n)) return false;
    if (jobs != static_cast<std::int64_t>(jobs_.size())) return false;
    const auto labels = source_->labels();
    std::vector<ChildState> states;
    for (const auto& job : jobs_) {
        states.push_back(unpack_child(from, n));
        if (from.failed) return false;
        StateRules rules{static_cast<std::size_t>(level),
                         job.required.size(),
                         job.limit,
                         std::vector<std::uint8_t>(n, 0),
                         std::vector<std::uint8_t>(n, 0),
                         std::vector<std::uint8_t>(n, 0)};
        for (const auto p : job.allowed) {
            rules.free[static_cast<std::size_t>(p)] = 1;
            rules.known[static_cast<std::size_t>(labels[static_cast<std::size_t>(p)])] = 1;
        }
        for (const auto p : job.required) {
            const auto variable = static_cast<std::size_t>(labels[static_cast<std::size_t>(p)]);
            rules.fixed[variable] = rules.known[variable] = 1;
        }
        if (!sound(states.back(), rules)) return false;
    }
    if (!from.at_end()) return false;
    level_ = static_cast<std::int32_t>(level);
    statistics_ = statistics;
    for (std::size_t job = 0; job < jobs_.size(); ++job) jobs_[job].state = std::move(states[job]);
    ranks_.grow(static_cast<std::size_t>(level_ + 4));
    return true;
}

}  // namespace arcwise
