#include "exact/information.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace arcwise {

Information::Information(std::span<const std::int32_t> arities)
    : arities_(arities.begin(), arities.end()), model_(arities.size(), arities.size()) {
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

double Information::told_within(std::size_t node, SetView parents, SetView members, LongSet& scratch) const {
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

double Information::told(std::size_t node, SetView parents) const {
    LongSet scratch = long_set(variables());
    return told_within(node, parents, parents, scratch);
}

void Information::set_model(std::span<const Word> parents) {
    model_.resize(0);
    model_.append(parents);
    assert(model_.size() == variables());
    model_told_.clear();
    for (std::size_t v = 0; v < variables(); ++v) model_told_.push_back(told(v, std::as_const(model_)[v]));
}

double Information::side(SetView members) const {
    double sum = 0;
    members.for_each([&](std::size_t v) { sum += model_told_[v]; });
    return sum;
}

std::vector<double> Information::coefficients(const CandidateSets& sets, SetView members) const {
    std::vector<double> result(sets.rows(), 0);
    LongSet scratch = long_set(variables());
    members.for_each([&](std::size_t v) {
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row)
            result[row] = told_within(v, sets.set(row), members, scratch);
    });
    return result;
}

std::vector<ViolatedCut> Information::separate(const CandidateSets& sets, const LpPoint& point,
                                                  std::size_t limit, double threshold) const {
    const std::size_t n = variables();
    std::vector<std::vector<std::pair<std::size_t, double>>> of_node(n);
    std::vector<std::vector<std::size_t>> users(n);  // the nodes that have this one among their parents
    for (std::size_t i = 0; i < point.rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(point.rows[i]);
        const std::size_t node = sets.node_of(row);
        of_node[node].push_back({row, point.values[i]});
        sets.set(row).for_each([&](std::size_t p) {
            if (users[p].empty() || users[p].back() != node) users[p].push_back(node);
        });
    }
    for (auto& list : users) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
    }
    std::vector<std::size_t> children(n, 0);  // of the model, among the members
    for (std::size_t v = 0; v < n; ++v) std::as_const(model_)[v].for_each([&](std::size_t p) { ++children[p]; });
    LongSet members = long_set(n);
    LongSet scratch = long_set(n);
    for (std::size_t v = 0; v < n; ++v) members.add(v);
    const auto told_to = [&](std::size_t v) {
        double sum = 0;
        for (const auto& [row, value] : of_node[v])
            sum += value * told_within(v, sets.set(row), members, scratch);
        return sum;
    };
    std::vector<double> told(n);
    double violation = 0;
    for (std::size_t v = 0; v < n; ++v) {
        told[v] = told_to(v);
        violation += told[v] - model_told_[v];
    }
    std::vector<ViolatedCut> found;
    for (std::size_t left = n; left >= 2; --left) {
        if (violation > threshold) found.push_back({members, 0, violation});
        std::size_t pick = n;
        double best = 0;
        for (std::size_t v = 0; v < n; ++v) {
            if (!members.has(v) || children[v] > 0) continue;
            double gain = model_told_[v] - told[v];
            members.remove(v);
            for (const std::size_t user : users[v])
                if (members.has(user)) gain -= told[user] - told_to(user);
            members.add(v);
            if (pick == n || gain > best) {
                pick = v;
                best = gain;
            }
        }
        members.remove(pick);
        std::as_const(model_)[pick].for_each([&](std::size_t p) { --children[p]; });
        for (const std::size_t user : users[pick])
            if (members.has(user)) told[user] = told_to(user);
        violation += best;
    }
    std::ranges::stable_sort(found, [](const ViolatedCut& a, const ViolatedCut& b) {
        return a.violation > b.violation;
    });
    if (found.size() > limit) found.resize(limit);
    return found;
}

}  // namespace arcwise
