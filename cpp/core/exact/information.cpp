#include "exact/information.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace arcwise {

Information::Information(std::span<const std::int32_t> arities)
    : arities_(arities.begin(), arities.end()),
      model_(arities.size(), arities.size()),
      wanted_(arities.size()) {
    entropies_[long_set(variables()).words()] = 0;
}

void Information::learn(const FamilyTables& families) {
    std::size_t start = 0;
    for (std::size_t f = 0; f + 1 < families.offsets.size(); ++f) {
        const auto begin = static_cast<std::size_t>(families.offsets[f]);
        const auto end = static_cast<std::size_t>(families.offsets[f + 1]);
        const auto members = families.members.subspan(begin, end - begin);
        std::size_t cells = 1;
        for (const std::int32_t v : members)
            cells *= static_cast<std::size_t>(arities_[static_cast<std::size_t>(v)]);
        learn_family(members, families.probabilities.subspan(start, cells));
        start += cells;
    }
    assert(start == families.probabilities.size());
}

void Information::learn_family(std::span<const std::int32_t> members, std::span<const double> probabilities) {
    std::vector<double> marginal;
    for (std::size_t mask = 1; mask < std::size_t{1} << members.size(); ++mask) {
        LongSet set = long_set(variables());
        for (std::size_t i = 0; i < members.size(); ++i)
            if ((mask >> i) & 1U) set.add(static_cast<std::size_t>(members[i]));
        const auto [place, is_new] = entropies_.try_emplace(set.words(), 0.0);
        if (!is_new) continue;
        // The stride of each member in the marginal table, 0 for those that are summed out.
        std::vector<std::size_t> strides(members.size(), 0);
        std::size_t cells = 1;
        for (std::size_t i = members.size(); i-- > 0;) {
            if (((mask >> i) & 1U) == 0) continue;
            strides[i] = cells;
            cells *= static_cast<std::size_t>(arities_[static_cast<std::size_t>(members[i])]);
        }
        marginal.assign(cells, 0);
        std::vector<std::int32_t> state(members.size(), 0);
        std::size_t cell = 0;
        for (const double p : probabilities) {
            marginal[cell] += p;
            for (std::size_t i = members.size(); i-- > 0;) {
                cell += strides[i];
                if (++state[i] < arities_[static_cast<std::size_t>(members[i])]) break;
                cell -= strides[i] * static_cast<std::size_t>(state[i]);
                state[i] = 0;
            }
        }
        for (const double p : marginal)
            if (p > 0) place->second -= p * std::log(p);
    }
}

double Information::entropy(SetView set) const {
    const auto found = entropies_.find(std::vector<Word>(set.words().begin(), set.words().end()));
    assert(found != entropies_.end());
    return found->second;
}

double Information::mutual_within(std::size_t node, SetView parents, SetView members,
                                  LongSet& scratch) const {
    std::ranges::copy(parents.words(), scratch.words().begin());
    scratch &= members;
    if (scratch.empty()) return 0;
    const double without = entropies_.at(scratch.words());
    scratch.add(node);
    const double with = entropies_.at(scratch.words());
    scratch.fill(false);
    scratch.add(node);
    return std::max(0.0, entropies_.at(scratch.words()) + without - with);
}

double Information::mutual(std::size_t node, SetView parents) const {
    LongSet scratch = long_set(variables());
    return mutual_within(node, parents, parents, scratch);
}

void Information::set_model(std::span<const Word> parents) {
    model_.resize(0);
    model_.append(parents);
    assert(model_.size() == variables());
    total_ = 0;
    for (std::size_t v = 0; v < variables(); ++v) total_ += mutual(v, std::as_const(model_)[v]);
}

double Information::total() const {
    return total_;
}

BitRows Information::take_wanted() {
    return std::exchange(wanted_, BitRows(variables()));
}

std::vector<double> Information::coefficients(const CandidateSets& sets, SetView members) const {
    std::vector<double> result(sets.rows(), 0);
    LongSet scratch = long_set(variables());
    members.for_each([&](std::size_t v) {
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
            result[row] = mutual_within(v, sets.set(row), members, scratch);
    });
    return result;
}

