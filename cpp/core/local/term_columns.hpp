// The sums of terms that a set score needs of many candidate parents, from the counts of one block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/cell_terms.hpp"
#include "local/row_partition.hpp"
#include "local/state_blocks.hpp"

namespace arcwise {

// Candidates of one number of states, and the two sums of each: of the cells of (P, c, x), and of (P, x).
struct TermColumns {
    std::size_t arity = 0;
    CellTermTable* joint_terms = nullptr;
    CellTermTable* margin_terms = nullptr;
    std::vector<std::int32_t> variables;
    std::vector<std::uint32_t> first;  // the first column of each in the block
    std::vector<double> joint;
    std::vector<double> margin;

    void add(std::int32_t variable, std::uint32_t column) {
        variables.push_back(variable);
        first.push_back(column);
    }
    // After the last candidate: no sum has a term yet.
    void start() {
        joint.assign(variables.size(), 0.0);
        margin.assign(variables.size(), 0.0);
    }
    void clear() {
        variables.clear();
        first.clear();
    }
};

// The terms of a table that has those of all counts up to N: no question whether one is there.
struct KnownTerms {
    const double* terms;
    double operator()(std::int64_t count) const { return terms[count]; }
};

// How often each column of a block occurs in each of some configurations, from the counts of their segments:
// once for all numbers of states, and for all columns side by side.
template <class Count>
void add_segments_up(const Segments& segments, std::size_t first_config, std::size_t last_config,
                     const Count* counts, std::vector<Count>& margins) {
    constexpr std::size_t width = StateBlocks::width;
    margins.resize((last_config - first_config) * width);
    Count* margin = margins.data();
    std::size_t s = segments.first_segment(first_config);
    for (std::size_t config = first_config; config < last_config; ++config, margin += width) {
        std::copy_n(counts, width, margin);
        counts += width;
        for (++s; s < segments.config_ends[config]; ++s, counts += width)
            for (std::size_t column = 0; column < width; ++column) margin[column] += counts[column];
    }
}

// One sum is one chain of additions, each of which waits for the last, and their order is part of the result;
// but the sums of different candidates do not wait for each other. So the segments are outside and the
// candidates inside: the processor has the chains of all of them in hand at once. With `states` as a constant
// the innermost loops are unrolled; 0: any number.
template <std::size_t states, class Count, class Terms>
void add_terms(TermColumns& columns, const Segments& segments, std::size_t first_config,
               std::size_t last_config, const Count* counts, const Count* margins, Terms joint_terms,
               Terms margin_terms) {
    constexpr std::size_t width = StateBlocks::width;
    const std::size_t arity = states == 0 ? columns.arity : states;
    const std::size_t candidates = columns.first.size();
    const std::uint32_t* first = columns.first.data();
    double* joints = columns.joint.data();
    std::size_t s = segments.first_segment(first_config);
    for (std::size_t config = first_config; config < last_config; ++config, margins += width) {
        Count whole = 0;
        for (; s < segments.config_ends[config]; ++s, counts += width) {
            const auto total = static_cast<Count>(segments.totals[s]);
            whole += total;
            for (std::size_t i = 0; i < candidates; ++i) {
                const Count* column = counts + first[i];
                double joint = joints[i];
                Count rest = total;
                for (std::size_t k = 1; k < arity; ++k) {
                    joint += joint_terms(static_cast<std::int64_t>(column[k - 1]));
                    rest -= column[k - 1];
                }
                joints[i] = joint + joint_terms(static_cast<std::int64_t>(rest));
            }
        }
        for (std::size_t i = 0; i < candidates; ++i) {
            const Count* column = margins + first[i];
            Count rest = whole;
            for (std::size_t k = 1; k < arity; ++k) rest -= column[k - 1];
            double sum = columns.margin[i] + margin_terms(static_cast<std::int64_t>(rest));
            for (std::size_t k = 1; k < arity; ++k)
                sum += margin_terms(static_cast<std::int64_t>(column[k - 1]));
            columns.margin[i] = sum;
        }
    }
}

// Adds the segments of some configurations, whose counts (segments x 64) are in `counts` and in `margins`
// those of add_segments_up, to all candidates.
template <class Count>
void add_terms(TermColumns& columns, const Segments& segments, std::size_t first_config,
               std::size_t last_config, const Count* counts, const Count* margins) {
    const auto add = [&]<std::size_t states>(auto joint_terms, auto margin_terms) {
        add_terms<states>(columns, segments, first_config, last_config, counts, margins, joint_terms,
                          margin_terms);
    };
    const auto add_all = [&](auto joint_terms, auto margin_terms) {
        if (columns.arity == 2)
            add.template operator()<2>(joint_terms, margin_terms);
        else if (columns.arity == 3)
            add.template operator()<3>(joint_terms, margin_terms);
        else if (columns.arity == 4)
            add.template operator()<4>(joint_terms, margin_terms);
        else
            add.template operator()<0>(joint_terms, margin_terms);
    };
    auto &joint_terms = *columns.joint_terms, &margin_terms = *columns.margin_terms;
    if (joint_terms.knows_all() && margin_terms.knows_all()) {
        add_all(KnownTerms{joint_terms.known()}, KnownTerms{margin_terms.known()});
    } else {
        const auto look_up = [](CellTermTable& table) {
            return [&table](std::int64_t count) { return table(count); };
        };
        add_all(look_up(joint_terms), look_up(margin_terms));
    }
}

}  // namespace arcwise
