// The score of a family from its counts, and of the family without each of its parents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "local/cell_terms.hpp"
#include "local/neighbour_row.hpp"
#include "local/row_partition.hpp"
#include "local/state_blocks.hpp"
#include "scores/family_prior.hpp"
#include "scores/local_score.hpp"

namespace arcwise {

class FamilyScorer {
  public:
    // `tables` is null if the score has no set function.
    FamilyScorer(const StateBlocks& data, std::int64_t cases, const LocalScore& score, CellTermTables* tables)
        : data_(data), cases_(cases), score_(score), tables_(tables), prior_(score.prior()) {}

    CellTermTables* tables() const { return tables_; }
    const FamilyPrior* prior() const { return prior_; }  // part of the score, or null
    double prior(std::size_t child, std::span<const std::int32_t> parents) const {
        return prior_ == nullptr ? 0.0 : prior_->of(child, parents);
    }
    // Whether tables go with the indices of their configurations.
    bool needs_configurations() const { return tables_ == nullptr && score_.needs_configurations(); }
    // The index of each configuration, if the score asks for it.
    void number_configurations(std::span<const std::int32_t> parents, std::span<const std::uint32_t> codes,
                               std::size_t count, std::vector<std::uint64_t>& indices) const {
        indices.clear();
        if (!needs_configurations()) return;
        const auto* code = codes.data();
        for (std::size_t config = 0; config < count; ++config) {
            std::uint64_t index = 0;
            for (const auto p : parents) index = index * data_.arity(static_cast<std::size_t>(p)) + *code++;
            indices.push_back(index);
        }
    }

    // Of the family with these segments; `table` has its counts afterwards.
    double score(std::size_t child, std::span<const std::int32_t> parents, const Segments& segments) {
        const std::size_t arity = data_.arity(child);
        table_.assign(segments.configurations() * arity, 0);
        std::size_t s = 0;
        for (std::size_t config = 0; config < segments.configurations(); ++config)
            for (; s < segments.config_ends[config]; ++s)
                table_[config * arity + segments.states[s]] = segments.totals[s];
        return score_table(child, parents, table_, segments.codes);
    }
    // Configurations x arity of the child.
    std::span<const std::int64_t> table() const { return table_; }
    // Of a family with this table, where the parents of each configuration have these codes, ..
    double score_table(std::size_t child, std::span<const std::int32_t> parents,
                       std::span<const std::int64_t> counts, std::span<const std::uint32_t> codes) {
        const std::size_t arity = data_.arity(child);
        if (tables_ == nullptr) {
            number_configurations(parents, codes, counts.size() / arity, indices_);
            return score_counts(child, parents, counts, indices_);
        }
        const double parent_cells = data_.cells(parents);
        auto& joint_terms = tables_->of(parent_cells * static_cast<double>(arity));
        auto& margin_terms = tables_->of(parent_cells);
        double joint = 0.0;
        double margin = 0.0;
        for (std::size_t j = 0; j < counts.size(); j += arity) {
            std::int64_t total = 0;
            for (std::size_t k = 0; k < arity; ++k) {
                joint += joint_terms(counts[j + k]);
                total += counts[j + k];
            }
            margin += margin_terms(total);
        }
        return score_sums(child, parents, parent_cells, joint, margin);
    }
    // .. or the configurations these indices. Not for set scores, ..
    double score_counts(std::size_t child, std::span<const std::int32_t> parents,
                        std::span<const std::int64_t> counts, std::span<const std::uint64_t> configurations) {
        ++families_scored;
        return score_.local({static_cast<std::int32_t>(child), parents, counts, data_.arity(child),
                             data_.cells(parents), cases_, configurations});
    }
    // .. of which only the sums of the terms are needed: of all cells, and of all configurations.
    double score_sums(std::size_t child, std::span<const std::int32_t> parents, double parent_cells,
                      double joint, double margin) {
        ++families_scored;
        const double joint_cells = parent_cells * static_cast<double>(data_.arity(child));
        const double value =
            (tables_->constant(joint_cells) + joint) - (tables_->constant(parent_cells) + margin);
        return prior_ == nullptr ? value : value + prior_->of(child, parents);
    }

    // Those of the family that was scored last, without each of its parents. The table without a parent is
    // the sum of rows of the table with it: no pass over the data.
    void score_removals(std::size_t child, std::span<const std::int32_t> parents, const Segments& segments,
                        RowSorter& sorter, NeighbourRow& row) {
        const std::size_t arity = data_.arity(child);
        for (std::size_t place = 0; place < parents.size(); ++place) {
            const auto x = static_cast<std::size_t>(parents[place]);
            const Parents rest = without(parents, x);
            const std::size_t configurations = sorter.number_without(segments, parents, place, numbers_);
            reduced_.assign(configurations * arity, 0);
            codes_.resize(configurations * rest.size());
            for (std::size_t config = 0; config < segments.configurations(); ++config) {
                const std::size_t target = numbers_[config];
                const auto* codes = segments.codes_of(config);
                auto* reduced = codes_.data() + target * rest.size();
                std::copy_n(codes, place, reduced);
                std::copy(codes + place + 1, codes + parents.size(), reduced + place);
                for (std::size_t k = 0; k < arity; ++k)
                    reduced_[target * arity + k] += table_[config * arity + k];
            }
            row.set(x, score_table(child, rest, reduced_, codes_));
        }
    }

    std::uint64_t families_scored = 0;

  private:
    const StateBlocks& data_;
    std::int64_t cases_;
    const LocalScore& score_;
    CellTermTables* tables_;
    const FamilyPrior* prior_;
    std::vector<std::int64_t> table_;
    // Scratch, kept between calls for its memory.
    std::vector<std::uint64_t> indices_;
    std::vector<std::uint32_t> numbers_;  // of each configuration: the one without a parent
    std::vector<std::int64_t> reduced_;   // the table without it
    std::vector<std::uint32_t> codes_;
};

}  // namespace arcwise
