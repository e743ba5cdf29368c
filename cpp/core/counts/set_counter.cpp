#include "counts/set_counter.hpp"

namespace arcwise {

template <class Code, class Count>
void SetCounter<Code, Count>::prepare(Level& level) {
    level.counts.assign(level.partition.classes(), 0);
    for (std::size_t row = 0; row < data_.rows; ++row)
        level.counts[level.partition.class_of[row]] += data_.weights[row];
    level.grouped = false;
}

template <class Code, class Count>
void SetCounter<Code, Count>::set_prefix(std::span<const std::int32_t> tops) {
    std::size_t shared = 0;
    while (shared < depth_ && shared < tops.size() && levels_[shared + 1].position == tops[shared]) ++shared;
    if (levels_.size() <= tops.size()) levels_.resize(tops.size() + 1);
    for (depth_ = shared; depth_ < tops.size(); ++depth_) {
        const auto position = static_cast<std::size_t>(tops[depth_]);
        Level& finer = levels_[depth_ + 1];
        finer.position = tops[depth_];
        refiner_.refine(levels_[depth_].partition, data_.column(position), data_.rows,
                        data_.arities[position], finer.partition);
        prepare(finer);
    }
}

template <class Code, class Count>
std::span<const Count> SetCounter<Code, Count>::cells(std::size_t position) {
    Level& level = levels_[depth_];
    // With the table, cost is the minority rows plus classes x arity; with groups, the rows that are not
    // alone in their class.
    if (level.partition.classes() * data_.arities[position] <= 2 * data_.rows + 64) {
        count_by_minority(level, position);
    } else {
        if (!level.grouped) group(level);
        count_by_group(level, position);
    }
    return buffer_;
}

template <class Code, class Count>
void SetCounter<Code, Count>::count_by_minority(const Level& level, std::size_t position) {
    const std::size_t classes = level.partition.classes();
    const std::uint32_t* class_of = level.partition.class_of.data();
    const std::size_t arity = data_.arities[position];
    // The buffer has one block of classes per state; the first is the majority state's.
    buffer_.assign(classes * arity, 0);
    std::copy(level.counts.begin(), level.counts.end(), buffer_.begin());
    Count* rest = buffer_.data();
    Count* block = rest;
    for (std::size_t state = 0; state < arity; ++state) {
        if (state == data_.majority[position]) continue;
        block += classes;
        const auto rows = data_.rows_in_state(position, state);
        if (data_.unit_weights)
            for (const auto row : rows) ++block[class_of[row]];
        else
            for (const auto row : rows) block[class_of[row]] += data_.weights[row];
        for (std::size_t c = 0; c < classes; ++c) rest[c] -= block[c];
    }
}

template <class Code, class Count>
void SetCounter<Code, Count>::group(Level& level) {
    const auto& partition = level.partition;
    std::vector<std::uint32_t> start(partition.classes() + 1, 0);
    for (const auto c : partition.class_of) ++start[c + 1];
    level.lone_counts.clear();
    level.group_ends.clear();
    std::uint32_t end = 0;
    for (std::size_t c = 0; c < partition.classes(); ++c) {
        const auto size = start[c + 1];
        start[c] = end;
        if (size == 1) {
            level.lone_counts.push_back(level.counts[c]);
        } else {
            end += size;
            level.group_ends.push_back(end);
        }
    }
    level.grouped_rows.resize(end);
    std::vector<bool> lone(partition.classes());
    for (std::size_t c = 0; c < partition.classes(); ++c)
        lone[c] = (c + 1 < partition.classes() ? start[c + 1] : end) == start[c];
    for (std::size_t row = 0; row < data_.rows; ++row) {
        const auto c = partition.class_of[row];
        if (!lone[c]) level.grouped_rows[start[c]++] = static_cast<std::uint32_t>(row);
    }
    level.grouped = true;
}

template <class Code, class Count>
void SetCounter<Code, Count>::count_by_group(const Level& level, std::size_t position) {
    buffer_.assign(level.lone_counts.begin(), level.lone_counts.end());
    histogram_.assign(std::max(histogram_.size(), data_.arities[position]), 0);
    const Code* column = data_.column(position);
    std::uint32_t begin = 0;
    for (const auto end : level.group_ends) {
        touched_.clear();
        for (; begin < end; ++begin) {
            const auto row = level.grouped_rows[begin];
            auto& count = histogram_[column[row]];
            if (count == 0) touched_.push_back(column[row]);
            count += data_.weights[row];
        }
        for (const auto state : touched_) {
            buffer_.push_back(histogram_[state]);
            histogram_[state] = 0;
        }
    }
}

template class SetCounter<std::uint8_t, std::uint32_t>;
template class SetCounter<std::uint16_t, std::uint32_t>;
template class SetCounter<std::uint32_t, std::uint32_t>;
template class SetCounter<std::uint8_t, std::int64_t>;
template class SetCounter<std::uint16_t, std::int64_t>;
template class SetCounter<std::uint32_t, std::int64_t>;

}  // namespace arcwise
