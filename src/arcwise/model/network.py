"""`BayesianNetwork`: a DAG, the states of its variables, and one conditional probability table per variable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.intervals import state_holding
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.graph import Dag
from arcwise.model.probability_tables import (
    MAX_CELLS,
    check_rows,
    check_states,
    flat_table,
    in_order,
    table_sizes,
    table_views,
)
from arcwise.showing import LINES, html_table

if TYPE_CHECKING:
    import os

    import networkx
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise import _core
    from arcwise.data import Dataset, Table
    from arcwise.model.distribution import Distribution, Explanation, Marginals, RowDistributions
    from arcwise.model.intervention import Setting
    from arcwise.progress import ProgressCallback
    from arcwise.seeds import Seed

__all__ = ["BayesianNetwork", "NetworkArrays"]

# What the native core takes: arities, parent offsets, parents, table offsets, values, topological order.
NetworkArrays = tuple[
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int32],
]


class BayesianNetwork:
    """A DAG with a conditional probability table for every variable; immutable and checked.

    Parameters
    ----------
    dag
        The structure.
    states
        The names of each variable's states, in the order of ``dag.names``, or as a mapping from variable names. One
        state is enough, though data need two.
    tables
        For each variable, in the order of ``dag.names`` or as a mapping from variable names, the probabilities of its
        states given its parents: an array of shape (q, r), one row per parent configuration and one column per state,
        or of shape (r_1, ..., r_k, r) with one axis per parent. Parents are in the order of ``dag.parents``
        (ascending), the first varying slowest. A row is a distribution (it sums to 1 within 0.001), or all NaN:
        undefined, as a maximum-likelihood estimate is where the data show no case.

    Examples
    --------
    >>> dag = Dag.from_arcs(["rain", "wet"], [("rain", "wet")])
    >>> network = BayesianNetwork(
    ...     dag, [["no", "yes"], ["no", "yes"]], [[[0.8, 0.2]], [[0.9, 0.1], [0.05, 0.95]]]
    ... )
    >>> round(network.query("rain", {"wet": "yes"})["yes"], 4)
    0.7037
    >>> float(network.cpt("wet").loc["yes", "yes"])
    0.95
    """

    __slots__ = ("__dict__", "_dag", "_states", "_tables", "_values")

    def __init__(
        self,
        dag: Dag,
        states: Sequence[Sequence[str]] | Mapping[str, Sequence[str]],
        tables: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    ) -> None:
        names = dag.names
        if not names:
            raise OptionError("a network needs at least one variable.")
        listed_states = in_order("states", names, states)
        listed_tables = in_order("tables", names, tables)
        self._dag = dag
        self._states = tuple(tuple(variable) for variable in listed_states)
        check_states(names, self._states)
        sizes = table_sizes(dag, self._states)
        offsets = np.concatenate([[0], np.cumsum([q * r for q, r in sizes])])
        values = np.empty(int(offsets[-1]), dtype=np.float64)
        for v, given in enumerate(listed_tables):
            values[offsets[v] : offsets[v + 1]] = flat_table(dag, v, given, sizes)
        self._values = values
        self._tables = table_views(values, sizes)
        for v, table in enumerate(self._tables):
            check_rows(names[v], table, lambda row, v=v: self.describe_row(v, row))  # type: ignore[misc]

    @classmethod
    def _from_flat(cls, dag: Dag, states: Sequence[Sequence[str]], values: NDArray[np.float64]) -> BayesianNetwork:
        """Make a network from tables that are already flat, in order, and checked."""
        network = cls.__new__(cls)
        network._dag = dag
        network._states = tuple(tuple(variable) for variable in states)
        network._values = values
        network._tables = table_views(values, table_sizes(dag, network._states))
        return network

    def __reduce__(self) -> tuple[Any, ...]:
        return BayesianNetwork._from_flat, (self._dag, self._states, self._values)

    # What it is made of

    @property
    def dag(self) -> Dag:
        """The structure."""
        return self._dag

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._dag.names

    @property
    def n_variables(self) -> int:
        """The number of variables, n."""
        return len(self._dag.names)

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The names of each variable's states."""
        return self._states

    @property
    def tables(self) -> tuple[NDArray[np.float64], ...]:
        """For each variable, its read-only table of shape (q, r); undefined rows are NaN."""
        return self._tables

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states r of each variable."""
        return np.array([len(states) for states in self._states], dtype=np.int32)

    @cached_property
    def n_free_parameters(self) -> int:
        """The number of free parameters: the sum of q (r - 1) over the variables."""
        return sum(len(table) * (table.shape[1] - 1) for table in self._tables)

    @cached_property
    def n_undefined_rows(self) -> int:
        """The number of rows, over all tables, that are undefined."""
        return sum(int(np.isnan(table[:, 0]).sum()) for table in self._tables)

    @property
    def is_defined(self) -> bool:
        """Whether every row of every table is defined."""
        return self.n_undefined_rows == 0

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        try:
            return self._positions[name]
        except KeyError:
            raise UnknownNameError(suggestion("variable", str(name), self.names)) from None

    def state_index(self, name: str, state: object) -> int:
        """Return the position of a state of a variable; what is not a string is compared by its text, as 1 is '1'.

        A number stands for the state that is the interval which holds it: 50 for ``(37,61]``.
        """
        v = self.index(name)
        text = state if isinstance(state, str) else str(state)
        if text in self._states[v]:
            return self._states[v].index(text)
        return self._states[v].index(state_holding(name, text, self._states[v]))

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the parents of a variable, in the order of its table."""
        return tuple(self.names[p] for p in self._dag.parents[self.index(name)])

    def table(self, name: str) -> NDArray[np.float64]:
        """Return the table of a variable with one axis per parent, and the variable's states on the last."""
        v = self.index(name)
        shape = [len(self._states[p]) for p in (*self._dag.parents[v], v)]
        return self._tables[v].reshape(shape)

    def cpt(self, name: str) -> pd.DataFrame:
        """Return the table of a variable with labels: a row per configuration of the parents, a column per state."""
        import pandas as pd

        v = self.index(name)
        parents = self._dag.parents[v]
        columns = pd.Index(self._states[v], name=name)
        if not parents:
            return pd.DataFrame(self._tables[v].copy(), index=["probability"], columns=columns)
        names = [self.names[p] for p in parents]
        if len(parents) == 1:
            index: pd.Index[Any] = pd.Index(self._states[parents[0]], name=names[0])
        else:
            index = pd.MultiIndex.from_product([self._states[p] for p in parents], names=names)
        return pd.DataFrame(self._tables[v].copy(), index=index, columns=columns)

    def normalized(self) -> BayesianNetwork:
        """Return the network with every row divided by its sum, so that it sums to 1 to the last digit."""
        values = np.concatenate([(table / table.sum(axis=1, keepdims=True)).ravel() for table in self._tables])
        return BayesianNetwork._from_flat(self._dag, self._states, values)

    def describe_row(self, v: int, row: int) -> str:
        """Return a table's row in words, such as 'wet | rain=yes': for messages."""
        conditions = []
        for p in reversed(self._dag.parents[v]):
            row, code = divmod(row, len(self._states[p]))
            conditions.append(f"{self.names[p]}={self._states[p][code]}")
        return " | ".join([self.names[v], ", ".join(reversed(conditions))]) if conditions else self.names[v]

    # What one does with it: each is a function of a module of this stage

    def log_likelihood(
        self, data: Dataset, *, threads: int | None = None, progress: bool | ProgressCallback | None = None
    ) -> float:
        """Return the log-likelihood of the data: see `arcwise.model.likelihood.log_likelihood`."""
        from arcwise.model.likelihood import log_likelihood

        return log_likelihood(self, data, threads=threads, progress=progress)

    def row_log_likelihoods(
        self, data: Dataset, *, threads: int | None = None, progress: bool | ProgressCallback | None = None
    ) -> NDArray[np.float64]:
        """Return the log-likelihood of every row: see `arcwise.model.likelihood.row_log_likelihoods`."""
        from arcwise.model.likelihood import row_log_likelihoods

        return row_log_likelihoods(self, data, threads=threads, progress=progress)

    def sample(
        self,
        rows: int,
        *,
        seed: Seed = None,
        do: Mapping[str, Setting] | None = None,
        threads: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Dataset:
        """Draw rows by forward sampling, also under an experiment: see `arcwise.model.sampling.sample`."""
        from arcwise.model.sampling import sample

        return sample(self, rows, seed=seed, do=do, threads=threads, progress=progress)

    def do(self, settings: Mapping[str, Setting]) -> BayesianNetwork:
        """Return the network under an experiment that sets variables: see `arcwise.model.intervention.mutilated`.

        ``network.do({"rain": "yes"}).query("wet")`` is the distribution of `wet` if we make it rain.
        """
        from arcwise.model.intervention import mutilated

        return mutilated(self, settings)

    def query(
        self,
        variables: str | Sequence[str],
        evidence: Mapping[str, object] | None = None,
        *,
        max_cells: int = MAX_CELLS,
        threads: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Distribution:
        """Return the joint distribution of variables given evidence: ``network.query("rain", {"wet": "yes"})``.

        See `arcwise.model.inference.query`.
        """
        from arcwise.model.inference import query

        return query(self, variables, evidence, max_cells=max_cells, threads=threads, progress=progress)

    def marginals(
        self,
        evidence: Mapping[str, object] | None = None,
        *,
        max_cells: int = MAX_CELLS,
        threads: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Marginals:
        """Return the distribution of each variable given evidence: see `arcwise.model.inference.marginals`."""
        from arcwise.model.inference import marginals

        return marginals(self, evidence, max_cells=max_cells, threads=threads, progress=progress)

    def most_probable(
        self,
        evidence: Mapping[str, object] | None = None,
        *,
        max_cells: int = MAX_CELLS,
        threads: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Explanation:
        """Return the most probable states of all other variables: see `arcwise.model.inference.most_probable`."""
        from arcwise.model.inference import most_probable

        return most_probable(self, evidence, max_cells=max_cells, threads=threads, progress=progress)

    def log_probability(
        self,
        evidence: Mapping[str, object],
        *,
        max_cells: int = MAX_CELLS,
        threads: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> float:
        """Return the log of the probability of evidence: see `arcwise.model.inference.log_probability`."""
        from arcwise.model.inference import log_probability

        return log_probability(self, evidence, max_cells=max_cells, threads=threads, progress=progress)

    def query_rows(
        self,
        variables: str | Sequence[str],
        rows: Dataset | Table | pd.DataFrame,
        evidence: Mapping[str, object] | None = None,
        **options: Any,
    ) -> RowDistributions:
        """Return a distribution for each row of evidence: see `arcwise.model.prediction.query_rows`."""
        from arcwise.model.prediction import query_rows

        return query_rows(self, variables, rows, evidence, **options)

    def predict_proba(self, rows: Dataset | Table | pd.DataFrame, target: str, **options: Any) -> NDArray[np.float64]:
        """Return the probabilities of a variable's states for each row: see `arcwise.model.prediction`."""
        from arcwise.model.prediction import predict_proba

        return predict_proba(self, rows, target, **options)

    def predict(self, rows: Dataset | Table | pd.DataFrame, target: str, **options: Any) -> NDArray[np.object_]:
        """Return the most probable state of a variable for each row: see `arcwise.model.prediction`."""
        from arcwise.model.prediction import predict

        return predict(self, rows, target, **options)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> BayesianNetwork:
        """Read a file, its format by its name: see `arcwise.model.network_files.read_network`."""
        from arcwise.model.network_files import read_network

        return read_network(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file, its format by its name: see `arcwise.model.network_files.write_network`."""
        from arcwise.model.network_files import write_network

        write_network(self, path)

    @classmethod
    def read_bif(cls, path: str | os.PathLike[str]) -> BayesianNetwork:
        """Read a BIF file, plain or gzip: see `arcwise.model.bif.read_bif`."""
        from arcwise.model.bif import read_bif

        return read_bif(path)

    def write_bif(self, path: str | os.PathLike[str]) -> None:
        """Write a BIF file, compressed if the name ends in .gz: see `arcwise.model.bif.write_bif`."""
        from arcwise.model.bif import write_bif

        write_bif(self, path)

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return a networkx graph with states and tables as attributes: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import to_networkx

        return to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph[Any]) -> BayesianNetwork:
        """Make a network from a networkx graph with such attributes: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import from_networkx

        return from_networkx(graph)

    def to_pgmpy(self) -> Any:
        """Return the network as pgmpy's class, if pgmpy is installed: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import to_pgmpy

        return to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> BayesianNetwork:
        """Make a network from one of pgmpy's: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import from_pgmpy

        return from_pgmpy(model)

    def to_pyagrum(self) -> Any:
        """Return the network as pyAgrum's class, if pyAgrum is installed: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import to_pyagrum

        return to_pyagrum(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> BayesianNetwork:
        """Make a network from one of pyAgrum's: see `arcwise.model.interchange`."""
        from arcwise.model.interchange import from_pyagrum

        return from_pyagrum(model)

    # Comparison

    def is_close(self, other: BayesianNetwork, *, tolerance: float = 1e-12) -> bool:
        """Whether two networks have the same structure and states, and tables that differ by at most `tolerance`."""

        def same(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
            return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True))

        return self._same_frame(other) and all(map(same, self._tables, other._tables))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        same: Callable[..., bool] = lambda a, b: np.array_equal(a, b, equal_nan=True)  # noqa: E731
        return self._same_frame(other) and all(map(same, self._tables, other._tables))

    def __hash__(self) -> int:
        return hash((self._dag, self._states))

    def __repr__(self) -> str:
        return (
            f"BayesianNetwork({self.n_variables} variables, {len(self._dag.arcs)} arcs, "
            f"{self.n_free_parameters:,} free parameters)"
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the structure in layers, by matplotlib; return the axes."""
        return self._dag.plot(ax=ax)

    def _repr_html_(self) -> str:
        rows = [
            (name, ", ".join(self.parents(name)), ", ".join(states), f"{table.shape[0]} x {table.shape[1]}")
            for name, states, table in zip(self.names, self._states, self._tables, strict=True)
        ]
        table = html_table(repr(self), ("variable", "parents", "states", "table"), rows[:LINES], len(rows))
        return (self._dag._repr_svg_() or "") + table

    def _same_frame(self, other: BayesianNetwork) -> bool:
        return self._dag == other._dag and self._states == other._states

    # Inside

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: v for v, name in enumerate(self.names)}

    @cached_property
    def native_arrays(self) -> NetworkArrays:
        """The network as the native core takes it."""
        parents = self._dag.parents
        sizes = [table.size for table in self._tables]
        return (
            self.arities,
            np.concatenate([[0], np.cumsum([len(ps) for ps in parents])]).astype(np.int64),
            np.array([p for ps in parents for p in ps], dtype=np.int32),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            self._values,
            np.array(self._dag.topological_order, dtype=np.int32),
        )

    @cached_property
    def native_inference(self) -> _core.model.Inference:
        """The network with its rows scaled to sum to 1, ready for queries."""
        from arcwise import _core

        return _core.model.Inference(*self.native_arrays)
