#include "parent_sets/set_scorer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "counts/collapsed_rows.hpp"
#include "counts/full_likelihood.hpp"
#include "counts/set_counter.hpp"
#include "parent_sets/subset_sums.hpp"
#include "parent_sets/term_sums.hpp"

namespace arcwise {

namespace {

// Walks through the sets of consecutive slots: `tops` (descending) change rarely, `low` with every set.
class SetWalk {
  public:
    SetWalk(const SetIndex& index, const SetRanks& ranks, std::size_t slot)
        : index_(index), ranks_(ranks), slot_(slot), rank_(index.rank(slot)) {
        settle();
    }
    void advance() {
        rank_ = index_.next(rank_, slot_);
        ++slot_;
        const Rank low = rank_ - base_;
        new_tops_ = tops_.empty() ? false : low >= static_cast<Rank>(tops_.back());
        if (new_tops_)
            settle();
        else
            low_ = static_cast<std::size_t>(low);
    }
    std::span<const std::int32_t> tops() const { return tops_; }
    std::size_t low() const { return low_; }
    bool new_tops() const { return new_tops_; }

  private:
    void settle() {
        ranks_.unrank(rank_, index_.set_size(), tops_);
        low_ = static_cast<std::size_t>(tops_.back());
        tops_.pop_back();
        base_ = rank_ - static_cast<Rank>(low_);
        new_tops_ = true;
    }
    const SetIndex& index_;
    const SetRanks& ranks_;
    std::size_t slot_;
    Rank rank_;
    Rank base_ = 0;
    std::vector<std::int32_t> tops_;
    std::size_t low_ = 0;
    bool new_tops_ = true;
};

template <class Code, class Count>
class Scorer final : public SetScorer {
  public:
    Scorer(const CollapsedRows<Code, Count>& data, const SetRanks& ranks,
           const std::vector<const SetScore*>& set_scores, std::vector<const LocalScore*> family_scores)
        : data_(data), ranks_(ranks), counter_(data), family_scores_(std::move(family_scores)) {
        for (const auto* score : set_scores) sums_.emplace_back(*score, data.cases);
    }

    void sum_sets(const SetIndex& index, std::size_t first, std::size_t last,
                  std::span<const std::uint8_t> known, SetValues& values) override {
        assert(first < last);
        if (index.set_size() == 0) {
            counter_.set_prefix({});
            store(counter_.class_counts(), 1.0, 0, values);
            return;
        }
        SetWalk walk(index, ranks_, first);
        bool moved = true;  // the counter's prefix is not that of the walk
        double top_cells = 1.0;
        for (std::size_t slot = first;;) {
            moved = moved || walk.new_tops();
            if (known.empty() || known[slot] == 0) {
                if (moved) {
                    counter_.set_prefix(walk.tops());
                    top_cells = 1.0;
                    for (const auto top : walk.tops())
                        top_cells *= static_cast<double>(data_.arities[static_cast<std::size_t>(top)]);
                    moved = false;
                }
                store(counter_.cells(walk.low()), top_cells * static_cast<double>(data_.arities[walk.low()]),
                      slot, values);
            }
            if (++slot == last) return;
            walk.advance();
        }
    }

    void score_families(const SetIndex& index, std::size_t first, std::size_t last,
                        std::span<FamilyValues> values) override {
        assert(first < last);
        SetWalk walk(index, ranks_, first);
        for (std::size_t slot = first;;) {
            if (walk.new_tops()) counter_.set_prefix(walk.tops());
            score_set(walk, slot, values);
            if (++slot == last) return;
            walk.advance();
        }
    }

  private:
    void store(std::span<const Count> cells, double size, std::size_t slot, SetValues& values) {
        for (std::size_t s = 0; s < sums_.size(); ++s) values.sums[s][slot] = sums_[s].sum(cells, size);
        values.occupied[slot] = static_cast<std::uint32_t>(
            cells.size() - static_cast<std::size_t>(std::count(cells.begin(), cells.end(), Count{0})));
    }

