"""Windows of a large network solved exactly after a climb: what they gain, beside refinement; CPU s on one core.

`python -m benchmarks.windows` measures 200 variables, `python -m benchmarks.windows 200 500 1000` what is asked for.
The idea is SLIM (Ramaswamy and Szeider, AAAI 2021), here without a bound on treewidth: the families of some
neighbouring variables are chosen anew, all at once and optimally, while everything outside stays. It is not in the
package, since it gains nothing worth its time; docs/benchmarks/large.md has the figures.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from arcwise.data import Dataset
from arcwise.exact import find_optimal
from arcwise.graph import Dag
from arcwise.local import hill_climb
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.scores import make_score
from benchmarks._topic import parser_for
from benchmarks.large import random_sample

SIZES = (200,)
WINDOW = 12
MAX_PARENTS = 3  # of new families; one that the climb found may have more
SECONDS = 40.0
BIC = make_score("bic")


@dataclass
class Windows:
    """A network whose windows are improved one after the other."""

    data: Dataset
    parents: list[list[int]]
    gain: float = 0.0
    tried: int = 0
    better: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def improve(self, seed: int) -> None:
        """Choose the families around a variable anew, if that is better."""
        children = self._children()
        window = self._window(seed, children)
        reached = self._reached(window, children)
        found, families = self._candidates(window, reached)
        best = find_optimal(found, progress=False)
        now = sum(BIC.score_family(self.data, v, self.parents[v]) for v in window)
        self.tried += 1
        if best.score <= now + 1e-6:
            return
        self.better += 1
        self.gain += best.score - now
        for v, own, chosen in zip(window, families, best.dag.parents, strict=True):
            self.parents[v] = own[tuple(sorted(chosen))][1]

    def _children(self) -> list[set[int]]:
        found: list[set[int]] = [set() for _ in self.parents]
        for v, own in enumerate(self.parents):
            for p in own:
                found[p].add(v)
        return found

    def _window(self, seed: int, children: list[set[int]]) -> list[int]:
        """Grow a window from a variable, by neighbours in the moral graph at random."""
        window = [seed]
        while len(window) < WINDOW:
            near = [
                {*self.parents[w], *children[w], *(p for c in children[w] for p in self.parents[c])} for w in window
            ]
            fringe = sorted(set().union(*near) - set(window))
            if not fringe:
                break
            window.append(self.rng.choice(fringe))
        return window

    @staticmethod
    def _reached(window: list[int], children: list[set[int]]) -> dict[int, set[int]]:
        """Return, for every variable outside, the members from which a path through the outside leads to it."""
        found: dict[int, set[int]] = {}
        for w in window:
            waiting = [c for c in children[w] if c not in window]
            while waiting:
                v = waiting.pop()
                if w not in found.setdefault(v, set()):
                    found[v].add(w)
                    waiting += [c for c in children[v] if c not in window]
        return found

    def _candidates(
        self, window: list[int], reached: dict[int, set[int]]
    ) -> tuple[ParentSetTable, list[dict[tuple[int, ...], tuple[float, list[int]]]]]:
        """Return a problem over the window alone, and the family that each of its parent sets stands for.

        A parent outside that members lead to demands that these come before the child, just as if they were parents
        themselves. So every family becomes a set of members; a network of these is acyclic if and only if an order
        of the window exists in which every path through the outside leads forwards, too.
        """
        near = sorted({*window, *(p for w in window for p in self.parents[w])})
        table = build_parent_sets(
            self.data.select([self.data.names[v] for v in near]), "bic", max_parents=MAX_PARENTS, progress=False
        )
        families: list[dict[tuple[int, ...], tuple[float, list[int]]]] = []
        for v in window:
            rows = table.rows_of(near.index(v))
            listed = [(float(table.scores[row]), [near[p] for p in table.parents_of(row)]) for row in rows]
            listed.append((BIC.score_family(self.data, v, self.parents[v]), self.parents[v]))
            best: dict[tuple[int, ...], tuple[float, list[int]]] = {}
            for score, own in listed:
                members = set().union(*({p} if p in window else reached.get(p, set()) for p in own))
                key = tuple(sorted(window.index(w) for w in members))
                if v not in members and (key not in best or score > best[key][0]):
                    best[key] = (score, own)
            families.append(best)
        entries = [[(score, key) for key, (score, _) in best.items()] for best in families]
        return ParentSetTable.from_lists([self.data.names[v] for v in window], entries).vouched(), families


def print_row(variables: int, refine: int) -> None:
    """Climb, then try a window around every variable once, or as many as the time allows."""
    _, data = random_sample(variables)
    begin = time.process_time()
    climbed = hill_climb(data, refine=refine, progress=False)
    middle = time.process_time()
    windows = Windows(data, [list(own) for own in climbed.dag.parents])
    order = list(range(variables))
    windows.rng.shuffle(order)
    for seed in order:
        windows.improve(seed)
        if time.process_time() - middle > SECONDS:
            break
    seconds = time.process_time() - middle
    end = BIC.score_network(data, Dag(data.names, windows.parents))
    climb = f"{variables:,} | {refine} | {middle - begin:.2f} | {climbed.score:.1f}"
    after = f"{seconds:.1f} | {end:.1f} | {windows.gain:.1f}"
    print(f"| {climb} | {windows.tried} | {windows.better} | {after} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, help="numbers of variables")
    sizes = parser.parse_args(arguments).sizes or SIZES
    print("| n | `refine` | climb, CPU s | BIC | windows | better | CPU s | BIC after | gain |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for variables in sizes:
        for refine in (0, 3):
            print_row(variables, refine)


if __name__ == "__main__":
    main(sys.argv[1:])
