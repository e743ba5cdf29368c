"""Would restricting the candidate parents help, as in max-min hill climbing (Tsamardinos, Brown & Aliferis 2006)?

Tabu search on samples of known networks, free and with arcs allowed only between candidates. Two ways to choose them:
the k variables with the largest gain as a single parent, and max-min parents and children (G^2 tests, level 0.05). What
the choice costs is not counted against the restricted search: its own time is what it could gain at most.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from arcwise.data import Dataset
from arcwise.evaluate import compare
from arcwise.graph import Constraints
from arcwise.local import tabu_search
from arcwise.model import BayesianNetwork
from arcwise.scores import make_score
from benchmarks._topic import SHARED, has_data, parser_for
from benchmarks.local_search import cpu_seconds

NETWORKS = SHARED / "data" / "networks"
CASES = 5000
LEVEL = 0.05
LARGEST_CONDITION = 3
TESTED = {"child", "insurance", "alarm", "hailfinder", "win95pts", "andes"}  # larger ones take the tests too long
ALL = ("child", "insurance", "alarm", "hailfinder", "win95pts", "andes", "pigs", "link")


class Tests:
    """Conditional independence by G^2 tests; a test with fewer than five cases per cell is taken as independence."""

    def __init__(self, data: Dataset) -> None:
        self.codes = [column.astype(np.int64) for column in data.codes]
        self.arities = data.arities.tolist()
        self.count = 0

    def log_p(self, x: int, y: int, given: tuple[int, ...]) -> float:
        self.count += 1
        rx, ry = self.arities[x], self.arities[y]
        q = int(np.prod([self.arities[v] for v in given]))
        freedom = (rx - 1) * (ry - 1) * q
        if len(self.codes[x]) < 5 * rx * ry * q:
            return 0.0
        key = np.zeros(len(self.codes[x]), dtype=np.int64)
        for v in (*given, x, y):
            key = key * self.arities[v] + self.codes[v]
        n = np.bincount(key, minlength=q * rx * ry).reshape(q, rx, ry).astype(float)
        expected = n.sum(2, keepdims=True) * n.sum(1, keepdims=True) / np.maximum(n.sum((1, 2), keepdims=True), 1)
        seen = n > 0
        g = 2 * (n[seen] * np.log(n[seen] / expected[seen])).sum()
        return float(chi2.logsf(g, freedom))


def neighbours(tests: Tests, target: int, variables: int) -> set[int]:
    """The max-min parents and children of a variable, before the check of symmetry."""
    level = np.log(LEVEL)
    worst = {x: tests.log_p(x, target, ()) for x in range(variables) if x != target}  # the weakest association so far
    worst = {x: p for x, p in worst.items() if p < level}
    chosen: list[int] = []
    while worst:
        best = min(worst, key=lambda x: worst[x])
        chosen.append(best)
        del worst[best]
        for x in list(worst):
            for size in range(min(len(chosen), LARGEST_CONDITION)):
                for rest in itertools.combinations(chosen[:-1], size):
                    worst[x] = max(worst[x], tests.log_p(x, target, (*rest, best)))
                    if worst[x] >= level:
                        break
                if worst[x] >= level:
                    del worst[x]
                    break
    for x in list(chosen):
        others = [y for y in chosen if y != x]
        if any(
            tests.log_p(x, target, given) >= level
            for size in range(min(len(others), LARGEST_CONDITION) + 1)
            for given in itertools.combinations(others, size)
        ):
            chosen.remove(x)
    return set(chosen)


def max_min_candidates(data: Dataset) -> NDArray[np.bool_]:
    tests, n = Tests(data), data.n_variables
    own = [neighbours(tests, v, n) for v in range(n)]
    return np.array([[x in own[v] and v in own[x] for x in range(n)] for v in range(n)])


def largest_gains(data: Dataset, k: int) -> NDArray[np.bool_]:
    """Pairs of which one is among the k best single parents of the other."""
    n, score = data.n_variables, make_score("bic")
    families = [(v, [x]) for v in range(n) for x in range(n) if x != v]
    gains = np.full((n, n), -np.inf)
    for (v, (x,)), value in zip(families, score.score_families(data, families), strict=True):
        gains[v, x] = value
    alone = np.array(score.score_families(data, [(v, []) for v in range(n)]))
    place = np.argsort(np.argsort(-gains, axis=1), axis=1)
    chosen = (place < k) & (gains > alone[:, None])
    return chosen | chosen.T


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    if not has_data(NETWORKS):
        return
    print(f"BIC, N = {CASES:,}, tabu search, CPU seconds of one core.\n")
    print("| network | n | candidates | choosing s | pairs | tabu s | BIC against free | SHD to the truth |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for name in ALL:
        truth = BayesianNetwork.read_bif(NETWORKS / f"{name}.bif.gz")
        data = truth.sample(CASES, seed=1, progress=False)
        n, most = data.n_variables, 3 if data.n_variables > 300 else None
        ways = [("all", None), ("10 largest gains", lambda d: largest_gains(d, 10))]
        ways += [("max-min", max_min_candidates)] if name in TESTED else []
        free = None
        for label, choose in ways:
            begin = time.process_time()
            allowed = np.ones((n, n), dtype=bool) if choose is None else choose(data)
            choosing = time.process_time() - begin
            arcs = [(data.names[a], data.names[b]) for a, b in np.argwhere(~allowed) if a != b]
            rules = Constraints(data.names, forbidden=arcs, max_parents=most)
            seconds, found = cpu_seconds(lambda d=data, r=rules: tabu_search(d, constraints=r))
            free = found.score if free is None else free
            shd = compare(truth.dag, found.dag).shd
            pairs = np.triu(allowed, 1).sum()
            print(
                f"| {name} | {n} | {label} | {choosing:.2f} | {pairs:,} | {seconds:.4f} | "
                f"{found.score - free:+.1f} | {shd} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
