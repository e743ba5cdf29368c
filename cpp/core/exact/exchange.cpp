#include "exact/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

// Scores are compared in units of 2^-36 = 1.5e-11: those of 50,000 cases are right to about one of these.
constexpr int grain_bits = 36;
const double grain = std::ldexp(1.0, -grain_bits);
// Beyond this, two of them might not fit into a whole number.
const double widest = std::ldexp(1.0, 61 - grain_bits);
// More per parent against the order says nothing new.
constexpr std::int64_t most_against = 64;
// Subsets that are looked at to make one cut larger: a few milliseconds.
constexpr std::size_t most_looked_at = 1'000'000;

}  // namespace

Exchanges::Exchanges(const CandidateSets& sets, std::span<const std::int32_t> order, double most_lost)
    : n_(sets.variables()),
      later_(n_, n_),
      top_(n_),
      offsets_(sets.offsets().begin(), sets.offsets().end()),
      sets_(n_) {
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j)
            later_[static_cast<std::size_t>(order[i])].add(static_cast<std::size_t>(order[j]));
    std::size_t most = 0;  // parents against the order, in any network
    for (std::size_t v = 0; v < n_; ++v) {
        top_[v] = sets.score(sets.begin(v));
        std::size_t of_node = 0;
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) {
            of_node = std::max(of_node, sets.set(row).shared(std::as_const(later_)[v]));
            if (!(top_[v] - sets.score(row) < widest)) is_exact_ = false;
        }
        most += of_node;
    }
    const double rounded = static_cast<double>(n_) * grain;  // half a unit per node, of both networks
    const double left = std::max(0.0, most_lost - rounded) / grain;
    if (most > 0)
        against_ = static_cast<Worth>(std::min(left / static_cast<double>(most), double(most_against)));
    loss_ = rounded + grain * static_cast<double>(against_) * static_cast<double>(most);
    if (loss_ > most_lost) is_exact_ = false;
    if (!is_exact_) return;
    std::vector<std::size_t> rows;
    for (std::size_t v = 0; v < n_; ++v) {
        rows.resize(sets.end(v) - sets.begin(v));
        std::iota(rows.begin(), rows.end(), sets.begin(v));
        std::vector<Worth> worth(rows.size());
        for (const std::size_t row : rows)
            worth[row - sets.begin(v)] = worth_of(v, sets.set(row), sets.score(row));
        std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
            return worth[a - sets.begin(v)] > worth[b - sets.begin(v)];
        });
        for (const std::size_t row : rows) {
            sets_.append(sets.set(row));
            worth_.push_back(worth[row - sets.begin(v)]);
        }
    }
}

Exchanges::Worth Exchanges::worth_of(std::size_t node, SetView set, double score) const {
    const auto against = static_cast<Worth>(set.shared(later_[node]));
    return std::llround(std::ldexp(score - top_[node], grain_bits)) - against_ * against;
}

Exchanges::Choice Exchanges::choice_of(const CandidateSets& sets, std::size_t node, std::size_t row) const {
    return {row, sets.set(row), worth_of(node, sets.set(row), sets.score(row))};
}

// The exchanges over one arc.
class Exchanges::Search {
  public:
    Search(const Exchanges& exchanges, std::size_t child, std::size_t parent)
        : of_(exchanges), child_(child), parent_(parent), scratch_(long_set(exchanges.n_)) {}

    Choice with_exchange(Choice choice) {
        if (choice.set.has(child_)) return choice;  // excluded anyhow
        std::ranges::copy(choice.set.words(), scratch_.words().begin());
        const Worth of_child = best(child_);
        scratch_.add(child_);
        const Worth of_parent = best(parent_);
        choice.exchanged = of_child == nothing || of_parent == nothing ? nothing : of_child + of_parent;
        return choice;
    }

    bool excludes(const Choice& child, const Choice& parent) {
        if (parent.set.has(child_)) return true;
        if (parent.exchanged > child.worth + parent.worth) return true;
        std::ranges::copy(child.set.words(), scratch_.words().begin());
        scratch_ |= parent.set;
        return best(child_, child.worth) != nothing;
    }

    // The family of most weight that grows from one choice of the child by one at a time.
    Family heaviest(const std::vector<Choice>& of_child, const std::vector<Choice>& of_parent) {
        std::vector<std::vector<std::uint8_t>> excluded;
        for (const Choice& child : of_child) {
            excluded.emplace_back();
            for (const Choice& parent : of_parent) excluded.back().push_back(excludes(child, parent) ? 1 : 0);
        }
        const auto weight_of = [&](const std::vector<std::uint8_t>& common) {
            double sum = 0;
            for (std::size_t j = 0; j < common.size(); ++j) sum += common[j] != 0 ? of_parent[j].weight : 0;
            return sum;
        };
        Family result;
        for (std::size_t first = 0; first < of_child.size(); ++first) {
            std::vector<std::uint8_t> taken(of_child.size(), 0), common = excluded[first], trial;
            taken[first] = 1;
            double inside = of_child[first].weight;
            double weight = inside + weight_of(common);
            for (bool grows = true; grows;) {
                grows = false;
                std::size_t pick = 0;
                double best_weight = weight + 1e-9;
                for (std::size_t i = 0; i < of_child.size(); ++i) {
                    if (taken[i] != 0) continue;
                    trial = common;
                    for (std::size_t j = 0; j < trial.size(); ++j) trial[j] &= excluded[i][j];
                    const double now = inside + of_child[i].weight + weight_of(trial);
                    if (now <= best_weight) continue;
                    best_weight = now;
                    pick = i;
                    grows = true;
                }
                if (!grows) break;
                taken[pick] = 1;
                inside += of_child[pick].weight;
                weight = best_weight;
                for (std::size_t j = 0; j < common.size(); ++j) common[j] &= excluded[pick][j];
            }
            if (weight <= result.weight) continue;
            result = {{}, {}, weight};
            for (std::size_t i = 0; i < taken.size(); ++i)
                if (taken[i] != 0) result.of_child.push_back(of_child[i]);
            for (std::size_t j = 0; j < common.size(); ++j)
                if (common[j] != 0) result.of_parent.push_back(of_parent[j]);
        }
        return result;
    }

