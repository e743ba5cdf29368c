"""Exact inference: marginals and conditionals by variable elimination.

Variables that are neither asked for, nor observed, nor ancestors of such, sum out to 1 and are left out. Evidence
cuts the tables. Then one variable after the other is eliminated: all tables that mention it are contracted into one
by opt_einsum, which finds the order within the bucket. The size of every table on the way is known before the first
is made, so that a query that is too large is refused at once rather than by running out of memory. Intermediate
tables are scaled by their largest entry, and the scale kept as a logarithm, so that a long product of small
probabilities does not underflow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.model.elimination import find_elimination_order
from arcwise.model.network import MAX_CELLS, BayesianNetwork
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Distribution", "log_probability", "marginals", "query"]


@one_screen
@dataclass(frozen=True, eq=False)
class Distribution:
    """The joint distribution of some variables.

    Parameters
    ----------
    names
        The variables.
    states
        The names of each variable's states.
    probabilities
        One axis per variable, in this order; sums to 1.
    log_evidence
        The natural logarithm of the probability of the evidence that was given (0 without evidence).
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    log_evidence: float = 0.0

    def __getitem__(self, states: object) -> float:
        """Return the probability of a state, or of a tuple of states, one per variable."""
        given = states if isinstance(states, tuple) else (states,)
        if len(given) != len(self.names):
            raise OptionError(f"{len(given)} states given for the variables {', '.join(self.names)}.")
        cell = []
        for name, known, state in zip(self.names, self.states, given, strict=True):
            text = state if isinstance(state, str) else str(state)
            if text not in known:
                raise OptionError(f"'{name}' has no state '{text}'; its states are {', '.join(known)}.")
            cell.append(known.index(text))
        return float(self.probabilities[tuple(cell)])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per combination of states: a column for each variable, and its probability."""
        return self.to_series().reset_index()

    def to_series(self) -> pd.Series[float]:
        """Return a pandas Series indexed by the states; a MultiIndex for more than one variable."""
        import pandas as pd

        if len(self.names) == 1:
            index: pd.Index[str] = pd.Index(self.states[0], name=self.names[0])
        else:
            index = pd.MultiIndex.from_product(self.states, names=list(self.names))
        return pd.Series(self.probabilities.ravel(), index=index, name="probability")


def query(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
) -> Distribution:
    """Return the joint distribution of variables, given the states of others.

    Parameters
    ----------
    network
        The network. Undefined rows may not take part: a table with one is an error unless evidence or structure
        leaves that row out.
    variables
        The variable asked for, or several; their order is that of the result's axes.
    evidence
        Observed variables and their states.
    max_cells
        The largest table that may be made on the way, in numbers of 8 bytes.

    Raises
    ------
    OptionError
        The evidence is impossible, the query is too large, or a name is unknown.
    """
    asked = [variables] if isinstance(variables, str) else list(variables)
    if not asked:
        raise OptionError("a query needs at least one variable; for the probability of evidence use log_probability.")
    positions = [network.index(name) for name in asked]
    if len(set(positions)) < len(positions):
        raise OptionError(f"the query names a variable twice: {', '.join(asked)}.")
    observed = _observed(network, evidence)
    for v in positions:
        if v in observed:
            raise OptionError(f"variable '{network.names[v]}' is both asked for and observed; ask for others.")
    table, log_scale = _eliminate(network, positions, observed, max_cells)
    total = float(table.sum())
    if total == 0:
        raise OptionError(f"the evidence is impossible: {_described(network, observed)} has probability 0.")
    return Distribution(
        tuple(network.names[v] for v in positions),
        tuple(network.states[v] for v in positions),
        table / total,
        log_scale + math.log(total) if observed else 0.0,
    )


def marginals(
    network: BayesianNetwork, *, evidence: Mapping[str, object] | None = None, max_cells: int = MAX_CELLS
) -> dict[str, Distribution]:
    """Return the distribution of every variable that is not observed, given evidence; one query each."""
    observed = _observed(network, evidence)
    return {
        name: query(network, [name], evidence=evidence, max_cells=max_cells)
        for v, name in enumerate(network.names)
        if v not in observed
    }


def log_probability(network: BayesianNetwork, evidence: Mapping[str, object], *, max_cells: int = MAX_CELLS) -> float:
    """Return the natural logarithm of the probability of evidence; -inf if it is impossible."""
    table, log_scale = _eliminate(network, [], _observed(network, evidence), max_cells)
    total = float(table)
    return log_scale + math.log(total) if total > 0 else -math.inf


def _observed(network: BayesianNetwork, evidence: Mapping[str, object] | None) -> dict[int, int]:
    return {network.index(name): network.state_index(name, state) for name, state in (evidence or {}).items()}


def _described(network: BayesianNetwork, observed: Mapping[int, int]) -> str:
    return ", ".join(f"{network.names[v]}={network.states[v][state]}" for v, state in observed.items())


@dataclass(slots=True)
class _Factor:
    """A table and the variables of its axes."""

    scope: tuple[int, ...]
    table: NDArray[np.float64]


def _eliminate(
    network: BayesianNetwork, asked: list[int], observed: dict[int, int], max_cells: int
) -> tuple[NDArray[np.float64], float]:
    """Return the unnormalised joint table of `asked` with the evidence, and the logarithm of its scale."""
    arities = {v: len(states) for v, states in enumerate(network.states)}
    # A variable of one state is as good as observed: no axis, however many there are.
    fixed = {v: 0 for v, arity in arities.items() if arity == 1} | observed
    kept = [v for v in asked if v not in fixed]
    factors = [_cut_factor(network, v, fixed) for v in _relevant(network, [*asked, *observed])]
    order = find_elimination_order([factor.scope for factor in factors], kept, arities)
    largest = max(order.largest, math.prod(arities[v] for v in kept))
    if largest > max_cells:
        raise OptionError(
            f"the query is too large: it needs a table of {largest:,} numbers ({largest * 8 / 2**30:,.1f} GiB), and at "
            f"most {max_cells:,} are allowed. Ask for fewer variables at once, observe more, raise max_cells, or "
            "estimate it from a sample."
        )
    log_scale = 0.0
    impossible = np.zeros([arities[v] for v in asked]), 0.0
    for factor in factors:
        if not factor.scope:
            if factor.table == 0:
                return impossible
            log_scale += math.log(float(factor.table))
    factors = [factor for factor in factors if factor.scope]
    for v in order.variables:
        bucket = [factor for factor in factors if v in factor.scope]
        factors = [factor for factor in factors if v not in factor.scope]
        scope = tuple(sorted({u for factor in bucket for u in factor.scope} - {v}))
        table = _contract(bucket, scope)
        scale = float(table.max())
        if scale == 0:
            return impossible
        log_scale += math.log(scale)
        if scope:
            factors.append(_Factor(scope, table / scale))
    table = _contract(factors, tuple(kept)) if factors else np.ones(())
    return table.reshape([arities[v] for v in asked]), log_scale


def _relevant(network: BayesianNetwork, wanted: list[int]) -> list[int]:
    """The variables wanted and all their ancestors; every other one sums out to 1."""
    found = set(wanted)
    stack = list(wanted)
    while stack:
        for p in network.dag.parents[stack.pop()]:
            if p not in found:
                found.add(p)
                stack.append(p)
    return sorted(found)


def _cut_factor(network: BayesianNetwork, v: int, fixed: Mapping[int, int]) -> _Factor:
    """Return the table of v, its rows scaled to sum to 1, where the fixed variables have their states."""
    # Variables of one state get no axis: there may be more parents than numpy has axes, but not of two states.
    axes = [u for u in (*network.dag.parents[v], v) if len(network.states[u]) > 1]
    rows = network.tables[v]
    table = (rows / rows.sum(axis=1, keepdims=True)).reshape([len(network.states[u]) for u in axes])
    cut = np.asarray(table[tuple(fixed.get(u, slice(None)) for u in axes)])
    if np.isnan(cut).any():
        row = int(np.flatnonzero(np.isnan(rows[:, 0]))[0])
        raise OptionError(
            f"the query meets undefined entries of the table of '{network.names[v]}', such as the row for "
            f"{network.describe_row(v, row)}. Fit the parameters with an estimator that defines them, such as "
            "'laplace' or 'bd'."
        )
    return _Factor(tuple(u for u in axes if u not in fixed), cut)


def _contract(factors: list[_Factor], scope: tuple[int, ...]) -> NDArray[np.float64]:
    """Multiply tables and sum out every variable that is not in `scope`."""
    import opt_einsum

    operands = [part for factor in factors for part in (factor.table, factor.scope)]
    order = [tuple(range(len(factors)))] if len(factors) < 3 else "auto"
    result: NDArray[np.float64] = np.asarray(opt_einsum.contract(*operands, scope, optimize=order))
    return result
