"""`fit_parameters`: the tables of a network, estimated from data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import OptionError, check_argument, check_known
from arcwise.base.run import ProgressCallback, Run
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.model.inference import column_positions
from arcwise.model.network import BayesianNetwork
from arcwise.model.tables import table_sizes

# What an estimator is: a function of the counts of one family, with a name and described parameters.


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """The counts of a variable and its parents, in the order of the table: the first parent varies slowest.

    `counts` are n_jk, of shape (q, r): one row per parent configuration, one column per state of the child.
    """

    child: str
    parents: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Estimator:
    """An estimator of a table, with a line about what it computes and what its parameters mean, by name.

    `table` is the function: from the counts of a family and the parameters to probabilities of the same shape, with
    rows that are NaN where they are not defined.
    """

    summary: str
    table: Callable[..., NDArray[np.float64]]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def check_parameters(self, name: str, given: Mapping[str, Any]) -> None:
        """Refuse parameters that the estimator does not have."""
        for parameter in given:
            if parameter not in self.parameters:
                takes = f"takes {', '.join(self.parameters)}" if self.parameters else "has no parameters"
                raise OptionError(f"estimator '{name}' has no parameter '{parameter}'; it {takes}.")


def posterior_mean(counts: NDArray[np.int64], alpha: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return (n_jk + a_jk) / (n_j + a_j), NaN in the rows where nothing was counted and nothing assumed."""
    weights = counts + alpha
    totals = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        table: NDArray[np.float64] = weights / totals
    return table


# The posterior mean under the Dirichlet prior of any BD score.


# What each named prior puts into a cell of a table of q r cells: alpha_jk as a function of the equivalent sample size.
PRIORS: dict[str, Callable[[float, int], float]] = {
    "bdeu": lambda ess, cells: ess / cells,
    "k2": lambda ess, cells: 1.0,
    "bdj": lambda ess, cells: 0.5,
}

Alpha = str | float | BayesianNetwork | Mapping[str, ArrayLike] | Callable[[FamilyCounts], ArrayLike]


def _bd_table(family: FamilyCounts, *, alpha: Alpha = "bdeu", ess: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + a_jk) / (n_j + a_j); a row whose counts and hyperparameters are all 0 is undefined."""
    positive = math.isfinite(ess) and ess > 0
    check_argument(positive, "ess", ess, "must be positive: the equivalent sample size of the prior.")
    return posterior_mean(family.counts, _hyperparameters(family, alpha, ess))


def _hyperparameters(family: FamilyCounts, alpha: Any, ess: float) -> NDArray[np.float64]:
    """a_jk, of the shape of the counts."""
    given: Any
    if isinstance(alpha, str):
        check_known("prior", alpha, PRIORS, more="Or give numbers.")
        given = PRIORS[alpha](ess, family.counts.size)
    elif isinstance(alpha, BayesianNetwork):
        # BDe: the prior network's probability of the cell (a_jk = ess p(x_i = k, P = j | prior network)).
        given = ess * alpha.query([*family.parents, family.child]).probabilities
    elif isinstance(alpha, Mapping):
        if family.child not in alpha:
            raise OptionError(f"alpha has no entry for '{family.child}'; a mapping needs one per variable.")
        given = alpha[family.child]
    elif callable(alpha):
        given = alpha(family)
    else:
        given = alpha
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.size != family.counts.size:
        raise OptionError(
            f"alpha of '{family.child}' has shape {array.shape}; it must be one number, or one for each of the "
            f"{family.counts.shape[0]} parent configurations and {family.counts.shape[1]} states."
        )
    if not bool((np.isfinite(array) & (array >= 0)).all()):
        raise OptionError(f"alpha of '{family.child}' must be finite and not negative in every cell.")
    return np.broadcast_to(array.reshape(family.counts.shape) if array.ndim else array, family.counts.shape)


def _m_table(family: FamilyCounts, *, m: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + m / (q r)) / (n_j + m / q): the posterior mean under BDeu with ess = m (Liao, section 4.3)."""
    check_argument(math.isfinite(m) and m > 0, "m", m, "must be positive: the number of imaginary cases.")
    return posterior_mean(family.counts, m / family.counts.size)


