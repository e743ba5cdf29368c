// How often each count occurs among the cells of every set of variables: all that BDeu needs of the data.
//
// BDeu of a family is g(P + i) - g(P), with g(T) = sum over the cells of T of a term in the cell's count n
// and in ess / |T|. So g depends on the data through the *multiset* of counts alone. Of the thousands of
// cells of a large set nearly all hold one case or two: its spectrum, {1: 251, 2: 8, 3: 1}, has a handful of
// entries. Counted once, the spectra give g for any equivalent sample size at the cost of one multiplication
// per entry, without looking at a row again. (Silander, Kontkanen & Myllymaki 2007 counted again for every
// size.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "monitor.hpp"

namespace arcwise {

// `cells` cells of a set hold `count` cases each.
struct CountRun {
    std::uint32_t count;
    std::uint32_t cells;
};

// Writes the spectra of sets that share all members but the smallest; one per thread.
class GroupCounter {
  public:
    virtual ~GroupCounter() = default;
    // Appends the runs of tops + {low} for low = 0, 1, .. below the smallest top (below all variables if
    // there is no top), and the end of each set's runs. `tops` descend.
    virtual void count(std::span<const std::int32_t> tops, std::vector<CountRun>& runs,
                       std::vector<std::size_t>& ends) = 0;
    // The runs of the empty set: one cell with all cases.
    virtual CountRun everything() const = 0;
};

// Sets are masks of *positions*: the variables in the order in which counting is cheapest.
class CountSpectra {
  public:
    static constexpr std::size_t largest = 20;  // variables: 2^20 sets

    template <class Code>
    explicit CountSpectra(const Columns<Code>& data);
    CountSpectra(const CountSpectra&) = delete;
    CountSpectra& operator=(const CountSpectra&) = delete;

    // Counts the sets with one more member. Anything but `complete` means that they were not finished, and
    // leaves no trace.
    Status advance(Monitor& monitor, double seconds, std::size_t threads, double memory_bytes);

    std::size_t variables() const { return arities_.size(); }
    std::int64_t cases() const { return cases_; }
    std::int32_t level() const { return level_; }  // sets of up to this many members are counted; -1 at first
    std::span<const std::int32_t> labels() const { return labels_; }  // position -> variable
    std::span<const std::size_t> arities() const { return arities_; }
    std::span<const CountRun> runs(std::uint32_t set) const {
        return {runs_.data() + starts_[set], lengths_[set]};
    }
    std::vector<std::uint32_t> flat_runs(std::uint32_t set) const;  // count, cells, count, cells, ...
    // Sets of equal size |T| have the same shape, and with it the same terms.
    std::uint32_t shape(std::uint32_t set) const { return shapes_[set]; }
    std::span<const double> shape_sizes() const { return sizes_; }
    double bytes() const;

  private:
    void store(std::uint32_t set, std::span<const CountRun> found);

    std::vector<std::int32_t> labels_;
    std::vector<std::size_t> arities_;
    std::int64_t cases_ = 0;
    std::int32_t level_ = -1;
    std::function<std::unique_ptr<GroupCounter>()> make_counter_;
    std::vector<std::unique_ptr<GroupCounter>> counters_;  // one per thread
    std::vector<CountRun> runs_;
    std::vector<std::uint64_t> starts_;  // by set
    std::vector<std::uint32_t> lengths_;
    std::vector<std::uint32_t> shapes_;
    std::vector<double> sizes_;  // |T| by shape
    std::map<double, std::uint32_t> shape_of_size_;
};

}  // namespace arcwise
