#include "posterior/chains/dag_chain.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace arcwise {

Walker::Walker(const FamilyIndex& index, const HeatedRows& heated, const ChainOptions& options)
    : index_(index),
      heated_(heated),
      options_(options),
      heat_(heated.heat),
      blocks_(index, heated, options.window),
      dag_(index.variables()),
      rows_(index.variables(), FamilyIndex::absent),
      below_(long_set(index.variables())),
      alone_(long_set(index.variables())) {}

double Walker::score() const {
    double total = 0;
    for (const auto row : rows_) total += index_.score(row);
    return total;
}

void Walker::assign(std::span<const std::int64_t> rows) {
    const LongSet none = long_set(dag_.nodes());
    for (std::size_t v = 0; v < dag_.nodes(); ++v) dag_.set_parents(v, none);
    rows_.assign(rows.begin(), rows.end());
    arcs_ = 0;
    for (std::size_t v = 0; v < dag_.nodes(); ++v) {
        dag_.set_parents(v, index_.set(rows_[v]));
        arcs_ += index_.parents(rows_[v]).size();
    }
}

void Walker::step(Xoshiro& random, MoveCounts& counts) {
    double left = random.uniform();
    std::size_t move = 0;
    while (move < blanket && left >= options_.mixture[move]) left -= options_.mixture[move++];
    bool accepted = false;
    switch (move) {
        case toggle:
            accepted = try_toggle(random);
            break;
        case reversal:
            accepted = try_reversal(random);
            break;
        case redraw:
            accepted = try_redraw(random);
            break;
        case parents:
            accepted = try_block(1, random);
            break;
        case block:
            accepted = try_block(BlockStep::most, random);
            break;
        case edge:
            accepted = try_edge(random);
            break;
        default:
            accepted = try_blanket(random);
            break;
    }
    ++counts.tried[move];
    counts.accepted[move] += accepted ? 1 : 0;
}

bool Walker::is_accepted(double log_ratio, Xoshiro& random) const {
    return log_ratio >= 0 || random.uniform() < std::exp(log_ratio);
}

void Walker::replace_row(std::size_t node, std::int64_t row) {
    arcs_ = arcs_ - index_.parents(rows_[node]).size() + index_.parents(row).size();
    rows_[node] = row;
}

void Walker::set_row(std::size_t node, std::int64_t row) {
    replace_row(node, row);
    dag_.set_parents(node, index_.set(row));
}

std::pair<std::size_t, std::size_t> Walker::draw_arc(Xoshiro& random) const {
    std::size_t left = random.below(arcs_), child = 0;
    while (left >= index_.parents(rows_[child]).size()) left -= index_.parents(rows_[child++]).size();
    return {static_cast<std::size_t>(index_.parents(rows_[child])[left]), child};
}

bool Walker::try_toggle(Xoshiro& random) {
    const auto& arcs = index_.arcs();
    if (arcs.empty()) return false;
    const auto [from, to] = arcs[random.below(arcs.size())];
    const auto tail = static_cast<std::size_t>(from), head = static_cast<std::size_t>(to);
    const std::int64_t row = index_.find_changed(head, rows_[head], tail);
    if (row == FamilyIndex::absent) return false;
    if (!is_accepted(heat_ * (index_.score(row) - index_.score(rows_[head])), random)) return false;
    if (!dag_.has_arc(tail, head)) {
        dag_.below(head, below_);
        if (below_.has(tail)) return false;
    }
    set_row(head, row);
    return true;
}

bool Walker::try_reversal(Xoshiro& random) {
    if (arcs_ == 0) return false;
    const auto [tail, head] = draw_arc(random);
    const std::int64_t lost = index_.find_changed(head, rows_[head], tail);
    const std::int64_t won = index_.find_changed(tail, rows_[tail], head);
    if (lost == FamilyIndex::absent || won == FamilyIndex::absent) return false;
    const double before = index_.score(rows_[head]) + index_.score(rows_[tail]);
    if (!is_accepted(heat_ * (index_.score(lost) + index_.score(won) - before), random)) return false;
    dag_.below(tail, below_);
    if (index_.set(lost).meets(below_)) return false;
    set_row(head, lost);
    set_row(tail, won);
    return true;
}

// Most of a chain's time is spent here, so that nothing is asked of a row but whether it is allowed and what
// it weighs: where the window ends is found beforehand, and a row that is not allowed adds nothing (no
// branch).
template <class Allows>
Walker::Sum Walker::sum_allowed(std::size_t node, std::span<const std::int32_t> list, Allows allows) {
    const auto first = std::ranges::find_if(list, allows);
    listed_ = {first, list.end()};
    sums_.clear();
    if (listed_.empty()) return {};
    const double best = index_.score(index_.first_row(node)), top = index_.score(*first);
    const double end = top - options_.window / heat_;
    listed_ = {first, std::ranges::partition_point(
                          listed_, [&](std::int32_t row) { return index_.score(row) >= end; })};
    sums_.resize(listed_.size());
    const bool is_far = heat_ * (top - best) < least_weight;
    const auto add_up = [&](auto weight_of) {
        double total = 0;
        for (std::size_t i = 0; i < listed_.size(); ++i) {
            const double weight = weight_of(listed_[i]);
            sums_[i] = total += allows(listed_[i]) ? weight : 0;
        }
        return total;
    };
    const double total =
        is_far ? add_up([&](std::int32_t row) { return std::exp(heat_ * (index_.score(row) - top)); })
               : add_up([&](std::int32_t row) { return heated_.weights[static_cast<std::size_t>(row)]; });
    return {true, top, heat_ * (is_far ? top : best) + std::log(total)};
}

