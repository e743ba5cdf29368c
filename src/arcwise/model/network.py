"""`BayesianNetwork`: a DAG, the states of its variables, and one conditional probability table per variable."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.base.errors import Hinted, UnknownNameError, suggestion
from arcwise.base.files import read_bytes
from arcwise.base.showing import LINES, data_frame, html_table
from arcwise.data.discretize import state_holding
from arcwise.graph.dag import Dag
from arcwise.model import files, inference
from arcwise.model.files import MAX_FILE_CELLS
from arcwise.model.tables import ROW_TOLERANCE, checked_parts, describe_row, state_labels, table_sizes, table_views

if TYPE_CHECKING:
    import os

    import networkx
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.model.inference import Setting


# What the native core takes: arities, parent offsets, parents, table offsets, values, topological order.
NetworkArrays = tuple[
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int32],
]


class BayesianNetwork(Hinted):
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
    _KIND = "network"

    def __init__(
        self,
        dag: Dag,
        states: Sequence[Sequence[str]] | Mapping[str, Sequence[str]],
        tables: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    ) -> None:
        self._dag, self._states, self._values = checked_parts(dag, states, tables)
        self._tables = table_views(self._values, table_sizes(dag, self._states))

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
        v = self.index(name)
        parents = self._dag.parents[v]
        index = state_labels(self.parents(name), [self._states[p] for p in parents]) if parents else ["probability"]
        return data_frame(self._tables[v].copy(), index=index, columns=state_labels([name], [self._states[v]]))

    def normalized(self) -> BayesianNetwork:
        """Return the network with every row divided by its sum, so that it sums to 1 to the last digit."""
        values = np.concatenate([(table / table.sum(axis=1, keepdims=True)).ravel() for table in self._tables])
        return BayesianNetwork._from_flat(self._dag, self._states, values)

    def joint_probabilities(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """Return the probabilities of all combinations of states of `variables`, one axis each, in the order given.

        With it a network is a prior of the score BDe: ``make_score("bde", prior=network, ess=10)``.
        """
        return self.query(variables, threads=1, progress=False).probabilities

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the structure, the states and the tables."""
        facts = repr((self.names, self._states, self._dag.parents))
        return hashlib.sha256(facts.encode() + self._values.astype("<f8").tobytes()).hexdigest()

    def describe_row(self, v: int, row: int) -> str:
        """Return a table's row in words, such as 'wet | rain=yes': for messages."""
        return describe_row(self._dag, self._states, v, row)

    # What one does with it: each is a function of a module of this stage

    log_likelihood = inference.log_likelihood
    row_log_likelihoods = inference.row_log_likelihoods
    query = inference.query
    marginals = inference.marginals
    most_probable = inference.most_probable
    log_probability = inference.log_probability
    query_rows = inference.query_rows
    predict_proba = inference.predict_proba
    predict = inference.predict
    sample = inference.sample
    write = files.write_network
    write_bif = files.write_bif
    to_networkx = files.to_networkx
    to_pgmpy = files.to_pgmpy
    to_pyagrum = files.to_pyagrum

    def do(self, settings: Mapping[str, Setting]) -> BayesianNetwork:
        """Return the network under an experiment that sets variables: see `arcwise.model.inference.mutilated`.

        ``network.do({"rain": "yes"}).query("wet")`` is the distribution of `wet` if we make it rain.
        """
        return BayesianNetwork._from_flat(*inference.mutilated(self, settings))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> BayesianNetwork:
        """Read a file, its format by its name: see `arcwise.model.read_network`."""
        return cls._from_flat(*files.network_parts(path))

    @classmethod
    def read_bif(cls, path: str | os.PathLike[str]) -> BayesianNetwork:
        """Read a BIF file, plain or gzip: see `arcwise.model.read_bif`."""
        return read_bif(path)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph[Any]) -> BayesianNetwork:
        """Make a network from a networkx graph with such attributes: see `arcwise.model.files`."""
        return cls._from_flat(*files.from_networkx(graph))

    @classmethod
    def from_pgmpy(cls, model: Any) -> BayesianNetwork:
        """Make a network from one of pgmpy's: see `arcwise.model.files`."""
        return cls._from_flat(*files.from_pgmpy(model))

    @classmethod
    def from_pyagrum(cls, model: Any) -> BayesianNetwork:
        """Make a network from one of pyAgrum's: see `arcwise.model.files`."""
        return cls._from_flat(*files.from_pyagrum(model))

    # Comparison

    def is_close(self, other: BayesianNetwork, *, tolerance: float = 1e-12) -> bool:
        """Whether two networks have the same structure and states, and tables that differ by at most `tolerance`."""
        if self._dag != other._dag or self._states != other._states:
            return False
        return bool(np.allclose(self._values, other._values, rtol=0, atol=tolerance, equal_nan=True))

    def __eq__(self, other: object) -> bool:
        return self.is_close(other, tolerance=0.0) if isinstance(other, BayesianNetwork) else NotImplemented

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
        return _core.model.Inference(*self.native_arrays)


def read_bif(
    path: str | os.PathLike[str], *, tolerance: float = ROW_TOLERANCE, max_cells: int = MAX_FILE_CELLS
) -> BayesianNetwork:
    """Read a network from a BIF file, plain or gzip.

    Parameters
    ----------
    path
        The file; whether it is compressed is seen from its content.
    tolerance
        How far the sum of a row may be from 1 (at most 0.001). The numbers are kept as they are;
        `BayesianNetwork.normalized` scales them.
    max_cells
        The largest count of numbers that the file's tables may hold together.

    Raises
    ------
    FormatError
        The file is damaged or is not a BIF file; the message names file, line and column.
    """
    return parse_bif(read_bytes(path), source=str(path), tolerance=tolerance, max_cells=max_cells)


def parse_bif(
    text: str | bytes,
    *,
    source: str = "<text>",
    tolerance: float = ROW_TOLERANCE,
    max_cells: int = MAX_FILE_CELLS,
) -> BayesianNetwork:
    """Read a network from the text of a BIF file; `source` is its name in messages. See `read_bif`."""
    return BayesianNetwork._from_flat(*files.bif_parts(text, source, tolerance, max_cells))


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network with its tables, plain or gzip; the suffix (before .gz) says how it is written.

    - .bif: BIF, as bnlearn, pgmpy and the Bayesian Network Repository use it;
    - .xmlbif, .bifxml, .xml: XMLBIF; .net: Hugin; .xdsl: GeNIe; .uai: the UAI evaluations.

    Raises
    ------
    FormatError
        The file is damaged or of another kind; the message names the file and the place.
    """
    return BayesianNetwork.read(path)


def parse_network(content: bytes, kind: str, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network that a file's content describes in the given format, a key of `NETWORK_FORMATS`."""
    return BayesianNetwork._from_flat(*files.NETWORK_FORMATS[kind].parse(content, source=source))
