#include "counts/set_counter.hpp"

namespace arcwise {

template <class Code, class Count>
void SetCounter<Code, Count>::prepare(Level& level) {
    level.counts.assign(level.partition.classes(), 0);
    for (std::size_t row = 0; row < data_.rows; ++row)
        level.counts[level.partition.class_of[row]] += data_.weights[row];
    level.grouped = false;
    level.rows_known = true;
}

// Rows in the majority state keep their class, the others move to new ones: the work is that of copying the
// classes, and of the minority rows.
template <class Code, class Count>
void SetCounter<Code, Count>::split_by_minority(const Level& level, std::size_t position, Level& finer) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    finer.grouped = false;
    finer.rows_known = false;
    finer.partition.class_of = level.partition.class_of;
    finer.counts = level.counts;
    std::uint32_t* class_of = finer.partition.class_of.data();
    for (std::size_t state = 0; state < data_.arities[position]; ++state) {
        const auto rows = data_.rows_in_state(position, state);
        if (rows.empty()) continue;
        moved_.assign(level.counts.size(), none);
        for (const auto row : rows) {
            const auto from = class_of[row];
            if (moved_[from] == none) {
                moved_[from] = static_cast<std::uint32_t>(finer.counts.size());
                finer.counts.push_back(0);
            }
            class_of[row] = moved_[from];
            finer.counts[moved_[from]] += data_.weights[row];
            finer.counts[from] -= data_.weights[row];
        }
    }
    finer.partition.first.resize(finer.counts.size());
}

template <class Code, class Count>
std::span<const std::uint32_t> SetCounter<Code, Count>::class_rows() {
    Level& level = levels_[depth_];
    if (!level.rows_known) {
        for (std::size_t row = data_.rows; row-- > 0;)
            level.partition.first[level.partition.class_of[row]] = static_cast<std::uint32_t>(row);
        level.rows_known = true;
    }
    return level.partition.first;
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
        const Level& level = levels_[depth_];
        if (level.counts.size() * data_.arities[position] <= 2 * data_.rows + 64) {
            split_by_minority(level, position, finer);
        } else {
            refiner_.refine(level.partition, data_.column(position), data_.rows, data_.arities[position],
                            finer.partition);
            prepare(finer);
        }
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
