"""Greedy equivalence search (GES): climbs between Markov equivalence classes instead of networks.

Chickering (2002), *Optimal structure identification with greedy search*, JMLR 3. A state is the CPDAG of a class. The
first phase inserts edges as long as the score rises, the second deletes them. Insert(X, Y, T), for X and Y that are
not adjacent and T among the undirected neighbours of Y that are not adjacent to X, adds X -> Y and directs T -> Y; it
is valid if NA(Y, X) and T form a clique and every path without arcs against it from Y to X has one of them on it
(Theorem 15), and gains s(Y, NA, T, Pa(Y), X) - s(Y, NA, T, Pa(Y)) (Corollary 16). Delete(X, Y, H), for X - Y or X -> Y
and H in NA(Y, X), removes the edge and directs Y -> H and, where X - H, X -> H; it is valid if NA(Y, X) without H is a
clique (Theorem 17) and gains s(Y, NA less H, Pa(Y) less X) - s(Y, NA less H, Pa(Y), X) (Corollary 18).

With an equivalent score and enough data from a network, the two phases end in its class (Lemmas 9 and 10). On data as
they are, it is no better than a climb through networks: see the page on local search.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from arcwise.base.errors import OptionError, check_argument
from arcwise.base.run import Limits, ProgressCallback, Run, Status
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import bits
from arcwise.local.problem import LocalSearchResult
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

# A gain that rounding makes: families that a step compares can have the same score.
LEAST_GAIN = 1e-9


@dataclass(frozen=True, order=True, slots=True)
class Step:
    """An operator: its gain, and the edge x, y with the set that is directed along with it, as a bit set."""

    gain: float
    x: int
    y: int
    others: int


def equivalence_search(
    data: Dataset,
    score: str | Score = "bic",
    *,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Greedy equivalence search, GES: insert edges into an equivalence class, then delete, while the score rises.

    The data are observations, the score an equivalent one; ``limits.count`` is the most steps. The `dag` of the result
    is a member of the class that was found; ``dag.cpdag`` is the class.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = equivalence_search(datasets.load("iris"), "bdeu:ess=1")
    >>> found.method, found.complete
    ('ges', True)
    """
    chosen = make_score(score)
    rule = "gives equivalent networks different scores; GES needs one that does not, such as bic or bdeu."
    check_argument(chosen.facts.equivalent, "score", chosen.name, rule)
    if data.targets is not None:
        raise OptionError("GES is for observations alone: experiments tell members of a class apart. Use hill_climb.")
    with Run.begin(limits, progress) as run:
        return _Search(data, chosen, run).result()


class _Class:
    """The CPDAG of the current class as bit sets."""

    def __init__(self, graph: Pdag) -> None:
        self.graph = graph
        self.parents, self.neighbours, self.children = graph.parent_masks, graph.neighbour_masks, graph.child_masks
        self.edges = list(zip(self.parents, self.neighbours, self.children, strict=True))
        self.adjacent = [parents | neighbours | children for parents, neighbours, children in self.edges]

    def cliques(self, base: int, among: int) -> Iterator[int]:
        """Yield the subsets of `among` that form a clique together with `base`, the empty one first."""
        if any(base & ~(self.adjacent[v] | 1 << v) for v in bits(base)):
            return
        allowed = among
        for v in bits(base):
            allowed &= self.adjacent[v]
        waiting = [(0, allowed)]
        while waiting:
            chosen, left = waiting.pop()
            yield chosen
            for v in bits(left):
                left ^= 1 << v
                waiting.append((chosen | 1 << v, left & self.adjacent[v]))

    def is_blocked(self, start: int, end: int, by: int) -> bool:
        """Return whether every path from `start` to `end` along arcs and undirected edges meets the set `by`."""
        seen = 1 << start
        waiting = seen
        while waiting:
            low = waiting & -waiting
            waiting ^= low
            v = low.bit_length() - 1
            if v == end:
                return False
            reached = (self.children[v] | self.neighbours[v]) & ~by & ~seen
            seen |= reached
            waiting |= reached
        return True

    def differing(self, other: _Class) -> int:
        """Return the nodes whose edges are not the same."""
        return sum(1 << v for v, own in enumerate(self.edges) if own != other.edges[v])


