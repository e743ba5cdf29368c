// The class of a DAG where some pairs have their direction from elsewhere: which arcs all its members have.
//
// A pair is fixed by knowledge (one direction is excluded) or by an experiment that separates its ends; the
// members of the class are the Markov-equivalent DAGs that agree with the DAG on the arcs of all fixed pairs.
// Without fixed pairs it is the CPDAG, found as fast as that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitset.hpp"
#include "graph/cpdag.hpp"

namespace arcwise {

class ClassKernel {
  public:
    // `fixed` has one set of nodes per node, those that it makes a fixed pair with (symmetric), or is empty:
    // then no pair is fixed. It must stay alive.
    explicit ClassKernel(std::size_t nodes, std::span<const Word> fixed = {});

    // Labels the arcs of the DAG in which node v has the parents parents[v], ascending; the lists must stay
    // alive while the results are read. False, and no result, if the graph has a cycle.
    [[nodiscard]] bool label(std::span<const ParentList> parents);

    // Calls visit(tail, head, directed) for every arc of the DAG, by head and then by tail: whether all
    // members have it, or some have the reverse.
    template <class Visit>
    void for_each_arc(Visit&& visit) const {
        for (std::size_t head = 0; head < parents_.size(); ++head) {
            // Both lists ascend, and the compelled parents are among the parents.
            const auto strong = markov_.compelled(head);
            auto next = strong.begin();
            for (const auto tail : parents_[head]) {
                bool directed = next != strong.end() && *next == tail;
                if (directed)
                    ++next;
                else if (any_fixed_)
                    directed = directed_[head].has(static_cast<std::size_t>(tail));
                visit(static_cast<std::size_t>(tail), head, directed);
            }
        }
    }

    ClassKey key() const;

  private:
    bool has_fixed_edge() const;
    void close();
    void close_at(std::size_t head);
    bool is_implied(std::size_t tail, std::size_t head) const;

    CpdagKernel markov_;
    std::span<const Word> fixed_;
    std::span<const ParentList> parents_;
    bool any_fixed_ = false;  // whether a reversible arc of the DAG at hand is of a fixed pair
    BitRows free_;            // per node, the parents whose arcs are reversible in the Markov class
    BitRows joined_;          // the same edges seen from both ends, those between nodes that are finished
    BitRows directed_;        // per node, of its free parents those that all members have
    std::vector<std::int32_t> order_;
};

}  // namespace arcwise