Walker::Sum Walker::sum_all(std::size_t node, const SetView* also) {
    dag_.below(node, below_);
    if (also != nullptr) below_ |= *also;
    const std::int64_t begin = index_.chunk(index_.chunk_without(node, below_)).first;
    return sum_below(node,
                     index_.rows_of(node).subspan(static_cast<std::size_t>(begin - index_.first_row(node))));
}

Walker::Sum Walker::sum_with(std::size_t node, std::size_t parent) {
    dag_.below(node, below_);
    return sum_below(node, index_.rows_with(node, parent));
}

Walker::Sum Walker::sum_below(std::size_t node, std::span<const std::int32_t> list) {
    if (below_.word_count() == 1) {
        const Word avoided = below_.words()[0];
        return sum_allowed(node, list, [&](std::int32_t row) { return (index_.word(row) & avoided) == 0; });
    }
    return sum_allowed(node, list, [&](std::int32_t row) { return !index_.set(row).meets(below_); });
}

bool Walker::is_within(const Sum& sum, std::int64_t row) const {
    return sum.any && index_.score(row) >= sum.top - options_.window / heat_;
}

std::int64_t Walker::draw_row(Xoshiro& random) const {
    const auto found = std::ranges::upper_bound(sums_, random.uniform() * sums_.back());
    const auto place = found == sums_.end() ? std::ranges::lower_bound(sums_, sums_.back()) : found;
    return listed_[static_cast<std::size_t>(place - sums_.begin())];
}

bool Walker::try_redraw(Xoshiro& random) {
    const std::size_t node = random.below(dag_.nodes());
    const auto begin = static_cast<std::size_t>(index_.first_row(node));
    const auto sums = std::span(heated_.sums).subspan(begin, index_.rows_of(node).size());
    const auto place = std::ranges::upper_bound(sums, random.uniform() * sums.back()) - sums.begin();
    const auto row =
        static_cast<std::int64_t>(begin + std::min(static_cast<std::size_t>(place), sums.size() - 1));
    if (row == rows_[node]) return false;
    dag_.below(node, below_);
    if (index_.set(row).meets(below_)) return false;
    set_row(node, row);
    return true;
}

// The block does not depend on the DAG, so that nothing needs to be corrected for how it was chosen.
bool Walker::try_block(std::size_t size, Xoshiro& random) {
    const BlockChoice& by = options_.blocks;
    const auto by_weight = [&](std::span<const double> sums) {
        const auto place = std::ranges::upper_bound(sums, random.uniform() * sums.back());
        return std::min(static_cast<std::size_t>(place - sums.begin()), sums.size() - 1);
    };
    std::array<std::size_t, BlockStep::most> chosen{by_weight(by.firsts)};
    std::size_t have = 1;
    for (std::size_t more = 1; more < size; ++more) {  // who is drawn again is there once
        const std::size_t from = chosen[random.below(have)];
        const std::size_t begin = by.offsets[from], count = by.offsets[from + 1] - begin;
        if (count == 0) break;
        const auto partner = static_cast<std::size_t>(
            by.partners[begin + by_weight(std::span(by.sums).subspan(begin, count))]);
        if (std::ranges::count(std::span(chosen).first(have), partner) == 0) chosen[have++] = partner;
    }
    if (!blocks_.draw(std::span(chosen).first(have), dag_, rows_, random)) return false;
    bool changed = false;
    for (std::size_t place = 0; place < have; ++place) {
        if (blocks_.drawn(place) == rows_[chosen[place]]) continue;
        set_row(chosen[place], blocks_.drawn(place));
        changed = true;
    }
    return changed;
}

