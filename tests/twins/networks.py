"""Samples, likelihoods, drawn gaps and expected counts of a network in plain numpy: the twins of native kernels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.twins.inference import joint_twin

from arcwise.base.run import Seed, generator_of
from arcwise.data import Dataset, Incomplete
from arcwise.model import BayesianNetwork
from arcwise.model.fitting import Family
from arcwise.model.inference import Setting


def sample_twin(network: BayesianNetwork, rows: int, *, seed: int, do: Mapping[str, Setting] | None = None) -> Dataset:
    """Return the same as `sample`, in Python, with numpy's Philox: what the native kernel is compared with."""
    key = np.random.default_rng(seed).integers(0, 2**64, size=2, dtype=np.uint64)
    changed = network.do(do or {})
    table = np.empty((rows, network.n_variables), dtype=np.int64)
    for row in range(rows):
        for position, v in enumerate(network.dag.topological_order):
            # numpy steps the counter before it draws, hence the - 1.
            counter = (row + (position // 4 << 64) - 1) % 2**256
            words = np.random.Philox(counter=counter, key=key).random_raw(4)
            number = (int(words[position % 4]) >> 11) / 2**53
            cell = tuple(int(table[row, p]) for p in changed.dag.parents[v])
            cumulative = np.cumsum(changed.table(network.names[v])[cell])
            cumulative /= cumulative[-1]
            table[row, v] = np.flatnonzero(number < cumulative)[0]
    drawn = Dataset.from_codes(table, names=network.names, states=network.states)
    return drawn.with_targets([tuple(do)] * rows) if do else drawn


def row_log_likelihoods_twin(network: BayesianNetwork, data: Dataset) -> NDArray[np.float64]:
    """Return the same as `row_log_likelihoods`, row by row in Python: what the native kernel is compared with."""
    result = np.zeros(data.n_rows)
    for row in range(data.n_rows):
        states = {name: data.states[v][data.codes[v, row]] for v, name in enumerate(data.names)}
        was_set = () if data.targets is None else data.targets.sets[data.targets.of_row[row]]
        for name in network.names:
            if name in was_set:
                continue
            family = (*network.parents(name), name)
            cell = tuple(network.state_index(member, states[member]) for member in family)
            with np.errstate(divide="ignore"):
                result[row] += np.log(network.table(name)[cell])
    return result


def draw_missing_twin(network: BayesianNetwork, data: Incomplete, *, seed: Seed = None) -> Dataset:
    """Draw from the same distributions in plain numpy: what the native core is compared with.

    Variable by variable, each given the observed and the drawn ones. Where the missing variables of a row are all
    separated from each other, the draws are the native ones; else they are others of the same distribution.
    """
    key = generator_of(seed).integers(0, 2**64, size=2, dtype=np.uint64)
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    for row in range(data.n_rows):
        known = {
            n: data.states[v][int(data.held.codes[v, row])]
            for v, n in enumerate(data.names)
            if not data.missing[v, row]
        }
        for v in np.flatnonzero(data.missing[:, row]).tolist():
            name = data.names[v]
            cumulative = np.cumsum(joint_twin(network, [name], known))
            counter = (row + (v << 64) - 1) % 2**256  # numpy steps the counter before it draws
            words = np.random.Philox(counter=counter, key=key).random_raw(4)
            number = (int(words[0]) >> 11) / 2**53
            codes[v, row] = np.flatnonzero(number * cumulative[-1] < cumulative)[0]
            known[name] = data.states[v][int(codes[v, row])]
    return data.completed(codes)


def expected_counts_twin(
    network: BayesianNetwork, data: Incomplete, families: Sequence[Family]
) -> tuple[list[NDArray[np.float64]], float]:
    """Return the same tables, and the log likelihood, by enumerating every completion of every row."""
    arities = data.arities.tolist()
    tables = [np.zeros((*(arities[p] for p in parents), arities[child])) for child, parents in families]
    total = 0.0
    targets = data.held.targets
    for row in range(data.n_rows):
        weight = 1.0 if data.held.weights is None else float(data.held.weights[row])
        chosen = () if targets is None else targets.sets[int(targets.of_row[row])]
        own = network.do(dict.fromkeys(chosen)) if chosen else network
        known = {
            data.names[v]: data.states[v][int(data.held.codes[v, row])]
            for v in range(data.n_variables)
            if not data.missing[v, row]
        }
        gaps = np.flatnonzero(data.missing[:, row]).tolist()
        joint = joint_twin(own, [data.names[v] for v in gaps], known)
        set_to = math.prod(1 / arities[data.index(name)] for name in chosen)
        total += weight * math.log(float(np.sum(joint)) / set_to)
        shares = np.asarray(joint).reshape([arities[v] for v in gaps]) / np.sum(joint)
        for states in itertools.product(*(range(arities[v]) for v in gaps)):
            cells = {
                **{v: int(data.held.codes[v, row]) for v in range(data.n_variables)},
                **dict(zip(gaps, states, strict=True)),
            }
            for (child, parents), table in zip(families, tables, strict=True):
                if data.names[child] not in chosen:
                    table[tuple(cells[v] for v in (*parents, child))] += weight * float(shares[states])
    return [table.reshape(-1, arities[child]) for (child, _), table in zip(families, tables, strict=True)], total
