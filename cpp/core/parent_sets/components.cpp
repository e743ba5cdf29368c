#include "parent_sets/components.hpp"

#include <algorithm>

namespace arcwise {
namespace {

// Tarjan's algorithm with its own stack: 1,000 nodes in a chain must not overflow the machine's.
class Tarjan {
  public:
    explicit Tarjan(const BitRows& parents) : n_(parents.size()), parents_(parents) {}

    std::vector<std::int32_t> run() {
        component_.assign(n_, -1);
        index_.assign(n_, 0);
        low_.assign(n_, 0);
        on_stack_.assign(n_, 0);
        for (std::size_t v = 0; v < n_; ++v)
            if (index_[v] == 0) visit(v);
        return component_;
    }

  private:
    struct Frame {
        std::size_t node;
        std::vector<std::size_t> parents;
        std::size_t next;
    };

    void enter(std::size_t v) {
        index_[v] = low_[v] = ++counter_;
        stack_.push_back(v);
        on_stack_[v] = 1;
        Frame frame{v, {}, 0};
        parents_[v].for_each([&](std::size_t p) { frame.parents.push_back(p); });
        frames_.push_back(std::move(frame));
    }

    // Follows arcs from child to parent, so that a component is complete only after the components of its
    // outside parents: the numbers come out in topological order.
    void visit(std::size_t root) {
        enter(root);
        while (!frames_.empty()) {
            Frame& top = frames_.back();
            const std::size_t v = top.node;
            if (top.next < top.parents.size()) {
                const std::size_t p = top.parents[top.next++];
                if (index_[p] == 0)
                    enter(p);
                else if (on_stack_[p])
                    low_[v] = std::min(low_[v], index_[p]);
                continue;
            }
            if (low_[v] == index_[v]) {
                while (true) {
                    const std::size_t u = stack_.back();
                    stack_.pop_back();
                    on_stack_[u] = 0;
                    component_[u] = components_;
                    if (u == v) break;
                }
                ++components_;
            }
            frames_.pop_back();
            if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[v]);
        }
    }

    std::size_t n_;
    const BitRows& parents_;
    std::vector<std::int32_t> component_;
    std::vector<std::size_t> index_, low_, stack_;
    std::vector<std::uint8_t> on_stack_;
    std::vector<Frame> frames_;
    std::size_t counter_ = 0;
    std::int32_t components_ = 0;
};

}  // namespace

std::vector<std::int32_t> strong_components(const BitRows& parents) {
    return Tarjan(parents).run();
}

std::vector<std::int32_t> strong_components(const CandidateSets& sets) {
    const std::size_t n = sets.variables();
    BitRows parents(n, n);
    for (std::size_t v = 0; v < n; ++v)
        for (std::size_t row = sets.begin(v); row < sets.end(v); ++row) parents[v] |= sets.set(row);
    return strong_components(parents);
}

}  // namespace arcwise
