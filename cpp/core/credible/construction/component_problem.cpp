#include "credible/construction/component_problem.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

namespace arcwise {

namespace {

// Finds the row of `node` that has exactly the given parents, -1 if there is none.
class RowFinder {
  public:
    RowFinder(const TableView& table, std::span<const std::int32_t> members,
              std::span<const std::uint8_t> keep) {
        for (const auto node : members)
            for (auto row = table.node_offsets[static_cast<std::size_t>(node)];
                 row < table.node_offsets[static_cast<std::size_t>(node) + 1]; ++row) {
                const auto r = static_cast<std::size_t>(row);
                if (!keep.empty() && keep[r] == 0) continue;
                const auto parents = table.parents(r);
                std::vector<std::int32_t> key(parents.begin(), parents.end());
                key.push_back(node);
                rows_.emplace(std::move(key), row);
            }
    }
    std::int64_t find(std::vector<std::int32_t> parents, std::int32_t node) const {
        parents.push_back(node);
        const auto found = rows_.find(parents);
        return found == rows_.end() ? -1 : found->second;
    }

  private:
    std::map<std::vector<std::int32_t>, std::int64_t> rows_;
};

}  // namespace

template <std::size_t W>
ComponentProblem<W> make_component(const TableView& table, std::span<const std::int32_t> members,
                                   std::span<const std::uint8_t> keep, std::span<const double> costs,
                                   Partners partners) {
    assert(members.size() <= NodeSet<W>::capacity);
    using Row = typename ComponentProblem<W>::Row;
    ComponentProblem<W> problem;
    problem.nodes = members.size();
    std::vector<std::int32_t> local(table.variables, -1);
    for (std::size_t i = 0; i < members.size(); ++i)
        local[static_cast<std::size_t>(members[i])] = static_cast<std::int32_t>(i);
    for (const auto node : members) {
        const auto first = static_cast<std::size_t>(table.node_offsets[static_cast<std::size_t>(node)]);
        const auto last = static_cast<std::size_t>(table.node_offsets[static_cast<std::size_t>(node) + 1]);
        double best = -std::numeric_limits<double>::infinity();
        for (std::size_t r = first; r < last; ++r)
            if (keep.empty() || keep[r] != 0) best = std::max(best, table.scores[r]);
        const auto start = problem.rows.size();
        for (std::size_t r = first; r < last; ++r) {
            if (!keep.empty() && keep[r] == 0) continue;
            Row row{{},
                    table.scores[r],
                    costs.empty() ? best - table.scores[r] : costs[r],
                    static_cast<std::int64_t>(r)};
            for (const auto p : table.parents(r))
                if (local[static_cast<std::size_t>(p)] >= 0)
                    row.parents.add(static_cast<std::size_t>(local[static_cast<std::size_t>(p)]));
            problem.rows.push_back(row);
        }
        std::stable_sort(problem.rows.begin() + static_cast<std::ptrdiff_t>(start), problem.rows.end(),
                         [](const Row& a, const Row& b) { return a.cost < b.cost; });
        problem.offsets.push_back(problem.rows.size());
    }
    if (!partners.wanted) return problem;
    const RowFinder finder(table, members, keep);
    const auto is_fixed = [&](std::int32_t v, std::int32_t u) {
        return !partners.fixed.empty() && set_at(partners.fixed, table.variables, static_cast<std::size_t>(v))
                                              .has(static_cast<std::size_t>(u));
    };
    problem.partner_offsets.push_back(0);
    for (std::size_t i = 0; i < members.size(); ++i)
        for (auto r = problem.offsets[i]; r < problem.offsets[i + 1]; ++r) {
            const auto all = table.parents(static_cast<std::size_t>(problem.rows[r].origin));
            for (const auto u : all) {
                const auto inside = local[static_cast<std::size_t>(u)];
                if (inside < 0) continue;
                if (is_fixed(members[i], u)) {
                    problem.partner_nodes.push_back(static_cast<std::uint16_t>(inside));
                    problem.partner_before.push_back(-1);
                    problem.partner_after.push_back(-1);
                    continue;
                }
                std::vector<std::int32_t> rest;
                for (const auto p : all)
                    if (p != u) rest.push_back(p);
                problem.partner_nodes.push_back(static_cast<std::uint16_t>(inside));
                problem.partner_before.push_back(finder.find(rest, u));
                rest.insert(std::upper_bound(rest.begin(), rest.end(), members[i]), members[i]);
                problem.partner_after.push_back(finder.find(rest, u));
            }
            problem.partner_offsets.push_back(problem.partner_nodes.size());
        }
    return problem;
}

#define ARCWISE_INSTANTIATE(W)                                                                             \
    template ComponentProblem<W> make_component<W>(const TableView&, std::span<const std::int32_t>,        \
                                                   std::span<const std::uint8_t>, std::span<const double>, \
                                                   Partners);
ARCWISE_INSTANTIATE(1)
#ifndef ARCWISE_TWO_WIDTHS
ARCWISE_INSTANTIATE(2)
ARCWISE_INSTANTIATE(4)
#endif
ARCWISE_INSTANTIATE(32)
#undef ARCWISE_INSTANTIATE

}  // namespace arcwise
