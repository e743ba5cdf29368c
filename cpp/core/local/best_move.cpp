#include "local/best_move.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace arcwise {

BestMove::BestMove(std::size_t nodes) : rank_(nodes) {
    std::iota(rank_.begin(), rank_.end(), std::size_t{0});
}

bool BestMove::is_before(const Move& move, const Move& other) const {
    const auto place = [this](const Move& m) { return std::tuple(m.kind, rank_[m.from], rank_[m.to]); };
    return place(move) <= place(other);
}

std::optional<BestMove::Choice> BestMove::find(const Walk& walk, double least, double tolerance,
                                               std::span<const std::uint64_t> tabu) {
    std::optional<Choice> best;
    const auto is_tabu = [&](const Move& move) {
        return !tabu.empty() && std::ranges::find(tabu, walk.hash_after(move)) != tabu.end();
    };
    const auto consider = [&](const Move& move, double gain) {
        ++moves_compared_;
        if (!(gain >= least)) return;
        if (best) {
            if (gain < best->gain - tolerance) return;
            if (gain <= best->gain + tolerance && !is_before(move, best->move)) return;
        }
        if (walk.is_legal(move) && !is_tabu(move)) best = Choice{move, gain};
    };
    unsettled_.clear();
    const auto consider_settled = [&](const Move& move) {
        const double most = walk.gain_bound(move);
        if (!(most >= least) || walk.is_settled(move))
            consider(move, most);
        else
            unsettled_.push_back(move);
    };
    const auto& dag = walk.dag();
    for (std::size_t to = 0; to < dag.nodes(); ++to) {
        const double bar = best ? best->gain - tolerance : least;
        // No move into this node can be better than the best so far: most nodes end here. The best may give
        // way to one that is worse by the tolerance and comes first, and again, but not that often.
        const double surely = best ? best->gain - 64 * tolerance : least;
        if (least > 0.0) {
            to = walk.next_gaining(to, surely);
            if (to == dag.nodes()) break;
            if (walk.most_gain(to, surely) < surely) continue;
        }
        const auto& row = walk.row(to);
        const auto consider_addition = [&](std::size_t from) {
            if (row.at(from) - row.own >= bar && !dag.has_arc(from, to))
                consider_settled({MoveKind::add, from, to});
        };
        if (row.best_gain >= bar) {
            if (bar > 0.0)
                for (const auto from : row.gaining) consider_addition(static_cast<std::size_t>(from));
            else
                row.for_each(consider_addition);
        }
        for (const auto parent : dag.parents(to)) {
            const auto from = static_cast<std::size_t>(parent);
            consider({MoveKind::remove, from, to}, row.at(from) - row.own);
            consider_settled({MoveKind::reverse, from, to});
        }
    }
    // What is known by a bound only is scored if it could still win.
    for (const auto& move : unsettled_)
        if (walk.gain_bound(move) >= (best ? best->gain - tolerance : least)) consider(move, walk.gain(move));
    return best;
}

}  // namespace arcwise
