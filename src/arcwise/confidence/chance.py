"""`Chance`: what the same search finds where there is nothing to find.

Shuffling every column on its own keeps what each column looks like and destroys all dependence. Without any
dependence the data are one more shuffled table: the gain of their best network over the one without edges is then the
largest of twenty with probability 1/20, whatever the numbers of cases, variables and states. So "these data show more
than chance" is an exact test, and it costs nineteen plain searches.

Few cases that gain the most by chance also show edges by chance, nearly always; many hardly do. So data of few cases
that pass are tested twice as sharply, by twenty more tables: then an edge is drawn in 1 of 40 tables without any.

Numbers as they are cost far more to embed than to search. Where they gain so much that no table could come near, the
first few tables say so: beyond the largest by `CLEAR` times the range of these, and by `CLEAR` units of log likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import FormatError, reading
from arcwise.base.run import Run, Status
from arcwise.base.showing import one_screen
from arcwise.graph.beliefs import Beliefs
from arcwise.local.searches import tabu_search
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.scores.score import Whole

SHUFFLES = 19  # the fewest that test at 1 in 20
SURER_SHUFFLES, FEW_CASES = 39, 1000  # of data with no more cases, if they gain more than the first 19
FIRST_SHUFFLES, CLEAR = 4, 10.0  # of numbers as they are: how many tables tell that chance is out of the question
BY_CHANCE = 0.4  # what is left of a probability where the data show no more than chance: no edge is likelier than not
MOST_CASES = 10_000  # of more, so many are drawn: a dependence that these do not show is too weak to matter
RESTARTS = 2  # from random networks: a climb that begins without edges misses parities, of which no pair tells anything
MOST_ROWS_NAMED = 100  # times the cases at hand; beyond, nobody can say how many would show something


@one_screen
@dataclass(frozen=True)
class Chance:
    """What was found in the data, and in the same data with every column shuffled.

    Parameters
    ----------
    gain
        How far the best network of the data scores above the one without edges.
    gains, edges
        The same of each shuffled table, and the number of edges in its network.
    """

    gain: float
    gains: tuple[float, ...]
    edges: tuple[int, ...]

    def __post_init__(self) -> None:
        numbers = np.array([self.gain, *self.gains], dtype=np.float64)
        fits = 0 < len(self.gains) == len(self.edges) and bool(np.isfinite(numbers).all()) and min(self.edges) >= 0
        if not fits:
            raise FormatError("what shuffled columns show is a gain and a number of edges for each shuffled table.")

    @classmethod
    def of(cls, found: Sequence[tuple[float, int]]) -> Chance:
        """Make it of a gain and a number of edges, of the data and of each shuffled table."""
        gains, edges = zip(*found[1:], strict=True)
        return cls(found[0][0], gains, edges)

    @property
    def is_exceeded(self) -> bool:
        """Whether the data show more than chance: a larger gain than every shuffled table."""
        return self.gain > max(self.gains) + 1e-9

    def cases_to_show(self, n_cases: int) -> int | None:
        """Return about how many cases would show what these hint at; None if they hint at nothing.

        What the data gain beyond the mean of the shuffled tables grows with the number of cases; what shuffled tables
        gain does not.
        """
        mean, most = float(np.mean(self.gains)), max(self.gains)
        if self.gain - mean <= (most - mean) / MOST_ROWS_NAMED:
            return None
        return math.ceil(n_cases * max(1.0, (most - mean) / (self.gain - mean)))

    def describe(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {"gain": self.gain, "gains": list(self.gains), "edges": list(self.edges)}

    @classmethod
    def from_description(cls, facts: Mapping[str, Any]) -> Chance:
        """Read what `describe` returned, and check it."""
        with reading("what shuffled columns show"):
            return cls(float(facts["gain"]), tuple(map(float, facts["gains"])), tuple(map(int, facts["edges"])))


def find_chance(data: Whole, score: Score, run: Run) -> Chance | None:
    """Search in the data, and in nineteen tables with shuffled columns (or 39); None if the time is over before.

    Parameters
    ----------
    data
        Complete data; of more than `MOST_CASES`, a part is drawn.
    score
        By which the networks were learned that the answer rests on, with its usual limit of parents and without
        constraints and prior odds of the user's: what is tested is what the data show. Odds of n^(-1/2) for every edge
        among n variables keep single chance edges from swamping what many weak ones show.
    run
        Seed, limits and progress. Table k depends on the seed and on k alone.
    """
    n = data.n_variables
    score = make_score(score.data_score, beliefs=Beliefs(every_edge=max(n, 2) ** -0.5))
    rng = np.random.default_rng([run.seed, n])
    part = data.thinned(rng)  # each row worth a case; groups that are left exchange their values as wholes
    if part.n_cases > MOST_CASES:
        part = part.subsample(MOST_CASES / part.n_cases, rng).expand()
    without: list[tuple[int, tuple[int, ...]]] = [(v, ()) for v in range(n)]
    found: list[tuple[float, int]] = []
    wanted = SHUFFLES
    while len(found) <= wanted:
        if run.is_over:
            return None
        k = len(found)
        table = (part.permute_columns(rng) if k else part).with_groups(None)
        made = tabu_search(
            table,
            score,
            refine=0,
            restarts=RESTARTS,
            perturb=None,
            seed=k,
            limits=run.limits,
            progress=run.callback,
        )
        if made.status is not Status.COMPLETE:
            return None
        empty = float(score.score_families(table, without).sum())
        found.append((made.score - empty, len(made.dag.arcs)))
        if k == SHUFFLES and part.n_cases <= FEW_CASES and Chance.of(found).is_exceeded:
            wanted = SURER_SHUFFLES
        if k == FIRST_SHUFFLES and score.data_score.holds_data and _is_clear(found):
            break
        run.report("shuffled columns", k + 1, wanted + 1)
    return Chance.of(found)


def _is_clear(found: Sequence[tuple[float, int]]) -> bool:
    """Return whether data gain so much more than the shuffled tables so far that no other could gain as much."""
    (gain, _), *rest = found
    gains = [one for one, _ in rest]
    return gain > max(gains) + CLEAR * max(1.0, max(gains) - min(gains))
