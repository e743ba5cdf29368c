#include "local_search/neighbour_scores.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "local_search/xoshiro.hpp"

namespace arcwise {

namespace {

constexpr double not_allowed = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t segments_at_once = 4096;                   // x 64 columns x 4 bytes: one megabyte
constexpr std::size_t candidate_bytes = std::size_t{256} << 20;  // tables of candidates at a time
constexpr std::size_t partition_bytes = std::size_t{32} << 20;   // sorted rows kept for the first pass

double cells_of(const StateBlocks& data, std::span<const std::int32_t> variables) {
    double cells = 1.0;
    for (const auto v : variables) cells *= static_cast<double>(data.arity(static_cast<std::size_t>(v)));
    return cells;
}

Parents with(std::span<const std::int32_t> parents, std::size_t x) {
    Parents result(parents.begin(), parents.end());
    const auto value = static_cast<std::int32_t>(x);
    result.insert(std::ranges::lower_bound(result, value), value);
    return result;
}

Parents without(std::span<const std::int32_t> parents, std::size_t x) {
    Parents result(parents.begin(), parents.end());
    std::erase(result, static_cast<std::int32_t>(x));
    return result;
}

Parents key_of(std::size_t child, std::span<const std::int32_t> parents) {
    Parents key{static_cast<std::int32_t>(child)};
    key.insert(key.end(), parents.begin(), parents.end());
    return key;
}

}  // namespace

// A variable x that may join the parents: the counts of (P, x, c) as they come, configuration by
// configuration. A set score needs only its two sums; any other score needs the table.
struct NeighbourScores::Candidate {
    std::size_t variable;
    std::size_t first = 0;  // its first column in the block
    std::size_t arity;
    std::size_t child_arity;
    CellTermTable* joint_terms = nullptr;
    CellTermTable* margin_terms = nullptr;
    double joint = 0.0;
    double margin = 0.0;
    std::vector<std::int64_t> counts;           // observed configurations of P + x, times the child's arity
    std::vector<std::uint64_t> configurations;  // their indices, where the score asks
    std::uint64_t below = 1;                    // cells of the parents after x
};

std::size_t NeighbourScores::KeyHash::operator()(const Parents& key) const {
    std::uint64_t hash = key.size();
    for (const auto v : key)
        hash = Xoshiro::mix(hash ^ (static_cast<std::uint64_t>(v) + 0x9e3779b97f4a7c15ULL));
    return hash;
}

NeighbourScores::NeighbourScores(const StateBlocks& data, std::span<const std::int64_t> weights,
                                 const LocalScore& score, CellTermTables* tables, const ArcRules& rules,
                                 std::size_t memory)
    : data_(data),
      weights_(data.rows(), weights),
      score_(score),
      tables_(tables),
      rules_(rules),
      memory_(memory),
      sorter_(data_, weights_) {
    assert((tables == nullptr) == (score.set_score() == nullptr));
    assert(tables == nullptr || tables->cases() == weights_.cases);
    assert(rules.variables() == data.variables());
}

NeighbourScores::Row NeighbourScores::row(std::size_t child, std::span<const std::int32_t> parents) {
    auto key = key_of(child, parents);
    const auto found = rows_.find(key);
    if (found != rows_.end()) return found->second;
    if (parents.empty() && !filled_) {
        // Searches start at the empty graph: all its rows are made together, once.
        filled_ = true;
        fill_empty_rows();
        const auto filled = rows_.find(key);
        if (filled != rows_.end()) return filled->second;
    }
    auto fresh = compute(child, parents);
    store(std::move(key), fresh);
    return fresh;
}

double NeighbourScores::local(std::size_t child, std::span<const std::int32_t> parents) {
    auto key = key_of(child, parents);
    if (const auto found = rows_.find(key); found != rows_.end()) return found->second->own;
    if (const auto found = locals_.find(key); found != locals_.end()) return found->second;
    sorter_.sort(child, parents, partition_);
    tabulate(child, partition_);
    const double value = score_table(child, parents, table_, partition_.sample_rows);
    if (locals_.size() > memory_ / 128) locals_.clear();
    locals_.emplace(std::move(key), value);
    return value;
}

void NeighbourScores::store(Parents key, std::shared_ptr<NeighbourRow> row) {
    const std::size_t bytes = row->toggled.size() * sizeof(double) + 160;
    if (rows_bytes_ + bytes > memory_) {
        rows_.clear();
        rows_bytes_ = 0;
    }
    rows_bytes_ += bytes;
    rows_.insert_or_assign(std::move(key), std::move(row));
}

bool NeighbourScores::wants(std::size_t x, std::size_t child, std::span<const std::int32_t> parents) const {
    return x != child && rules_.allowed(x, child) && parents.size() < rules_.limit(child) &&
           !std::ranges::binary_search(parents, static_cast<std::int32_t>(x));
}

// n_jk of the observed configurations j.
void NeighbourScores::tabulate(std::size_t child, const RowPartition& partition) {
    const std::size_t arity = data_.arity(child);
    table_.assign(partition.configurations() * arity, 0);
    std::size_t s = 0;
    for (std::size_t config = 0; config < partition.configurations(); ++config)
        for (; s < partition.config_ends[config]; ++s)
            table_[config * arity + partition.states[s]] = partition.totals[s];
}

double NeighbourScores::score_family(std::size_t child, std::span<const std::int32_t> parents,
                                     std::span<const std::int64_t> counts,
                                     std::span<const std::uint64_t> configurations) {
    ++families_scored_;
    return score_.local({static_cast<std::int32_t>(child), parents, counts, data_.arity(child),
                         cells_of(data_, parents), weights_.cases, configurations});
}

double NeighbourScores::score_table(std::size_t child, std::span<const std::int32_t> parents,
                                    std::span<const std::int64_t> counts,
                                    std::span<const std::uint32_t> sample_rows) {
    const std::size_t arity = data_.arity(child);
    if (tables_ != nullptr) {
        ++families_scored_;
        const double parent_cells = cells_of(data_, parents);
        const double joint_cells = parent_cells * static_cast<double>(arity);
        auto& joint_terms = tables_->of(joint_cells);
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
        return (tables_->constant(joint_cells) + joint) - (tables_->constant(parent_cells) + margin);
    }
    radix_.clear();
    if (score_.needs_configurations()) {
        for (const auto row : sample_rows) {
            std::uint64_t index = 0;
            for (const auto p : parents) {
                const auto v = static_cast<std::size_t>(p);
                index = index * data_.arity(v) + data_.column(v)[row];
            }
            radix_.push_back(index);
        }
    }
    return score_family(child, parents, counts, radix_);
}

std::shared_ptr<NeighbourRow> NeighbourScores::compute(std::size_t child,
                                                       std::span<const std::int32_t> parents) {
    auto row = std::make_shared<NeighbourRow>();
    row->toggled.assign(variables(), not_allowed);
    sorter_.sort(child, parents, partition_);
    tabulate(child, partition_);
    row->own = score_table(child, parents, table_, partition_.sample_rows);
    score_removals(child, parents, *row);
    if (parents.size() < rules_.limit(child)) {
        score_additions(child, parents, *row);
        for (std::size_t x = 0; x < variables(); ++x)
            if (wants(x, child, parents))
                row->best_gain = std::max(row->best_gain, row->toggled[x] - row->own);
    }
    return row;
}

// The table without a parent is the sum of rows of the table with it: no pass over the data.
void NeighbourScores::score_removals(std::size_t child, std::span<const std::int32_t> parents,
                                     NeighbourRow& row) {
    const std::size_t arity = data_.arity(child);
    std::vector<std::uint32_t> samples;
    for (const auto parent : parents) {
        const auto x = static_cast<std::size_t>(parent);
        const Parents rest = without(parents, x);
        const std::size_t configurations = sorter_.number(partition_.sample_rows, rest, reduced_keys_);
        reduced_.assign(configurations * arity, 0);
        samples.assign(configurations, 0);
        for (std::size_t config = 0; config < partition_.configurations(); ++config) {
            const std::size_t target = reduced_keys_[config];
            samples[target] = partition_.sample_rows[config];
            for (std::size_t k = 0; k < arity; ++k)
                reduced_[target * arity + k] += table_[config * arity + k];
        }
        row.toggled[x] = score_table(child, rest, reduced_, samples);
    }
}

void NeighbourScores::start(Candidate& candidate, std::size_t child, std::span<const std::int32_t> parents) {
    candidate.arity = data_.arity(candidate.variable);
    candidate.child_arity = data_.arity(child);
    if (tables_ != nullptr) {
        const double cells = cells_of(data_, parents) * static_cast<double>(candidate.arity);
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
    const double cells = cells_of(data_, parents) * static_cast<double>(candidate.arity);
    return (tables_->constant(cells * static_cast<double>(candidate.child_arity)) + candidate.joint) -
           (tables_->constant(cells) + candidate.margin);
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

template <class Count>
void NeighbourScores::add_block(std::size_t block, std::size_t first_config, std::size_t last_config,
                                const RowPartition& partition, std::vector<Count>& counts) {
    constexpr std::size_t width = StateBlocks::width;
    const std::size_t first = partition.first_segment(first_config);
    const std::size_t last = partition.first_segment(last_config);
    const std::size_t begin = first == 0 ? 0 : partition.ends[first - 1];
    const auto ends = std::span(partition.ends).subspan(first, last - first);
    counts.assign((last - first) * width, 0);
    if constexpr (std::is_same_v<Count, std::uint32_t>) {
        data_.add_segments(block, partition.order, partition.bytes, begin, ends, counts.data());
    } else {
        sums_.assign(counts.size(), 0);
        data_.add_segments(block, partition.order, partition.bytes, begin, ends, sums_.data());
        std::ranges::copy(sums_, counts.begin());
    }
    if (partition.heavies.empty()) return;
    std::size_t i = first == 0 ? 0 : partition.heavy_ends[first - 1];
    for (std::size_t s = first; s < last; ++s) {
        for (; i < partition.heavy_ends[s]; ++i) {
            for (const auto& slot : data_.slots(block)) {
                const auto code =
                    data_.column(static_cast<std::size_t>(slot.variable))[partition.heavy_order[i]];
                if (code > 0)
                    counts[(s - first) * width + slot.first + code - 1] +=
                        static_cast<Count>(partition.heavies[i]);
            }
        }
    }
}

// Adds the segments of some configurations of partition_, whose counts are in `counts`, to a candidate.
template <class Count>
void NeighbourScores::add_segments_of(Candidate& candidate, std::size_t first_config, std::size_t last_config,
                                      const std::vector<Count>& counts) {
    constexpr std::size_t width = StateBlocks::width;
    const std::size_t arity = candidate.arity;
    const std::size_t offset = partition_.first_segment(first_config);
    std::size_t s = offset;
    if (tables_ != nullptr) {
        auto& joint_terms = *candidate.joint_terms;
        auto& margin_terms = *candidate.margin_terms;
        std::int64_t margins[width + 1];
        for (std::size_t config = first_config; config < last_config; ++config) {
            std::fill_n(margins, arity, std::int64_t{0});
            for (; s < partition_.config_ends[config]; ++s) {
                const Count* column = counts.data() + (s - offset) * width + candidate.first;
                std::int64_t rest = partition_.totals[s];
                for (std::size_t k = 1; k < arity; ++k) {
                    const auto n = static_cast<std::int64_t>(column[k - 1]);
                    candidate.joint += joint_terms(n);
                    margins[k] += n;
                    rest -= n;
                }
                candidate.joint += joint_terms(rest);
                margins[0] += rest;
            }
            for (std::size_t k = 0; k < arity; ++k) candidate.margin += margin_terms(margins[k]);
        }
        return;
    }
    for (std::size_t config = first_config; config < last_config; ++config) {
        cells_.assign(arity * candidate.child_arity, 0);
        for (; s < partition_.config_ends[config]; ++s) {
            const Count* column = counts.data() + (s - offset) * width + candidate.first;
            const std::size_t state = partition_.states[s];
            std::int64_t rest = partition_.totals[s];
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
    return partition_.ends.size() * data_.arity(x) > 2 * weights_.rows.size();
}

template <class Count>
void NeighbourScores::additions_by_block(std::size_t child, std::span<const std::int32_t> parents,
                                         NeighbourRow& row) {
    std::vector<Count>& counts = [this]() -> std::vector<Count>& {
        if constexpr (std::is_same_v<Count, std::uint32_t>)
            return counts32_;
        else
            return counts64_;
    }();
    std::vector<Candidate> candidates;
    for (std::size_t block = 0; block < data_.blocks(); ++block) {
        const auto slots = data_.slots(block);
        for (std::size_t next = 0; next < slots.size();) {
            // As many candidates at a time as their tables fit in memory; with a set score there are no
            // tables.
            candidates.clear();
            std::size_t bytes = 0;
            for (; next < slots.size() && bytes < candidate_bytes; ++next) {
                const auto x = static_cast<std::size_t>(slots[next].variable);
                if (!wants(x, child, parents)) continue;
                if (is_sparse(x)) {
                    score_sparse(child, parents, x, row);
                    continue;
                }
                auto& candidate = candidates.emplace_back();
                candidate.variable = x;
                candidate.first = slots[next].first;
                start(candidate, child, parents);
                if (tables_ == nullptr) bytes += table_.size() * candidate.arity * sizeof(std::int64_t);
            }
            if (candidates.empty()) continue;
            for (std::size_t first = 0; first < partition_.configurations();) {
                std::size_t last = first + 1;
                while (last < partition_.configurations() &&
                       partition_.config_ends[last] - partition_.first_segment(first) <= segments_at_once)
                    ++last;
                add_block(block, first, last, partition_, counts);
                for (auto& candidate : candidates) add_segments_of(candidate, first, last, counts);
                first = last;
            }
            for (auto& candidate : candidates)
                row.toggled[candidate.variable] = finish(candidate, child, parents);
        }
    }
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
    row.toggled[x] = finish(candidate, child, parents);
}

template <class Add>
void NeighbourScores::for_rows_of(std::size_t segment, Add add) const {
    const auto begin = [&](const std::vector<std::size_t>& ends) {
        return segment == 0 ? 0 : ends[segment - 1];
    };
    for (std::size_t i = begin(partition_.ends); i < partition_.ends[segment]; ++i)
        add(partition_.order[i], partition_.bytes.empty() ? 1 : partition_.bytes[i]);
    if (partition_.heavies.empty()) return;
    for (std::size_t i = begin(partition_.heavy_ends); i < partition_.heavy_ends[segment]; ++i)
        add(partition_.heavy_order[i], partition_.heavies[i]);
}

void NeighbourScores::add_sparse_terms(Candidate& candidate, std::span<const std::uint32_t> codes) {
    auto& joint_terms = *candidate.joint_terms;
    auto& margin_terms = *candidate.margin_terms;
    cells_.assign(2 * candidate.arity, 0);
    std::int64_t* counts = cells_.data();              // of the states of x in this segment
    std::int64_t* margins = counts + candidate.arity;  // and in this configuration
    std::size_t s = 0;
    for (std::size_t config = 0; config < partition_.configurations(); ++config) {
        seen_.clear();
        for (; s < partition_.config_ends[config]; ++s) {
            seen_in_segment_.clear();
            for_rows_of(s, [&](std::uint32_t row, std::int64_t weight) {
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
    const std::size_t child_arity = candidate.child_arity;
    cells_.assign(candidate.arity * child_arity, 0);
    std::vector<std::uint8_t> known(candidate.arity, 0);
    std::size_t s = 0;
    for (std::size_t config = 0; config < partition_.configurations(); ++config) {
        seen_.clear();
        for (; s < partition_.config_ends[config]; ++s) {
            const std::size_t state = partition_.states[s];
            for_rows_of(s, [&](std::uint32_t row, std::int64_t weight) {
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
    radix_.clear();
    if (tables_ == nullptr && score_.needs_configurations()) {
        for (const auto sample : partition_.sample_rows) {
            std::uint64_t index = 0;
            for (const auto p : parents) {
                const auto v = static_cast<std::size_t>(p);
                index = index * data_.arity(v) + data_.column(v)[sample];
            }
            radix_.push_back(index);
        }
    }
    if (weights_.cases <= std::numeric_limits<std::uint32_t>::max())
        additions_by_block<std::uint32_t>(child, parents, row);
    else
        additions_by_block<std::int64_t>(child, parents, row);
    for (const auto wide : data_.wide()) {
        const auto x = static_cast<std::size_t>(wide);
        if (wants(x, child, parents)) score_sparse(child, parents, x, row);
    }
}

// The rows of all children without parents. The counts of (c, x) serve both families, c | x and x | c; and
// with the block outside and the child inside, the block's bytes stay in the cache for all children.
void NeighbourScores::fill_empty_rows() {
    const std::size_t n = variables();
    std::vector<std::shared_ptr<NeighbourRow>> rows(n);
    const auto narrow = [&](std::size_t v) { return data_.arity(v) - 1 <= StateBlocks::width; };
    for (std::size_t v = 0; v < n; ++v) {
        if (!narrow(v)) {
            rows[v] = compute(v, {});
            continue;
        }
        rows[v] = std::make_shared<NeighbourRow>();
        rows[v]->toggled.assign(n, not_allowed);
        rows[v]->own = local(v, {});
    }
    const std::size_t each = std::max<std::size_t>(1, weights_.rows.size() * 5);
    const std::size_t batch = std::max<std::size_t>(1, partition_bytes / each);
    std::vector<RowPartition> partitions(std::min(batch, n));
    for (std::size_t first = 0; first < n; first += batch) {
        const std::size_t last = std::min(n, first + batch);
        for (std::size_t child = first; child < last; ++child)
            if (narrow(child)) sorter_.sort(child, {}, partitions[child - first]);
        for (std::size_t block = 0; block < data_.blocks(); ++block)
            for (std::size_t child = first; child < last; ++child)
                if (narrow(child)) fill_pairs(block, child, partitions[child - first], rows);
    }
    for (std::size_t child = 0; child < n; ++child) {
        auto& row = *rows[child];
        if (narrow(child) && !data_.wide().empty()) {
            sorter_.sort(child, {}, partition_);
            radix_.assign(1, 0);
            for (const auto wide : data_.wide())
                if (const auto x = static_cast<std::size_t>(wide); wants(x, child, {}))
                    score_sparse(child, {}, x, row);
        }
        for (std::size_t x = 0; x < n; ++x)
            if (wants(x, child, {})) row.best_gain = std::max(row.best_gain, row.toggled[x] - row.own);
        store(key_of(child, {}), std::move(rows[child]));
    }
}

void NeighbourScores::fill_pairs(std::size_t block, std::size_t child, const RowPartition& partition,
                                 std::vector<std::shared_ptr<NeighbourRow>>& rows) {
    const auto slots = data_.slots(block);
    if (static_cast<std::size_t>(slots.front().variable) >= child || partition.configurations() == 0) return;
    constexpr std::size_t width = StateBlocks::width;
    const bool small = weights_.cases <= std::numeric_limits<std::uint32_t>::max();
    if (small)
        add_block(block, 0, 1, partition, counts32_);
    else
        add_block(block, 0, 1, partition, counts64_);
    const auto at = [&](std::size_t place) {
        return small ? static_cast<std::int64_t>(counts32_[place]) : counts64_[place];
    };
    const std::size_t arity = data_.arity(child);
    std::vector<std::int64_t> forward;   // [state of x][state of child]: the table of child | x
    std::vector<std::int64_t> backward;  // [state of child][state of x]: the table of x | child
    for (const auto& slot : slots) {
        const auto x = static_cast<std::size_t>(slot.variable);
        if (x >= child) break;
        const bool into = wants(x, child, {});
        const bool out = wants(child, x, {});
        if (!into && !out) continue;
        const std::size_t states = data_.arity(x);
        if (tables_ != nullptr) {
            // One sum for both directions: that g(c, x) is the same number makes the two gains equal.
            const double cells = static_cast<double>(arity) * static_cast<double>(states);
            auto& terms = tables_->of(cells);
            double joint = 0.0;
            for (std::size_t s = 0; s < partition.totals.size(); ++s) {
                std::int64_t rest = partition.totals[s];
                for (std::size_t k = 1; k < states; ++k) {
                    const std::int64_t n = at(s * width + slot.first + k - 1);
                    joint += terms(n);
                    rest -= n;
                }
                joint += terms(rest);
            }
            joint += tables_->constant(cells);
            const double empty = tables_->constant(1.0) + tables_->of(1.0)(weights_.cases);
            if (into) rows[child]->toggled[x] = joint - (rows[x]->own + empty);
            if (out) rows[x]->toggled[child] = joint - (rows[child]->own + empty);
            families_scored_ += 2;
        } else {
            forward.assign(arity * states, 0);
            for (std::size_t s = 0; s < partition.totals.size(); ++s) {
                const std::size_t state = partition.states[s];
                std::int64_t rest = partition.totals[s];
                for (std::size_t k = 1; k < states; ++k) {
                    const std::int64_t n = at(s * width + slot.first + k - 1);
                    forward[k * arity + state] = n;
                    rest -= n;
                }
                forward[state] = rest;
            }
            backward.assign(arity * states, 0);
            for (std::size_t k = 0; k < states; ++k)
                for (std::size_t state = 0; state < arity; ++state)
                    backward[state * states + k] = forward[k * arity + state];
            const auto score_observed = [&](std::size_t target, std::size_t parent, std::size_t r,
                                            const std::vector<std::int64_t>& table) {
                std::vector<std::int64_t> observed;
                std::vector<std::uint64_t> indices;
                for (std::size_t j = 0; j * r < table.size(); ++j) {
                    const auto* begin = table.data() + j * r;
                    if (std::all_of(begin, begin + r, [](std::int64_t n) { return n == 0; })) continue;
                    observed.insert(observed.end(), begin, begin + r);
                    indices.push_back(j);
                }
                if (!score_.needs_configurations()) indices.clear();
                const std::int32_t one[] = {static_cast<std::int32_t>(parent)};
                rows[target]->toggled[parent] = score_family(target, one, observed, indices);
            };
            if (into) score_observed(child, x, arity, forward);
            if (out) score_observed(x, child, states, backward);
        }
    }
}

}  // namespace arcwise
