"""The rules by which parent sets are dropped, one theorem each, as the native builder applies them.

The table must hold every parent set of every network G with s(G) >= OPT - e, where e is the slack. All rules rest on
one remark. If G has the parent set P' of node i, and P is a subset of P', then G with P instead is acyclic (arcs were
only removed), so s(G) - s_i(P') + s_i(P) <= OPT. Hence s_i(P) - e > s_i(P') implies s(G) < OPT - e: P' may be dropped.
"Drop P' and its supersets" applies the same to every superset P'' of P', of which P is a subset too.

A score may be the sum of the data's part and a log prior b that is a sum over families too (`BelievedScore`). The
remark is about the sum. Where a rule compares the data's part alone, the prior enters as follows, b+ being the largest
prior of P and its supersets:

- `beaten_by_subset` compares sums.
- `beaten_with_supersets`: bound(P') + b+(P') bounds the sum for every superset P'' of P', because the data's part is at
  most bound(P') and b(P'') <= b+(P'). The native builder bounds b+ itself, in two ways (child_prior.hpp).
- `parent_adds_too_little` proves that the data's part of P'' is more than its slack below that of P'' - j. With the
  slack e + g, where g is at least b(P'') - b(P'' - j), s(P'') < s(P'' - j) - e. This difference is the log odds of
  the arc j -> i plus the difference of the size terms of \\|P''\\| and one less; g is the largest over all children i
  and all sizes from \\|P + j\\| on. It may be below 0: odds against all edges drop more.

Comparisons are strict, so that networks exactly e below the optimum are kept. Symbols: the child i has r states, P has
q configurations of which q+ occur, w is the penalty weight (BIC: log(N)/2, AIC: 1), t(P) = q (r - 1), LL <= 0 is the
maximised log likelihood, H an empirical entropy. The native counterparts in cpp/core/parent_sets/pruning.hpp have the
same names.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

from arcwise.data import Dataset
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores import Score, make_score

__all__ = [
    "arity_room",
    "beaten_by_subset",
    "beaten_with_supersets",
    "build_parent_sets_twin",
    "occupied_bound",
    "parent_adds_too_little",
    "penalty_bound",
    "score_tolerance",
]

ParentSet = tuple[int, ...]


def score_tolerance(score: float) -> float:
    """Return how close two scores count as equal: rounding of a sum over N cases, with two orders to spare."""
    return 1e-9 + 1e-13 * abs(score)


def beaten_by_subset(best_subset: float, score: float, slack: float, tolerance: float = 0.0) -> bool:
    """Any score: drop P' if some proper subset P has s(P) - e > s(P').

    Proof. A network with P' scores more than e less than the same network with P, which is acyclic.
    So it scores less than OPT - e.
    """
    return best_subset - slack > score + tolerance


def beaten_with_supersets(best_subset: float, bound: float, slack: float, tolerance: float = 0.0) -> bool:
    """Any score with a bound: drop P' and its supersets if some subset P of P' has s(P) - e > bound(P').

    Proof. Let P'' contain P'. Then s(P'') <= bound(P') < s(P) - e, and P is a subset of P''.
    So `beaten_by_subset` drops P''.
    """
    return best_subset - slack > bound + tolerance


def penalty_bound(full_likelihood: float, weight: float, parent_cells: float, arity: int) -> float:
    """BIC, AIC: no superset P'' of P' scores more than LL(i | all others) - w t(P').

    Proof. LL(i | P'') <= LL(i | all others) <= 0, since more parents never fit worse.
    t(P'') >= t(P'), since q'' >= q'. So s(P'') = LL(i | P'') - w t(P'') <= LL(i | all others) - w t(P').
    """
    return full_likelihood - weight * parent_cells * (arity - 1)


def occupied_bound(occupied_cells: float, arity: int) -> float:
    """BDeu, and any BD whose alpha_jk is constant in k: no superset scores more than -(cells that occur) log r.

    Proof. The score is a sum of log predictive probabilities, one per case. The first case of a cell (j, k) has
    alpha_jk / (alpha_j + cases seen in j) <= 1/r, every other at most 1; and the cells of P' that occur
    hold at least one cell each of every superset.
    """
    return -occupied_cells * math.log(arity)


def arity_room(
    entropy: float,
    weight: float,
    parent_arity: int,
    parent_cells: float,
    *,
    slack: float,
    tolerance: float = 0.0,
) -> float:
    """BIC, AIC: return up to which r - 1 the parent j, given P, can be worth its penalty; see below."""
    return (entropy + slack + tolerance) / (weight * (parent_arity - 1) * parent_cells)


def parent_adds_too_little(room: float, arity: int) -> bool:
    """BIC, AIC: drop P + j and its supersets if N H(X_j | P) + e < w (r_j - 1) t(P).

    Proof. Let P'' contain P + j. LL(i | P'') - LL(i | P'' - j) = N I(X_i; X_j | P'' - j) <= N H(X_j | P'' - j)
    <= N H(X_j | P), and t(P'') - t(P'' - j) = (r_j - 1) t(P'' - j) >= (r_j - 1) t(P).
    So s(P'') < s(P'' - j) - e. (With H(X_i | P) instead, `beaten_with_supersets` already says the same.)
    """
    return room < arity - 1


def build_parent_sets_twin(
    data: Dataset, score: Score | str, *, slack: float = 0.0, max_parents: int | None = None
) -> ParentSetTable:
    """Return what `build_parent_sets` returns, by scoring every parent set and applying `beaten_by_subset` alone.

    All other rules only save work: each drops sets that this one drops too. Variables that never vary get no arcs, as
    `Dataset.constant` says. Exponential in the number of variables.
    """
    made = make_score(score)
    n = data.n_variables
    most = n - 1 if max_parents is None else min(max_parents, n - 1)
    entries = []
    for child in range(n):
        others = [v for v in range(n) if v != child and not (data.constant[v] or data.constant[child])]
        sets = [p for size in range(most + 1) for p in itertools.combinations(others, size)]
        values = dict(zip(sets, made.score_families(data, [(child, p) for p in sets]).tolist(), strict=True))
        entries.append([(values[p], p) for p in sets if not _is_beaten(p, values, slack)])
    return ParentSetTable.from_lists(
        data.names,
        entries,
        slack=float(slack),
        max_parents=max_parents,
        score=made.describe(),
        data_digest=data.digest,
    )


def _is_beaten(parents: ParentSet, values: Mapping[ParentSet, float], slack: float) -> bool:
    value = values[parents]
    best = max((values[subset] for subset in _proper_subsets(parents)), default=-math.inf)
    return beaten_by_subset(best, value, slack, score_tolerance(value))


def _proper_subsets(parents: ParentSet) -> Iterable[ParentSet]:
    return itertools.chain.from_iterable(itertools.combinations(parents, size) for size in range(len(parents)))
