// Lists the networks of a diagram, in chunks, and can go on from where an earlier list ended.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/diagram/network_diagram.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

// Depth first; edges ascend by detour, so a branch ends at the first edge that costs too much, and no branch
// is entered in vain. The position is the path of edges last taken: a few numbers, which a stream on disk
// keeps to resume after a crash.
class NetworkLister {
  public:
    // Networks with loss <= slack. The diagram and the node offsets of its table must outlive the lister.
    NetworkLister(const NetworkDiagram& diagram, std::span<const std::int64_t> node_offsets, double slack);

    // Appends up to `limit` networks: for each, the row of every node counted within the node, and the loss.
    template <class Row>
    std::size_t next(std::size_t limit, std::vector<Row>& rows, std::vector<double>& losses);

    bool done() const { return done_; }
    // The path of the last network listed, as edges counted within their states; empty before the first.
    std::vector<std::uint32_t> position() const;
    // Goes on after the network at `position`. False if it is no path of this diagram.
    bool seek(std::span<const std::uint32_t> position);

  private:
    const NetworkDiagram& diagram_;
    double slack_;
    std::vector<std::uint64_t> edge_;   // per depth: the edge taken
    std::vector<std::uint32_t> state_;  // per depth: the state reached
    std::vector<double> loss_;          // per depth
    std::vector<std::uint32_t> row_node_, row_local_;
    bool started_ = false;
    bool done_ = false;
};

}  // namespace arcwise
