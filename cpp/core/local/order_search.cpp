#include "local/order_search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace arcwise {
namespace {

constexpr double least_gain = 1e-9;
constexpr std::size_t largest_index = std::size_t{64} << 20;  // entries; beyond, rows are scanned instead

}  // namespace

OrderSearch::OrderSearch(const CandidateSets& sets, std::uint64_t seed)
    : sets_(sets), random_(seed), n_(sets.variables()), candidates_(n_, n_), before_node_(long_set(n_)) {
    double scale = 1;
    for (std::size_t v = 0; v < n_; ++v) {
        if (sets.begin(v) < sets.end(v))
            scale += std::abs(sets.score(sets.begin(v))) + std::abs(sets.score(sets.end(v) - 1));
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) candidates_[v] |= sets.set(row);
    }
    penalty_ = 4 * scale;
    indexed_ = n_ * n_ <= largest_index;
    if (indexed_) {
        with_offsets_.assign(n_ * n_ + 1, 0);
        for (std::size_t v = 0; v < n_; ++v)
            for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
                sets.set(row).for_each([&](std::size_t p) { ++with_offsets_[v * n_ + p + 1]; });
        std::partial_sum(with_offsets_.begin(), with_offsets_.end(), with_offsets_.begin());
        with_rows_.resize(with_offsets_.back());
        std::vector<std::size_t> next(with_offsets_.begin(), with_offsets_.end() - 1);
        for (std::size_t v = 0; v < n_; ++v)
            for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
                sets.set(row).for_each(
                    [&](std::size_t p) { with_rows_[next[v * n_ + p]++] = static_cast<std::uint32_t>(row); });
    }
    order_.resize(n_);
    position_.resize(n_);
    rows_.resize(n_);
    queued_.assign(n_, 0);
}

double OrderSearch::value(std::size_t, std::int64_t row) const {
    return row < 0 ? -penalty_ : sets_.score(static_cast<std::size_t>(row));
}

bool OrderSearch::related(std::size_t u, std::size_t v) const {
    return candidates_[u].has(v) || candidates_[v].has(u);
}

// The first row from `from` on whose set lies within `before`.
std::int64_t OrderSearch::first_row(std::size_t node, SetView before, std::size_t from) const {
    const std::size_t end = sets_.end(node);
    for (std::size_t row = from; row < end; ++row)
        if (sets_.set(row).within(before)) return static_cast<std::int64_t>(row);
    return OrderedNetwork::missing_row;
}

// The row of `node` once `parent` has joined `before`: the current one, or a better one that contains
// `parent`.
std::int64_t OrderSearch::gained_row(std::size_t node, std::size_t parent, SetView before,
                                     std::int64_t current) const {
    const std::size_t limit = current < 0 ? sets_.end(node) : static_cast<std::size_t>(current);
    if (!indexed_) {
        for (std::size_t row = sets_.begin(node); row < limit; ++row)
            if (sets_.set(row).within(before)) return static_cast<std::int64_t>(row);
        return current;
    }
    const std::size_t end = with_offsets_[node * n_ + parent + 1];
    for (std::size_t i = with_offsets_[node * n_ + parent]; i < end && with_rows_[i] < limit; ++i)
        if (sets_.set(with_rows_[i]).within(before)) return static_cast<std::int64_t>(with_rows_[i]);
    return current;
}

OrderedNetwork OrderSearch::evaluate(std::span<const std::int32_t> order) const {
    assert(order.size() == n_);
    OrderedNetwork result;
    result.order.assign(order.begin(), order.end());
    result.rows.assign(n_, OrderedNetwork::missing_row);
    LongSet before = long_set(n_);
    for (const std::int32_t node : order) {
        const auto v = static_cast<std::size_t>(node);
        result.rows[v] = first_row(v, before, sets_.begin(v));
        before.add(v);
    }
    for (std::size_t v = 0; v < n_; ++v) {
        if (result.rows[v] < 0)
            ++result.missing;
        else
            result.score += sets_.score(static_cast<std::size_t>(result.rows[v]));
    }
    return result;
}

void OrderSearch::load(std::span<const std::int32_t> order) {
    const OrderedNetwork network = evaluate(order);
    order_ = network.order;
    rows_ = network.rows;
    for (std::size_t i = 0; i < n_; ++i) position_[static_cast<std::size_t>(order_[i])] = i;
}

OrderedNetwork OrderSearch::current() const {
    OrderedNetwork result;
    result.order = order_;
    result.rows = rows_;
    for (std::size_t v = 0; v < n_; ++v) {
        if (rows_[v] < 0)
            ++result.missing;
        else
            result.score += sets_.score(static_cast<std::size_t>(rows_[v]));
    }
    return result;
}

