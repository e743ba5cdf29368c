"""Exact inference: marginals, conditionals, and the most probable explanation, by junction trees in the native core.

Variables that are neither asked for, nor observed, nor ancestors of such, sum out to 1 and are left out. Evidence
cuts the tables. The rest is eliminated in a good order, which makes a tree of cliques. The size of every clique is
known before the first is computed, so that a query that is too large is refused at once, and messages are scaled, so
that a long product of small probabilities does not underflow. `tests/twins/inference.py` says the same in numpy.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, DataError, Either, OptionError, Remedy, check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Seed, Status
from arcwise.data.checks import Targets
from arcwise.data.dataset import Dataset, states_of
from arcwise.data.table import Table
from arcwise.graph.dag import Dag
from arcwise.model.tables import (
    MAX_CELLS,
    ROW_TOLERANCE,
    Distribution,
    Explanation,
    Marginals,
    Parts,
    RowDistributions,
    read_asked,
)

if TYPE_CHECKING:
    import pandas as pd

    from arcwise._core.model import Outcome
    from arcwise.model.network import BayesianNetwork


# What the native core answers instead of a result; `arcwise::Refusal`.
IMPOSSIBLE, UNDEFINED, TOO_LARGE, INTERRUPTED = 1, 2, 3, 4


def query(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Distribution:
    """Return the joint distribution of variables, given the states of others.

    Parameters
    ----------
    network
        The network. Undefined rows may not take part: a table with one is an error unless evidence or structure
        leaves that row out.
    variables
        The variable asked for, or several; their order is that of the result's axes. Or all of it as text:
        ``"P(cough | smoke=yes)"``.
    evidence
        Observed variables and their states.
    max_cells
        The most cells that the largest clique, and that all messages together, may have; messages take 8 bytes a cell.
    threads
        The number of threads (default: all cores). The result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.

    Raises
    ------
    OptionError
        The evidence is impossible, the query is too large, or a name is unknown.
    """
    variables, evidence = read_asked(variables, evidence, network.names)
    positions, states = asked_and_observed(network, variables, evidence)
    with Run.begin(None, progress, threads) as run:
        outcome, table = network.native_inference.query(
            positions, states, max_cells, run.thread_count, run.native_report("query")
        )
    check_outcome(network, outcome, evidence, max_cells)
    return Distribution(
        tuple(network.names[v] for v in positions),
        tuple(network.states[v] for v in positions),
        table.reshape([len(network.states[v]) for v in positions]),
        outcome[2] if evidence else 0.0,
    )


def marginals(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Marginals:
    """Return the distribution of every variable that is not observed, given evidence; see `query`.

    All of them come from one propagation through the junction tree; or from one query each, where that takes less.
    """
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        outcome, flat = network.native_inference.marginals(
            states, max_cells, run.thread_count, run.native_report("marginals")
        )
    check_outcome(network, outcome, evidence, max_cells)
    log_evidence = outcome[2] if evidence else 0.0
    found = {}
    start = 0
    for name, own, observed in zip(network.names, network.states, states, strict=True):
        if observed < 0:
            found[name] = Distribution((name,), (own,), flat[start : start + len(own)], log_evidence)
        start += len(own)
    return Marginals(found, log_evidence)


def most_probable(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Explanation:
    """Return the most probable states of all variables that are not observed, together; see `query`.

    This is the most probable explanation of the evidence (MPE). It is in general not made of the most probable state of
    each variable. If several explanations are equally probable, one of them is returned, always the same.
    """
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        outcome, found, log_joint = network.native_inference.most_probable(
            states, max_cells, run.thread_count, run.native_report("most probable explanation")
        )
    check_outcome(network, outcome, evidence, max_cells)
    log_evidence = 0.0
    if evidence:
        log_evidence = log_probability(network, evidence, max_cells=max_cells, threads=threads, progress=progress)
    chosen = {
        name: own[state]
        for name, own, state, observed in zip(network.names, network.states, found.tolist(), states, strict=True)
        if observed < 0
    }
    return Explanation(chosen, log_joint, log_evidence)


def log_probability(
    network: BayesianNetwork,
    evidence: Mapping[str, object],
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return the natural logarithm of the probability of evidence; -inf if it is impossible. See `query`."""
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        outcome, _ = network.native_inference.query([], states, max_cells, run.thread_count, run.native_report("query"))
    if outcome[0] == IMPOSSIBLE:
        return -math.inf
    check_outcome(network, outcome, evidence, max_cells)
    return outcome[2]


