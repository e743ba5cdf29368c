#include "model/inference/inference.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "xoshiro.hpp"

namespace {

// A random network with deterministic entries, and its whole joint table: the first variable varies slowest.
struct Example {
    std::vector<std::int32_t> arities, parents, order;
    std::vector<std::int64_t> parent_offsets{0}, table_offsets{0};
    std::vector<double> values, joint;

    Example(arcwise::Xoshiro& random, std::size_t n, std::size_t most_states) {
        std::size_t cells = 1;
        for (std::size_t v = 0; v < n; ++v) {
            arities.push_back(static_cast<std::int32_t>(1 + random.below(most_states)));
            order.push_back(static_cast<std::int32_t>(v));
            cells *= static_cast<std::size_t>(arities[v]);
            std::size_t rows = 1;
            for (std::size_t p = 0; p < v; ++p)
                if (random.below(2) == 0) {
                    parents.push_back(static_cast<std::int32_t>(p));
                    rows *= static_cast<std::size_t>(arities[p]);
                }
            parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
            for (std::size_t row = 0; row < rows; ++row) {
                std::vector<double> weights(static_cast<std::size_t>(arities[v]));
                for (auto& weight : weights) weight = random.below(3) == 0 ? 0 : random.uniform();
                weights[random.below(weights.size())] += 0.1;
                double total = 0;
                for (const auto weight : weights) total += weight;
                for (const auto weight : weights) values.push_back(weight / total);
            }
            table_offsets.push_back(static_cast<std::int64_t>(values.size()));
        }
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const auto states = states_of(cell);
            double product = 1;
            for (std::size_t v = 0; v < n; ++v) {
                std::size_t at = 0;
                for (const auto p : view().parents_of(v))
                    at = at * static_cast<std::size_t>(arities[static_cast<std::size_t>(p)]) +
                         static_cast<std::size_t>(states[static_cast<std::size_t>(p)]);
                product *= view().table(v)[at * view().arity(v) + static_cast<std::size_t>(states[v])];
            }
            joint.push_back(product);
        }
    }

    arcwise::NetworkView view() const {
        return {arities, parent_offsets, parents, table_offsets, values, order};
    }

    std::vector<std::int32_t> states_of(std::size_t cell) const {
        std::vector<std::int32_t> states(arities.size());
        for (auto v = arities.size(); v-- > 0; cell /= static_cast<std::size_t>(arities[v]))
            states[v] = static_cast<std::int32_t>(cell % static_cast<std::size_t>(arities[v]));
        return states;
    }

    bool agrees(std::size_t cell, const std::vector<std::int32_t>& observed) const {
        const auto states = states_of(cell);
        for (std::size_t v = 0; v < states.size(); ++v)
            if (observed[v] >= 0 && observed[v] != states[v]) return false;
        return true;
    }

    std::vector<double> summed(const std::vector<std::int32_t>& asked,
                               const std::vector<std::int32_t>& observed) const {
        std::size_t cells = 1;
        for (const auto v : asked) cells *= view().arity(static_cast<std::size_t>(v));
        std::vector<double> sums(cells, 0);
        for (std::size_t cell = 0; cell < joint.size(); ++cell) {
            if (!agrees(cell, observed)) continue;
            const auto states = states_of(cell);
            std::size_t at = 0;
            for (const auto v : asked)
                at = at * view().arity(static_cast<std::size_t>(v)) +
                     static_cast<std::size_t>(states[static_cast<std::size_t>(v)]);
            sums[at] += joint[cell];
        }
        return sums;
    }
};

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-12;
}

const arcwise::Limits limits{1e9, 2};

}  // namespace

