"""`fit_parameters`: the tables of a network, estimated from data."""

from __future__ import annotations

from typing import Any

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import DataError, UnknownNameError, suggestion
from arcwise.graph import Dag
from arcwise.model.estimators import ESTIMATORS, FamilyCounts
from arcwise.model.network import BayesianNetwork
from arcwise.model.probability_tables import table_sizes
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress

__all__ = ["fit_parameters"]


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
    if estimator not in ESTIMATORS:
        raise UnknownNameError(suggestion("estimator", estimator, ESTIMATORS))
    chosen = ESTIMATORS[estimator]
    chosen.check_parameters(estimator, parameters)
    columns = _columns(dag, data)
    states = tuple(data.states[column] for column in columns)
    sizes = table_sizes(dag, states)
    tables = []
    with show_progress(progress) as callback:
        for v, parents in enumerate(dag.parents):
            told = data.cases_without(dag.names[v])
            counts = contingency(told, [columns[u] for u in (*parents, v)]).reshape(sizes[v])
            family = FamilyCounts(dag.names[v], tuple(dag.names[p] for p in parents), counts)
            tables.append(chosen.table(family, **parameters))
            callback(ProgressEvent("fitting", v + 1, dag.n_nodes))
    return BayesianNetwork(dag, states, tables)


def _columns(dag: Dag, data: Dataset) -> list[int]:
    positions = {name: column for column, name in enumerate(data.names)}
    missing = [name for name in dag.names if name not in positions]
    if missing:
        raise DataError(
            f"the data have no column {', '.join(repr(name) for name in missing)} of the structure's nodes; "
            f"the columns are {', '.join(data.names)}."
        )
    return [positions[name] for name in dag.names]
