#include "local/parent_additions.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace arcwise {

namespace {

constexpr std::size_t segments_at_once = 4096;                   // x 64 columns x 4 bytes: one megabyte
constexpr std::size_t candidate_bytes = std::size_t{256} << 20;  // tables of candidates at a time

// Calls add(row, weight) for the rows of a segment.
template <class Add>
void for_rows_of(const RowPartition& partition, std::size_t segment, Add add) {
    const auto begin = [&](const std::vector<std::size_t>& ends) {
        return segment == 0 ? 0 : ends[segment - 1];
    };
    for (std::size_t i = begin(partition.ends); i < partition.ends[segment]; ++i)
        add(partition.order[i], partition.bytes.empty() ? 1 : partition.bytes[i]);
    if (partition.heavies.empty()) return;
    for (std::size_t i = begin(partition.heavy_ends); i < partition.heavy_ends[segment]; ++i)
        add(partition.heavy_order[i], partition.heavies[i]);
}

}  // namespace

void ParentAdditions::begin(std::size_t child, std::span<const std::int32_t> parents, NeighbourRow& row) {
    child_ = child;
    child_arity_ = sample_.data.arity(child);
    parents_ = parents;
    parent_cells_ = sample_.data.cells(parents);
    row_ = &row;
    const auto& segments = sample_.counter.segments();
    sample_.scorer.number_configurations(parents, segments.codes, segments.configurations(), radix_);
}

void ParentAdditions::score_all(const StateBlocks& blocks) {
    addable_.resize(sample_.data.variables());
    for (std::size_t x = 0; x < addable_.size(); ++x) addable_[x] = sample_.rules.allowed(x, child_) ? 1 : 0;
    addable_[child_] = 0;
    for (const auto p : parents_) addable_[static_cast<std::size_t>(p)] = 0;
    if (sample_.weights.cases <= std::numeric_limits<std::uint32_t>::max())
        score_blocks<std::uint32_t>(blocks);
    else
        score_blocks<std::int64_t>(blocks);
    for (const auto wide : blocks.wide())
        if (is_promising(static_cast<std::size_t>(wide))) score_sparse(static_cast<std::size_t>(wide));
}

template <class Count>
void ParentAdditions::score_blocks(const StateBlocks& blocks) {
    for (std::size_t block = 0; block < blocks.blocks(); ++block) {
        if (sample_.scorer.tables() != nullptr)
            score_by_sums<Count>(blocks, block);
        else
            score_by_tables<Count>(blocks, block);
    }
}

// Are the cells of (P, c, x) so many more than the rows that most of them are empty?
bool ParentAdditions::is_sparse(std::size_t x) const {
    return sample_.counter.segments().count() * sample_.data.arity(x) > 2 * sample_.weights.rows.size();
}

// The candidates of a set score whose sums are made of the block's counts, by number of states; those that
// are better counted row by row are scored at once.
template <class Count>
void ParentAdditions::score_by_sums(const StateBlocks& blocks, std::size_t block) {
    auto& tables = *sample_.scorer.tables();
    const auto* prior = sample_.scorer.prior();
    const auto child_arity = static_cast<double>(child_arity_);
    for (auto& columns : columns_) columns.clear();
    bool any = false;
    for (const auto& slot : blocks.slots(block)) {
        const auto x = static_cast<std::size_t>(slot.variable);
        if (!is_promising(x)) continue;
        if (is_sparse(x)) {
            score_sparse(x);
            continue;
        }
        columns_[sample_.data.arity(x)].add(slot.variable, slot.first);
        any = true;
    }
    if (!any) return;
    for (std::size_t arity = 0; arity < columns_.size(); ++arity) {
        auto& columns = columns_[arity];
        if (columns.variables.empty()) continue;
        columns.arity = arity;
        columns.start();
        columns.joint_terms = &tables.of(cells_with(arity) * child_arity);
        columns.margin_terms = &tables.of(cells_with(arity));
    }
    const auto& segments = sample_.counter.segments();
    for_counts<Count>(blocks, block, [&](std::size_t first, std::size_t last, const Count* counts) {
        auto& margins = std::get<Counts<Count>>(counts_).configurations;
        add_segments_up(segments, first, last, counts, margins);
        for (auto& columns : columns_)
            if (!columns.variables.empty())
                add_terms(columns, segments, first, last, counts, static_cast<const Count*>(margins.data()));
    });
    for (const auto& columns : columns_) {
        if (columns.variables.empty()) continue;
        const double joint_constant = tables.constant(cells_with(columns.arity) * child_arity);
        const double margin_constant = tables.constant(cells_with(columns.arity));
        for (std::size_t i = 0; i < columns.variables.size(); ++i) {
            const auto x = static_cast<std::size_t>(columns.variables[i]);
            const double value = (joint_constant + columns.joint[i]) - (margin_constant + columns.margin[i]);
            row_->set(x, prior == nullptr ? value : value + prior->of(child_, with(parents_, x)));
        }
        sample_.scorer.families_scored += columns.variables.size();
    }
}

