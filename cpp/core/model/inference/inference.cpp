#include "model/inference/inference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/inference/arithmetic.hpp"
#include "model/inference/junction_tree.hpp"
#include "model/inference/propagation.hpp"
#include "model/inference/tree_limits.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

// Calls that are over by then never ask whether to stop.
constexpr double quiet_seconds = 0.05;
// A tree with fewer cells is propagated as it is.
constexpr double worth_splitting = 1 << 20;
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

// An answer that was refused as too large, asked once more of the states that the evidence leaves possible.
// What was answered stays as it is, to the last digit.
template <class Reply, class Ask>
Reply of_possible_states(const ProbabilityTables& tables, const Reply& reply,
                         std::span<const std::int32_t> states, Ask ask) {
    if (reply.outcome.refusal != Refusal::too_large) return reply;
    const PossibleStates possible(tables, states);
    if (possible.impossible()) {
        Reply impossible;
        impossible.outcome.refusal = Refusal::impossible;
        impossible.outcome.log_evidence = -forever;
        return impossible;
    }
    return possible.fewer() ? ask(Inference(tables, possible), possible) : reply;
}

}  // namespace

Answer Inference::joint(const TreeRequest& request, std::span<const std::int32_t> states,
                        const Limits& limits, Ticker& ticker) const {
    Answer answer;
    auto& outcome = answer.outcome;
    JunctionTree tree(tables_, request);
    if (!build_within(tree, false, limits, outcome) || !all_defined(tree, states, outcome)) return answer;
    const auto attempt = [&]<class Arithmetic>(Propagation<Arithmetic> propagation) {
        if (!propagation.collect(states, ticker)) {
            outcome.refusal = Refusal::interrupted;
            return true;
        }
        if (propagation.underflow()) return false;
        answer.probabilities = propagation.joint();
        return normalize(answer.probabilities, propagation.log_scale(), Arithmetic::in_logs,
                         outcome.log_evidence);
    };
    if (!attempt(Propagation<SumProduct>(tree, limits.threads, false)) &&
        !attempt(Propagation<LogSumProduct>(tree, limits.threads, false))) {
        outcome.refusal = Refusal::impossible;
        outcome.log_evidence = -forever;
    }
    return answer;
}

Answer Inference::query(std::span<const std::int32_t> asked, std::span<const std::int32_t> states,
                        const Limits& limits, Monitor& monitor) const {
    Ticker ticker(monitor, forever, quiet_seconds);
    const auto answer =
        joint({{asked.begin(), asked.end()}, {}, observed_in(states), false}, states, limits, ticker);
    return of_possible_states(
        tables_, answer, states, [&](const Inference& own, const PossibleStates& possible) {
            auto other = own.query(asked, possible.observed(), limits, monitor);
            if (other.outcome.refusal == Refusal::none)
                other.probabilities = possible.joint_over_all(asked, other.probabilities);
            return other;
        });
}

Answer Inference::marginals(std::span<const std::int32_t> states, const Limits& limits,
                            Monitor& monitor) const {
    const auto answer = all_marginals(states, limits, monitor);
    return of_possible_states(tables_, answer, states,
                              [&](const Inference& own, const PossibleStates& possible) {
                                  auto other = own.marginals(possible.observed(), limits, monitor);
                                  if (other.outcome.refusal == Refusal::none)
                                      other.probabilities = possible.marginals_over_all(other.probabilities);
                                  return other;
                              });
}

Explanation Inference::most_probable(std::span<const std::int32_t> states, const Limits& limits,
                                     Monitor& monitor) const {
    const auto answer = best(states, limits, monitor);
    return of_possible_states(
        tables_, answer, states, [&](const Inference& own, const PossibleStates& possible) {
            auto other = own.most_probable(possible.observed(), limits, monitor);
            for (std::size_t v = 0; v < other.states.size(); ++v)
                other.states[v] = possible.left()[v][static_cast<std::size_t>(other.states[v])];
            return other;
        });
}

