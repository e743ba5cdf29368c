// Sums over *all* DAGs: the normalising constant, and the posterior of every family, arc and ancestor.
//
// Tian and He (2009, "Computing posterior probabilities of structural features in Bayesian networks"): with
// alpha_v(X) the weight of all parent sets of v within X (parent_weights.hpp), the weight of all DAGs over
// the nodes W is, by inclusion and exclusion over the sets S of sinks,
//
//     R(W) = sum over nonempty S within W of (-1)^(|S|+1) R(W - S) prod_{v in S} alpha_v(W - S).
//
// Let G(W) be the weight of all ways to give the nodes outside W parents from anywhere without a cycle among
// them: G(X) = sum over S outside X of (-1)^(|S|+1) prod alpha_v(X) G(X + S), and R(X) G(X) is the weight of
// the DAGs in which no arc enters X. R goes from small sets to large ones, G back, over the same terms.
//
// **Scale.** With best(X) the score of the best DAG over X, comp(X) that of the best completion and OPT the
// optimum, R(X) is kept as a multiple of 2^(OPT - comp(X)) and G(X) of 2^comp(X), in bits: neither overflows
// or underflows, whatever the number of cases, and a double is enough.
//
// **Cut.** The term (X, S) is lost in networks that lie at least
//
//     delta(X, S) = OPT - [best(X) + sum_{v in S} bs_v(X) + comp(X + S)]
//
// below the optimum (bs_v(X): v's best parent set within X), and delta never falls when a node joins S, since
// comp(U) >= bs_v(U) + comp(U + v) >= bs_v(X) + comp(U + v). So a walk over the sets S, depth first, turns
// back where delta exceeds the cut, and sees only what counts. Levels are integers, so this holds exactly.
//
// **Certificate.** The walk from X turns back at S + c. The terms it leaves out there, S + c and any of the
// nodes L that it would have tried after c, sum to R(X) prod_{S + c} alpha(X) times the weight of the
// completions of W = X + S + c in which no node of L has all its parents in X (inclusion and exclusion
// again): between 0 and R(X) prod alpha(X) G(W). So with R~, G~ and Z~ what the cut walk finds, and R, G and
// Z the truth,
//
//     |Z - Z~| <= sum over the turning points of |R~(X)| prod alpha(X) G(W) =: b Z.
//
// For single features, where errors of one sign and the other need not cancel, R~(X) is replaced here by
// R~(X) + 2 A(X), A(X) being the weight of all that was left out on the way to X without regard to signs:
// what leaks into X at turning points, and A(X - v) alpha_v(X - v) over v. The same argument on the walks
// that begin at W gives R(W) |G(W) - G~(W)| <= b Z. So G(W) is bounded by the smaller of two, in shares of Z:
// G~(W) + b / R(W), with a lower bound of R(W), and the sum over v of alpha_v(W) times the bound of W + v
// (any completion has a first node). We put b = 10^-3 into the former. The sum x over the turning points is
// then P + Q b with P, Q >= 0, and the true b is at most P + Q b for its own value; if x <= 10^-3, it follows
// that Q < 1 and b <= P / (1 - Q) <= x. If x is larger, there is no certificate, and the cut was too low.
// Every probability is wrong by at most 2 b / (1 - b).
//
// **Ancestors for nothing.** R(X) times the terms with v in S is a polynomial in the alpha_v(X), each DAG
// having one of them: that of X = the nodes which v does not reach, v aside. So B_v(X), the sum of the terms
// (X, S) with v in S as shares of Z, is the probability that v's descendants are exactly the others. Summing
// it over the X without w gives the probability that v is an ancestor of w, in 3^n steps with all the rest
// (Pensar, Talvitie, Hyttinen and Koivisto 2020 have 3^n, too); families are the sums over X that hold P.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/table_view.hpp"

namespace arcwise {

struct DagSumOptions {
    double cut = 40;          // in nats, at most 600
    bool blankets = false;    // the probability that two nodes are in each other's Markov blanket, too
    std::size_t threads = 1;  // the result does not depend on it
    std::size_t memory = ~std::size_t{0};
    // Where an estimate, made beforehand, of the terms and of what the sets cost, as terms, is above it, the
    // count limit ends the work. No clock and no number of threads is part of that.
    double most_terms = std::numeric_limits<double>::infinity();
};

struct DagSums {
    Status status = Status::complete;
    bool too_wide = false;                          // the scores span more than 2^28 bits; nothing was done
    double log_total = 0;                           // the log of the sum of exp(score) over all DAGs
    std::vector<double> shares;                     // per row of the table
    std::vector<double> arcs, ancestors, blankets;  // n x n: at [p, c]
    double left_out = 0;     // at most this share of the sum was left out, or added; infinite: not known
    double defect = 0;       // the largest |sum over a node's rows - 1|: rounding
    std::uint64_t sets = 0;  // node sets within the cut
    double terms = 0;        // terms within the cut: counted, or estimated if the status is not complete
    std::size_t bytes = 0;   // memory that the sums take
};

// At most 30 variables; memory about 24 2^n bytes (6.4 GB for 28 variables), with blankets (6 n + 36) 2^n.
DagSums sum_all_dags(const TableView& table, const DagSumOptions& options, Ticker& ticker);

}  // namespace arcwise
