#include "credible/diagram/network_lister.hpp"

#include <algorithm>

namespace arcwise {

NetworkLister::NetworkLister(const NetworkDiagram& diagram, std::span<const std::int64_t> node_offsets,
                             double slack)
    : diagram_(diagram),
      slack_(std::min(slack, diagram.slack)),
      edge_(diagram.nodes),
      state_(diagram.nodes + 1),
      loss_(diagram.nodes + 1),
      done_(diagram.states() == 0) {
    for (std::size_t v = 0; v + 1 < node_offsets.size(); ++v)
        for (auto row = node_offsets[v]; row < node_offsets[v + 1]; ++row) {
            row_node_.push_back(static_cast<std::uint32_t>(v));
            row_local_.push_back(static_cast<std::uint32_t>(row - node_offsets[v]));
        }
}

template <class Row>
std::size_t NetworkLister::next(std::size_t limit, std::vector<Row>& rows, std::vector<double>& losses) {
    const std::size_t n = diagram_.nodes;
    std::vector<Row> current(n);
    if (started_)
        for (std::size_t d = 0; d < n; ++d)
            current[row_node_[diagram_.edge_row[edge_[d]]]] =
                static_cast<Row>(row_local_[diagram_.edge_row[edge_[d]]]);
    std::size_t listed = 0;
    while (listed < limit && !done_) {
        // Back up to the deepest state that has a further edge within the slack, then down the best way.
        std::size_t depth = 0;
        if (started_) {
            depth = n;
            while (depth-- > 0) {
                const auto edge = edge_[depth] + 1;
                if (edge < diagram_.edge_begin[state_[depth] + 1] &&
                    loss_[depth] + diagram_.edge_detour[edge] <= slack_) {
                    edge_[depth] = edge;
                    break;
                }
            }
            if (depth == static_cast<std::size_t>(-1)) {
                done_ = true;
                break;
            }
        } else if (n > 0) {
            edge_[0] = diagram_.edge_begin[0];
        }
        started_ = true;
        for (; depth < n; ++depth) {
            const auto edge = edge_[depth];
            const auto row = diagram_.edge_row[edge];
            current[row_node_[row]] = static_cast<Row>(row_local_[row]);
            state_[depth + 1] = diagram_.edge_target[edge];
            loss_[depth + 1] = loss_[depth] + diagram_.edge_detour[edge];
            if (depth + 1 < n) edge_[depth + 1] = diagram_.edge_begin[state_[depth + 1]];
        }
        rows.insert(rows.end(), current.begin(), current.end());
        losses.push_back(loss_[n]);
        ++listed;
    }
    return listed;
}

template std::size_t NetworkLister::next(std::size_t, std::vector<std::uint16_t>&, std::vector<double>&);
template std::size_t NetworkLister::next(std::size_t, std::vector<std::uint32_t>&, std::vector<double>&);

std::vector<std::uint32_t> NetworkLister::position() const {
    std::vector<std::uint32_t> path;
    if (started_)
        for (std::size_t d = 0; d < diagram_.nodes; ++d)
            path.push_back(static_cast<std::uint32_t>(edge_[d] - diagram_.edge_begin[state_[d]]));
    return path;
}

bool NetworkLister::seek(std::span<const std::uint32_t> position) {
    started_ = !position.empty();
    done_ = diagram_.states() == 0;
    if (!started_) return true;
    if (position.size() != diagram_.nodes || done_) return false;
    for (std::size_t d = 0; d < diagram_.nodes; ++d) {
        const auto edge = diagram_.edge_begin[state_[d]] + position[d];
        if (edge >= diagram_.edge_begin[state_[d] + 1]) return false;
        edge_[d] = edge;
        state_[d + 1] = diagram_.edge_target[edge];
        loss_[d + 1] = loss_[d] + diagram_.edge_detour[edge];
    }
    return loss_[diagram_.nodes] <= slack_;
}

}  // namespace arcwise
