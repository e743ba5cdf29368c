"""Which score numbers and categories are learned by: one line for all categories, or lines that differ between them.

`bic-dg` has one line and one spread for all states of a category, and bends lines where the data ask for it; `bic-jcg`
has a line and a spread for each configuration of the categories, and no bends. What holds in a table, its cases tell:
a network by each, and how probable the cases are from which its parameters were not estimated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.data.mixed import MixedData
from arcwise.graph.dag import Dag
from arcwise.local.searches import hill_climb
from arcwise.model.mixed_families import Family, Floats, fit_family, indicators
from arcwise.scores.gaussian import RARE, normal_scores
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

SAME, DIFFERING = "bic-dg", "bic-jcg"
# Heavy tails make the densities of few cases decide: fewer standard errors let them through.
STANDARD_ERRORS = 3.0
FOLDS = 3
FLAT = 1e-9  # of a number's variance, in the rows of a state
FEWEST_CASES, MOST_ROWS, MOST_COLUMNS = 100, 5_000, 40


def number_score(data: MixedData, cases: float) -> Score:
    """Return the score that learns networks from numbers as they are, unless the user gives one.

    `cases` are how many independent ones the data are worth.
    """
    same, differing = make_score(SAME), make_score(DIFFERING)
    levels = data.levels
    is_mixed = any(levels) and not all(levels)
    if not is_mixed or cases < FEWEST_CASES or data.n_variables > MOST_COLUMNS:
        return same
    if data.targets is not None or data.design is not None or _is_flat_somewhere(data):
        return same
    worth = min(1.0, cases / data.n_cases)
    if data.n_rows > MOST_ROWS:
        data = data.take(np.linspace(0, data.n_rows - 1, MOST_ROWS).astype(np.int64))
    dags = [hill_climb(data, score, progress=False, seed=0).dag for score in (differing, same)]
    more = _gains(dags[0], dags[1], data)
    weights, total = data.times, data.n_cases
    mean = float(weights @ more) / total
    error = float(np.sqrt(weights @ (more - mean) ** 2 / total / (worth * total)))
    return differing if mean > STANDARD_ERRORS * error else same


def _is_flat_somewhere(data: MixedData) -> bool:
    """Whether a number has one value in all rows of a state: an amount that is 0 where nothing was paid.

    A line and a spread for each state have no density there. `bic-jcg` refuses the family, and so the two would have no
    edge though one follows from the other; and held out, such rows are as probable as one likes.
    """
    weights, values = data.times, data.matrix
    for v, levels in enumerate(data.levels):
        if levels:
            states = values[v].astype(np.int64)
            cases = np.bincount(states, weights, minlength=levels)
            for own in (values[k] for k, others in enumerate(data.levels) if not others and not data.constant[k]):
                means = np.bincount(states, weights * own, minlength=levels) / np.maximum(cases, 1)
                spread = np.bincount(states, weights * (own - means[states]) ** 2, minlength=levels)
                if bool(((spread <= FLAT * float(own.var()) * cases) & (cases >= RARE)).any()):
                    return True
    return False


def _gains(first: Dag, second: Dag, data: MixedData) -> Floats:
    """Return how much more probable each row is under one network than under another, learned without it.

    A family that both have counts for neither.
    """
    values, weights, arities = data.matrix, data.times, data.levels
    fold = np.arange(data.n_rows) % FOLDS
    more = np.zeros(data.n_rows)
    for k in range(FOLDS):
        learned, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        for v in range(data.n_variables):
            if set(first.parents[v]) == set(second.parents[v]):
                continue
            for sign, dag in ((1, first), (-1, second)):
                given = values[:, learned], weights[learned], values[:, held]
                more[held] += sign * _log_density(v, dag.parents[v], arities, *given)
    return more


def _log_density(
    child: int, parents: Sequence[int], arities: Sequence[int], values: Floats, weights: Floats, held: Floats
) -> Floats:
    """Return the log density of a child in rows held out, with lines that differ, or else with curves for all.

    Which of the two, BIC says of the other rows: a network must not win because its lines imitate a curve.
    """
    plain = fit_family(child, tuple(parents), arities, values, weights, ess=1.0)
    if not plain.numbers:
        return plain.log_density(held)
    whole = np.vstack([values, *_bent(plain, values, values)])
    curves = range(len(values), len(whole))
    kinds = (*arities, *[0] * len(curves))
    curved = fit_family(child, tuple(curves), kinds, whole, weights, ess=1.0)
    fits = [
        float(weights @ family.log_density(rows)) - 0.5 * np.log(weights.sum()) * family.n_free_parameters
        for family, rows in ((plain, values), (curved, whole))
    ]
    if fits[0] >= fits[1]:
        return plain.log_density(held)
    return curved.log_density(np.vstack([held, *_bent(plain, values, held)]))


def _bent(family: Family, values: Floats, at: Floats) -> list[Floats]:
    """Return what curves are made of: three powers of each number's normal score among values, and indicators."""
    found = indicators(family, at)
    for v in family.numbers:
        own = np.unique(values[v])
        score = np.interp(at[v], own, normal_scores(own, np.unique(values[v], return_counts=True)[1].astype(float)))
        found += [score, score**2, score**3]
    return found