// A set of variables that shrinks, with what the point's parents tell within it.
class Information::Walk {
  public:
    Walk(Information& information, const CandidateSets& sets, const LpPoint& point)
        : information_(information),
          sets_(sets),
          n_(information.variables()),
          of_node_(n_),
          users_(n_),
          mutual_(n_, 0),
          members_(long_set(n_)),
          ancestors_(long_set(n_)),
          scratch_(long_set(n_)),
          moral_(n_, n_) {
        for (std::size_t i = 0; i < point.rows.size(); ++i) {
            const auto row = static_cast<std::size_t>(point.rows[i]);
            const std::size_t node = sets.node_of(row);
            of_node_[node].push_back({row, point.values[i]});
            sets.set(row).for_each([&](std::size_t p) { users_[p].push_back(node); });
        }
        for (auto& list : users_) {
            std::ranges::sort(list);
            list.erase(std::ranges::unique(list).begin(), list.end());
        }
    }

    bool is_decided(std::size_t v) const { return of_node_[v].size() == 1; }

    // The variables that are nearest to v in the point, v first.
    LongSet neighbourhood(std::size_t v) const {
        LongSet near = long_set(n_);
        near.add(v);
        std::vector<std::size_t> reached{v};
        for (std::size_t i = 0; i < reached.size() && reached.size() < largest_neighbourhood; ++i) {
            const auto offer = [&](std::size_t u) {
                if (near.has(u) || reached.size() >= largest_neighbourhood) return;
                near.add(u);
                reached.push_back(u);
            };
            for (const auto& [row, value] : of_node_[reached[i]]) sets_.set(row).for_each(offer);
            for (const std::size_t u : users_[reached[i]]) offer(u);
        }
        return near;
    }

    // The cuts on the way from `start`. Violations and sides are sums of what the steps change, so one of
    // them must be known: that of everything, or that of a single variable, at the end, which is 0.
    void run(const LongSet& start, double threshold, std::vector<InformationCut>& found) {
        members_ = start;
        std::size_t left = members_.size();
        members_.for_each([&](std::size_t v) { mutual_[v] = mutual_of(v); });
        const std::size_t first = found.size();
        double side = 0;
        double mutual = 0;
        members_.for_each([&](std::size_t v) { mutual += mutual_[v]; });
        const bool known = left == n_;
        if (known) side = information_.total_;
        for (; left >= 2; --left) {
            found.push_back({members_, side, mutual - side});
            look_around();
            std::size_t pick = n_;
            double best = 0, lost = 0, less = 0;
            members_.for_each([&](std::size_t v) {
                const double own = mutual_of_boundary(v);
                if (own < 0) return;
                double change = mutual_[v];
                members_.remove(v);
                for (const std::size_t user : users_[v])
                    if (members_.has(user)) change += mutual_[user] - mutual_of(user);
                members_.add(v);
                if (pick == n_ || own - change > best) {
                    pick = v;
                    best = own - change;
                    lost = change;
                    less = own;
                }
            });
            if (pick == n_) break;
            members_.remove(pick);
            for (const std::size_t user : users_[pick])
                if (members_.has(user)) mutual_[user] = mutual_of(user);
            mutual -= lost;
            side -= less;
        }
        if (!known && left >= 2) {
            found.resize(first, {members_, 0, 0});
            return;
        }
        // A start other than everything began with the side 0, so the last is below 0 by its own.
        const double shift = known ? 0 : side;
        std::size_t kept = first;
        for (std::size_t i = first; i < found.size(); ++i) {
            found[i].side -= shift;
            found[i].violation += shift;
            if (found[i].violation > threshold) std::swap(found[kept++], found[i]);
        }
        found.resize(kept, {members_, 0, 0});
    }

  private:
    static constexpr std::size_t largest_neighbourhood = 14;
    static constexpr std::size_t largest_boundary = 6;
    static constexpr double most_cells = 20'000;

