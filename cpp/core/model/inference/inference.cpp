#include "model/inference/inference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/inference/arithmetic.hpp"
#include "model/inference/junction_tree.hpp"
#include "model/inference/propagation.hpp"
#include "model/inference/tree_limits.hpp"

namespace arcwise {

namespace {

// Calls that are over by then ask nobody whether to stop.
constexpr double quiet_seconds = 0.05;
constexpr double forever = std::numeric_limits<double>::infinity();

std::vector<std::int32_t> observed_in(std::span<const std::int32_t> states) {
    std::vector<std::int32_t> observed;
    for (std::size_t v = 0; v < states.size(); ++v)
        if (states[v] >= 0) observed.push_back(static_cast<std::int32_t>(v));
    return observed;
}

template <class Arithmetic>
void normalize_into(std::span<const double> table, double* to) {
    std::vector<double> copy(table.begin(), table.end());
    double unused;
    normalize(copy, 0, Arithmetic::in_logs, unused);
    std::copy(copy.begin(), copy.end(), to);
}

}  // namespace

Answer Inference::query(std::span<const std::int32_t> asked, std::span<const std::int32_t> states,
                        const Limits& limits, Monitor& monitor) const {
    Answer answer;
    auto& account = answer.account;
    JunctionTree tree(tables_, {{asked.begin(), asked.end()}, {}, observed_in(states), false});
    if (!build_within(tree, limits, account) || !all_defined(tree, states, account)) return answer;
    Ticker ticker(monitor, forever, quiet_seconds);
    const auto attempt = [&]<class Arithmetic>(Propagation<Arithmetic> propagation) {
        if (!propagation.collect(states, ticker)) {
            account.refusal = Refusal::interrupted;
            return true;
        }
        if (propagation.underflow()) return false;
        answer.probabilities = propagation.joint();
        return normalize(answer.probabilities, propagation.log_scale(), Arithmetic::in_logs, account.log_evidence);
    };
    if (!attempt(Propagation<SumProduct>(tree, limits.threads, false)) &&
        !attempt(Propagation<LogSumProduct>(tree, limits.threads, false))) {
        account.refusal = Refusal::impossible;
        account.log_evidence = -forever;
    }
    return answer;
}

Answer Inference::marginals(std::span<const std::int32_t> states, const Limits& limits, Monitor& monitor) const {
    Answer answer;
    auto& account = answer.account;
    const auto n = tables_.variables();
    std::vector<std::int32_t> targets;
    std::vector<std::size_t> offsets(n + 1, 0);
    for (std::size_t v = 0; v < n; ++v) {
        targets.push_back(static_cast<std::int32_t>(v));
        offsets[v + 1] = offsets[v] + tables_.arity(v);
    }
    JunctionTree tree(tables_, {{}, std::move(targets), observed_in(states), false});
    if (!build_within(tree, limits, account) || !all_defined(tree, states, account)) return answer;
    Ticker ticker(monitor, forever, quiet_seconds);
    const auto attempt = [&]<class Arithmetic>(Propagation<Arithmetic> propagation) {
        answer.probabilities.assign(offsets[n], 0);
        for (std::size_t v = 0; v < n; ++v)
            if (states[v] >= 0 || tables_.arity(v) == 1)
                answer.probabilities[offsets[v] + static_cast<std::size_t>(std::max(states[v], 0))] = 1;
        const auto found = [&](std::size_t v, std::span<const double> distribution) {
            normalize_into<Arithmetic>(distribution, answer.probabilities.data() + offsets[v]);
        };
        if (!propagation.collect(states, ticker)) {
            account.refusal = Refusal::interrupted;
            return true;
        }
        if (propagation.underflow()) return false;
        auto joint = propagation.joint();
        if (!normalize(joint, propagation.log_scale(), Arithmetic::in_logs, account.log_evidence)) return false;
        if (!propagation.distribute(ticker, found)) account.refusal = Refusal::interrupted;
        return !propagation.underflow();
    };
    if (!attempt(Propagation<SumProduct>(tree, limits.threads, true)) &&
        !attempt(Propagation<LogSumProduct>(tree, limits.threads, true))) {
        account.refusal = Refusal::impossible;
        account.log_evidence = -forever;
    }
    return answer;
}

Explanation Inference::most_probable(std::span<const std::int32_t> states, const Limits& limits,
                                     Monitor& monitor) const {
    Explanation explanation;
    auto& account = explanation.account;
    std::vector<std::int32_t> targets(tables_.variables());
    for (std::size_t v = 0; v < targets.size(); ++v) targets[v] = static_cast<std::int32_t>(v);
    JunctionTree tree(tables_, {{}, std::move(targets), observed_in(states), false});
    if (!build_within(tree, limits, account) || !all_defined(tree, states, account)) return explanation;
    Ticker ticker(monitor, forever, quiet_seconds);
    Propagation<MaxProduct> propagation(tree, limits.threads, true);
    if (!propagation.collect(states, ticker)) {
        account.refusal = Refusal::interrupted;
        return explanation;
    }
    explanation.log_joint = propagation.joint()[0];
    if (explanation.log_joint == MaxProduct::zero) {
        account.refusal = Refusal::impossible;
        return explanation;
    }
    explanation.states.assign(states.begin(), states.end());
    for (auto& state : explanation.states) state = std::max(state, 0);
    propagation.trace_back(explanation.states);
    return explanation;
}

}  // namespace arcwise