    // All needed families of one set. Where the set has fewer cells than rows, its table is made once and
    // serves every child; otherwise each child's parents are counted on their own.
    void score_set(const SetWalk& walk, std::size_t slot, std::span<FamilyValues> values) {
        // The set by variable, ascending, and each member's place among the positions.
        members_.clear();
        for (const auto top : walk.tops()) members_.push_back(static_cast<std::size_t>(top));
        members_.push_back(walk.low());
        const std::size_t size = members_.size();
        std::sort(members_.begin(), members_.end(),
                  [&](std::size_t a, std::size_t b) { return data_.labels[a] < data_.labels[b]; });
        double cells = 1.0;
        for (const auto member : members_) cells *= static_cast<double>(data_.arities[member]);
        const bool dense = cells <= 4.0 * static_cast<double>(data_.rows) + 256.0;
        if (dense) fill_table(walk, static_cast<std::size_t>(cells));
        std::size_t stride = 1;
        for (std::size_t at = size; at-- > 0;) {
            const auto child = members_[at];
            std::size_t place = 0;
            for (const auto member : members_) place += member < child;
            const auto entry = slot * size + place;
            bool counted = false;
            for (std::size_t f = 0; f < values.size(); ++f) {
                if (values[f].needed[entry] == 0) continue;
                if (!counted) {
                    if (dense)
                        family_from_table(at, stride, static_cast<std::size_t>(cells));
                    else
                        family_from_rows(at);
                    counted = true;
                }
                const Family family{data_.labels[child],
                                    parents_,
                                    counts_,
                                    data_.arities[child],
                                    cells / static_cast<double>(data_.arities[child]),
                                    data_.cases,
                                    configurations_};
                values[f].scores[entry] = family_scores_[f]->local(family);
                values[f].bounds[entry] = family_scores_[f]->superset_bound(family);
            }
            if (dense) stride *= data_.arities[child];
        }
    }

    // The table of the set in mixed radix, the member with the smallest variable varying slowest.
    void fill_table(const SetWalk& walk, std::size_t cells) {
        table_.assign(cells, 0);
        strides_.assign(data_.variables, 0);
        std::size_t stride = 1;
        for (std::size_t at = members_.size(); at-- > 0;) {
            strides_[members_[at]] = stride;
            stride *= data_.arities[members_[at]];
        }
        const auto low = walk.low();
        const auto counts = counter_.matrix(low);
        const auto class_rows = counter_.class_rows();
        const auto class_counts = counter_.class_counts();
        const auto classes = class_rows.size();
        for (std::size_t c = 0; c < classes; ++c) {
            if (class_counts[c] == 0) continue;
            std::size_t base = 0;
            for (const auto top : walk.tops()) {
                const auto position = static_cast<std::size_t>(top);
                base += strides_[position] * data_.column(position)[class_rows[c]];
            }
            std::size_t block = 1;
            for (std::size_t state = 0; state < data_.arities[low]; ++state) {
                const auto row = state == data_.majority[low] ? 0 : block++;
                table_[base + state * strides_[low]] = static_cast<std::int64_t>(counts[row * classes + c]);
            }
        }
    }

    void name_parents(std::size_t without) {
        parents_.clear();
        for (std::size_t at = 0; at < members_.size(); ++at)
            if (at != without) parents_.push_back(data_.labels[members_[at]]);
        counts_.clear();
        configurations_.clear();
    }

    void family_from_table(std::size_t at, std::size_t stride, std::size_t cells) {
        name_parents(at);
        const std::size_t arity = data_.arities[members_[at]];
        for (std::size_t high = 0; high < cells / (stride * arity); ++high) {
            for (std::size_t low = 0; low < stride; ++low) {
                const std::int64_t* cell = table_.data() + high * stride * arity + low;
                std::int64_t total = 0;
                for (std::size_t state = 0; state < arity; ++state) total += cell[state * stride];
                if (total == 0) continue;
                for (std::size_t state = 0; state < arity; ++state) counts_.push_back(cell[state * stride]);
                configurations_.push_back(high * stride + low);
            }
        }
    }

