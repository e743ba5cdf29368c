"""Which five-node networks could Ueno and Uto's g1 to g4 have been? A fit to *all* columns of their Table 1.

The figures with the networks are not in our copy. Here the structure of `ueno` is kept (one collider, as the table
shows), and all eleven probabilities of each network are free: what the table says of BDeu, in 36 rows of six columns
that can vary on their own, is compared with BDeu's results on 100 samples, and a random local search moves the
probabilities. The same random numbers are used throughout, so that a change of the distance is a change of the network.
Nothing of Table 2 is used.

    python -m arcwise_studies.experiments.ueno_fit SECONDS

prints the probabilities that `ueno_fitted` has as constants.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from arcwise.evaluate import structural_hamming
from arcwise.graph import Dag, all_parent_masks, class_keys_from_masks, number_classes
from arcwise_studies.experiments.ueno import STRUCTURE
from arcwise_studies.experiments.ueno_printed import ESS_PRINTED, SIZES_PRINTED, TABLE_1, printed_row

__all__ = ["START", "distance", "fit", "joint"]

SAMPLES = 100
FREE = 11  # x1; x2 and x3 given x1 = 0, 1; x4 given (x2, x3) = 00, 01, 10, 11; x5 given x3 = 0, 1: of state 1
COLUMNS = ("missing", "extra", "wrong_orientation", "missing_orientation", "extra_orientation")
Floats = NDArray[np.float64]


def start(strength: float, mixing: float = 0.35) -> Floats:
    """Return the probabilities of the networks of `ueno`, where the search begins."""
    high, low = (1 + strength) / 2, (1 - strength) / 2
    middle = ((1 - mixing * strength) / 2, (1 + mixing * strength) / 2)
    return np.array([0.5, low, high, low, high, low, *middle, high, low, high])


START = {"g1": start(0.9), "g2": start(0.77), "g3": start(0.5), "g4": start(0.38)}


def joint(free: Floats) -> Floats:
    """Return the probabilities of the 32 states; x1 is the highest bit."""
    states = (np.arange(32)[:, None] >> np.arange(4, -1, -1)) & 1
    x1, x2, x3 = states.T[:3]
    ones = np.stack([np.full(32, free[0]), free[1 + x1], free[3 + x1], free[5 + 2 * x2 + x3], free[9 + x3]], axis=1)
    product: Floats = np.where(states == 1, ones, 1 - ones).prod(axis=1)
    return product


class _ClassSearch:
    """The classes of the DAGs of five nodes: which has the best score, and how far each is from the truth."""

    def __init__(self) -> None:
        masks = np.array(list(all_parent_masks(5)), dtype=np.uint64)
        _, first = np.unique(number_classes(class_keys_from_masks(masks)), return_index=True)
        chosen = masks[first].astype(np.int64)
        parents = [[tuple(p for p in range(5) if mask >> p & 1) for mask in row] for row in chosen.tolist()]
        self.sets = [[s for k in range(5) for s in combinations([p for p in range(5) if p != v], k)] for v in range(5)]
        self.choices = np.array([[16 * v + self.sets[v].index(own) for v, own in enumerate(row)] for row in parents])
        parts = [structural_hamming(STRUCTURE, Dag(STRUCTURE.names, row)) for row in parents]
        self.parts = np.array([[getattr(one, column) for column in COLUMNS] for one in parts], dtype=float)

    def results(self, counts: Floats, ess: float) -> Floats:
        """Return the share of correct structures and the mean of each part, from contingency tables (samples, 32)."""
        tables = counts.reshape(-1, 2, 2, 2, 2, 2)
        scores = np.empty((len(tables), 80))
        for v in range(5):
            for k, own in enumerate(self.sets[v]):
                others = tuple(1 + p for p in range(5) if p != v and p not in own)
                kept = np.moveaxis(tables.sum(axis=others, keepdims=True), 1 + v, -1).reshape(len(tables), -1, 2)
                prior = ess / (kept.shape[1] * 2)
                cells = (gammaln(kept + prior) - gammaln(prior)).sum(axis=(1, 2))
                rows = (gammaln(2 * prior) - gammaln(kept.sum(axis=2) + 2 * prior)).sum(axis=1)
                scores[:, 16 * v + k] = cells + rows
        totals = scores[:, self.choices[:, 0]]
        for v in range(1, 5):
            totals += scores[:, self.choices[:, v]]
        found = self.parts[totals.argmax(axis=1)]
        return np.array([(found.sum(axis=1) == 0).mean(), *found.mean(axis=0)])


SEARCH = _ClassSearch()


def distance(free: Floats, network: str, uniform: Floats) -> float:
    """Return the root of the mean squared difference to the printed figures, per 100 samples."""
    edges = np.cumsum(joint(free))
    places = np.minimum(np.searchsorted(edges, uniform), 31)
    differences: list[float] = []
    for size in SIZES_PRINTED:
        counts = np.stack([np.bincount(row, minlength=32) for row in places[:, :size]]).astype(float)
        for ess in ESS_PRINTED:
            correct, _, *parts = printed_row(TABLE_1, network, ess, size)
            ours = 100 * SEARCH.results(counts, ess)
            differences += [a - b for a, b in zip(ours, [correct, *parts], strict=True) if b is not None]
    return float(np.sqrt(np.mean(np.square(differences))))


def fit(network: str, seconds: float, seed: int = 1) -> tuple[Floats, float, float]:
    """Return the probabilities, the distance at the start and the distance at the end."""
    rng = np.random.default_rng(seed)
    uniform = rng.random((SAMPLES, max(SIZES_PRINTED)))
    best = START[network].copy()
    least = first = distance(best, network, uniform)
    step, began = 0.08, time.monotonic()
    while time.monotonic() - began < seconds:
        moved = best.copy()
        chosen = rng.random(FREE) < 0.35
        moved[chosen] += step * rng.standard_normal(int(chosen.sum()))
        moved = np.clip(moved, 0.01, 0.99)
        found = distance(moved, network, uniform)
        if found < least:
            best, least, step = moved, found, min(0.12, step * 1.4)
        else:
            step = max(0.01, step * 0.97)
    return best, first, least


if __name__ == "__main__":
    for name in START:
        values, before, after = fit(name, float(sys.argv[1]))
        listed = ", ".join(f"{value:.3f}" for value in values)
        print(f'    "{name}": ({listed}),  # {before:.1f} -> {after:.1f}', flush=True)