TEST(inference_equals_sums_over_the_joint_table) {
    arcwise::Xoshiro random(3);
    arcwise::SilentMonitor silent;
    for (int trial = 0; trial < 150; ++trial) {
        const std::size_t n = 1 + random.below(7);
        const Example example(random, n, 4);
        const arcwise::Inference inference(example.view());
        std::vector<std::int32_t> observed(n, -1), asked;
        for (std::size_t v = 0; v < n; ++v) {
            const auto kind = random.below(3);
            if (kind == 0) observed[v] = static_cast<std::int32_t>(random.below(example.view().arity(v)));
            if (kind == 1) asked.push_back(static_cast<std::int32_t>(v));
        }
        random.shuffle(std::span(asked));
        const auto expected = example.summed(asked, observed);
        double total = 0;
        for (const auto value : expected) total += value;
        const auto answer = inference.query(asked, observed, limits, silent);
        const auto all = inference.marginals(observed, limits, silent);
        const auto best = inference.most_probable(observed, limits, silent);
        if (total == 0) {
            CHECK(answer.outcome.refusal == arcwise::Refusal::impossible);
            CHECK(all.outcome.refusal == arcwise::Refusal::impossible);
            CHECK(best.outcome.refusal == arcwise::Refusal::impossible);
            continue;
        }
        CHECK(close(answer.outcome.log_evidence, std::log(total)));
        CHECK(close(all.outcome.log_evidence, std::log(total)));
        for (std::size_t i = 0; i < expected.size(); ++i)
            CHECK(close(answer.probabilities[i], expected[i] / total));
        std::size_t at = 0;
        for (std::size_t v = 0; v < n; ++v)
            for (const auto value : example.summed({static_cast<std::int32_t>(v)}, observed))
                CHECK(close(all.probabilities[at++], value / total));
        // The states that zeros rule out are impossible, and without them the answers are the same.
        const arcwise::PossibleStates possible(inference.tables(), observed);
        const arcwise::Inference own(inference.tables(), possible);
        const auto fewer = own.query(asked, possible.observed(), limits, silent);
        const auto over_all = possible.joint_over_all(asked, fewer.probabilities);
        CHECK(close(fewer.outcome.log_evidence, std::log(total)));
        CHECK(over_all.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(close(over_all[i], expected[i] / total));
        const auto others = own.marginals(possible.observed(), limits, silent);
        const auto others_over_all = possible.marginals_over_all(others.probabilities);
        CHECK(others_over_all.size() == all.probabilities.size());
        for (std::size_t i = 0; i < others_over_all.size(); ++i)
            CHECK(close(others_over_all[i], all.probabilities[i]));
        double top = 0, reached = 0;
        for (std::size_t cell = 0; cell < example.joint.size(); ++cell) {
            if (example.agrees(cell, observed)) top = std::max(top, example.joint[cell]);
            if (example.states_of(cell) == best.states) reached = example.joint[cell];
        }
        CHECK(close(best.log_joint, std::log(top)));
        CHECK(std::abs(reached - top) <= 1e-12 * top);
    }
}

TEST(rows_of_evidence_are_answered_like_single_ones) {
    arcwise::Xoshiro random(4);
    arcwise::SilentMonitor silent;
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 2 + random.below(6), rows = 40;
        const Example example(random, n, 3);
        const arcwise::Inference inference(example.view());
        const auto target = static_cast<std::int32_t>(random.below(n));
        std::vector<std::int32_t> observed, codes;
        for (std::size_t v = 0; v < n; ++v)
            if (static_cast<std::int32_t>(v) != target && random.below(3) != 0)
                observed.push_back(static_cast<std::int32_t>(v));
        for (const auto v : observed)
            for (std::size_t row = 0; row < rows; ++row)
                codes.push_back(static_cast<std::int32_t>(
                    random.below(example.view().arity(static_cast<std::size_t>(v)))));
        const std::vector<std::int32_t> asked{target};
        const auto r = example.view().arity(static_cast<std::size_t>(target));
        const auto whole = inference.query_rows(asked, observed, codes, rows, true, limits, silent);
        const auto part = inference.query_rows(asked, observed, codes, rows, false, limits, silent);
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<std::int32_t> states(n, -1);
            for (std::size_t i = 0; i < observed.size(); ++i)
                states[static_cast<std::size_t>(observed[i])] = codes[i * rows + row];
            const auto one = inference.query(asked, states, limits, silent);
            CHECK(whole.refusals[row] == static_cast<std::int32_t>(one.outcome.refusal));
            if (one.outcome.refusal != arcwise::Refusal::none) {
                CHECK(std::isnan(whole.probabilities[row * r]));
                continue;
            }
            CHECK(close(whole.log_evidence[row], one.outcome.log_evidence));
            for (std::size_t x = 0; x < r; ++x) {
                CHECK(close(whole.probabilities[row * r + x], one.probabilities[x]));
                CHECK(close(part.probabilities[row * r + x], one.probabilities[x]));
            }
        }
    }
}

TEST(missing_cells_are_drawn_from_their_joint_distribution) {
    arcwise::Xoshiro random(5);
    arcwise::SilentMonitor silent;
    constexpr std::size_t rows = 4000;
    for (int trial = 0; trial < 40; ++trial) {
        const std::size_t n = 2 + random.below(5);
        const Example example(random, n, 3);
        const arcwise::Inference inference(example.view());
        // A configuration that is possible, some of whose cells are missing in all rows.
        std::size_t cell = 0;
        for (std::size_t other = 0; other < example.joint.size(); ++other)
            if (example.joint[other] > example.joint[cell]) cell = other;
        auto observed = example.states_of(cell);
        std::vector<std::uint8_t> codes, missing;
        for (std::size_t v = 0; v < n; ++v) {
            const bool gap = random.below(2) == 0;
            codes.insert(codes.end(), rows, static_cast<std::uint8_t>(gap ? 0 : observed[v]));
            missing.insert(missing.end(), rows, gap);
            if (gap) observed[v] = -1;
        }
        auto again = codes;
        const auto filling = inference.fill_rows(codes.data(), missing.data(), rows, {7, 8}, limits, silent);
        CHECK(filling.outcome.refusal == arcwise::Refusal::none);
        const auto other =
            inference.fill_rows(again.data(), missing.data(), rows, {7, 8}, {limits.max_cells, 3}, silent);
        CHECK(other.outcome.refusal == arcwise::Refusal::none);
        CHECK(codes == again);
        std::vector<double> counts(example.joint.size(), 0);
        double evidence = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            std::size_t at = 0;
            for (std::size_t v = 0; v < n; ++v) at = at * example.view().arity(v) + codes[v * rows + row];
            counts[at] += 1;
        }
        for (std::size_t at = 0; at < counts.size(); ++at)
            if (example.agrees(at, observed)) evidence += example.joint[at];
        for (std::size_t at = 0; at < counts.size(); ++at) {
            const auto expected = example.agrees(at, observed) ? example.joint[at] / evidence : 0.0;
            if (expected == 0) CHECK(counts[at] == 0);
            CHECK(std::abs(counts[at] / rows - expected) < 0.04);  // five standard errors
        }
    }
}
