#include "sampled/structure_walk.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace arcwise {

namespace {

bool may_add(const ChangingDag& dag, const ArcRules& rules, std::size_t from, std::size_t to) {
    return rules.allowed(from, to) && dag.parents(to).size() < rules.limit(to);
}

template <class Code>
void toggle(ChangingDag& dag, ArcGains<Code>& gains, const ArcRules& rules, std::size_t tail,
            std::size_t head, double chance) {
    if (dag.has_arc(tail, head)) {
        if (!rules.required(tail, head) && chance < -gains(head, without(dag.parents(head), tail), tail))
            dag.remove(tail, head);
    } else if (may_add(dag, rules, tail, head) && dag.can_add(tail, head) &&
               chance < gains(head, dag.parents(head), tail)) {
        dag.add(tail, head);
    }
}

template <class Code>
void turn(ChangingDag& dag, ArcGains<Code>& gains, const ArcRules& rules, std::size_t tail, std::size_t head,
          double chance) {
    if (!dag.has_arc(tail, head) || rules.required(tail, head) || !may_add(dag, rules, head, tail) ||
        !dag.can_reverse(tail, head))
        return;
    const double gain =
        gains(tail, dag.parents(tail), head) - gains(head, without(dag.parents(head), tail), tail);
    if (chance < gain) dag.reverse(tail, head);
}

}  // namespace

template <class Code>
std::vector<Parents> walk_structures(ArcGains<Code>& gains, const ArcRules& rules, std::vector<Parents> start,
                                     const ProposedMoves& moves, Ticker& ticker) {
    ChangingDag dag(start.size());
    for (auto& parents : start) std::ranges::sort(parents);
    [[maybe_unused]] const bool acyclic = dag.assign(start);
    assert(acyclic);
    for (std::size_t m = 0; m < moves.tails.size(); ++m) {
        if (m % 64 == 0 && ticker.poll_now({m, moves.tails.size()})) break;
        const auto tail = static_cast<std::size_t>(moves.tails[m]);
        const auto head = static_cast<std::size_t>(moves.heads[m]);
        if (moves.turns[m] != 0)
            turn(dag, gains, rules, tail, head, moves.chances[m]);
        else
            toggle(dag, gains, rules, tail, head, moves.chances[m]);
    }
    return dag.all_parents();
}

template std::vector<Parents> walk_structures(ArcGains<std::uint8_t>&, const ArcRules&, std::vector<Parents>,
                                              const ProposedMoves&, Ticker&);
template std::vector<Parents> walk_structures(ArcGains<std::uint16_t>&, const ArcRules&, std::vector<Parents>,
                                              const ProposedMoves&, Ticker&);
template std::vector<Parents> walk_structures(ArcGains<std::uint32_t>&, const ArcRules&, std::vector<Parents>,
                                              const ProposedMoves&, Ticker&);

}  // namespace arcwise