def asked_and_observed(
    network: BayesianNetwork, variables: str | Sequence[str], evidence: Mapping[str, object] | None
) -> tuple[list[int], list[int]]:
    """Return the positions of the variables of a query, and `observed_states`."""
    asked = [variables] if isinstance(variables, str) else list(variables)
    if not asked:
        raise OptionError("a query needs at least one variable; for the probability of evidence use log_probability.")
    positions = [network.index(name) for name in asked]
    if len(set(positions)) < len(positions):
        raise OptionError(f"the query names a variable twice: {', '.join(asked)}.")
    states = observed_states(network, evidence)
    for v in positions:
        if states[v] >= 0:
            raise OptionError(f"variable '{network.names[v]}' is both asked for and observed; ask for others.")
    return positions, states


def observed_states(network: BayesianNetwork, evidence: Mapping[str, object] | None) -> list[int]:
    """Return one state per variable, -1 if it is not observed."""
    states = [-1] * network.n_variables
    for name, state in (evidence or {}).items():
        states[network.index(name)] = network.state_index(name, state)
    return states


def check_outcome(
    network: BayesianNetwork, outcome: Outcome, evidence: Mapping[str, object] | None, max_cells: int
) -> None:
    """Raise what the native core refused."""
    refusal, variable, _, width, largest, messages = outcome
    if refusal == INTERRUPTED:
        raise KeyboardInterrupt
    if refusal == IMPOSSIBLE:
        given = ", ".join(f"{name}={state}" for name, state in (evidence or {}).items())
        raise OptionError(f"the evidence is impossible: {given} has probability 0.")
    if refusal == UNDEFINED:
        row = int(np.flatnonzero(np.isnan(network.tables[variable][:, 0]))[0])
        raise OptionError(
            f"the query meets undefined entries of the table of '{network.names[variable]}', such as the row for "
            f"{network.describe_row(variable, row)}. Fit the parameters with an estimator that defines them, such as "
            "'laplace' or 'bd'."
        )
    if refusal == TOO_LARGE:
        raise OptionError(
            f"the query is too large: its junction tree has width {width:.0f}, with {_counted(largest)} cells in the "
            f"largest clique and {_counted(messages)} in all messages ({messages * 8 / 2**30:,.1f} GiB), and at most "
            f"{max_cells:,} are allowed for each.",
            remedies=(
                Remedy("ask for fewer variables at once"),
                Remedy("observe more"),
                Remedy("raise", Either("max_cells", Argument("max_cells"))),
                Remedy("estimate it from a sample"),
            ),
        )


def _counted(cells: float) -> str:
    return f"{cells:,.0f}" if cells < 1e18 else f"{cells:.2g}"


# The log-likelihood of data under a network: of every row, and in total.