template <class Count>
void ParentAdditions::score_by_tables(const StateBlocks& blocks, std::size_t block) {
    std::vector<Candidate> candidates;
    const auto slots = blocks.slots(block);
    for (std::size_t next = 0; next < slots.size();) {
        // As many candidates at a time as their tables fit in memory.
        candidates.clear();
        std::size_t bytes = 0;
        for (; next < slots.size() && bytes < candidate_bytes; ++next) {
            const auto x = static_cast<std::size_t>(slots[next].variable);
            if (!is_promising(x)) continue;
            if (is_sparse(x)) {
                score_sparse(x);
                continue;
            }
            candidates.push_back(candidate(x, slots[next].first));
            bytes += sample_.scorer.table().size() * candidates.back().arity * sizeof(std::int64_t);
        }
        if (candidates.empty()) continue;
        for_counts<Count>(blocks, block, [&](std::size_t first, std::size_t last, const Count* counts) {
            for (auto& candidate : candidates) add_tables(candidate, first, last, counts);
        });
        for (const auto& candidate : candidates) row_->set(candidate.variable, score(candidate));
    }
}

// Calls visit(first, last, counts) for all configurations at once, or for stretches of them whose counts fit
// in memory at once.
template <class Count, class Visit>
void ParentAdditions::for_counts(const StateBlocks& blocks, std::size_t block, Visit visit) {
    auto& counter = sample_.counter;
    if constexpr (std::is_same_v<Count, std::uint32_t>) {
        if (counter.counts_whole()) {
            const auto* whole = counter.counts(block);
            visit(0, counter.segments().configurations(), whole);
            return;
        }
    }
    auto& counts = std::get<Counts<Count>>(counts_).segments;
    const auto& partition = counter.sorted();
    for (std::size_t first = 0; first < partition.configurations();) {
        const std::size_t begin = partition.first_segment(first);
        std::size_t last = first + 1;
        while (last < partition.configurations() && partition.config_ends[last] - begin <= segments_at_once)
            ++last;
        const std::size_t end = partition.first_segment(last);
        counts.resize((end - begin) * StateBlocks::width);
        count_block(sample_.data, blocks, block, partition, begin, end, counts.data());
        visit(first, last, static_cast<const Count*>(counts.data()));
        first = last;
    }
}

ParentAdditions::Candidate ParentAdditions::candidate(std::size_t x, std::size_t first) const {
    Candidate result{x, first, sample_.data.arity(x)};
    if (sample_.scorer.needs_configurations())
        for (const auto p : parents_)
            if (static_cast<std::size_t>(p) > x)
                result.below *= sample_.data.arity(static_cast<std::size_t>(p));
    return result;
}

double ParentAdditions::score(const Candidate& candidate) {
    const Parents family = with(parents_, candidate.variable);
    if (sample_.scorer.tables() == nullptr)
        return sample_.scorer.score_counts(child_, family, candidate.counts, candidate.configurations);
    return sample_.scorer.score_sums(child_, family, cells_with(candidate.arity), candidate.joint,
                                     candidate.margin);
}

// Adds a row to the candidate's table: the counts of the child for one configuration of P and one state of x.
void ParentAdditions::add_row(Candidate& candidate, std::size_t config, std::size_t state,
                              const std::int64_t* counts) {
    candidate.counts.insert(candidate.counts.end(), counts, counts + child_arity_);
    if (!sample_.scorer.needs_configurations()) return;
    // The index of P, with the digit of x put between those of its neighbours.
    const std::uint64_t above = radix_[config] / candidate.below;
    candidate.configurations.push_back((above * candidate.arity + state) * candidate.below +
                                       radix_[config] % candidate.below);
}

