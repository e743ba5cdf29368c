#include "local/neighbour_scores.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <utility>

namespace arcwise {

namespace {

constexpr double been_parent = std::numeric_limits<double>::infinity();  // more than any gain

}  // namespace

const Parents& NeighbourScores::key_of(std::size_t child, std::span<const std::int32_t> parents) {
    key_.assign(1, static_cast<std::int32_t>(child));
    key_.insert(key_.end(), parents.begin(), parents.end());
    return key_;
}

NeighbourScores::NeighbourScores(const StateBlocks& data, std::span<const std::int64_t> weights,
                                 const LocalScore& score, CellTermTables* tables, const ArcRules& rules,
                                 std::size_t memory, std::size_t counts_memory)
    : data_(data),
      weights_(data.rows(), weights),
      score_(score),
      tables_(tables),
      rules_(rules),
      prior_(score.prior()),
      penalty_(score.penalty_weight()),
      memory_(memory),
      counter_(data_, weights_, std::min(memory, counts_memory)),
      gained_(data.variables()),
      columns_(StateBlocks::width + 2) {
    assert((tables == nullptr) == (score.set_score() == nullptr));
    assert(tables == nullptr || tables->cases() == weights_.cases);
    assert(rules.variables() == data.variables());
}

NeighbourScores::Row NeighbourScores::row(std::size_t child, std::span<const std::int32_t> parents) {
    const auto found = rows_.find(key_of(child, parents));
    if (found != rows_.end()) return found->second;
    if (parents.empty() && !filled_ && candidates_.empty()) {
        // Searches start at the empty graph: all its rows are made together, once.
        filled_ = true;
        fill_empty_rows();
        const auto filled = rows_.find(key_of(child, parents));
        if (filled != rows_.end()) return filled->second;
    }
    if (auto waiting = is_shared(child, parents) ? take_waiting(key_of(child, parents)) : nullptr)
        return waiting;
    auto fresh = compute(child, parents);
    store(key_of(child, parents), fresh);
    return fresh;
}

double NeighbourScores::local(std::size_t child, std::span<const std::int32_t> parents) {
    const Parents key = key_of(child, parents);
    if (const auto found = rows_.find(key); found != rows_.end()) return found->second->own;
    if (const auto found = locals_.find(key); found != locals_.end()) return found->second;
    if (!parents.empty() && is_shared(child, parents))
        if (const auto found = waiting_.find(key); found != waiting_.end())
            return asked_local(key, found->second->own);
    const auto* counted = parents.empty() ? alone(child) : nullptr;
    if (counted == nullptr) counter_.sorter().sort(child, parents, partition_);
    const Segments& segments = counted == nullptr ? partition_ : counted->segments;
    tabulate(child, segments);
    const double value = score_table(child, parents, table_, segments.codes);
    if (locals_.size() > memory_ / 128) locals_.clear();
    locals_.emplace(key, value);
    return value;
}

void NeighbourScores::store(Parents key, std::shared_ptr<NeighbourRow> row) {
    const std::size_t bytes = bytes_of(*row);
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

// The same for all x, for the family at hand.
void NeighbourScores::list_wanted(std::size_t child, std::span<const std::int32_t> parents) {
    wanted_.resize(variables());
    for (std::size_t x = 0; x < wanted_.size(); ++x) wanted_[x] = rules_.allowed(x, child) ? 1 : 0;
    wanted_[child] = 0;
    for (const auto p : parents) wanted_[static_cast<std::size_t>(p)] = 0;
    if (parents.size() >= rules_.limit(child)) std::ranges::fill(wanted_, std::uint8_t{0});
}

// n_jk of the observed configurations j.
void NeighbourScores::tabulate(std::size_t child, const Segments& segments) {
    const std::size_t arity = data_.arity(child);
    table_.assign(segments.configurations() * arity, 0);
    std::size_t s = 0;
    for (std::size_t config = 0; config < segments.configurations(); ++config)
        for (; s < segments.config_ends[config]; ++s)
            table_[config * arity + segments.states[s]] = segments.totals[s];
}

double NeighbourScores::score_family(std::size_t child, std::span<const std::int32_t> parents,
                                     std::span<const std::int64_t> counts,
                                     std::span<const std::uint64_t> configurations) {
    ++families_scored_;
    return score_.local({static_cast<std::int32_t>(child), parents, counts, data_.arity(child),
                         data_.cells(parents), weights_.cases, configurations});
}

double NeighbourScores::score_table(std::size_t child, std::span<const std::int32_t> parents,
                                    std::span<const std::int64_t> counts,
                                    std::span<const std::uint32_t> codes) {
    const std::size_t arity = data_.arity(child);
    if (tables_ != nullptr) {
        ++families_scored_;
        const double parent_cells = data_.cells(parents);
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
        const double value =
            (tables_->constant(joint_cells) + joint) - (tables_->constant(parent_cells) + margin);
        return prior_ == nullptr ? value : value + prior_->of(child, parents);
    }
    number_configurations(parents, codes, counts.size() / arity);
    return score_family(child, parents, counts, radix_);
}

// The index of each configuration, if the score asks for it.
void NeighbourScores::number_configurations(std::span<const std::int32_t> parents,
                                            std::span<const std::uint32_t> codes, std::size_t count) {
    radix_.clear();
    if (tables_ != nullptr || !score_.needs_configurations()) return;
    const auto* code = codes.data();
    for (std::size_t config = 0; config < count; ++config) {
        std::uint64_t index = 0;
        for (const auto p : parents) index = index * data_.arity(static_cast<std::size_t>(p)) + *code++;
        radix_.push_back(index);
    }
}

// Each variable once, with the largest of its gains, and by its number.
void NeighbourScores::keep_largest(std::vector<Gain>& gains) {
    std::ranges::sort(gains, [](const Gain& a, const Gain& b) {
        return a.variable != b.variable ? a.variable < b.variable : a.gain > b.gain;
    });
    const auto rest = std::ranges::unique(gains, {}, &Gain::variable);
    gains.erase(rest.begin(), rest.end());
}

void NeighbourScores::choose(std::size_t most, std::vector<Parents>& lists) const {
    for (std::size_t child = 0; child < variables(); ++child) {
        auto gains = gained_[child];
        keep_largest(gains);
        std::ranges::stable_sort(gains, std::ranges::greater{}, &Gain::gain);
        for (std::size_t k = 0; k < gains.size() && (k < most || gains[k].gain == been_parent); ++k) {
            lists[child].push_back(gains[k].variable);
            lists[static_cast<std::size_t>(gains[k].variable)].push_back(static_cast<std::int32_t>(child));
        }
    }
}

void NeighbourScores::narrow(std::vector<Parents> lists) {
    candidates_ = std::move(lists);
    wide_rows_ = std::exchange(rows_, {});
    wide_bytes_ = std::exchange(rows_bytes_, 0);
    blocks_.resize(variables());
    counter_.forget();
}

void NeighbourScores::widen() {
    rows_ = std::exchange(wide_rows_, {});
    rows_bytes_ = std::exchange(wide_bytes_, 0);
    blocks_.clear();
    blocks_bytes_ = 0;
    candidates_.clear();
    counter_.forget();
}

const StateBlocks& NeighbourScores::blocks_of(const NeighbourRow& row, std::size_t child) {
    if (row.members == nullptr) return data_;
    auto& own = blocks_[child];
    if (own) return *own;
    if (blocks_bytes_ > memory_) {
        for (auto& other : blocks_) other.reset();
        blocks_bytes_ = 0;
    }
    own = std::make_unique<StateBlocks>(data_, *row.members);
    blocks_bytes_ += own->bytes();
    return *own;
}

std::shared_ptr<NeighbourRow> NeighbourScores::empty_row(std::size_t child) const {
    auto row = std::make_shared<NeighbourRow>();
    row->members = candidates_.empty() ? nullptr : &candidates_[child];
    row->toggled.assign(row->members == nullptr ? variables() : row->members->size(),
                        NeighbourRow::not_allowed);
    return row;
}

std::shared_ptr<NeighbourRow> NeighbourScores::compute(std::size_t child,
                                                       std::span<const std::int32_t> parents) {
    know_information();
    counter_.look_at(child, parents, blocks_of(*empty_row(child), child));
    return score_counted(child, parents);
}

// The row of the family that the counter has turned to.
std::shared_ptr<NeighbourRow> NeighbourScores::score_counted(std::size_t child,
                                                             std::span<const std::int32_t> parents) {
    auto row = empty_row(child);
    list_wanted(child, parents);
    tabulate(child, counter_.segments());
    row->own = score_table(child, parents, table_, counter_.segments().codes);
    row->prior = believed(child, parents);
    for (const auto parent : parents)
        if (row->members == nullptr) gained_[child].push_back({parent, been_parent});
    if (gained_[child].size() > 64 * variables()) keep_largest(gained_[child]);
    score_removals(child, parents, *row);
    families_spared_ += variables() - row->toggled.size();
    if (parents.size() < rules_.limit(child)) {
        score_additions(child, parents, *row);
        counter_.keep();
        list_gains(child, *row);
    }
    return row;
}

void NeighbourScores::list_gains(std::size_t child, NeighbourRow& row) {
    std::size_t place = 0;
    row.for_each([&](std::size_t x) {
        const double gain = row.toggled[place++] - row.own;
        if (wanted_[x] == 0) return;
        row.best_gain = std::max(row.best_gain, gain);
        if (!(gain > 0.0)) return;
        row.gaining.push_back(static_cast<std::int32_t>(x));
        if (row.members == nullptr) gained_[child].push_back({static_cast<std::int32_t>(x), gain});
    });
    row.by_gain = row.gaining;
    std::ranges::sort(row.by_gain, std::ranges::greater{},
                      [&](std::int32_t x) { return row.at(static_cast<std::size_t>(x)); });
}

// The table without a parent is the sum of rows of the table with it: no pass over the data.
void NeighbourScores::score_removals(std::size_t child, std::span<const std::int32_t> parents,
                                     NeighbourRow& row) {
    const std::size_t arity = data_.arity(child);
    const auto& segments = counter_.segments();
    for (std::size_t place = 0; place < parents.size(); ++place) {
        const auto x = static_cast<std::size_t>(parents[place]);
        const Parents rest = without(parents, x);
        const std::size_t configurations =
            counter_.sorter().number_without(segments, parents, place, reduced_keys_);
        reduced_.assign(configurations * arity, 0);
        reduced_codes_.resize(configurations * rest.size());
        for (std::size_t config = 0; config < segments.configurations(); ++config) {
            const std::size_t target = reduced_keys_[config];
            const auto* codes = segments.codes_of(config);
            auto* reduced = reduced_codes_.data() + target * rest.size();
            std::copy_n(codes, place, reduced);
            std::copy(codes + place + 1, codes + parents.size(), reduced + place);
            for (std::size_t k = 0; k < arity; ++k)
                reduced_[target * arity + k] += table_[config * arity + k];
        }
        row.set(x, score_table(child, rest, reduced_, reduced_codes_));
    }
}

}  // namespace arcwise
