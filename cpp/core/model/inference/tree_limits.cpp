#include "model/inference/tree_limits.hpp"

#include <cmath>

#include "model/inference/arithmetic.hpp"

namespace arcwise {

namespace {

// Whether a table has an undefined entry where the observed variables have their states.
bool meets_undefined(const ProbabilityTables& tables, const TreeTable& table,
                     std::span<const std::int32_t> states) {
    const auto values = tables.table(table.variable);
    const auto family = tables.family(table.variable);
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
        if (!std::isnan(values[cell])) continue;
        auto rest = cell;
        bool agrees = true;
        for (auto axis = family.size(); axis-- > 0 && agrees;) {
            const auto u = static_cast<std::size_t>(family[axis]);
            const auto state = static_cast<std::int32_t>(rest % tables.arity(u));
            rest /= tables.arity(u);
            agrees = states[u] < 0 || states[u] == state;
        }
        if (agrees) return true;
    }
    return false;
}

}  // namespace

bool build_within(JunctionTree& tree, bool keep_messages, const Limits& limits, Outcome& outcome) {
    outcome.width = static_cast<double>(tree.width());
    outcome.largest = tree.largest();
    outcome.message_cells = keep_messages ? tree.message_cells() : tree.most_message_cells();
    if (tree.largest() > limits.max_cells || outcome.message_cells > limits.max_cells) {
        outcome.refusal = Refusal::too_large;
        return false;
    }
    tree.build();
    return true;
}

bool all_defined(const JunctionTree& tree, std::span<const std::int32_t> states, Outcome& outcome) {
    for (const auto& node : tree.nodes())
        for (const auto& table : node.tables)
            if (tree.tables().has_undefined(table.variable) &&
                meets_undefined(tree.tables(), table, states)) {
                outcome.refusal = Refusal::undefined;
                outcome.variable = static_cast<std::int32_t>(table.variable);
                return false;
            }
    return true;
}

bool normalize(std::vector<double>& table, double log_scale, bool in_logs, double& log_evidence) {
    if (in_logs) {
        log_evidence = LogSumProduct::sum(table.data(), table.size());
        if (log_evidence == LogSumProduct::zero) return false;
        for (auto& value : table) value = std::exp(value - log_evidence);
        return true;
    }
    const auto total = SumProduct::sum(table.data(), table.size());
    if (!(total > 0)) return false;
    log_evidence = std::log(total) + log_scale;
    for (auto& value : table) value /= total;
    return true;
}

}  // namespace arcwise
