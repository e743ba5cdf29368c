// The distributions of the missing cells of rows given their other cells, and the counts to be expected of
// them.
//
// Given its observed cells, a row's missing variables fall apart into sets that no table of the network
// joins. Such a set is mostly small: its joint distribution is a table, which is made once and then serves
// every family that is asked for. Larger sets have a tree of conditional distributions instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "model/inference/elimination_tree.hpp"
#include "model/inference/factor.hpp"
#include "model/network_view.hpp"
#include "monitor.hpp"

namespace arcwise {

struct ExpectationLimits {
    std::size_t table_cells = 1024;             // larger joint tables are not made
    double max_cells = 16777216;                // of any other table
    std::size_t memory = std::size_t{1} << 28;  // for tables that are kept; the others are made again
    std::size_t threads = 1;
};

enum class ExpectationStatus : std::int32_t { complete = 0, interrupted = 1, impossible = 2, too_large = 3 };

template <class Code>
class RowPosteriors {
  public:
    // What is known of a cell; flags has variables x rows of it.
    static constexpr std::uint8_t missing = 1;
    static constexpr std::uint8_t set = 2;

    // Views of the data and of the network, whose memory must outlive this. A variable that an experiment set
    // does not follow from its parents: its table is left out of the row.
    RowPosteriors(const Columns<Code>& data, std::span<const std::uint8_t> flags, const NetworkView& network,
                  const ExpectationLimits& limits)
        : data_(data), flags_(flags), network_(network), limits_(limits) {}

    // Makes the rows' distributions; the sum over rows of the log probability of what was observed is then
    // `log_likelihood`.
    ExpectationStatus prepare(Ticker& ticker);
    double log_likelihood() const { return log_likelihood_; }
    std::size_t refused_row() const { return refused_row_; }

    // The expected counts of families: parents ascending, the first varying slowest, then the child; one
    // table after the other. Rows in which the child was set do not count. Rows are added in their order,
    // whatever the number of threads.
    ExpectationStatus count(std::span<const std::int32_t> children, std::span<const std::int64_t> offsets,
                            std::span<const std::int32_t> parents, std::vector<double>& counts,
                            Ticker& ticker) const;

  private:
    // Missing variables that depend on each other given the row: a joint table, or else a tree. Most families
    // ask for one of them only, so that the distribution of each is kept ready.
    struct Part {
        Factor joint;  // without values if there is a tree
        EliminationTree tree;
        std::vector<std::vector<double>> single;  // by variable of `joint`
    };
    struct Row {
        std::vector<Part> parts;
        std::vector<std::int32_t> part_of;  // by variable; -1 if it is observed
        double log_probability = 0;
        ExpectationStatus status = ExpectationStatus::complete;
    };

    std::uint8_t flag(std::size_t variable, std::size_t row) const {
        return flags_[variable * data_.rows + row];
    }
    bool lacks(std::size_t variable, std::size_t row) const { return (flag(variable, row) & missing) != 0; }
    std::span<const std::int32_t> arities() const { return {data_.arities, data_.variables}; }
    std::size_t arity(std::int32_t variable) const {
        return static_cast<std::size_t>(data_.arities[variable]);
    }
    Row make_row(std::size_t row) const;
    Factor factor_of(std::size_t variable, std::size_t row) const;
    bool distribution(const Part& part, std::span<const std::int32_t> asked, Factor& result) const;
    ExpectationStatus add_row(const Row& row, std::size_t number, std::span<const std::int32_t> family,
                              std::span<const std::size_t> strides, double* counts) const;

    Columns<Code> data_;
    std::span<const std::uint8_t> flags_;
    NetworkView network_;
    ExpectationLimits limits_;
    std::vector<Row> rows_;           // of the rows that are kept
    std::vector<std::int64_t> kept_;  // by row: its place among them, or -1
    double log_likelihood_ = 0;
    mutable std::size_t refused_row_ = 0;
};

}  // namespace arcwise