    void family_from_rows(std::size_t at) {
        name_parents(at);
        coarse_.class_of.assign(data_.rows, 0);
        coarse_.first.assign(1, 0);
        double parent_cells = 1.0;
        for (std::size_t other = 0; other < members_.size(); ++other) {
            if (other == at) continue;
            const auto member = members_[other];
            refiner_.refine(coarse_, data_.column(member), data_.rows, data_.arities[member], fine_);
            std::swap(coarse_, fine_);
            parent_cells *= static_cast<double>(data_.arities[member]);
        }
        const auto child = members_[at];
        const std::size_t arity = data_.arities[child];
        counts_.assign(coarse_.classes() * arity, 0);
        for (std::size_t row = 0; row < data_.rows; ++row)
            counts_[coarse_.class_of[row] * arity + data_.column(child)[row]] +=
                static_cast<std::int64_t>(data_.weights[row]);
        constexpr double indexable = 9.0e18;
        if (parent_cells > indexable) return;
        for (const auto row : coarse_.first) {
            std::uint64_t configuration = 0;
            for (std::size_t other = 0; other < members_.size(); ++other)
                if (other != at)
                    configuration =
                        configuration * data_.arities[members_[other]] + data_.column(members_[other])[row];
            configurations_.push_back(configuration);
        }
    }

    const CollapsedRows<Code, Count>& data_;
    const SetRanks& ranks_;
    SetCounter<Code, Count> counter_;
    std::vector<TermSums> sums_;
    std::vector<const LocalScore*> family_scores_;
    std::vector<std::size_t> members_;  // of the set at hand: positions, by variable
    std::vector<std::size_t> strides_;
    std::vector<std::int64_t> table_;
    std::vector<std::int32_t> parents_;
    std::vector<std::int64_t> counts_;
    std::vector<std::uint64_t> configurations_;
    Refiner<Code> refiner_;
    Partition coarse_;
    Partition fine_;
};

template <class Code, class Count>
class Source final : public CountSource {
  public:
    explicit Source(const Columns<Code>& data) : data_(collapse_rows<Code, Count>(data)) {}
    std::span<const std::int32_t> labels() const override { return data_.labels; }
    std::span<const std::size_t> arities() const override { return data_.arities; }
    std::int64_t cases() const override { return data_.cases; }
    std::size_t rows() const override { return data_.rows; }
    double full_likelihood(std::size_t position) const override {
        return likelihood_given_all_others(data_, position);
    }
    bool sum_subsets(const SetScore& score, std::span<const std::int32_t> positions, std::size_t threads,
                     std::span<double> sums,
                     const std::function<bool(std::size_t, std::size_t)>& poll) const override {
        return sum_all_subsets(data_, score, positions, threads, sums, poll);
    }
    std::unique_ptr<SetScorer> scorer(const SetRanks& ranks, std::vector<const SetScore*> set_scores,
                                      std::vector<const LocalScore*> family_scores) const override {
        return std::make_unique<Scorer<Code, Count>>(data_, ranks, set_scores, std::move(family_scores));
    }

  private:
    CollapsedRows<Code, Count> data_;
};

}  // namespace

template <class Code>
std::unique_ptr<CountSource> make_count_source(const Columns<Code>& data) {
    if (data.cases() <= std::int64_t{0x7FFFFFFF}) return std::make_unique<Source<Code, std::uint32_t>>(data);
    return std::make_unique<Source<Code, std::int64_t>>(data);
}

template std::unique_ptr<CountSource> make_count_source(const Columns<std::uint8_t>&);
template std::unique_ptr<CountSource> make_count_source(const Columns<std::uint16_t>&);
template std::unique_ptr<CountSource> make_count_source(const Columns<std::uint32_t>&);

}  // namespace arcwise
