// alpha_v(X) for a block of sets at a time: all those that have the same of the last nodes.
//
// For all sets at once it would take 6 n 2^n bytes, 45 GB for 28 variables; a block takes a few megabytes,
// stays in the cache, and is made again for each pass over the sets, from the rows whose last nodes the block
// has, by sums over the subsets of its first nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "posterior/all_dags/large_array.hpp"
#include "posterior/all_dags/parent_weights.hpp"
#include "posterior/all_dags/power_of_two.hpp"

namespace arcwise {

// The rows of each node in groups that have the same of the last nodes.
class BlockRows {
  public:
    BlockRows(const ParentWeights& rows, const TableView& table);

    std::size_t nodes() const { return rows_.nodes; }
    std::size_t first_nodes() const { return first_nodes_; }
    std::size_t blocks() const { return std::size_t{1} << (rows_.nodes - first_nodes_); }
    std::size_t length() const { return std::size_t{1} << first_nodes_; }  // sets of a block
    const ParentWeights& rows() const { return rows_; }

    // Whether v is among the last nodes of a block, so that all its sets have it.
    bool in_block(std::size_t v, std::size_t block) const { return (block << first_nodes_ >> v & 1) != 0; }

    struct Row {
        std::uint32_t set;   // its parents among the first nodes
        std::int32_t level;  // as in ParentWeights
        double weight;
    };

    // Calls visit(place, row) for all rows of v that lie within the largest set of the block.
    template <class Visit>
    void for_rows(std::size_t v, std::size_t block, Visit visit) const {
        for (const auto& group : groups_[v]) {
            if ((group.last_nodes & ~block) != 0) continue;
            for (std::size_t i = group.begin; i < group.end; ++i) visit(i, sorted_[i]);
        }
    }

    // The row of the table at a place.
    std::size_t row_at(std::size_t place) const { return order_[place]; }

  private:
    struct Group {
        std::size_t last_nodes, begin, end;
    };

    const ParentWeights& rows_;
    std::size_t first_nodes_;
    std::vector<std::uint32_t> order_;  // rows, group by group
    std::vector<Row> sorted_;           // in this order, so that memory is read in order
    std::vector<std::vector<Group>> groups_;
};

// Memory is taken once and used for one block after the other; it is touched only where it is written to.
class BlockWeights {
  public:
    explicit BlockWeights(const BlockRows& rows)
        : rows_(rows),
          levels_(rows.nodes() * rows.length()),
          mantissas_(rows.nodes() * rows.length()),
          slopes_(rows.nodes() * rows.length()),
          inside_(rows.length() - 1) {}

    static std::size_t bytes_for(const BlockRows& rows) { return 20 * rows.nodes() * rows.length(); }

    // Of one node that is not in the block, so that nodes can be worked on at the same time.
    void find_levels(std::size_t v, std::size_t block);
    // After the levels.
    void find_sums(std::size_t v, std::size_t block);
    // Of all nodes that are not in the block.
    void find_levels(std::size_t block) {
        for (std::size_t v = 0; v < rows_.nodes(); ++v)
            if (!rows_.in_block(v, block)) find_levels(v, block);
    }
    // One slope per node and set: what the whole sum changes by with alpha_v(X), times alpha_v(X), divided by
    // the mantissa. They are 0 to begin with. (Until it is known, the place serves for sums on the way.)
    void clear_slopes(std::size_t v) { std::fill_n(&slopes_[v * rows_.length()], rows_.length(), 0.0); }
    double& slope(std::size_t v, std::size_t set) { return slopes_[v * rows_.length() + (set & inside_)]; }
    // Sums them over all X of the block that hold a row's parents, which gives the block's part of the row's
    // share of the whole. Rows are counted by place.
    void add_shares(std::size_t v, std::size_t block, double* shares);

    std::int32_t level(std::size_t v, std::size_t set) const { return levels(v)[set & inside_]; }
    double mantissa(std::size_t v, std::size_t set) const { return mantissas(v)[set & inside_]; }

    const std::int32_t* levels(std::size_t v) const { return &levels_[v * rows_.length()]; }
    const double* mantissas(std::size_t v) const { return &mantissas_[v * rows_.length()]; }

  private:
    const BlockRows& rows_;
    LargeArray<std::int32_t> levels_;  // [v][set within the block]; only sets without v count
    LargeArray<double> mantissas_, slopes_;
    std::size_t inside_;
};

}  // namespace arcwise
