// The scores of a family with one more parent, for all variables that may be it.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "local/candidate_parent.hpp"
#include "local/neighbour_scores.hpp"

namespace arcwise {

namespace {

constexpr std::size_t segments_at_once = 4096;                   // x 64 columns x 4 bytes: one megabyte
constexpr std::size_t candidate_bytes = std::size_t{256} << 20;  // tables of candidates at a time

}  // namespace

void NeighbourScores::start(Candidate& candidate, std::size_t child, std::span<const std::int32_t> parents) {
    candidate.arity = data_.arity(candidate.variable);
    candidate.child_arity = data_.arity(child);
    if (tables_ != nullptr) {
        const double cells = data_.cells(parents) * static_cast<double>(candidate.arity);
        candidate.joint_terms = &tables_->of(cells * static_cast<double>(candidate.child_arity));
        candidate.margin_terms = &tables_->of(cells);
    } else if (score_.needs_configurations()) {
        for (const auto p : parents)
            if (static_cast<std::size_t>(p) > candidate.variable)
                candidate.below *= data_.arity(static_cast<std::size_t>(p));
    }
}

double NeighbourScores::finish(Candidate& candidate, std::size_t child,
                               std::span<const std::int32_t> parents) {
    if (tables_ == nullptr)
        return score_family(child, with(parents, candidate.variable), candidate.counts,
                            candidate.configurations);
    ++families_scored_;
    const double cells = data_.cells(parents) * static_cast<double>(candidate.arity);
    const double value =
        (tables_->constant(cells * static_cast<double>(candidate.child_arity)) + candidate.joint) -
        (tables_->constant(cells) + candidate.margin);
    return prior_ == nullptr ? value : value + prior_->of(child, with(parents, candidate.variable));
}

// Adds a row to the candidate's table: the counts of the child for one configuration of P and one state of x.
void NeighbourScores::add_row(Candidate& candidate, std::size_t config, std::size_t state,
                              const std::int64_t* counts) {
    candidate.counts.insert(candidate.counts.end(), counts, counts + candidate.child_arity);
    if (!score_.needs_configurations()) return;
    // The index of P, with the digit of x put between those of its neighbours.
    const std::uint64_t above = radix_[config] / candidate.below;
    candidate.configurations.push_back((above * candidate.arity + state) * candidate.below +
                                       radix_[config] % candidate.below);
}

// Adds the segments of some configurations, whose counts are in `counts`, to a candidate's table.
template <class Count>
void NeighbourScores::add_tables_of(Candidate& candidate, std::size_t first_config, std::size_t last_config,
                                    const Count* counts) {
    constexpr std::size_t width = StateBlocks::width;
    const auto& segments = counter_.segments();
    const std::size_t arity = candidate.arity;
    const std::size_t offset = segments.first_segment(first_config);
    std::size_t s = offset;
    for (std::size_t config = first_config; config < last_config; ++config) {
        cells_.assign(arity * candidate.child_arity, 0);
        for (; s < segments.config_ends[config]; ++s) {
            const Count* column = counts + (s - offset) * width + candidate.first;
            const std::size_t state = segments.states[s];
            std::int64_t rest = segments.totals[s];
            for (std::size_t k = 1; k < arity; ++k) {
                const auto n = static_cast<std::int64_t>(column[k - 1]);
                cells_[k * candidate.child_arity + state] = n;
                rest -= n;
            }
            cells_[state] = rest;
        }
        for (std::size_t k = 0; k < arity; ++k) {
            const auto* column = cells_.data() + k * candidate.child_arity;
            if (std::any_of(column, column + candidate.child_arity, [](std::int64_t n) { return n != 0; }))
                add_row(candidate, config, k, column);
        }
    }
}

// Are the cells of (P, c, x) so many more than the rows that most of them are empty?
bool NeighbourScores::is_sparse(std::size_t x) const {
    return counter_.segments().count() * data_.arity(x) > 2 * weights_.rows.size();
}

// The candidates of a set score whose sums are made of the block's counts, by number of states; those that
// are better counted row by row are scored at once.
void NeighbourScores::sort_columns(std::span<const StateBlocks::Slot> slots, std::size_t child,
                                   std::span<const std::int32_t> parents, NeighbourRow& row) {
    for (auto& columns : columns_) columns.clear();
    const std::size_t most_states =
        2 * weights_.rows.size() / std::max<std::size_t>(1, counter_.segments().count());
    for (const auto& slot : slots) {
        const auto x = static_cast<std::size_t>(slot.variable);
        if (wanted_[x] == 0 || is_hopeless(row, child, parents, x)) continue;
        if (data_.arity(x) > most_states)  // is_sparse
            score_sparse(child, parents, x, row);
        else
            columns_[data_.arity(x)].add(slot.variable, slot.first);
    }
}

template <class Count>
void NeighbourScores::sums_by_block(std::size_t child, std::span<const std::int32_t> parents,
                                    NeighbourRow& row) {
    const double parent_cells = data_.cells(parents);
    const auto child_arity = static_cast<double>(data_.arity(child));
    const StateBlocks& blocks = blocks_of(row, child);
    for (std::size_t block = 0; block < blocks.blocks(); ++block) {
        sort_columns(blocks.slots(block), child, parents, row);
        bool any = false;
        for (std::size_t arity = 0; arity < columns_.size(); ++arity) {
            auto& columns = columns_[arity];
            if (columns.variables.empty()) continue;
            const double cells = parent_cells * static_cast<double>(arity);
            columns.arity = arity;
            columns.start();
            columns.joint_terms = &tables_->of(cells * child_arity);
            columns.margin_terms = &tables_->of(cells);
            any = true;
        }
        if (!any) continue;
        for_counts<Count>(blocks, block, [&](std::size_t first, std::size_t last, const Count* counts) {
            auto& margins = margins_of<Count>();
            add_segments_up(counter_.segments(), first, last, counts, margins);
            for (auto& columns : columns_)
                if (!columns.variables.empty())
                    add_terms(columns, counter_.segments(), first, last, counts,
                              static_cast<const Count*>(margins.data()));
        });
        for (const auto& columns : columns_) {
            if (columns.variables.empty()) continue;
            const double cells = parent_cells * static_cast<double>(columns.arity);
            const double joint_constant = tables_->constant(cells * child_arity);
            const double margin_constant = tables_->constant(cells);
            for (std::size_t i = 0; i < columns.variables.size(); ++i) {
                const auto x = static_cast<std::size_t>(columns.variables[i]);
                const double value =
                    (joint_constant + columns.joint[i]) - (margin_constant + columns.margin[i]);
                row.set(x, prior_ == nullptr ? value : value + prior_->of(child, with(parents, x)));
            }
            families_scored_ += columns.variables.size();
        }
    }
}

template <class Count>
void NeighbourScores::tables_by_block(std::size_t child, std::span<const std::int32_t> parents,
                                      NeighbourRow& row) {
    std::vector<Candidate> candidates;
    const StateBlocks& blocks = blocks_of(row, child);
    for (std::size_t block = 0; block < blocks.blocks(); ++block) {
        const auto slots = blocks.slots(block);
        for (std::size_t next = 0; next < slots.size();) {
            // As many candidates at a time as their tables fit in memory.
            candidates.clear();
            std::size_t bytes = 0;
            for (; next < slots.size() && bytes < candidate_bytes; ++next) {
                const auto x = static_cast<std::size_t>(slots[next].variable);
                if (wanted_[x] == 0 || is_hopeless(row, child, parents, x)) continue;
                if (is_sparse(x)) {
                    score_sparse(child, parents, x, row);
                    continue;
                }
                auto& candidate = candidates.emplace_back();
                candidate.variable = x;
                candidate.first = slots[next].first;
                start(candidate, child, parents);
                bytes += table_.size() * candidate.arity * sizeof(std::int64_t);
            }
            if (candidates.empty()) continue;
            for_counts<Count>(blocks, block, [&](std::size_t first, std::size_t last, const Count* counts) {
                for (auto& candidate : candidates) add_tables_of(candidate, first, last, counts);
            });
            for (auto& candidate : candidates) row.set(candidate.variable, finish(candidate, child, parents));
        }
    }
}

// Calls visit(first, last, counts) for all configurations at once, or for stretches of them whose counts fit
// in memory at once.
template <class Count, class Visit>
void NeighbourScores::for_counts(const StateBlocks& blocks, std::size_t block, Visit visit) {
    if constexpr (std::is_same_v<Count, std::uint32_t>) {
        if (counter_.counts_whole()) {
            const auto* whole = counter_.counts(block);
            visit(0, counter_.segments().configurations(), whole);
            return;
        }
    }
    auto& counts = counts_of<Count>();
    const auto& partition = counter_.sorted();
    for (std::size_t first = 0; first < partition.configurations();) {
        const std::size_t begin = partition.first_segment(first);
        std::size_t last = first + 1;
        while (last < partition.configurations() && partition.config_ends[last] - begin <= segments_at_once)
            ++last;
        const std::size_t end = partition.first_segment(last);
        counts.resize((end - begin) * StateBlocks::width);
        count_block(data_, blocks, block, partition, begin, end, counts.data());
        visit(first, last, static_cast<const Count*>(counts.data()));
        first = last;
    }
}

template <class Count>
std::vector<Count>& NeighbourScores::counts_of() {
    if constexpr (std::is_same_v<Count, std::uint32_t>)
        return counts32_;
    else
        return counts64_;
}

template <class Count>
std::vector<Count>& NeighbourScores::margins_of() {
    if constexpr (std::is_same_v<Count, std::uint32_t>)
        return margins32_;
    else
        return margins64_;
}

template <class Count>
void NeighbourScores::additions_by_block(std::size_t child, std::span<const std::int32_t> parents,
                                         NeighbourRow& row) {
    if (tables_ != nullptr)
        sums_by_block<Count>(child, parents, row);
    else
        tables_by_block<Count>(child, parents, row);
}

// One candidate by itself, row by row and only the cells that occur: better than sums of bytes where most of
// the cells of (P, c, x) are empty, that is for many states or many configurations.
void NeighbourScores::score_sparse(std::size_t child, std::span<const std::int32_t> parents, std::size_t x,
                                   NeighbourRow& row) {
    Candidate candidate{};
    candidate.variable = x;
    start(candidate, child, parents);
    const auto codes = data_.column(x);
    if (tables_ != nullptr)
        add_sparse_terms(candidate, codes);
    else
        add_sparse_tables(candidate, codes);
    row.set(x, finish(candidate, child, parents));
}

template <class Add>
void NeighbourScores::for_rows_of(const RowPartition& partition, std::size_t segment, Add add) const {
    const auto begin = [&](const std::vector<std::size_t>& ends) {
        return segment == 0 ? 0 : ends[segment - 1];
    };
    for (std::size_t i = begin(partition.ends); i < partition.ends[segment]; ++i)
        add(partition.order[i], partition.bytes.empty() ? 1 : partition.bytes[i]);
    if (partition.heavies.empty()) return;
    for (std::size_t i = begin(partition.heavy_ends); i < partition.heavy_ends[segment]; ++i)
        add(partition.heavy_order[i], partition.heavies[i]);
}

void NeighbourScores::add_sparse_terms(Candidate& candidate, std::span<const std::uint32_t> codes) {
    const auto& partition = counter_.sorted();
    auto& joint_terms = *candidate.joint_terms;
    auto& margin_terms = *candidate.margin_terms;
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

void NeighbourScores::add_sparse_tables(Candidate& candidate, std::span<const std::uint32_t> codes) {
    const auto& partition = counter_.sorted();
    const std::size_t child_arity = candidate.child_arity;
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

void NeighbourScores::score_additions(std::size_t child, std::span<const std::int32_t> parents,
                                      NeighbourRow& row) {
    const auto& segments = counter_.segments();
    number_configurations(parents, segments.codes, segments.configurations());
    if (weights_.cases <= std::numeric_limits<std::uint32_t>::max())
        additions_by_block<std::uint32_t>(child, parents, row);
    else
        additions_by_block<std::int64_t>(child, parents, row);
    for (const auto wide : blocks_of(row, child).wide()) {
        const auto x = static_cast<std::size_t>(wide);
        if (wanted_[x] != 0 && !is_hopeless(row, child, parents, x)) score_sparse(child, parents, x, row);
    }
}

}  // namespace arcwise
