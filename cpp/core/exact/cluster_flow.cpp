#include "exact/cluster_flow.hpp"

#include <algorithm>

#include "parent_sets/components.hpp"

namespace arcwise {
namespace {

// Flows from the nodes of one strong component to a sink.
class ComponentFlow {
  public:
    // `place` holds the number of each node within the component, for the others anything not below its size.
    ComponentFlow(const Support& support, const std::vector<std::size_t>& nodes,
                  const std::vector<std::size_t>& place)
        : nodes_(nodes), leaving_(nodes.size() + 1) {
        for (std::size_t v = 0; v < nodes.size(); ++v) {
            for (const std::size_t e : support.of_node[nodes[v]]) {
                Entry entry{v, support.entries[e].value, {}, edges_.size()};
                for (const std::size_t p : support.entries[e].parents)
                    if (place[p] < nodes.size()) entry.parents.push_back(place[p]);
                if (entry.parents.empty()) entry.parents.push_back(sink());
                for (const std::size_t p : entry.parents) connect(v, p);
                several_ |= entry.parents.size() > 1;
                entries_.push_back(std::move(entry));
            }
        }
    }

    // Clusters with `root`, as nodes of the support.
    void find(std::size_t root, double threshold, std::vector<std::vector<std::size_t>>& found) {
        const double enough = 1 - threshold;
        split(false);
        double flow = fill(root, 0, enough);
        if (flow >= enough && several_) {
            split(true);
            if (fill(root, 0, enough) >= enough) return;
            gather();
            flow = fill(root, 0, enough);
        }
        for (std::size_t attempt = 0; attempt < most_attempts && flow < enough && divides(); ++attempt) {
            gather();
            flow = fill(root, 0, enough);
        }
        for (std::size_t nested = 0; nested < most_nested && flow < enough; ++nested) {
            found.emplace_back();
            for (std::size_t v = 0; v < sink(); ++v)
                if (reached_[v]) found.back().push_back(nodes_[v]);
            widen();
            flow = fill(root, flow, enough);
        }
    }

  private:
    struct Entry {
        std::size_t node;
        double value;
        std::vector<std::size_t> parents;  // within the component, or the sink alone
        std::size_t first_edge;            // two for each parent: to it, and back
    };
    struct Edge {
        std::size_t to;
        double left;
    };
    static constexpr std::size_t most_attempts = 3;
    static constexpr std::size_t most_nested = 5;
    static constexpr double nothing = 1e-12;

    std::size_t sink() const { return nodes_.size(); }

    void connect(std::size_t from, std::size_t to) {
        leaving_[from].push_back(edges_.size());
        edges_.push_back({to, 0});
        leaving_[to].push_back(edges_.size());
        edges_.push_back({from, 0});
    }

    // Without flow; the weight of an entry goes to those of its parents that `takes` is true of.
    template <class Takes>
    void assign(const Entry& entry, const Takes& takes) {
        const auto takers = std::count_if(entry.parents.begin(), entry.parents.end(), takes);
        for (std::size_t i = 0; i < entry.parents.size(); ++i) {
            edges_[entry.first_edge + 2 * i].left =
                takes(entry.parents[i]) ? entry.value / static_cast<double>(takers) : 0;
            edges_[entry.first_edge + 2 * i + 1].left = 0;
        }
    }

    // The weight of a set with several parents in equal parts to them, or to none of them.
    void split(bool to_none) {
        for (const Entry& entry : entries_)
            assign(entry, [&](std::size_t) { return !to_none || entry.parents.size() == 1; });
    }

    // Whether a set of a reached node has parents on both sides, so that the cut is too large.
    bool divides() const {
        return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
            const auto inside = std::count_if(entry.parents.begin(), entry.parents.end(),
                                              [&](std::size_t p) { return reached_[p] != 0; });
            return reached_[entry.node] && inside > 0 &&
                   static_cast<std::size_t>(inside) < entry.parents.size();
        });
    }

    // Gives the weight of the sets of reached nodes to their reached parents, if there are any.
    void gather() {
        for (const Entry& entry : entries_) {
            const bool meets =
                reached_[entry.node] && std::any_of(entry.parents.begin(), entry.parents.end(),
                                                    [&](std::size_t p) { return reached_[p] != 0; });
            assign(entry, [&](std::size_t p) { return !meets || reached_[p]; });
        }
    }

    // Lets the flow out of what is reached.
    void widen() {
        for (const Entry& entry : entries_) {
            if (!reached_[entry.node]) continue;
            for (std::size_t i = 0; i < entry.parents.size(); ++i)
                if (!reached_[entry.parents[i]]) edges_[entry.first_edge + 2 * i].left = 1;
        }
    }

    // Adds to a flow from `root` until it is enough or no more gets through; then `reached_` is what the root
    // reaches.
    double fill(std::size_t root, double flow, double enough) {
        while (flow < enough) {
            reached_.assign(nodes_.size() + 1, 0);
            reached_[root] = 1;
            queue_.assign(1, root);
            came_.resize(nodes_.size() + 1);
            for (std::size_t next = 0; next < queue_.size() && !reached_[sink()]; ++next)
                for (const std::size_t e : leaving_[queue_[next]]) {
                    const std::size_t u = edges_[e].to;
                    if (reached_[u] || edges_[e].left <= nothing) continue;
                    reached_[u] = 1;
                    came_[u] = e;
                    queue_.push_back(u);
                }
            if (!reached_[sink()]) break;
            double width = 1;
            for (std::size_t v = sink(); v != root; v = edges_[came_[v] ^ 1].to)
                width = std::min(width, edges_[came_[v]].left);
            for (std::size_t v = sink(); v != root; v = edges_[came_[v] ^ 1].to) {
                edges_[came_[v]].left -= width;
                edges_[came_[v] ^ 1].left += width;
            }
            flow += width;
        }
        return flow;
    }

    const std::vector<std::size_t>& nodes_;
    std::vector<Entry> entries_;
    bool several_ = false;                           // some set has several parents
    std::vector<Edge> edges_;                        // i and i ^ 1 are one arc and its way back
    std::vector<std::vector<std::size_t>> leaving_;  // per node: edges
    std::vector<std::uint8_t> reached_;
    std::vector<std::size_t> queue_, came_;
};

}  // namespace

std::vector<std::vector<std::size_t>> flow_clusters(const Support& support, double threshold,
                                                    Ticker& ticker) {
    const std::size_t n = support.of_node.size();
    BitRows parents(n, n);
    for (const auto& entry : support.entries)
        for (const std::size_t p : entry.parents) parents[entry.node].add(p);
    const std::vector<std::int32_t> component = strong_components(parents);
    std::vector<std::vector<std::size_t>> nodes(n);
    std::vector<std::size_t> place(n);
    for (std::size_t v = 0; v < n; ++v) nodes[static_cast<std::size_t>(component[v])].push_back(v);
    std::vector<std::vector<std::size_t>> found;
    for (const auto& members : nodes) {
        if (members.size() < 2) continue;
        place.assign(n, n);
        for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = i;
        ComponentFlow flow(support, members, place);
        for (std::size_t root = 0; root < members.size(); ++root) {
            if (ticker.poll_now({})) return found;
            flow.find(root, threshold, found);
        }
    }
    return found;
}

}  // namespace arcwise