    // All rows that may join: first those of the parent, then those of the child.
    void enlarge(Family& family, const CandidateSets& sets) {
        const auto joins = [&](const Choice& choice, const std::vector<Choice>& others, auto&& excluded) {
            return looked_at_ < most_looked_at &&
                   std::ranges::all_of(others, [&](const Choice& other) { return excluded(choice, other); });
        };
        const auto has = [](const std::vector<Choice>& choices, std::size_t row) {
            return std::ranges::any_of(choices, [&](const Choice& choice) { return choice.row == row; });
        };
        // Rows that were in stay, whatever was looked at: they are what the point violates.
        std::vector<Choice> parents;
        for (std::size_t row = sets.begin(parent_); row < sets.end(parent_); ++row) {
            const Choice choice = with_exchange(of_.choice_of(sets, parent_, row));
            if (has(family.of_parent, row) ||
                joins(choice, family.of_child,
                      [&](const Choice& a, const Choice& b) { return excludes(b, a); }))
                parents.push_back(choice);
        }
        family.of_parent = std::move(parents);
        std::vector<Choice> children;
        for (std::size_t row = sets.begin(child_); row < sets.end(child_); ++row) {
            if (!sets.set(row).has(parent_)) continue;
            const Choice choice = of_.choice_of(sets, child_, row);
            if (has(family.of_child, row) ||
                joins(choice, family.of_parent,
                      [&](const Choice& a, const Choice& b) { return excludes(a, b); }))
                children.push_back(choice);
        }
        family.of_child = std::move(children);
    }

  private:
    static constexpr Worth nothing = std::numeric_limits<Worth>::min();

    // The best worth of a node with parents within `scratch_`, if it is above a level.
    Worth best(std::size_t node, Worth level = nothing) {
        for (std::size_t row = of_.offsets_[node]; row < of_.offsets_[node + 1]; ++row) {
            if (of_.worth_[row] <= level) return nothing;
            ++looked_at_;
            if (of_.sets_[row].within(scratch_)) return of_.worth_[row];
        }
        return nothing;
    }

    const Exchanges& of_;
    std::size_t child_, parent_;
    LongSet scratch_;
    std::size_t looked_at_ = 0;
};

bool Exchanges::excludes(const CandidateSets& sets, std::size_t row, std::size_t other) const {
    if (!is_exact_) return false;
    const auto follows = [&](std::size_t child_row, std::size_t parent_row) {
        const std::size_t child = sets.node_of(child_row), parent = sets.node_of(parent_row);
        if (!sets.set(child_row).has(parent)) return false;
        Search search(*this, child, parent);
        return search.excludes(choice_of(sets, child, child_row),
                               search.with_exchange(choice_of(sets, parent, parent_row)));
    };
    return follows(row, other) || follows(other, row);
}

std::size_t Exchanges::add_violated(CutPool& pool, const CandidateSets& sets, const LpPoint& point,
                                    std::size_t limit, double threshold, Ticker& ticker) const {
    if (!is_exact_) return 0;
    std::vector<std::vector<Choice>> of_node(n_);
    for (std::size_t i = 0; i < point.rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(point.rows[i]);
        const std::size_t node = sets.node_of(row);
        Choice choice = choice_of(sets, node, row);
        choice.weight = point.values[i];
        of_node[node].push_back(choice);
    }
    struct Found {
        std::size_t child, parent;
        Family family;
    };
    std::vector<Found> found;
    LongSet parents = long_set(n_);
    for (std::size_t child = 0; child < n_; ++child) {
        parents.fill(false);
        for (const Choice& choice : of_node[child]) parents |= choice.set;
        parents.for_each([&](std::size_t parent) {
            if (ticker.poll({child, n_})) return;
            Search search(*this, child, parent);
            std::vector<Choice> with, others;
            for (const Choice& choice : of_node[child])
                if (choice.set.has(parent)) with.push_back(choice);
            for (const Choice& choice : of_node[parent]) others.push_back(search.with_exchange(choice));
            Family family = search.heaviest(with, others);
            if (family.weight > 1 + threshold) found.push_back({child, parent, std::move(family)});
        });
    }
    std::ranges::stable_sort(
        found, [](const Found& a, const Found& b) { return a.family.weight > b.family.weight; });
    if (found.size() > limit) found.resize(limit);
    std::vector<double> coefficients(sets.rows(), 0);
    for (Found& each : found) {
        Search(*this, each.child, each.parent).enlarge(each.family, sets);
        LongSet members = long_set(n_);
        members.add(each.child);
        members.add(each.parent);
        const auto write = [&](double value) {
            for (const auto* choices : {&each.family.of_child, &each.family.of_parent})
                for (const Choice& choice : *choices) coefficients[choice.row] = value;
        };
        write(1);
        pool.extend_weighted(members, sets, coefficients, 1);
        write(0);
    }
    return found.size();
}

}  // namespace arcwise
