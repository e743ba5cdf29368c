// Missing cells, drawn given the observed ones.
//
// The missing variables of a row fall into parts: two belong together if some table has both, since what is
// observed separates all others. A part's distribution depends on nothing but the states of the variables
// around it. Rows have almost as many patterns of gaps as there are rows, but only few different parts, most
// of them of one or two variables: their configurations are enumerated (small_part.hpp). For every larger
// part there is one junction tree, and one propagation for every combination of states around it; from its
// messages any number of rows draw their cells, from the root to the leaves (Dawid, "Applications of a
// general propagation algorithm for probabilistic expert systems", Statistics and Computing 2, 1992, section
// 5): independent draws from the joint distribution, not a Markov chain.
#include <algorithm>
#include <atomic>
#include <limits>
#include <unordered_map>

#include "bitset.hpp"
#include "model/inference/arithmetic.hpp"
#include "model/inference/distinct_rows.hpp"
#include "model/inference/elimination_order.hpp"
#include "model/inference/inference.hpp"
#include "model/inference/junction_tree.hpp"
#include "model/inference/propagation.hpp"
#include "model/inference/small_part.hpp"
#include "model/inference/tree_limits.hpp"
#include "model/philox.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

std::size_t index(std::int32_t v) {
    return static_cast<std::size_t>(v);
}

using Members = std::vector<std::int32_t>;

struct MembersHash {
    std::size_t operator()(const Members& members) const {
        std::uint64_t hash = 0xCBF29CE484222325ULL;
        for (const auto v : members) hash = (hash ^ static_cast<std::uint64_t>(v)) * 0x100000001B3ULL;
        return static_cast<std::size_t>(hash ^ (hash >> 32));
    }
};

// Missing variables that belong together, and the rows where just these are missing together.
struct Part {
    Members members;  // ascending
    std::vector<std::size_t> rows;
};

class PartFinder {
  public:
    explicit PartFinder(const ProbabilityTables& tables)
        : neighbours_(tables.variables(), tables.variables()), is_missing_(tables.variables(), 0) {
        for (std::size_t v = 0; v < tables.variables(); ++v) join_members(neighbours_, tables.family(v));
    }

    void add_row(std::size_t row, std::span<const std::int32_t> missing) {
        for (const auto v : missing) is_missing_[index(v)] = 1;
        for (const auto v : missing) {
            if (!is_missing_[index(v)]) continue;
            is_missing_[index(v)] = 0;
            Members members{v};
            for (std::size_t next = 0; next < members.size(); ++next)
                neighbours_[index(members[next])].for_each([&](std::size_t u) {
                    if (!is_missing_[u]) return;
                    is_missing_[u] = 0;
                    members.push_back(static_cast<std::int32_t>(u));
                });
            std::sort(members.begin(), members.end());
            const auto [place, is_new] = numbers_.try_emplace(members, parts_.size());
            if (is_new) parts_.push_back({std::move(members), {}});
            parts_[place->second].rows.push_back(row);
        }
    }

    std::vector<Part> take() { return std::move(parts_); }

  private:
    BitRows neighbours_;
    std::vector<std::uint8_t> is_missing_;
    std::unordered_map<Members, std::size_t, MembersHash> numbers_;
    std::vector<Part> parts_;
};

// Draws the cells of one part in all its rows.
template <class Code>
class PartFiller {
  public:
    PartFiller(const ProbabilityTables& tables, Code* codes, std::size_t rows,
               std::array<std::uint64_t, 2> key)
        : tables_(tables), codes_(codes), rows_(rows), key_(key) {}

    // Rows that a small table cannot serve, or that it shows to be impossible, are left to the junction tree.
    Filling fill(const Part& part, const Limits& limits, Ticker& ticker) const {
        if (!SmallPart::suits(tables_, part.members, limits.max_cells))
            return fill_by_tree(part, limits, ticker);
        SmallPart small(tables_, part.members);
        Part rest{part.members, {}};
        for (const auto row : part.rows)
            if (!small.draw(codes_, rows_, row, key_)) rest.rows.push_back(row);
        return rest.rows.empty() ? Filling{} : fill_by_tree(rest, limits, ticker);
    }

