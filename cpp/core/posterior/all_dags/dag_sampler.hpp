// Independent DAGs from the posterior over all of them.
//
// Every DAG has one decomposition into layers: the first has the nodes without parents, each further one the
// nodes whose parents all lie in earlier layers and not all before the last of them (Kuipers and Moffa 2015,
// "Uniform random generation of large acyclic digraphs"). With U the nodes placed so far and L the last layer
// of them, the next layer S and its families weigh
//
//     prod_{v in S} [alpha_v(U) - alpha_v(U - L)] f(U + S, S),
//
// f(U, L) being the weight of the completions of U in which no node outside has all its parents in U - L.
// Talvitie, Vuoksenmaa and Koivisto (2019, "Exact sampling of directed acyclic graphs from modular
// distributions") store f for all pairs, in 3^n numbers. Here only G is stored, the weight of *all*
// completions of a set (dag_sums.hpp), 2^n numbers: by inclusion and exclusion over the nodes T that break
// the rule, f(U, L) = sum over T of (-1)^|T| prod_{v in T} alpha_v(U - L) G(U + T).
//
// **A layer in 2^(n - |U|) steps.** The nodes outside U are decided one after the other. With A those decided
// to be in S, B those decided not to be, and C the rest, the weight of what is decided is
//
//     P(A, B) = prod_A [alpha_v(U) - alpha_v(U - L)]
//               sum over T within B + C of (-1)^|T| prod_{T and B} alpha_v(U) prod_{T and C} alpha_v(U - L)
//                                          G(U + A + T).
//
// The sums over the part of T in C do not depend on what is decided: they are made once for the state (U, L),
// for the last node, the last two, and so on (F_k below: 2^k numbers for what the first k nodes may be), and
// each decision adds up 2^|B| of them. Nodes that are likely to be in S come first, so that B grows late.
//
// All terms are probabilities given U, at most 1: what cancels leaves an absolute error of about 10^-16 times
// their number, and a state that is reached only by rounding is hardly ever reached.
//
// **A family in |U| steps.** alpha_v knows the weight of all rows within any set, so a row's members are
// decided one after the other, too: of the rows within X that hold A, those without u weigh
// sum over T within A of (-1)^|T| alpha_v(X - u - T), 2^|A| terms. The member of L that must be there is
// decided first. No row is looked at.
//
// Draw i has random numbers of its own, so that neither threads nor the number of draws change it.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor.hpp"
#include "parent_sets/table_view.hpp"
#include "posterior/all_dags/parent_weights.hpp"
#include "posterior/all_dags/set_bounds.hpp"

namespace arcwise {

struct DrawnDags {
    Status status = Status::complete;
    std::vector<std::uint32_t> rows;  // per DAG and node: the row, counted within the node
    std::vector<double> scores;
};

class DagSampler {
  public:
    // Terms of DAGs more than `cut` nats below the best one are left out, as in the sums.
    DagSampler(const TableView& table, double cut, std::size_t threads);

    // The memory that draws on this many threads take.
    static std::size_t bytes_for(const TableView& table, std::size_t threads);

    // Finds G; false if that was stopped, or if there is nothing to draw from.
    bool prepare(Ticker& ticker);

    // The DAGs depend on the table, the cut and the seed alone. If a limit ends the work, the first of them
    // that were drawn until then are returned.
    DrawnDags draw(std::size_t count, std::uint64_t seed, std::size_t threads, Ticker& ticker) const;

  private:
    class Drawing;

    TableView table_;
    double cut_;
    std::size_t threads_, n_, all_;
    ParentWeights rows_;
    WholeWeights weights_;
    SetBounds bounds_;
    std::int32_t floor_ = 0;
    LargeArray<double> completions_;                       // G, scaled as in the sums
    std::vector<std::vector<std::uint64_t>> row_numbers_;  // [v]: parents and row of each row, by parents
};

}  // namespace arcwise