// Walks `node` past its neighbours, first to the front, then to the back. Passing u, only `node` and u change
// predecessors, and only if one is a candidate parent of the other can a set change.
OrderSearch::Move OrderSearch::best_insertion(std::size_t node) {
    const std::size_t start = position_[node];
    Move best{start, least_gain};
    operations_ += n_ - 1;

    before_node_.fill(false);
    for (std::size_t i = 0; i < start; ++i) before_node_.add(static_cast<std::size_t>(order_[i]));
    const LongSet before_start = before_node_;

    // Forward: u gains `node` as a predecessor, `node` loses u.
    double others = 0;
    std::int64_t row = rows_[node];
    const double old_value = value(node, row);
    for (std::size_t i = start; i-- > 0;) {
        const auto u = static_cast<std::size_t>(order_[i]);
        before_node_.remove(u);
        if (!related(u, node)) continue;
        if (candidates_[u].has(node)) {
            before_node_.add(node);
            const std::int64_t gained = gained_row(u, node, before_node_, rows_[u]);
            before_node_.remove(node);
            if (gained != rows_[u]) others += value(u, gained) - value(u, rows_[u]);
        }
        if (row >= 0 && sets_.set(static_cast<std::size_t>(row)).has(u))
            row = first_row(node, before_node_, static_cast<std::size_t>(row) + 1);
        const double gain = others + value(node, row) - old_value;
        if (gain > best.gain) best = {i, gain};
    }

    // Back: u loses `node`, `node` gains u.
    before_node_ = before_start;
    others = 0;
    row = rows_[node];
    for (std::size_t i = start + 1; i < n_; ++i) {
        const auto u = static_cast<std::size_t>(order_[i]);
        if (rows_[u] >= 0 && sets_.set(static_cast<std::size_t>(rows_[u])).has(node)) {
            const std::int64_t left = first_row(u, before_node_, static_cast<std::size_t>(rows_[u]) + 1);
            others += value(u, left) - value(u, rows_[u]);
        }
        before_node_.add(u);
        if (candidates_[node].has(u)) row = gained_row(node, u, before_node_, row);
        const double gain = others + value(node, row) - old_value;
        if (gain > best.gain) best = {i, gain};
    }
    return best;
}

void OrderSearch::settle(std::size_t node, std::int64_t row) {
    if (rows_[node] == row) return;
    rows_[node] = row;
    touch(node);
}

void OrderSearch::touch(std::size_t node) {
    if (queued_[node]) return;
    queued_[node] = 1;
    queue_.push_back(node);
}

void OrderSearch::insert(std::size_t node, std::size_t position) {
    const std::size_t start = position_[node];
    const std::size_t low = std::min(start, position);
    const std::size_t high = std::max(start, position);
    if (position < start)
        std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(position),
                    order_.begin() + static_cast<std::ptrdiff_t>(start),
                    order_.begin() + static_cast<std::ptrdiff_t>(start) + 1);
    else
        std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(start),
                    order_.begin() + static_cast<std::ptrdiff_t>(start) + 1,
                    order_.begin() + static_cast<std::ptrdiff_t>(position) + 1);
    before_node_.fill(false);
    for (std::size_t i = 0; i < low; ++i) before_node_.add(static_cast<std::size_t>(order_[i]));
    for (std::size_t i = low; i <= high; ++i) {
        const auto u = static_cast<std::size_t>(order_[i]);
        position_[u] = i;
        if (u == node) {
            settle(u, first_row(u, before_node_, sets_.begin(u)));
        } else if (position < start) {
            if (candidates_[u].has(node)) settle(u, gained_row(u, node, before_node_, rows_[u]));
        } else if (rows_[u] >= 0 && sets_.set(static_cast<std::size_t>(rows_[u])).has(node)) {
            settle(u, first_row(u, before_node_, static_cast<std::size_t>(rows_[u]) + 1));
        }
        before_node_.add(u);
    }
    touch(node);
}

void OrderSearch::descend_touched(Ticker& ticker, const Progress& progress) {
    while (!queue_.empty()) {
        if (ticker.poll_now(progress)) {
            for (const std::size_t node : queue_) queued_[node] = 0;
            queue_.clear();
            return;
        }
        const std::size_t pick = random_.below(queue_.size());
        const std::size_t node = queue_[pick];
        queue_[pick] = queue_.back();
        queue_.pop_back();
        queued_[node] = 0;
        const Move move = best_insertion(node);
        if (move.position == position_[node]) continue;
        insert(node, move.position);
        // Whoever is related to a node that moved may now want to move as well.
        for (std::size_t u = 0; u < n_; ++u)
            if (u != node && related(u, node)) touch(u);
    }
}

OrderedNetwork OrderSearch::descend(std::span<const std::int32_t> order, Ticker& ticker,
                                    const Progress& progress) {
    load(order);
    for (std::size_t v = 0; v < n_; ++v) touch(v);
    descend_touched(ticker, progress);
    return current();
}

OrderedNetwork OrderSearch::iterate(std::span<const std::int32_t> start, std::uint64_t iterations,
                                    std::uint64_t patience, Ticker& ticker) {
    std::vector<std::int32_t> order(start.begin(), start.end());
    const auto random_order = [&] {
        order.resize(n_);
        std::iota(order.begin(), order.end(), 0);
        random_.shuffle(std::span(order));
    };
    if (order.empty()) random_order();
    const double unbounded = std::numeric_limits<double>::infinity();
    OrderedNetwork base = descend(order, ticker, {0, iterations});
    OrderedNetwork best = base;
    std::uint64_t idle = 0;
    for (std::uint64_t i = 0; i < iterations && n_ > 2; ++i) {
        const Progress progress{i, iterations, best.score, unbounded};
        if (ticker.poll_now(progress)) break;
        if (idle >= patience) {
            random_order();
            base = descend(order, ticker, progress);
            idle = 0;
        } else {
            load(base.order);
            const std::size_t moves = 1 + random_.below(std::min<std::size_t>(n_, 5));
            const std::size_t centre = random_.below(n_);
            const std::size_t reach = 2 + random_.below(n_);
            for (std::size_t m = 0; m < moves; ++m) {
                const auto near = [&](std::size_t at) {
                    const std::size_t low = at > reach ? at - reach : 0;
                    return low + random_.below(std::min(n_, at + reach + 1) - low);
                };
                insert(static_cast<std::size_t>(order_[near(centre)]), near(centre));
            }
            descend_touched(ticker, progress);
            const OrderedNetwork next = current();
            const bool gained = next.missing < base.missing ||
                                (next.missing == base.missing && next.score > base.score + least_gain);
            idle = gained ? 0 : idle + 1;
            if (!base.better_than(next)) base = next;
        }
        if (base.better_than(best)) best = base;
    }
    return best;
}

}  // namespace arcwise