Answer Inference::all_marginals(std::span<const std::int32_t> states, const Limits& limits,
                                Monitor& monitor) const {
    const auto n = tables_.variables();
    std::vector<std::int32_t> targets;
    std::vector<std::size_t> offsets(n + 1, 0);
    for (std::size_t v = 0; v < n; ++v) {
        if (states[v] < 0 && tables_.arity(v) > 1) targets.push_back(static_cast<std::int32_t>(v));
        offsets[v + 1] = offsets[v] + tables_.arity(v);
    }
    std::vector<double> certain(offsets[n], 0);
    for (std::size_t v = 0; v < n; ++v)
        if (states[v] >= 0 || tables_.arity(v) == 1)
            certain[offsets[v] + static_cast<std::size_t>(std::max(states[v], 0))] = 1;
    const auto observed = observed_in(states);
    JunctionTree tree(tables_, {{}, targets, observed, false});
    Ticker ticker(monitor, forever, quiet_seconds);
    if (tree.total() > worth_splitting && cheaper_apart(states, observed, 2 * tree.total(), limits, ticker))
        return marginals_apart(targets, states, offsets, std::move(certain), limits, ticker);

    Answer answer;
    auto& outcome = answer.outcome;
    if (ticker.reason() != Status::complete) outcome.refusal = Refusal::interrupted;
    if (outcome.refusal != Refusal::none || !build_within(tree, true, limits, outcome) ||
        !all_defined(tree, states, outcome))
        return answer;
    const auto attempt = [&]<class Arithmetic>(Propagation<Arithmetic> propagation) {
        answer.probabilities = certain;
        const auto found = [&](std::size_t v, std::span<const double> distribution) {
            normalize_into<Arithmetic>(distribution, answer.probabilities.data() + offsets[v]);
        };
        if (!propagation.collect(states, ticker)) {
            outcome.refusal = Refusal::interrupted;
            return true;
        }
        if (propagation.underflow()) return false;
        auto joint = propagation.joint();
        if (!normalize(joint, propagation.log_scale(), Arithmetic::in_logs, outcome.log_evidence))
            return false;
        if (!propagation.distribute(ticker, found)) outcome.refusal = Refusal::interrupted;
        return !propagation.underflow();
    };
    if (!attempt(Propagation<SumProduct>(tree, limits.threads, true)) &&
        !attempt(Propagation<LogSumProduct>(tree, limits.threads, true))) {
        outcome.refusal = Refusal::impossible;
        outcome.log_evidence = -forever;
    }
    return answer;
}

// Whether one query for each target fills fewer cells than `bound`, and none is too large. Little evidence
// leaves much of a network out of a query for one variable, while the tree of all variables may have cliques
// that none of these queries needs: in munin1, a hundred times their cells (Lin and Druzdzel, UAI 1997). The
// last descendants come first: their queries are the largest.
bool Inference::cheaper_apart(std::span<const std::int32_t> states, const std::vector<std::int32_t>& observed,
                              double bound, const Limits& limits, Ticker& ticker) const {
    double total = 0;
    const auto order = tables_.order();
    for (auto i = order.size(); i-- > 0;) {
        const auto v = order[i];
        if (states[static_cast<std::size_t>(v)] >= 0) continue;
        if (ticker.poll_now({})) return false;
        const JunctionTree tree(tables_, {{v}, {}, observed, true, true});
        total += tree.total();
        if (total >= bound || tree.largest() > limits.max_cells) return false;
    }
    return true;
}

Answer Inference::marginals_apart(std::span<const std::int32_t> targets, std::span<const std::int32_t> states,
                                  std::span<const std::size_t> offsets, std::vector<double> certain,
                                  const Limits& limits, Ticker& ticker) const {
    const auto observed = observed_in(states);
    auto answer = joint({{}, {}, observed, false}, states, limits, ticker);
    if (answer.outcome.refusal != Refusal::none) return answer;
    answer.probabilities = std::move(certain);
    std::vector<Outcome> outcomes(targets.size());
    SilentMonitor silent;
    const auto work = [&](std::size_t worker, std::size_t task) {
        Ticker unheard(silent);
        const auto v = targets[task];
        auto own =
            joint({{v}, {}, observed, true}, states, {limits.max_cells, 1}, worker == 0 ? ticker : unheard);
        outcomes[task] = own.outcome;
        std::copy(
            own.probabilities.begin(), own.probabilities.end(),
            answer.probabilities.begin() + static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(v)]));
    };
    if (!parallel_for(limits.threads, targets.size(), work,
                      [&](std::size_t done) { return ticker.poll_now({done, targets.size()}); }))
        answer.outcome.refusal = Refusal::interrupted;
    const auto log_evidence = answer.outcome.log_evidence;
    for (const auto& outcome : outcomes)
        if (answer.outcome.refusal == Refusal::none && outcome.refusal != Refusal::none)
            answer.outcome = outcome;
    answer.outcome.log_evidence = log_evidence;
    return answer;
}

Explanation Inference::best(std::span<const std::int32_t> states, const Limits& limits,
                            Monitor& monitor) const {
    Explanation explanation;
    auto& outcome = explanation.outcome;
    std::vector<std::int32_t> targets(tables_.variables());
    for (std::size_t v = 0; v < targets.size(); ++v) targets[v] = static_cast<std::int32_t>(v);
    JunctionTree tree(tables_, {{}, std::move(targets), observed_in(states), false});
    if (!build_within(tree, true, limits, outcome) || !all_defined(tree, states, outcome)) return explanation;
    Ticker ticker(monitor, forever, quiet_seconds);
    Propagation<MaxProduct> propagation(tree, limits.threads, true);
    if (!propagation.collect(states, ticker)) {
        outcome.refusal = Refusal::interrupted;
        return explanation;
    }
    explanation.log_joint = propagation.joint()[0];
    if (explanation.log_joint == MaxProduct::zero) {
        outcome.refusal = Refusal::impossible;
        return explanation;
    }
    explanation.states.assign(states.begin(), states.end());
    for (auto& state : explanation.states) state = std::max(state, 0);
    propagation.trace_back(explanation.states);
    return explanation;
}

}  // namespace arcwise