def log_likelihood(
    network: BayesianNetwork,
    data: Dataset,
    *,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return the log-likelihood of the data: the sum of the rows' log-likelihoods, each times its weight.

    It is -inf if the network gives some row the probability 0, and NaN if some row meets an undefined entry (a
    maximum-likelihood table where the data it was fitted to show no case); rows of weight 0 do not count. To see which
    rows these are, or to leave them out, use `row_log_likelihoods`; to avoid both, fit with an estimator that smooths.
    See `row_log_likelihoods` for the other parameters.
    """
    rows = row_log_likelihoods(network, data, threads=threads, progress=progress)
    weights = data.row_weights
    if weights is None:
        return float(rows.sum())
    counted = weights > 0
    return float((rows[counted] * weights[counted]).sum())


def row_log_likelihoods(
    network: BayesianNetwork,
    data: Dataset,
    *,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.float64]:
    """Return the log-likelihood of every stored row (natural logarithm), ignoring weights.

    A row that the network gives probability 0 has -inf; a row that meets an undefined entry has NaN.

    Parameters
    ----------
    network, data
        Variables and states are matched by name; columns that the network does not have are ignored, and
        a state that occurs in the data must be a state of the network. A variable has no part in the rows in which an
        experiment set it (`Dataset.targets`).
    threads, progress
        As in `query`.
    """
    data = states_of(data, Remedy("fit a MixedNetwork, from arcwise.model"))
    codes, positions = _aligned(network, data)
    of_row, was_set = _interventions(network, data)
    with Run.begin(None, progress, threads) as run:
        rows, status = _core.model.log_likelihood(
            _core.model.NetworkView(*network.native_arrays),
            codes,
            positions,
            of_row,
            was_set,
            run.thread_count,
            run.native_report("log-likelihood"),
        )
    Status.from_native(status).unless_interrupted()
    return rows


def column_positions(data: Dataset, names: Sequence[str], whose: str) -> list[int]:
    """Return where the columns of names are; one that the data do not have is an error that says whose it is."""
    positions = {name: column for column, name in enumerate(data.names)}
    missing = [name for name in names if name not in positions]
    if missing:
        raise DataError(
            f"the data have no column {', '.join(map(repr, missing))} of the {whose}; "
            f"the columns are {', '.join(data.names)}."
        )
    return [positions[name] for name in names]


def _aligned(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int32]]:
    """Return codes in the network's coding, and the row of the codes for each variable; copies only if it must."""
    positions = np.array(column_positions(data, network.names, "network's variables"), dtype=np.int32)
    if all(data.states[c] == states for c, states in zip(positions, network.states, strict=True)):
        return data.codes, positions
    kind = Dataset.code_type(int(max(*network.arities, 1)))
    codes = np.empty((network.n_variables, data.n_rows), dtype=kind)
    for v, column in enumerate(positions):
        codes[v] = state_codes(network, v, data.states[column], data.codes[column])[data.codes[column]]
    return codes, np.arange(network.n_variables, dtype=np.int32)


def _interventions(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the experiment of each row, and for each the network's variables that it set; both empty for none."""
    if data.targets is None:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
    rows = [[name in names for name in network.names] for names in data.targets.sets]
    return data.targets.of_row, np.array(rows, dtype=np.uint8).ravel()


def state_codes(
    network: BayesianNetwork, v: int, labels: Sequence[str], codes: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Return the network's code for each state of a column, -1 for one that no row has, and -1 for gaps as the last.

    A state of some row that the network lacks is an error.
    """
    known = {state: code for code, state in enumerate(network.states[v])}
    recode = np.array([*(known.get(label, -1) for label in labels), -1], dtype=np.int32)
    unknown = np.flatnonzero(recode[:-1] < 0)
    seen = unknown[np.isin(unknown, codes)] if len(unknown) else unknown
    if len(seen):
        raise DataError(
            f"column '{network.names[v]}' has the state '{labels[seen[0]]}', which the network does not know, in "
            f"{np.count_nonzero(codes == seen[0]):,} rows; the network's states are {', '.join(network.states[v])}."
        )
    return recode


# Many rows of evidence at once: the distribution of some variables for each row, and the prediction of one.
#
# Rows are grouped by which variables they observe; each group has one junction tree. Of the evidence, only what is
# not separated from the variables asked for takes part (with complete rows, the Markov blanket), and rows that agree
# on it are answered once. This is why a million rows take about a second.


class EvidenceColumns:
    """Columns of states, in the network's coding, with gaps where a row does not observe a variable.

    Columns that the network does not have, and those of the variables asked for, are left aside; `given` has the state
    of every variable that all rows observe, else -1.
    """

    def __init__(
        self, network: BayesianNetwork, rows: Dataset | Table, asked: Sequence[int], given: Sequence[int]
    ) -> None:
        self._network = network
        self._rows = rows
        self._given = given
        self.n_rows = rows.n_rows
        self._columns = {network.index(name): c for c, name in enumerate(rows.names) if name in set(network.names)}
        for v in asked:
            self._columns.pop(v, None)
        twice = [network.names[v] for v in self._columns if given[v] >= 0]
        if twice:
            raise DataError(f"'{twice[0]}' is both in the rows and in the evidence of all rows; give it in one place.")
        known = {v for v, state in enumerate(given) if state >= 0}
        if rows.names and not self._columns and not known and not any(network.names[v] in rows.names for v in asked):
            raise DataError(
                f"no column of the rows is a variable of the network: the columns are {', '.join(rows.names[:10])}; "
                f"the variables are {', '.join(network.names[:10])}{', ...' if network.n_variables > 10 else ''}."
            )
        self._recodes = {v: state_codes(network, v, self._labels(c), self._column(v)) for v, c in self._columns.items()}

    def patterns(self) -> Iterator[tuple[NDArray[np.int64] | slice, list[int]]]:
        """Yield, for each set of variables that some rows observe, these rows and the variables."""
        everywhere = [v for v, state in enumerate(self._given) if state >= 0]
        gaps = {}
        for v, c in self._columns.items():
            missing = self._is_missing(c)
            if missing is None or not missing.any():
                everywhere.append(v)
            else:
                gaps[v] = missing
        if not gaps:
            yield slice(None), sorted(everywhere)
            return
        packed = np.packbits(np.stack(list(gaps.values())), axis=0)
        kinds, kind_of_row = np.unique(packed, axis=1, return_inverse=True)
        order = np.argsort(kind_of_row.ravel(), kind="stable")
        bounds = np.cumsum(np.bincount(kind_of_row.ravel(), minlength=kinds.shape[1]))
        for rows in np.split(order, bounds[:-1]):
            yield rows, sorted([*everywhere, *(v for v, missing in gaps.items() if not missing[rows[0]])])

    def codes(self, variables: Sequence[int], rows: NDArray[np.int64] | slice) -> NDArray[np.int32]:
        """Return the states of variables in rows that observe them all: one line per variable."""
        count = self.n_rows if isinstance(rows, slice) else len(rows)
        codes = np.empty((len(variables), count), dtype=np.int32)
        for line, v in enumerate(variables):
            codes[line] = self._given[v] if self._given[v] >= 0 else self._recodes[v][self._column(v)[rows]]
        return codes

    def describe(self, row: int, variables: Sequence[int]) -> str:
        """Return where a row is and what it observes: for messages."""
        parts = []
        for v in variables[:8]:
            state = int(self.codes([v], np.array([row]))[0, 0])
            parts.append(f"{self._network.names[v]}={self._network.states[v][state]}")
        listed = ", ".join(parts) + (", ..." if len(variables) > 8 else "")
        where = self._rows.where(row) if isinstance(self._rows, Table) else f"row {row:,}"
        return f"{where} ({listed})"

    def _column(self, v: int) -> NDArray[np.integer]:
        c = self._columns[v]
        return self._rows.codes[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].codes

    def _labels(self, c: int) -> tuple[str, ...]:
        return self._rows.states[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].labels

    def _is_missing(self, c: int) -> NDArray[np.bool_] | None:
        return None if isinstance(self._rows, Dataset) else self._rows.columns[c].is_missing


Impossible = Literal["error", "missing"]


def query_rows(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    rows: Dataset | Table | pd.DataFrame,
    evidence: Mapping[str, object] | None = None,
    *,
    impossible: Impossible = "error",
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> RowDistributions:
    """Return the joint distribution of variables for each row of evidence.

    Parameters
    ----------
    network, variables, max_cells, threads, progress
        As in `arcwise.model.inference.query`.
    rows
        The evidence. Variables and states are matched by name; a missing value of a `Table` or DataFrame is a variable
        that this row does not observe. Columns of the variables asked for, and columns that the network does not have,
        are left aside.
    evidence
        Variables that every row observes in the same state; the rows may not have a column of these.
    impossible
        What to do with a row that the network gives probability 0, or that meets an undefined entry: "error", or
        "missing", which leaves its probabilities NaN.

    Raises
    ------
    DataError
        A state that the network does not know, or a row that is impossible.
    OptionError
        As in `arcwise.model.inference.query`.
    """
    with Run.begin(None, progress, threads) as run:
        return _answer(network, variables, rows, evidence, run, impossible=impossible, max_cells=max_cells)


def _answer(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    rows: Dataset | Table | pd.DataFrame,
    evidence: Mapping[str, object] | None,
    run: Run,
    *,
    impossible: Impossible,
    max_cells: int,
    with_evidence: bool = True,
) -> RowDistributions:
    """Answer what is asked of each row.

    Without `with_evidence` evidence that is separated from the variables asked for is not looked at, which takes less
    time; then nobody knows how probable the row is.
    """
    if impossible not in ("error", "missing"):
        raise OptionError(Argument("impossible", impossible), "must be 'error' or 'missing'.")
    positions, given = asked_and_observed(network, variables, evidence)
    table = rows if isinstance(rows, Dataset | Table) else Table.from_dataframe(rows)
    columns = EvidenceColumns(network, table, positions, given)
    shape = [len(network.states[v]) for v in positions]
    cells = math.prod(shape)
    probabilities = np.empty((columns.n_rows, cells))
    log_evidence = np.empty(columns.n_rows if with_evidence else 0)
    inference = network.native_inference
    report = run.native_report("rows of evidence")
    for chosen, observed in columns.patterns():
        # What is separated from the variables asked for may as well not be observed.
        relevant = observed if with_evidence else inference.relevant_evidence(positions, observed)
        codes = columns.codes(relevant, chosen)
        outcome, flat, logs, refusals = inference.query_rows(
            positions, relevant, codes, with_evidence, max_cells, run.thread_count, report
        )
        check_outcome(network, outcome, evidence, max_cells)
        if impossible == "error" and refusals.any():
            first = int(np.flatnonzero(refusals)[0])
            row = first if isinstance(chosen, slice) else int(chosen[first])
            _raise_refused(columns.describe(row, relevant), int(np.count_nonzero(refusals)), refusals[first])
        probabilities[chosen] = flat.reshape(-1, cells)
        if with_evidence:
            log_evidence[chosen] = logs
    return RowDistributions(
        tuple(network.names[v] for v in positions),
        tuple(network.states[v] for v in positions),
        probabilities.reshape([-1, *shape]),
        log_evidence if with_evidence else None,
    )


def predict_proba(
    network: BayesianNetwork,
    rows: Dataset | Table | pd.DataFrame,
    target: str,
    *,
    impossible: Impossible = "error",
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.float64]:
    """Return the probability of each state of `target` for each row, given all its other variables; see `query_rows`.

    One line per row, one column per state, in the order of the network's states.
    """
    with Run.begin(None, progress, threads) as run:
        found = _answer(
            network, target, rows, None, run, impossible=impossible, max_cells=max_cells, with_evidence=False
        )
    return found.probabilities


def predict(
    network: BayesianNetwork,
    rows: Dataset | Table | pd.DataFrame,
    target: str,
    **options: Any,
) -> NDArray[np.object_]:
    """Return the most probable state of `target` for each row, given all its other variables.

    The first of states that are equally probable; None for an impossible row, if such rows are allowed. The options are
    those of `predict_proba`.
    """
    probabilities = predict_proba(network, rows, target, **options)
    states = np.array([*network.states[network.index(target)], None], dtype=object)
    known = ~np.isnan(probabilities[:, 0])
    best = np.where(known, np.where(known[:, None], probabilities, 0).argmax(axis=1), len(states) - 1)
    return states[best]


def _raise_refused(where: str, count: int, refusal: int) -> None:
    others = f" (and {count - 1:,} other rows)" if count > 1 else ""
    what = "has probability 0 under the network" if refusal == IMPOSSIBLE else "meets undefined entries of the network"
    raise DataError(
        f"{where}{others} {what}. Fit the parameters with an estimator that smooths, such as 'bd', or give "
        "impossible='missing' to leave such rows out."
    )


# Forward sampling: rows drawn from a network.
#
# The random numbers come from Philox4x64-10 (Salmon et al., SC 2011), a generator without state: the number for a row
# and a variable is a function of the key, the row's position and the variable's position in the topological order. So
# the rows of a seed are the same bits with any number of threads on any machine, and a shorter sample is the
# beginning of a longer one.


def sample(
    network: BayesianNetwork,
    rows: int,
    *,
    seed: Seed = None,
    do: Mapping[str, Setting] | None = None,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Dataset:
    """Draw rows from a network, each variable after its parents.

    Parameters
    ----------
    network
        The network; every row of its tables must be defined, every variable have at least two states.
    rows
        How many rows, at least 1.
    seed
        An integer, or a numpy generator from which the 128-bit key of the sample is drawn. With None the sample
        differs every time.
    do
        Variables that an experiment sets, and to what: a state, a distribution over the states, or None for every state
        equally often. The arcs into them do not count, and the sample says that they were set (`Dataset.targets`).
        With the same seed, what does not depend on them stays the same as without.
    threads, progress
        As in `arcwise.model.inference.query`.

    Returns
    -------
    Dataset
        With the network's names and states, in its order.
    """
    changed = network.do(do) if do else network
    rows = _checked_rows(changed, rows)
    key = _key(seed)
    # The number for a variable goes by its place in the order, which is that of the network as it was.
    arrays = (*changed.native_arrays[:-1], network.native_arrays[-1])
    codes = np.empty((network.n_variables, rows), dtype=Dataset.code_type(int(network.arities.max())))
    with Run.begin(None, progress, threads) as run:
        view = _core.model.NetworkView(*arrays)
        status = _core.model.sample_rows(view, key, codes, run.thread_count, run.native_report("sampling"))
    Status.from_native(status).unless_interrupted()
    targets = Targets((tuple(do),), np.zeros(rows, dtype=np.int32)) if do else None
    return Dataset(codes=codes, names=network.names, states=network.states, targets=targets)


def _key(seed: Seed) -> NDArray[np.uint64]:
    if not isinstance(seed, np.random.Generator) and seed is not None and seed < 0:
        raise OptionError(Argument("seed", seed), "must not be negative.")
    return np.random.default_rng(seed).integers(0, 2**64, size=2, dtype=np.uint64)


def _checked_rows(network: BayesianNetwork, rows: int) -> int:
    try:
        count = operator.index(rows)
    except TypeError:
        raise OptionError(Argument("rows", rows), "must be a whole number.") from None
    check_argument(count >= 1, "rows", count, "must be at least 1.")
    for v, table in enumerate(network.tables):
        if table.shape[1] < 2:
            raise OptionError(
                f"cannot sample: variable '{network.names[v]}' has one state, '{network.states[v][0]}', and data need "
                "two. Leave it out of the network."
            )
        undefined = np.flatnonzero(np.isnan(table[:, 0]))
        if undefined.size:
            raise OptionError(
                f"cannot sample: {undefined.size} of {len(table)} rows of the table of '{network.names[v]}' are "
                f"undefined, the first for {network.describe_row(v, int(undefined[0]))}. Fit the parameters with an "
                "estimator that defines them, such as 'laplace' or 'bd'."
            )
    return count


# Experiments on a network: the network in which some variables are set, whatever their parents are.
#
# Setting a variable removes the arcs into it and leaves every other table as it is (the truncated factorisation:
# Pearl, Causality, 2009, section 3.2). What remains is a network like any other: sampling and inference need to know
# nothing of experiments.


Setting = str | Mapping[str, float] | None
"""What a variable is set to: a state, a distribution over its states, or None, randomised: all states equally often."""


def mutilated(network: BayesianNetwork, do: Mapping[str, Setting]) -> Parts:
    """Return the parts of a network under an experiment: without the arcs into the variables that are set."""
    tables = {network.index(name): _row(network, name, setting) for name, setting in do.items()}
    parents = [[] if v in tables else list(own) for v, own in enumerate(network.dag.parents)]
    values = np.concatenate([tables.get(v, table).ravel() for v, table in enumerate(network.tables)])
    return Parts(Dag(network.names, parents), network.states, values)


def _row(network: BayesianNetwork, name: str, setting: Setting) -> NDArray[np.float64]:
    states = network.states[network.index(name)]
    if setting is None:
        return np.full((1, len(states)), 1 / len(states))
    row = np.zeros((1, len(states)))
    if not isinstance(setting, Mapping):
        row[0, network.state_index(name, setting)] = 1.0
        return row
    for state, share in setting.items():
        row[0, network.state_index(name, state)] = share
    if not (row >= 0).all() or abs(float(row.sum()) - 1) > ROW_TOLERANCE:
        raise OptionError(
            Argument("do"), f"sets '{name}' with the probabilities {dict(setting)}; they must be >= 0 and sum to 1."
        )
    return np.asarray(row / row.sum())