def _snml_table(family: FamilyCounts) -> NDArray[np.float64]:
    """(n_jk + 1) e(n_jk), normalised over k, with e(n) = (1 + 1/n)^n and e(0) = 1.

    The distribution of the next case that is closest, in the worst case, to the likelihood maximised with that case in
    hindsight (Liao, section 4.3): n^n becomes (n+1)^(n+1), whose ratio is (n+1) e(n). It has no parameter, like the NML
    scores that it goes with.
    """
    counts = family.counts.astype(np.float64)
    # e(0) = 1 comes out by itself: 0 times any logarithm.
    growth = np.exp(counts * np.log1p(1 / np.maximum(counts, 1)))
    weights: NDArray[np.float64] = (counts + 1) * growth
    table: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return table


ESTIMATORS: dict[str, Estimator] = {
    # A configuration that the data do not show stays undefined, as the "---" of Lau's figure 1.
    "mle": Estimator(
        "relative frequencies n_jk / n_j; undefined where the data show no case",
        lambda family: posterior_mean(family.counts, 0.0),
    ),
    # Lau's "Bayesian correction" (section 3.5), the posterior mean under K2's prior.
    "laplace": Estimator(
        "(n_jk + 1) / (n_j + r): one imaginary case per cell", lambda family: posterior_mean(family.counts, 1.0)
    ),
    "m-estimate": Estimator(
        "(n_jk + m/(q r)) / (n_j + m/q): m imaginary cases per table",
        _m_table,
        {"m": "the number of imaginary cases, spread over the whole table (default 1)"},
    ),
    "bd": Estimator(
        "(n_jk + a_jk) / (n_j + a_j): the posterior mean under a BD score's Dirichlet prior",
        _bd_table,
        {
            "alpha": "the prior: 'bdeu' (ess/(q r), the default), 'k2' (1), 'bdj' (1/2), a number for every cell, a "
            "BayesianNetwork (BDe), a mapping from variables to arrays of shape (q, r), or a function of FamilyCounts",
            "ess": "the equivalent sample size of 'bdeu' and of a prior network (default 1)",
        },
    ),
    "snml": Estimator("(n_jk + 1) e(n_jk), normalised, e(n) = (1 + 1/n)^n: sequential NML, no parameter", _snml_table),
}


def fit_parameters(
    dag: Dag,
    data: Dataset,
    *,
    estimator: str = "bd",
    progress: bool | ProgressCallback | None = None,
    **parameters: Any,
) -> BayesianNetwork:
    """Estimate the tables of a network with a given structure.

    Parameters
    ----------
    dag
        The structure. Its nodes are matched with the data's variables by name; variables of the data that it does not
        have are left out.
    data
        The data; weights count. A variable's table is estimated without the cases in which it was set
        (`Dataset.targets`); if it was set in all, what the estimator makes of no case.
    estimator
        "bd" (the default): the posterior mean under the prior `alpha` ("bdeu" with `ess`, the default with ess = 1;
        "k2", "bdj", a number, a prior network, arrays per variable, or a function); "mle": relative frequencies,
        undefined (NaN) where the data show no case; "laplace": one imaginary case per cell; "m-estimate": `m` imaginary
        cases per table; "snml": sequential NML.
    progress
        See `arcwise.progress.show_progress`.
    parameters
        The estimator's parameters: ``ESTIMATORS[estimator].parameters`` describes them.

    Returns
    -------
    BayesianNetwork
        With the states of the data, in the order of the DAG's nodes.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset.from_codes(np.array([[0, 0], [0, 1], [0, 1], [1, 1]]), names=["a", "b"])
    >>> network = fit_parameters(Dag.from_arcs(["a", "b"], [("a", "b")]), data, estimator="laplace")
    >>> network.tables[1].round(3).tolist()
    [[0.4, 0.6], [0.333, 0.667]]
    """
    check_known("estimator", estimator, ESTIMATORS)
    chosen = ESTIMATORS[estimator]
    chosen.check_parameters(estimator, parameters)
    columns = column_positions(data, dag.names, "structure's nodes")
    states = tuple(data.states[column] for column in columns)
    sizes = table_sizes(dag, states)
    tables = []
    with Run.begin(None, progress) as run:
        for v, parents in enumerate(dag.parents):
            told = data.cases_without(dag.names[v])
            counts = contingency(told, [columns[u] for u in (*parents, v)]).reshape(sizes[v])
            family = FamilyCounts(dag.names[v], tuple(dag.names[p] for p in parents), counts)
            tables.append(chosen.table(family, **parameters))
            run.report("fitting", v + 1, dag.n_nodes)
    return BayesianNetwork(dag, states, tables)
