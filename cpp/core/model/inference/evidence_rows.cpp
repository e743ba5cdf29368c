// Rows of evidence: equal rows are answered once, and a row makes only those messages again that the row
// before it had different evidence for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "model/inference/arithmetic.hpp"
#include "model/inference/distinct_rows.hpp"
#include "model/inference/inference.hpp"
#include "model/inference/junction_tree.hpp"
#include "model/inference/propagation.hpp"
#include "model/inference/tree_limits.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

constexpr std::size_t rows_per_task = 256;

// How many cells must be filled again if an observed variable changes: those of the cliques from its tables
// up to the root.
std::vector<double> costs_of_change(const JunctionTree& tree, std::size_t variables) {
    const auto& nodes = tree.nodes();
    std::vector<double> to_root(nodes.size(), 0), costs(variables, 0);
    for (auto i = nodes.size(); i-- > 0;) {
        to_root[i] = nodes[i].collect.cells() + (i + 1 < nodes.size() ? to_root[nodes[i].parent] : 0);
        for (const auto& table : nodes[i].tables)
            for (const auto v : table.observed) costs[static_cast<std::size_t>(v)] += to_root[i];
    }
    return costs;
}

// One worker's tree walk, from row to row.
class RowWorker {
  public:
    RowWorker(const JunctionTree& tree, std::size_t variables)
        : tree_(tree), fast_(tree, 1, true), states_(variables, -1), check_undefined_(false) {
        for (const auto& node : tree.nodes())
            for (const auto& table : node.tables)
                check_undefined_ = check_undefined_ || tree.tables().has_undefined(table.variable);
    }

    std::vector<std::int32_t>& states() { return states_; }

    // Writes the distribution; or NaN, and says why.
    Refusal answer(double* probabilities, std::size_t cells, double& log_evidence, Ticker& ticker) {
        std::fill(probabilities, probabilities + cells, std::numeric_limits<double>::quiet_NaN());
        log_evidence = std::numeric_limits<double>::quiet_NaN();
        Outcome outcome;
        if (check_undefined_ && !all_defined(tree_, states_, outcome)) return Refusal::undefined;
        if (!fast_.collect(states_, ticker)) return Refusal::interrupted;
        if (!fast_.underflow()) {
            table_ = fast_.joint();
            if (normalize(table_, fast_.log_scale(), false, log_evidence)) {
                std::copy(table_.begin(), table_.end(), probabilities);
                return Refusal::none;
            }
        }
        Propagation<LogSumProduct> exact(tree_, 1, false);
        if (!exact.collect(states_, ticker)) return Refusal::interrupted;
        table_ = exact.joint();
        if (!normalize(table_, 0, true, log_evidence)) return Refusal::impossible;
        std::copy(table_.begin(), table_.end(), probabilities);
        return Refusal::none;
    }

  private:
    const JunctionTree& tree_;
    Propagation<SumProduct> fast_;
    std::vector<std::int32_t> states_;
    std::vector<double> table_;
    bool check_undefined_;
};

}  // namespace

std::vector<std::int32_t> Inference::relevant_evidence(const std::vector<std::int32_t>& asked,
                                                       const std::vector<std::int32_t>& observed) const {
    return JunctionTree(tables_, {asked, {}, observed, true}).relevant_observed();
}

RowAnswers Inference::query_rows(std::span<const std::int32_t> asked, std::span<const std::int32_t> observed,
                                 std::span<const std::int32_t> codes, std::size_t rows, bool with_evidence,
                                 const Limits& limits, Monitor& monitor) const {
    RowAnswers answers;
    auto& outcome = answers.outcome;
    JunctionTree tree(tables_,
                      {{asked.begin(), asked.end()}, {}, {observed.begin(), observed.end()}, !with_evidence});
    if (!build_within(tree, true, limits, outcome)) return answers;
    const auto column = [&](std::size_t i) { return codes.subspan(i * rows, rows); };

    // The evidence that matters; what costs most to change varies slowest.
    const auto relevant = tree.relevant_observed();
    const auto costs = costs_of_change(tree, tables_.variables());
    std::vector<std::size_t> slowest_first;
    for (std::size_t i = 0; i < observed.size(); ++i)
        if (std::binary_search(relevant.begin(), relevant.end(), observed[i])) slowest_first.push_back(i);
    std::stable_sort(slowest_first.begin(), slowest_first.end(), [&](std::size_t a, std::size_t b) {
        return costs[static_cast<std::size_t>(observed[a])] > costs[static_cast<std::size_t>(observed[b])];
    });
    DistinctRows distinct(rows);
    for (const auto i : slowest_first)
        distinct.append(column(i), tables_.arity(static_cast<std::size_t>(observed[i])));
    distinct.finish();

    const auto cells = tree.nodes().back().message_cells;
    const auto count = distinct.count();
    std::vector<double> probabilities(count * cells), log_evidence(count);
    std::vector<Refusal> refusals(count, Refusal::none);
    const auto tasks = (count + rows_per_task - 1) / rows_per_task;
    std::vector<std::unique_ptr<RowWorker>> workers(std::max<std::size_t>(limits.threads, 1));
    SilentMonitor silent;
    Ticker ticker(monitor, std::numeric_limits<double>::infinity(), 0.05);
    const auto work = [&](std::size_t worker, std::size_t task) {
        auto& own = workers[worker];
        if (!own) own = std::make_unique<RowWorker>(tree, tables_.variables());
        Ticker unheard(silent);
        for (auto rank = task * rows_per_task; rank < std::min(count, (task + 1) * rows_per_task); ++rank) {
            for (const auto i : slowest_first)
                own->states()[static_cast<std::size_t>(observed[i])] = column(i)[distinct.example(rank)];
            refusals[rank] = own->answer(probabilities.data() + rank * cells, cells, log_evidence[rank],
                                         worker == 0 ? ticker : unheard);
            if (refusals[rank] == Refusal::interrupted) return;
        }
    };
    if (!parallel_for(limits.threads, tasks, work,
                      [&](std::size_t done) { return ticker.poll_now({done, tasks}); }) ||
        ticker.reason() != Status::complete) {
        outcome.refusal = Refusal::interrupted;
        return answers;
    }
    answers.probabilities.resize(rows * cells);
    answers.refusals.resize(rows);
    if (with_evidence) answers.log_evidence.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto rank = distinct.rank(row);
        std::copy_n(probabilities.begin() + static_cast<std::ptrdiff_t>(rank * cells), cells,
                    answers.probabilities.begin() + static_cast<std::ptrdiff_t>(row * cells));
        answers.refusals[row] = static_cast<std::int32_t>(refusals[rank]);
        if (with_evidence) answers.log_evidence[row] = log_evidence[rank];
    }
    return answers;
}

}  // namespace arcwise