// Adds the segments of some configurations, whose counts are in `counts`, to a candidate's table.
template <class Count>
void ParentAdditions::add_tables(Candidate& candidate, std::size_t first_config, std::size_t last_config,
                                 const Count* counts) {
    const auto& segments = sample_.counter.segments();
    const std::size_t arity = candidate.arity, child_arity = child_arity_;
    const std::size_t offset = segments.first_segment(first_config);
    std::size_t s = offset;
    for (std::size_t config = first_config; config < last_config; ++config) {
        cells_.assign(arity * child_arity, 0);
        for (; s < segments.config_ends[config]; ++s) {
            const Count* column = counts + (s - offset) * StateBlocks::width + candidate.first;
            const std::size_t state = segments.states[s];
            std::int64_t rest = segments.totals[s];
            for (std::size_t k = 1; k < arity; ++k) {
                const auto n = static_cast<std::int64_t>(column[k - 1]);
                cells_[k * child_arity + state] = n;
                rest -= n;
            }
            cells_[state] = rest;
        }
        for (std::size_t k = 0; k < arity; ++k) {
            const auto* column = cells_.data() + k * child_arity;
            if (std::any_of(column, column + child_arity, [](std::int64_t n) { return n != 0; }))
                add_row(candidate, config, k, column);
        }
    }
}

void ParentAdditions::score_sparse(std::size_t x) {
    Candidate one = candidate(x, 0);
    const auto codes = sample_.data.column(x);
    if (sample_.scorer.tables() != nullptr)
        add_sparse_terms(one, codes);
    else
        add_sparse_tables(one, codes);
    row_->set(x, score(one));
}

void ParentAdditions::add_sparse_terms(Candidate& candidate, std::span<const std::uint32_t> codes) {
    const auto& partition = sample_.counter.sorted();
    const double cells = cells_with(candidate.arity);
    auto& joint_terms = sample_.scorer.tables()->of(cells * static_cast<double>(child_arity_));
    auto& margin_terms = sample_.scorer.tables()->of(cells);
    cells_.assign(2 * candidate.arity, 0);
    std::int64_t* counts = cells_.data();              // of the states of x in this segment
    std::int64_t* margins = counts + candidate.arity;  // and in this configuration
    std::size_t s = 0;
    for (std::size_t config = 0; config < partition.configurations(); ++config) {
        seen_.clear();
        for (; s < partition.config_ends[config]; ++s) {
            seen_in_segment_.clear();
            for_rows_of(partition, s, [&](std::uint32_t row, std::int64_t weight) {
                const std::uint32_t code = codes[row];
                if (counts[code] == 0) seen_in_segment_.push_back(code);
                counts[code] += weight;
            });
            for (const auto code : seen_in_segment_) {
                candidate.joint += joint_terms(counts[code]);
                if (margins[code] == 0) seen_.push_back(code);
                margins[code] += counts[code];
                counts[code] = 0;
            }
        }
        for (const auto code : seen_) {
            candidate.margin += margin_terms(margins[code]);
            margins[code] = 0;
        }
    }
}

void ParentAdditions::add_sparse_tables(Candidate& candidate, std::span<const std::uint32_t> codes) {
    const auto& partition = sample_.counter.sorted();
    const std::size_t child_arity = child_arity_;
    cells_.assign(candidate.arity * child_arity, 0);
    std::vector<std::uint8_t> known(candidate.arity, 0);
    std::size_t s = 0;
    for (std::size_t config = 0; config < partition.configurations(); ++config) {
        seen_.clear();
        for (; s < partition.config_ends[config]; ++s) {
            const std::size_t state = partition.states[s];
            for_rows_of(partition, s, [&](std::uint32_t row, std::int64_t weight) {
                const std::uint32_t code = codes[row];
                if (known[code] == 0) seen_.push_back(code);
                known[code] = 1;
                cells_[code * child_arity + state] += weight;
            });
        }
        for (const auto code : seen_) {
            add_row(candidate, config, code, cells_.data() + code * child_arity);
            std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(code * child_arity), child_arity, 0);
            known[code] = 0;
        }
    }
}

}  // namespace arcwise