class _Search:
    def __init__(self, data: Dataset, score: Score, run: Run) -> None:
        self._data, self._score, self._run = data, score, run
        self._n = data.n_variables
        self._scores: dict[tuple[int, int], float] = {}
        self._looked_at = 0
        self._status = Status.COMPLETE
        self.state = _Class(Dag(data.names, [()] * self._n).cpdag)

    def result(self) -> LocalSearchResult:
        value = float(self._family_scores([(v, 0) for v in range(self._n)]).sum())
        history = [value]
        try:
            for inserting in (True, False):
                self._phase(inserting, history)
        except KeyboardInterrupt:
            self._status = Status.INTERRUPTED
        dag = self.state.graph.extend()
        return LocalSearchResult(
            dag=dag,
            score=self._score.score_network(self._data, dag),
            method="ges",
            scored_by=self._score.describe(),
            history=np.array(history),
            iterations=len(history) - 1,
            operations=self._looked_at,
            families_scored=len(self._scores),
            seconds=self._run.seconds,
            status=self._status,
        )

    def _phase(self, inserting: bool, history: list[float]) -> None:
        """Make the best valid step of one kind until none has a gain.

        The steps of a pair stay as they are while the edges of its nodes and of the second one's neighbours do; only
        whether paths are blocked depends on more, and is asked when a step is about to be made.
        """
        steps: dict[tuple[int, int], list[Step]] = {}
        changed = (1 << self._n) - 1
        while self._status is Status.COMPLETE:
            self._refresh(steps, inserting, changed)
            best = self._best(steps, inserting)
            if best is None:
                return
            if self._run.is_over:
                self._status = Status.TIME_LIMIT
            elif self._run.given.count is not None and len(history) > self._run.given.count:
                self._status = Status.COUNT_LIMIT
            else:
                before = self.state
                self.state = self._after(best, inserting)
                changed = before.differing(self.state)
                history.append(history[-1] + best.gain)
                self._run.report("ges", len(history) - 1, score=history[-1])

    def _refresh(self, steps: dict[tuple[int, int], list[Step]], inserting: bool, changed: int) -> None:
        pairs = [
            (x, y)
            for y in range(self._n)
            for x in range(self._n)
            if x != y and (changed >> x & 1 or changed >> y & 1 or self.state.neighbours[y] & changed)
        ]
        families: list[tuple[int, int, int, int, int]] = []  # x, y, the set, the family without x, with x
        for x, y in pairs:
            steps.pop((x, y), None)
            families += self._insertions(x, y) if inserting else self._deletions(x, y)
        without = self._family_scores([(y, less) for _, y, _, less, _ in families])
        within = self._family_scores([(y, more) for _, y, _, _, more in families])
        gains = within - without if inserting else without - within
        self._looked_at += len(families)
        for (x, y, others, _, _), gain in zip(families, gains.tolist(), strict=True):
            if gain > LEAST_GAIN:
                steps.setdefault((x, y), []).append(Step(gain, x, y, others))

    def _insertions(self, x: int, y: int) -> Iterator[tuple[int, int, int, int, int]]:
        state = self.state
        if state.adjacent[y] >> x & 1:
            return
        common = state.neighbours[y] & state.adjacent[x]
        for others in state.cliques(common, state.neighbours[y] & ~state.adjacent[x]):
            family = common | others | state.parents[y]
            yield x, y, others, family, family | 1 << x

    def _deletions(self, x: int, y: int) -> Iterator[tuple[int, int, int, int, int]]:
        state = self.state
        if not (state.neighbours[y] | state.parents[y]) >> x & 1:
            return
        common = state.neighbours[y] & state.adjacent[x]
        for kept in state.cliques(0, common):
            family = (kept | state.parents[y]) & ~(1 << x)
            yield x, y, common & ~kept, family, family | 1 << x

    def _best(self, steps: dict[tuple[int, int], list[Step]], inserting: bool) -> Step | None:
        """Return the valid step with the largest gain; of equal ones that of the first variables."""
        state = self.state
        ordered = sorted(itertools.chain.from_iterable(steps.values()), key=lambda s: (-s.gain, s.x, s.y, s.others))
        for step in ordered:
            barrier = state.neighbours[step.y] & state.adjacent[step.x] | step.others
            if not inserting or state.is_blocked(step.y, step.x, barrier):
                return step
        return None

    def _after(self, step: Step, inserting: bool) -> _Class:
        """Return the class that a step leads to."""
        state = self.state
        parents, neighbours = list(state.parents), list(state.neighbours)
        x, y = 1 << step.x, 1 << step.y

        def direct(tail: int, head: int) -> None:
            neighbours[tail] &= ~(1 << head)
            neighbours[head] &= ~(1 << tail)
            parents[head] |= 1 << tail

        if inserting:
            parents[step.y] |= x
            for t in bits(step.others):
                direct(t, step.y)
        else:
            neighbours[step.x] &= ~y
            neighbours[step.y] &= ~x
            parents[step.y] &= ~x
            for h in bits(step.others):
                direct(step.y, h)
                if state.neighbours[step.x] >> h & 1:
                    direct(step.x, h)
        graph = Pdag(self._data.names, [list(bits(m)) for m in parents], [list(bits(m)) for m in neighbours])
        return _Class(graph.to_cpdag())

    def _family_scores(self, families: Iterable[tuple[int, int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        listed = list(families)
        missing = [family for family in dict.fromkeys(listed) if family not in self._scores]
        if missing:
            found = self._score.score_families(self._data, [(v, list(bits(parents))) for v, parents in missing])
            self._scores.update(zip(missing, found.tolist(), strict=True))
        return np.array([self._scores[family] for family in listed], dtype=np.float64)
