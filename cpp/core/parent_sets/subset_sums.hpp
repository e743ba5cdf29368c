// The set function g(T) of one score for every subset T of up to 30 variables, at 8 bytes each.
//
// Subsets are visited depth first, variables with high bits first, so that a visit refines the classes of
// equal rows of the set before by one more variable. Classes of one row cannot be refined: they are only
// counted, by their weight. In small data nearly all subsets have nearly all rows in classes of their own, so
// that a set costs some nanoseconds: the 67 million sets of autos (159 cases) take less time than the first
// million would if each were counted by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "counts/collapsed_rows.hpp"
#include "parallel_for.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

// The terms of a set score for every |T| that subsets can have. |T| is a product of arities: its number here
// is the sum of its variables' steps.
class SubsetTerms {
  public:
    SubsetTerms(const SetScore& score, std::span<const std::size_t> arities, std::int64_t cases) {
        std::vector<std::size_t> different(arities.begin(), arities.end());
        std::sort(different.begin(), different.end());
        different.erase(std::unique(different.begin(), different.end()), different.end());
        std::vector<double> cells{1.0};
        steps_.resize(arities.size());
        for (const auto arity : different) {
            const std::size_t before = cells.size();
            for (std::size_t v = 0; v < arities.size(); ++v) {
                if (arities[v] != arity) continue;
                steps_[v] = before;
                for (std::size_t k = 0; k < before; ++k)
                    cells.push_back(cells[cells.size() - before] * static_cast<double>(arity));
            }
        }
        length_ = static_cast<std::size_t>(cases) + 1;
        for (const auto size : cells) {
            constants_.push_back(score.constant(size));
            if (score.terms_are_universal() && !terms_.empty()) continue;
            terms_.push_back(0.0);
            for (std::int64_t count = 1; count <= cases; ++count)
                terms_.push_back(score.cell_term(count, size));
        }
        universal_ = score.terms_are_universal();
    }

    // How many numbers the terms of these arities are.
    static double numbers(const SetScore& score, std::span<const std::size_t> arities, std::int64_t cases) {
        std::vector<std::size_t> sorted(arities.begin(), arities.end());
        std::sort(sorted.begin(), sorted.end());
        double sizes = 1.0;
        for (std::size_t v = 0; v < sorted.size();) {
            std::size_t last = v;
            while (last < sorted.size() && sorted[last] == sorted[v]) ++last;
            sizes *= static_cast<double>(last - v + 1);
            v = last;
        }
        return (score.terms_are_universal() ? 1.0 : sizes) * (static_cast<double>(cases) + 1.0);
    }

    std::size_t step(std::size_t variable) const { return steps_[variable]; }
    const double* terms(std::size_t number) const {
        return terms_.data() + (universal_ ? 0 : number * length_);
    }
    double constant(std::size_t number) const { return constants_[number]; }

  private:
    std::vector<std::size_t> steps_;  // per variable
    std::vector<double> constants_;   // per |T|
    std::vector<double> terms_;       // length_ per |T|
    std::size_t length_ = 0;
    bool universal_ = false;
};

// One thread's walk. Bit b of a subset is the variable at positions[b] of the data.
template <class Code, class Count>
class SubsetWalk {
  public:
    SubsetWalk(const CollapsedRows<Code, Count>& data, std::span<const std::int32_t> positions,
               const SubsetTerms& terms, std::span<double> sums)
        : data_(data), terms_(terms), sums_(sums), parts_(positions.size() + 1) {
        std::size_t most = 0;
        for (const auto position : positions) {
            columns_.push_back(data.column(static_cast<std::size_t>(position)));
            most = std::max(most, data.arities[static_cast<std::size_t>(position)]);
        }
        rows_in_.assign(most, 0);
        total_.assign(most, 0);
        place_.assign(most, 0);
        weights_.assign(data.weights.begin(), data.weights.end());
        std::sort(weights_.begin(), weights_.end());
        weights_.erase(std::unique(weights_.begin(), weights_.end()), weights_.end());
        for (const auto weight : data.weights)
            kind_.push_back(static_cast<std::uint32_t>(
                std::lower_bound(weights_.begin(), weights_.end(), weight) - weights_.begin()));
        for (auto& part : parts_) part.single.assign(weights_.size(), 0);
        Part& all = parts_[0];
        if (data.rows == 1) {
            ++all.single[kind_[0]];
        } else {
            all.rows.resize(data.rows);
            for (std::size_t row = 0; row < data.rows; ++row) all.rows[row] = static_cast<std::uint32_t>(row);
            all.ends = {static_cast<std::uint32_t>(data.rows)};
            all.totals = {static_cast<Count>(data.cases)};
        }
    }

    // Every subset whose bits from `low` up are those of `high`.
    void visit(std::size_t high, std::size_t low) {
        std::size_t depth = 0, number = 0;
        for (std::size_t b = columns_.size(); b-- > low;) {
            if (((high >> b) & 1U) == 0) continue;
            refine(parts_[depth], columns_[b], parts_[depth + 1]);
            number += terms_.step(b);
            ++depth;
        }
        sums_[high] = sum(parts_[depth], number);
        descend(depth, high, low, number);
    }

  private:
    struct Part {
        std::vector<std::uint32_t> rows;    // of the classes with several rows, class by class
        std::vector<std::uint32_t> ends;    // of the classes
        std::vector<Count> totals;          // of the classes
        std::vector<std::uint32_t> single;  // how many classes of one row have each weight
    };

