"""The formula of every score and of its bound, from one family's counts: what the native ones are compared with.

A new score adds its examples, its formula and its bound here; `tests/contracts/test_scores.py` then tests it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, logsumexp

from arcwise import _core
from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.data.dataset import gap_codes
from arcwise.graph import FamilyPrior, all_parent_masks
from arcwise.scores import JointPrior, Score, UniformPrior, make_score
from arcwise.scores.dirichlet import (
    Bde,
    Bhd,
    HypotheticalScore,
    family_joint,
    log_marginal_likelihood,
    marginals,
    sampled_structures,
    smoothed_joints,
)
from arcwise.scores.penalised import NodeAverageScore
from arcwise.scores.score import BelievedScore, Counts, check_cases, family_counts, pack_families, scored_data
from arcwise_studies.prior_comparison import best_prior, worst_prior

Alphas = NDArray[np.float64]


def skewed_prior(data: Dataset) -> JointPrior | UniformPrior:
    """Probabilities that no relabelling changes: a sum over variables of the first letters of their states."""
    if data.n_variables > 4:
        return UniformPrior.of(data)
    table = np.ones(tuple(data.arities.tolist()))
    for v, states in enumerate(data.states):
        shape = [-1 if u == v else 1 for u in range(data.n_variables)]
        table = table + np.array([1.0 + ord(state[0]) % 5 for state in states]).reshape(shape)
    return JointPrior(data.names, table / table.sum())


def last_name(data: Dataset) -> str:
    """Return a variable that relabelling leaves the same."""
    return max(data.names)


# For each score, the parameters that are tried; a prior is made for the data.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "ll": [{}],
    "aic": [{}],
    "bic": [{}],
    "bic_laplace": [{}],
    "nal": [{}],
    "pnal": [{}, {"alpha": 0.45}],
    "k2": [{}],
    "bd": [{"alpha": 0.3}, {"alpha": 7}],
    "bdj": [{}],
    "qbdj": [{}],
    "fnml": [{}],
    "qnml": [{}],
    "bdeu_averaged": [
        {},
        {"grid": (0.5, 3, 70), "average": "family"},
        {"grid": (0.5, 3, 70), "average": "configuration"},
    ],
    "min_bdeu": [{}, {"ess": 10, "epsilon": 0.05}],
    "max_bdeu": [{}, {"ess": 10, "epsilon": 0.05}, {"ess": 1e-3, "epsilon": 0.9}],
    "bde": [{"prior": skewed_prior, "ess": 3}],
    "nip_bde": [{"ess": 2}, {"structures": "local", "hypothetical_parents": 1}],
    "expected_log_bde": [{}, {"structures": "local", "ess": 10}],
    "bdeu": [{}, {"ess": 1e-3}, {"ess": 40}],
    "bhd": [{"site": last_name}, {"site": last_name, "ess": 20, "alike": 0.5}],
}


def make_example(name: str, options: dict[str, Any], data: Dataset) -> Score:
    return make_score(name, **{key: value(data) if callable(value) else value for key, value in options.items()})


# The formulas: `local(score, counts)` and `bound(score, counts)`, one row of counts per parent configuration.


def log_likelihood(counts: Counts) -> float:
    """Return sum n_jk log(n_jk / n_j): the log likelihood at theta_jk = n_jk / n_j."""
    totals = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    seen = counts > 0
    return math.fsum(counts[seen] * np.log(counts[seen] / totals[seen]))


def smoothed_likelihood(counts: Counts) -> float:
    """Return sum n_jk log((n_jk + 1) / (n_j + r))."""
    theta = (counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])
    return math.fsum((counts * np.log(theta)).ravel())


def parameter_count(counts: Counts) -> int:
    """Return the number of free parameters of the family, q (r - 1)."""
    q, r = counts.shape
    return int(q * (r - 1))


def parameter_penalty(score: Any, counts: Counts) -> float:
    """Return -w q (r - 1): as LL is at most 0, minus the penalty bounds the score."""
    return -parameter_count(counts) * float(score.per_parameter(int(counts.sum())))


def node_average(score: Any, counts: Counts, alphas: Alphas | None) -> float:
    """Return N (LL / n - w q (r - 1)); `alphas` are N and w, or N is the sum of the counts and w 0."""
    cases, weight = (counts.sum(), 0.0) if alphas is None else alphas
    whole = counts.sum()
    average = log_likelihood(counts) / whole if whole else -math.log(counts.shape[1])
    return float(cases * (average - weight * parameter_count(counts)))


@lru_cache(maxsize=4096)
def log_nml_normaliser_twin(cases: int, categories: int) -> float:
    """Return log C(N, K) by C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K)."""
    if cases == 0 or categories == 1:
        return 0.0
    # C(N, 2) = sum over k of N! / ((N - k)! N^k)
    log_scale, previous, current = 0.0, 1.0, 1.0 + float(np.cumprod(1.0 - np.arange(cases) / cases).sum())
    for k in range(1, categories - 1):
        previous, current = current, current + cases / k * previous
        if current > 1e200:
            log_scale += math.log(current)
            previous, current = previous / current, 1.0
    return log_scale + math.log(current)


def log_nml_approximation(cases: int, categories: float) -> float:
    """Return the approximation by Szpankowski & Weinberger that Liao (2022, section 4.2) prints.

    Its error is 0.08 for two categories and falls as their number grows (0.017 for 10, 0.0017 for 100); it is here for
    comparison, no score uses it.
    """
    beta = categories / cases
    root = 0.5 + 0.5 * math.sqrt(1 + 4 / beta)  # C_beta
    return cases * (math.log(beta) + (beta + 2) * math.log(root) - 1 / root) - 0.5 * math.log(root + 2 / beta)


def fnml_penalty(score: Any, counts: Counts) -> float:
    """Return -sum_j log C(n_j, r)."""
    return -math.fsum(log_nml_normaliser_twin(int(n), counts.shape[1]) for n in counts.sum(axis=1))


def qnml_penalty(score: Any, counts: Counts) -> float:
    """Return -[log C(N, q r) - log C(N, q)]."""
    cases, (q, r) = int(counts.sum()), counts.shape
    return log_nml_normaliser_twin(cases, q) - log_nml_normaliser_twin(cases, q * r)


def qbdj(score: Any, counts: Counts, alphas: Alphas | None) -> float:
    """Return f(S) - f(P)."""
    cells = gammaln(counts + 0.5) - gammaln(0.5)
    rows = gammaln(counts.sum(axis=1) + 0.5) - gammaln(0.5)
    return math.fsum(cells.ravel()) - math.fsum(rows) + qbdj_penalty(score, counts)


def qbdj_penalty(score: Any, counts: Counts) -> float:
    """Return minus the penalty: lnG(q r/2) - lnG(q r/2 + N) - lnG(q/2) + lnG(q/2 + N)."""
    cases, (q, r) = int(counts.sum()), counts.shape
    return float(gammaln(q * r / 2) - gammaln(q * r / 2 + cases) - gammaln(q / 2) + gammaln(q / 2 + cases))


def bdeu_averaged(score: Any, counts: Counts, alphas: Alphas | None) -> float:
    """Return the average over the grid."""
    if score.average == "configuration":
        return math.fsum(log_mean_exp(by_size(score, row[None, :], counts.size)) for row in counts)
    values = by_size(score, counts, counts.size)
    return log_mean_exp(values) if score.average == "family" else float(np.mean(values))


def by_size(score: Any, rows: Counts, cells: int) -> NDArray[np.float64]:
    return np.array([log_marginal_likelihood(rows, ess / cells) for ess in score.grid])


def log_mean_exp(values: NDArray[np.float64]) -> float:
    """Return the logarithm of the mean of numbers given by their logarithms."""
    return float(logsumexp(values) - math.log(len(values)))


def bde(score: Any, counts: Counts, alphas: Alphas | None) -> float:
    """Return BD with the given hyperparameters."""
    assert alphas is not None
    return log_marginal_likelihood(counts, alphas)


def hypothetical(score: Any, counts: Counts, alphas: Alphas | None) -> float:
    """Return the average of BD over the hyperparameters of each structure, shape (structures, q, r)."""
    assert alphas is not None
    seen = counts.sum(axis=1) > 0
    n, a = counts[seen], alphas[:, seen]
    cells = np.where(n > 0, gammaln(a + n) - gammaln(a), 0.0).sum(axis=(1, 2))
    total = a.sum(axis=2)
    return float(score.combine(cells + (gammaln(total) - gammaln(total + n.sum(axis=1))).sum(axis=1)))


def bound_pure_cells(alpha: float, counts: Counts) -> float:
    """Bound BD with one alpha for all cells: what the family would score with a configuration for every cell.

    The score is the logarithm of a product of predictive probabilities, one per case. A state seen c times among the w
    cases of its configuration has (alpha + c) / (r alpha + w) <= (alpha + c) / (r alpha + c), which grows with c; more
    parents split configurations, which makes every c smaller or leaves it.
    """
    cells = counts[counts > 0]
    row_alpha = alpha * counts.shape[1]
    pure = gammaln(alpha + cells) - gammaln(alpha) + gammaln(row_alpha) - gammaln(row_alpha + cells)
    return math.fsum(pure)


def bound_first_cases(score: Any, counts: Counts) -> float:
    """Bound a BD score whose hyperparameters shrink as q grows: log(1/r) for every cell that occurs.

    The first case of a cell has predictive probability alpha_jk / (a_j + w) <= alpha_jk / a_j, which is 1/r (of
    max-BDeu at most epsilon + (1 - epsilon) / r); every other case has at most 1. A superset has at least as many cells
    that occur. This is stronger than -q+ log r, which counts the configurations that occur (de Campos & Ji 2011): a
    configuration has as many first cases as states seen.
    """
    share = 1 / counts.shape[1]
    if score.name == "max_bdeu":
        share = score.epsilon + (1 - score.epsilon) * share
    return int(np.count_nonzero(counts)) * math.log(share)


def no_more_than_one(score: Any, counts: Counts) -> float:
    """Return 0: no probability exceeds one."""
    return 0.0


def penalised(penalty: Callable[[Any, Counts], float]) -> Callable[[Any, Counts, Alphas | None], float]:
    return lambda score, counts, alphas: log_likelihood(counts) + penalty(score, counts)


def site_likelihood(counts: NDArray[np.float64], ess: float, alike: float) -> float:
    """Return the bound on the log likelihood of the cells (rows) of sites (columns), at the best tangent.

    Of the rising factorial of s kappa in a cell, as a function of log kappa, the tangent at any point bounds it from
    below; then kappa has a Dirichlet distribution. The bound is raised in turns until it stands still.
    """
    a, total = ess / len(counts), counts.sum(axis=0)
    tangent = np.where(counts.sum(axis=1) > 0, 1.0, 0.0)
    point, before = np.ones(len(counts)), np.zeros(len(counts))
    while np.abs(np.log(point / before)).max() > 1e-8 if before.any() else True:
        before, point = point, np.exp(digamma(a + tangent) - digamma(ess + tangent.sum()))
        s = alike * point[:, None]
        tangent = (s * (digamma(s + counts) - digamma(s))).sum(axis=1)
    s = alike * point[:, None]
    value = (gammaln(s + counts) - gammaln(s)).sum() - (gammaln(alike + total) - gammaln(alike)).sum()
    value += (gammaln(a + tangent) - gammaln(a) - tangent * np.log(point)).sum()
    return float(value - gammaln(ess + tangent.sum()) + gammaln(ess))


def hierarchical(score: Bhd, data: Dataset, child: int, parents: Sequence[int]) -> float:
    """Return g(P + i) - g(P)."""
    site = data.names.index(str(score.site))

    def of(columns: Sequence[int]) -> float:
        listed = [v for v in columns if v != site]
        counts = contingency(data, [*listed, site]).reshape(-1, int(data.arities[site])).astype(np.float64)
        if site not in columns:
            return site_likelihood(counts.sum(axis=1, keepdims=True), score.ess, score.alike)
        return site_likelihood(counts, score.ess, score.alike) + log_marginal_likelihood(
            contingency(data, [site]).reshape(1, -1), score.ess / int(data.arities[site])
        )

    return of([*parents, child]) - of(parents)


LOCAL: dict[str, Callable[[Any, Counts, Alphas | None], float]] = {
    "ll": penalised(parameter_penalty),
    "aic": penalised(parameter_penalty),
    "bic": penalised(parameter_penalty),
    "bic_laplace": lambda score, n, _: smoothed_likelihood(n) + parameter_penalty(score, n),
    "nal": node_average,
    "pnal": node_average,
    "k2": lambda score, n, _: log_marginal_likelihood(n, 1.0),
    "bd": lambda score, n, _: log_marginal_likelihood(n, score.alpha),
    "bdj": lambda score, n, _: log_marginal_likelihood(n, 0.5),
    "qbdj": qbdj,
    "fnml": penalised(fnml_penalty),
    "qnml": penalised(qnml_penalty),
    "bdeu": lambda score, n, _: log_marginal_likelihood(n, score.ess / n.size),
    "bdeu_averaged": bdeu_averaged,
    "min_bdeu": lambda score, n, _: log_marginal_likelihood(n, worst_prior(score, n)),
    "max_bdeu": lambda score, n, _: log_marginal_likelihood(n, best_prior(score, n)),
    "bde": bde,
    "nip_bde": hypothetical,
    "expected_log_bde": hypothetical,
}
BOUND: dict[str, Callable[[Any, Counts], float]] = {
    **dict.fromkeys(("ll", "aic", "bic", "bic_laplace"), parameter_penalty),
    "k2": lambda score, n: bound_pure_cells(1.0, n),
    "bd": lambda score, n: bound_pure_cells(score.alpha, n),
    "bdj": lambda score, n: bound_pure_cells(0.5, n),
    "qbdj": qbdj_penalty,
    "fnml": fnml_penalty,
    "qnml": qnml_penalty,
    **dict.fromkeys(("bdeu", "bdeu_averaged", "min_bdeu", "max_bdeu"), bound_first_cases),
    **dict.fromkeys(("bde", "nip_bde", "expected_log_bde"), no_more_than_one),
    "bhd": lambda score, n: math.inf,
}


def local_twin(score: Score, counts: Counts, alphas: Alphas | None = None) -> float:
    """Return the local score of a family from its counts, and from its hyperparameters where the score has some."""
    return LOCAL[score.name](score, counts, alphas)


def local_joints(data: Dataset, child: int, parents: Sequence[int], largest: int) -> NDArray[np.float64]:
    """Return p(P = j, x_i = k) under each hypothetical parent set H of the child, one row each.

    The hypothetical distribution is that of the structure in which P + H is complete and the child has the parents H:
    f(P + H) theta(child | H), with what is not in the family summed out. Readable rather than fast: dense tables.
    """
    others = [v for v in range(data.n_variables) if v != child]
    rows = []
    for size in range(largest + 1):
        for hypothesis in itertools.combinations(others, size):
            union = sorted({*parents, *hypothesis})
            counts = contingency(data, union)
            frequencies = (counts + 1 / counts.size) / (data.n_cases + 1)
            with_child = contingency(data, [*hypothesis, child])
            above, below = with_child + 1 / with_child.size, contingency(data, hypothesis)
            theta = above / (below + 1 / below.size)[..., None]
            # Axes: the union's variables, then the child.
            spread = [int(data.arities[v]) if v in hypothesis else 1 for v in union]
            joint = frequencies[..., None] * theta.reshape(*spread, -1)
            summed = tuple(axis for axis, v in enumerate(union) if v not in parents)
            rows.append(joint.sum(axis=summed).ravel())
    return np.stack(rows)


def every_structure(variables: int) -> NDArray[np.uint64]:
    """Return every DAG as parent masks."""
    return np.array(list(all_parent_masks(variables)), dtype=np.uint64)


def alphas_twin(score: Score, data: Dataset, child: int, parents: Sequence[int]) -> Alphas | None:
    """Return the hyperparameters that the formula needs in addition to the counts; None for most scores."""
    arity = int(data.arities[child])
    if isinstance(score, Bde):
        assert score.prior is not None
        return score.ess * family_joint(score.prior, data, [*parents, child]).reshape(-1, arity)
    if not isinstance(score, HypotheticalScore):
        return None
    if score._kind(data) == "local":
        joints = local_joints(data, child, parents, score._largest(data))
    else:  # without the shortcut by equivalence classes
        is_all = score._kind(data) == "all"
        n = data.n_variables
        masks = every_structure(n) if is_all else sampled_structures(n, score.samples, score.seed)
        joints = marginals(smoothed_joints(data, masks), data, [*parents, child])
    return score.ess * joints.reshape(len(joints), -1, arity)


def score_family_twin(score: Score, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
    """Return the same as `score.score_family`."""
    ordered = sorted(parents)
    if isinstance(score, BelievedScore):
        return score_family_twin(score.score, data, child, ordered) + score.prior(data).family(child, ordered)
    alone = data if data.targets is None else data.cases_without(data.names[child])
    if alone.n_cases == 0:
        return 0.0
    if isinstance(score, Bhd):
        return hierarchical(score, alone, child, ordered)
    if not isinstance(score, NodeAverageScore):
        return local_twin(score, family_counts(alone, child, ordered), alphas_twin(score, alone, child, ordered))
    # From tables without the cells that lack a value.
    members = [*ordered, child]
    ends = np.where(gap_codes(data) < 0, data.arities, gap_codes(data))
    counts = contingency(alone, members)[tuple(slice(0, int(ends[v])) for v in members)]
    numbers = np.array([alone.n_cases, score.weight(alone.n_cases, alone.n_variables)])
    return local_twin(score, counts.reshape(-1, int(ends[child])), numbers)


def bound_family_twin(score: Score, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
    """Return what neither this family nor one with more parents exceeds."""
    ordered = sorted(parents)
    if isinstance(score, BelievedScore):
        bound = bound_family_twin(score.score, data, child, ordered)
        return bound if math.isinf(bound) else bound + largest_prior(score.prior(data), child, ordered)
    if not isinstance(score, NodeAverageScore):
        return BOUND[score.name](score, family_counts(data, child, ordered))
    # -N w q (r - 1): no likelihood exceeds one, and supersets have at least as many parameters.
    alone = data if data.targets is None else data.cases_without(data.names[child])
    own = np.where(gap_codes(data) < 0, data.arities, gap_codes(data)).astype(np.float64)
    parameters = (own[child] - 1) * math.prod(own[p] for p in ordered)
    return float(-alone.n_cases * score.weight(alone.n_cases, alone.n_variables) * parameters)


def largest_prior(prior: FamilyPrior, child: int, parents: Iterable[int]) -> float:
    """Return the largest log prior of these parents and of all their supersets.

    Of the supersets with k members, the best adds the k - |P| heaviest of the others.
    """
    members = sorted(parents)
    others = [v for v in range(len(prior.names)) if v != child and v not in members]
    total = sum(float(prior.weights[p, child]) for p in members)
    best, size = float(prior.sizes[len(members)]) + total, len(members)
    for weight in sorted((float(prior.weights[p, child]) for p in others), reverse=True):
        total, size = total + weight, size + 1
        best = max(best, float(prior.sizes[size]) + total)
    return best


def bound_families(score: Score, data: Dataset, families: Iterable[tuple[int, Iterable[int]]]) -> NDArray[np.float64]:
    """Return the native bounds: what neither a family nor one with more parents exceeds."""
    data = scored_data(data, score)
    listed = [(child, sorted(set(parents))) for child, parents in families]
    groups = data.group_of_child[[child for child, _ in listed]]
    result = np.zeros(len(listed))
    for g, group in enumerate(check_cases(data).child_groups):
        chosen = np.flatnonzero(groups == g)
        if group.n_cases:
            packed = pack_families(data, [listed[i] for i in chosen])
            columns = (group.codes, group.arities, group.native_weights)
            result[chosen] = _core.scores.bound_families(score.native(group), *columns, *packed)
        elif isinstance(score, BelievedScore):
            result[chosen] = [largest_prior(score.prior(data), *listed[i]) for i in chosen]
    return result