  private:
    Filling fill_by_tree(const Part& part, const Limits& limits, Ticker& ticker) const {
        Filling filling;
        Members others;
        for (std::size_t v = 0; v < tables_.variables(); ++v)
            if (!std::binary_search(part.members.begin(), part.members.end(), static_cast<std::int32_t>(v)))
                others.push_back(static_cast<std::int32_t>(v));
        JunctionTree tree(tables_, {{}, part.members, std::move(others), true});
        if (!build_within(tree, true, limits, filling.outcome)) return filling;

        const auto around = tree.relevant_observed();
        DistinctRows distinct(part.rows.size());
        std::vector<std::int32_t> column(part.rows.size());
        for (const auto v : around) {
            for (std::size_t i = 0; i < column.size(); ++i) column[i] = code(v, part.rows[i]);
            distinct.append(column, tables_.arity(index(v)));
        }
        distinct.finish();
        std::vector<std::size_t> by_rank(part.rows.size());
        for (std::size_t i = 0; i < by_rank.size(); ++i) by_rank[i] = i;
        std::stable_sort(by_rank.begin(), by_rank.end(),
                         [&](std::size_t a, std::size_t b) { return distinct.rank(a) < distinct.rank(b); });

        Propagation<SumProduct> fast(tree, 1, true);
        std::vector<std::int32_t> states(tables_.variables(), -1);
        for (std::size_t begin = 0, end = 0; begin < by_rank.size(); begin = end) {
            const auto rank = distinct.rank(by_rank[begin]);
            while (end < by_rank.size() && distinct.rank(by_rank[end]) == rank) ++end;
            const auto group = std::span<const std::size_t>(by_rank).subspan(begin, end - begin);
            filling.row = static_cast<std::int64_t>(part.rows[group[0]]);
            for (const auto v : around) states[index(v)] = code(v, part.rows[group[0]]);
            if (!all_defined(tree, states, filling.outcome)) return filling;
            if (!fast.collect(states, ticker)) return stopped(filling, Refusal::interrupted);
            if (!fast.underflow() && fast.joint()[0] > 0) {
                draw(fast, part, group, states);
                continue;
            }
            Propagation<LogSumProduct> exact(tree, 1, true);
            if (!exact.collect(states, ticker)) return stopped(filling, Refusal::interrupted);
            if (exact.joint()[0] == LogSumProduct::zero) return stopped(filling, Refusal::impossible);
            draw(exact, part, group, states);
        }
        filling.row = -1;
        return filling;
    }

    std::int32_t code(std::int32_t v, std::size_t row) const {
        return static_cast<std::int32_t>(codes_[index(v) * rows_ + row]);
    }

    static Filling stopped(Filling filling, Refusal refusal) {
        filling.outcome.refusal = refusal;
        return filling;
    }

    template <class Arithmetic>
    void draw(Propagation<Arithmetic>& propagation, const Part& part, std::span<const std::size_t> group,
              std::span<const std::int32_t> states) const {
        std::vector<std::int32_t> drawn(states.begin(), states.end());
        for (const auto v : part.members)
            if (tables_.arity(index(v)) == 1) drawn[index(v)] = 0;
        for (const auto i : group) {
            const auto row = part.rows[i];
            propagation.draw(drawn, [&](std::size_t variable) {
                return unit_interval(philox({row, variable, 0, 0}, key_)[0]);
            });
            for (const auto v : part.members)
                codes_[index(v) * rows_ + row] = static_cast<Code>(drawn[index(v)]);
        }
    }

    const ProbabilityTables& tables_;
    Code* codes_;
    std::size_t rows_;
    std::array<std::uint64_t, 2> key_;
};

}  // namespace

template <class Code>
Filling Inference::fill_rows(Code* codes, const std::uint8_t* missing, std::size_t rows,
                             std::array<std::uint64_t, 2> key, const Limits& limits, Monitor& monitor) const {
    const auto n = tables_.variables();
    PartFinder finder(tables_);
    Members gaps;
    for (std::size_t row = 0; row < rows; ++row) {
        gaps.clear();
        for (std::size_t v = 0; v < n; ++v)
            if (missing[v * rows + row]) gaps.push_back(static_cast<std::int32_t>(v));
        if (!gaps.empty()) finder.add_row(row, gaps);
    }
    const auto parts = finder.take();
    const PartFiller<Code> filler(tables_, codes, rows, key);
    std::vector<Filling> fillings(parts.size());
    std::atomic<bool> refused{false};
    SilentMonitor silent;
    Ticker ticker(monitor, std::numeric_limits<double>::infinity(), 0.05);
    const auto work = [&](std::size_t worker, std::size_t task) {
        if (refused) return;
        Ticker unheard(silent);
        fillings[task] = filler.fill(parts[task], {limits.max_cells, 1}, worker == 0 ? ticker : unheard);
        if (fillings[task].outcome.refusal != Refusal::none) refused = true;
    };
    const bool finished = parallel_for(limits.threads, parts.size(), work, [&](std::size_t done) {
        return ticker.poll_now({done, parts.size()});
    });
    for (const auto& filling : fillings)
        if (filling.outcome.refusal != Refusal::none) return filling;
    Filling filling;
    if (!finished) filling.outcome.refusal = Refusal::interrupted;
    return filling;
}

template Filling Inference::fill_rows(std::uint8_t*, const std::uint8_t*, std::size_t,
                                      std::array<std::uint64_t, 2>, const Limits&, Monitor&) const;
template Filling Inference::fill_rows(std::uint16_t*, const std::uint8_t*, std::size_t,
                                      std::array<std::uint64_t, 2>, const Limits&, Monitor&) const;
template Filling Inference::fill_rows(std::uint32_t*, const std::uint8_t*, std::size_t,
                                      std::array<std::uint64_t, 2>, const Limits&, Monitor&) const;

}  // namespace arcwise