    double mutual_of(std::size_t v) {
        double sum = 0;
        for (const auto& [row, value] : of_node_[v])
            sum += value * information_.mutual_within(v, sets_.set(row), members_, scratch_);
        return sum;
    }

    // The moral graph of the members' ancestors.
    void look_around() {
        const BitRows& parents = information_.model_;
        std::ranges::copy(members_.words(), ancestors_.words().begin());
        std::vector<std::size_t> waiting;
        members_.for_each([&](std::size_t v) { waiting.push_back(v); });
        while (!waiting.empty()) {
            const std::size_t v = waiting.back();
            waiting.pop_back();
            parents[v].for_each([&](std::size_t p) {
                if (ancestors_.has(p)) return;
                ancestors_.add(p);
                waiting.push_back(p);
            });
        }
        moral_.clear();
        ancestors_.for_each([&](std::size_t v) {
            moral_[v] |= parents[v];
            parents[v].for_each([&](std::size_t p) {
                moral_[p] |= parents[v];
                moral_[p].add(v);
            });
        });
        for (std::size_t v = 0; v < n_; ++v) moral_[v].remove(v);
    }

    // I(v; members - v), or -1 if that takes an entropy that is not known.
    double mutual_of_boundary(std::size_t v) {
        LongSet boundary = long_set(n_);
        LongSet seen = long_set(n_);
        seen.add(v);
        std::vector<std::size_t> waiting{v};
        std::size_t size = 0;
        double cells = information_.arities_[v];
        while (!waiting.empty()) {
            const std::size_t u = waiting.back();
            waiting.pop_back();
            std::as_const(moral_)[u].for_each([&](std::size_t w) {
                if (seen.has(w)) return;
                seen.add(w);
                if (!members_.has(w)) {
                    waiting.push_back(w);
                    return;
                }
                boundary.add(w);
                cells *= information_.arities_[w];
                ++size;
            });
        }
        if (size == 0) return 0;
        if (size > largest_boundary || cells > most_cells) return -1;
        boundary.add(v);
        if (!information_.entropies_.contains(boundary.words())) {
            if (information_.asked_.emplace(boundary.words(), true).second)
                information_.wanted_.append(boundary.words());
            return -1;
        }
        boundary.remove(v);
        return information_.mutual_within(v, boundary, boundary, scratch_);
    }

    Information& information_;
    const CandidateSets& sets_;
    std::size_t n_;
    std::vector<std::vector<std::pair<std::size_t, double>>> of_node_;
    std::vector<std::vector<std::size_t>> users_;  // the nodes that have this one among their parents
    std::vector<double> mutual_;
    LongSet members_;
    LongSet ancestors_;
    LongSet scratch_;
    BitRows moral_;
};

std::vector<InformationCut> Information::separate(const CandidateSets& sets, const LpPoint& point,
                                                  std::size_t limit, double threshold) {
    const std::size_t n = variables();
    Walk walk(*this, sets, point);
    LongSet all = long_set(n);
    for (std::size_t v = 0; v < n; ++v) all.add(v);
    std::vector<InformationCut> found;
    walk.run(all, threshold, found);
    for (std::size_t v = 0; v < n; ++v)
        if (!walk.is_decided(v)) walk.run(walk.neighbourhood(v), threshold, found);
    std::ranges::stable_sort(
        found, [](const InformationCut& a, const InformationCut& b) { return a.violation > b.violation; });
    std::vector<InformationCut> chosen;
    for (const InformationCut& cut : found) {
        if (chosen.size() == limit) break;
        const bool is_new = std::ranges::all_of(chosen, [&](const InformationCut& other) {
            const std::size_t shared = cut.members.shared(other.members);
            const std::size_t together = cut.members.size() + other.members.size() - shared;
            return together - shared > std::max<std::size_t>(2, together / 5);
        });
        if (is_new) chosen.push_back(cut);
    }
    return chosen;
}

}  // namespace arcwise