    void descend(std::size_t depth, std::size_t mask, std::size_t below, std::size_t number) {
        for (std::size_t b = below; b-- > 1;) {
            const std::size_t wider = mask | (std::size_t{1} << b);
            const std::size_t size = number + terms_.step(b);
            refine(parts_[depth], columns_[b], parts_[depth + 1]);
            sums_[wider] = sum(parts_[depth + 1], size);
            descend(depth + 1, wider, b, size);
        }
        if (below > 0) sums_[mask | 1U] = sum_refined(parts_[depth], columns_[0], number + terms_.step(0));
    }

    double sum_single(const Part& part, const double* terms) const {
        double sum = 0.0;
        for (std::size_t k = 0; k < weights_.size(); ++k)
            sum += static_cast<double>(part.single[k]) * terms[static_cast<std::size_t>(weights_[k])];
        return sum;
    }

    double sum(const Part& part, std::size_t number) const {
        const double* terms = terms_.terms(number);
        double sum = sum_single(part, terms);
        for (const auto total : part.totals) sum += terms[static_cast<std::size_t>(total)];
        return sum + terms_.constant(number);
    }

    void refine(const Part& coarse, const Code* column, Part& fine) {
        fine.rows.clear();
        fine.ends.clear();
        fine.totals.clear();
        std::copy(coarse.single.begin(), coarse.single.end(), fine.single.begin());
        std::size_t begin = 0;
        for (std::size_t c = 0; c < coarse.ends.size(); ++c) {
            const std::size_t end = coarse.ends[c];
            const std::uint32_t* rows = coarse.rows.data() + begin;
            if (end - begin == 2) {
                if (column[rows[0]] == column[rows[1]]) {
                    fine.rows.insert(fine.rows.end(), rows, rows + 2);
                    fine.ends.push_back(static_cast<std::uint32_t>(fine.rows.size()));
                    fine.totals.push_back(coarse.totals[c]);
                } else {
                    ++fine.single[kind_[rows[0]]];
                    ++fine.single[kind_[rows[1]]];
                }
            } else {
                split(rows, end - begin, column, fine);
            }
            begin = end;
        }
    }

    void split(const std::uint32_t* rows, std::size_t count, const Code* column, Part& fine) {
        std::fill(rows_in_.begin(), rows_in_.end(), 0);
        std::fill(total_.begin(), total_.end(), Count{0});
        for (std::size_t i = 0; i < count; ++i) {
            const auto state = static_cast<std::size_t>(column[rows[i]]);
            ++rows_in_[state];
            total_[state] += data_.weights[rows[i]];
        }
        std::size_t at = fine.rows.size();
        for (std::size_t state = 0; state < rows_in_.size(); ++state) {
            if (rows_in_[state] < 2) continue;
            place_[state] = at;
            at += rows_in_[state];
            fine.ends.push_back(static_cast<std::uint32_t>(at));
            fine.totals.push_back(total_[state]);
        }
        fine.rows.resize(at);
        for (std::size_t i = 0; i < count; ++i) {
            const auto state = static_cast<std::size_t>(column[rows[i]]);
            if (rows_in_[state] < 2)
                ++fine.single[kind_[rows[i]]];
            else
                fine.rows[place_[state]++] = rows[i];
        }
    }

    // The sum of a set without descendants: its classes are not needed.
    double sum_refined(const Part& coarse, const Code* column, std::size_t number) {
        const double* terms = terms_.terms(number);
        double sum = sum_single(coarse, terms);
        std::size_t begin = 0;
        for (const auto end : coarse.ends) {
            std::fill(total_.begin(), total_.end(), Count{0});
            for (std::size_t i = begin; i < end; ++i)
                total_[static_cast<std::size_t>(column[coarse.rows[i]])] += data_.weights[coarse.rows[i]];
            for (const auto total : total_) sum += terms[static_cast<std::size_t>(total)];
            begin = end;
        }
        return sum + terms_.constant(number);
    }

    const CollapsedRows<Code, Count>& data_;
    const SubsetTerms& terms_;
    std::span<double> sums_;
    std::vector<const Code*> columns_;
    std::vector<Part> parts_;          // by the number of variables
    std::vector<Count> weights_;       // that occur, ascending
    std::vector<std::uint32_t> kind_;  // row -> the place of its weight
    std::vector<std::size_t> rows_in_, place_;
    std::vector<Count> total_;
};

// Fills sums[T] for all subsets T of `positions`; false if poll(done, total) said to stop.
template <class Code, class Count, class Poll>
bool sum_all_subsets(const CollapsedRows<Code, Count>& data, const SetScore& score,
                     std::span<const std::int32_t> positions, std::size_t threads, std::span<double> sums,
                     Poll poll) {
    std::vector<std::size_t> arities;
    for (const auto position : positions) arities.push_back(data.arities[static_cast<std::size_t>(position)]);
    const SubsetTerms terms(score, arities, data.cases);
    std::vector<SubsetWalk<Code, Count>> walks;
    for (std::size_t thread = 0; thread < threads; ++thread) walks.emplace_back(data, positions, terms, sums);
    const std::size_t low = positions.size() - std::min<std::size_t>(positions.size(), 12);
    const std::size_t tasks = std::size_t{1} << (positions.size() - low);
    return parallel_for(
        threads, tasks, [&](std::size_t worker, std::size_t task) { walks[worker].visit(task << low, low); },
        [&](std::size_t started) { return poll(started, tasks); });
}

}  // namespace arcwise