// With G0 the DAG in which u and v have no parents: u -> v is drawn as one of the arcs of G, u's new parents
// from Z*(u; with v) over G0, v's from Z(v) over what then is the DAG. The way back draws v -> u as one of
// the arcs of G', v's old parents from Z*(v; with u) over G0, u's old ones from Z(u). All weights cancel
// against the ratio of the posteriors, so that what is left are the sums and the numbers of arcs.
bool Walker::try_edge(Xoshiro& random) {
    if (arcs_ == 0) return false;
    const auto [u, v] = draw_arc(random);
    const std::int64_t old_u = rows_[u], old_v = rows_[v];
    alone_.fill(false);
    dag_.set_parents(v, alone_);
    dag_.set_parents(u, alone_);
    const auto restore = [&] {
        dag_.set_parents(v, alone_);
        dag_.set_parents(u, index_.set(old_u));
        dag_.set_parents(v, index_.set(old_v));
        return false;
    };
    const Sum back_v = sum_with(v, u);
    if (!is_within(back_v, old_v)) return restore();
    const Sum with_v = sum_with(u, v);
    if (!with_v.any) return restore();
    const std::int64_t new_u = draw_row(random);
    dag_.set_parents(v, index_.set(old_v));
    const Sum back_u = sum_all(u);
    dag_.set_parents(v, alone_);
    if (!is_within(back_u, old_u)) return restore();
    dag_.set_parents(u, index_.set(new_u));
    const Sum free_v = sum_all(v);
    if (!free_v.any) return restore();
    const std::int64_t new_v = draw_row(random);
    const std::size_t others = arcs_ - index_.parents(old_u).size() - index_.parents(old_v).size();
    const std::size_t after = others + index_.parents(new_u).size() + index_.parents(new_v).size();
    const double log_ratio = std::log(static_cast<double>(arcs_)) - std::log(static_cast<double>(after)) +
                             (with_v.log - back_v.log) + (free_v.log - back_u.log);
    if (!is_accepted(log_ratio, random)) return restore();
    dag_.set_parents(v, index_.set(new_v));
    rows_[u] = new_u;
    rows_[v] = new_v;
    arcs_ = after;
    return true;
}

// M0 is the DAG in which the node has no parents and its children have the node alone: it is the same on the
// way back, on which the node has the same children, in the same order with the same probability.
bool Walker::try_blanket(Xoshiro& random) {
    const std::size_t node = random.below(dag_.nodes());
    const std::int64_t old = rows_[node];
    children_.clear();
    for (std::size_t v = 0; v < dag_.nodes(); ++v)
        if (dag_.has_arc(node, v)) children_.push_back(v);
    random.shuffle(std::span(children_));
    const auto strip = [&] {
        alone_.fill(false);
        dag_.set_parents(node, alone_);
        alone_.add(node);
        for (const auto child : children_) dag_.set_parents(child, alone_);
    };
    const auto restore = [&] {
        strip();
        dag_.set_parents(node, index_.set(old));
        for (const auto child : children_) dag_.set_parents(child, index_.set(rows_[child]));
        return false;
    };
    strip();
    const SetView old_parents = index_.set(old);
    const Sum forward = sum_all(node, &old_parents);
    if (!forward.any) return restore();
    const std::int64_t drawn = draw_row(random);
    const SetView new_parents = index_.set(drawn);
    const Sum backward = sum_all(node, &new_parents);
    if (!is_within(backward, old)) return restore();
    double log_ratio = forward.log - backward.log;
    dag_.set_parents(node, old_parents);
    for (const auto child : children_) {
        const Sum back = sum_with(child, node);
        if (!is_within(back, rows_[child])) return restore();
        log_ratio -= back.log;
        dag_.set_parents(child, index_.set(rows_[child]));
    }
    strip();
    dag_.set_parents(node, new_parents);
    kept_.clear();
    for (const auto child : children_) {
        const Sum there = sum_with(child, node);
        if (!there.any) return restore();
        log_ratio += there.log;
        kept_.push_back(draw_row(random));
        dag_.set_parents(child, index_.set(kept_.back()));
    }
    if (!is_accepted(log_ratio, random)) return restore();
    replace_row(node, drawn);
    for (std::size_t i = 0; i < children_.size(); ++i) replace_row(children_[i], kept_[i]);
    return true;
}

DagChain::DagChain(const FamilyIndex& index, const std::vector<HeatedRows>& heated,
                   const ChainOptions& options, std::uint64_t seed)
    : options_(options), random_(seed) {
    walkers_.reserve(heated.size());
    for (const auto& rows : heated) walkers_.emplace_back(index, rows, options);
}

void DagChain::advance(std::span<const std::int64_t> target, double least) {
    for (std::size_t i = 0; i < walkers_.size(); ++i)
        for (std::size_t step = 0; step < options_.thin; ++step)
            walkers_[i].step(random_, i == 0 ? counts_ : ignored_);
    for (std::size_t i = walkers_.size(); i-- > 1;) {
        const double lead = walkers_[i].score() - walkers_[i - 1].score();
        const double log_ratio = (options_.heats[i - 1] - options_.heats[i]) * lead;
        ++counts_.tried[swap];
        if (log_ratio < 0 && random_.uniform() >= std::exp(log_ratio)) continue;
        ++counts_.accepted[swap];
        const std::vector<std::int64_t> rows = walkers_[i].rows();
        walkers_[i].assign(walkers_[i - 1].rows());
        walkers_[i - 1].assign(rows);
    }
    if (target.empty()) return;
    ++counts_.tried[jump];
    if (walkers_[0].score() < least) return;
    ++counts_.accepted[jump];
    walkers_[0].assign(target);
}

}  // namespace arcwise
