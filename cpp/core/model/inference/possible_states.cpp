#include "model/inference/possible_states.hpp"

#include <algorithm>

namespace arcwise {

namespace {

std::size_t index(std::int32_t v) {
    return static_cast<std::size_t>(v);
}

}  // namespace

PossibleStates::PossibleStates(const ProbabilityTables& tables, std::span<const std::int32_t> states)
    : tables_(tables), left_(states.size()), observed_(states.size(), -1) {
    const auto n = tables.variables();
    std::vector<std::vector<std::size_t>> tables_of(n);  // by variable: the tables that have it
    for (std::size_t v = 0; v < n; ++v) {
        possible_.emplace_back(tables.arity(v), states[v] < 0);
        if (states[v] >= 0) {
            possible_[v][index(states[v])] = 1;
            observed_[v] = 0;
        }
        for (const auto u : tables.family(v)) tables_of[index(u)].push_back(v);
    }
    std::vector<std::size_t> waiting(n);
    std::vector<std::uint8_t> waits(n, 1);
    for (std::size_t v = 0; v < n; ++v) waiting[v] = v;
    while (!waiting.empty()) {
        const auto v = waiting.back();
        waiting.pop_back();
        waits[v] = 0;
        const auto lost = narrow(v);
        const auto family = tables.family(v);
        for (std::size_t axis = 0; axis < family.size(); ++axis) {
            if (!lost[axis]) continue;
            for (const auto other : tables_of[index(family[axis])]) {
                if (other == v || waits[other]) continue;
                waits[other] = 1;
                waiting.push_back(other);
            }
        }
    }
    for (std::size_t v = 0; v < n; ++v) {
        for (std::size_t state = 0; state < possible_[v].size(); ++state)
            if (possible_[v][state]) left_[v].push_back(static_cast<std::int32_t>(state));
        impossible_ = impossible_ || left_[v].empty();
        fewer_ = fewer_ || (states[v] < 0 && left_[v].size() < tables.arity(v));
    }
}

std::vector<std::uint8_t> PossibleStates::narrow(std::size_t v) {
    const auto family = tables_.family(v);
    const auto values = tables_.table(v);
    std::vector<std::vector<std::uint8_t>> allowed;
    for (const auto u : family) allowed.emplace_back(tables_.arity(index(u)), 0);
    std::vector<std::size_t> digits(family.size(), 0);
    for (const auto value : values) {
        // An undefined entry is not 0: it may be anything.
        bool agrees = value != 0;
        for (std::size_t axis = 0; axis < family.size() && agrees; ++axis)
            agrees = possible_[index(family[axis])][digits[axis]] != 0;
        if (agrees)
            for (std::size_t axis = 0; axis < family.size(); ++axis) allowed[axis][digits[axis]] = 1;
        for (auto axis = family.size(); axis-- > 0;) {
            if (++digits[axis] < allowed[axis].size()) break;
            digits[axis] = 0;
        }
    }
    std::vector<std::uint8_t> lost(family.size());
    for (std::size_t axis = 0; axis < family.size(); ++axis) {
        auto& own = possible_[index(family[axis])];
        lost[axis] = own != allowed[axis];
        own = std::move(allowed[axis]);
    }
    return lost;
}

std::vector<double> PossibleStates::marginals_over_all(std::span<const double> marginals) const {
    std::vector<double> all;
    std::size_t at = 0;
    for (std::size_t v = 0; v < left_.size(); ++v) {
        const auto begin = all.size();
        all.resize(begin + tables_.arity(v), 0);
        for (const auto state : left_[v]) all[begin + index(state)] = marginals[at++];
    }
    return all;
}

std::vector<double> PossibleStates::joint_over_all(std::span<const std::int32_t> asked,
                                                   std::span<const double> joint) const {
    std::size_t cells = 1;
    for (const auto v : asked) cells *= tables_.arity(index(v));
    std::vector<double> all(cells, 0);
    std::vector<std::size_t> digits(asked.size(), 0);
    for (const auto value : joint) {
        std::size_t cell = 0;
        for (std::size_t axis = 0; axis < asked.size(); ++axis) {
            const auto v = index(asked[axis]);
            cell = cell * tables_.arity(v) + index(left_[v][digits[axis]]);
        }
        all[cell] = value;
        for (auto axis = asked.size(); axis-- > 0;) {
            if (++digits[axis] < left_[index(asked[axis])].size()) break;
            digits[axis] = 0;
        }
    }
    return all;
}

}  // namespace arcwise
