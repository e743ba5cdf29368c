"""The chain of the native core in readable Python: the same random numbers, the same moves, the same draws.

See cpp/core/posterior/chains/dag_chain.hpp for the moves and why each leaves the posterior as it is.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from numpy.typing import NDArray

from arcwise.parent_sets import ParentSetTable
from arcwise.posterior.settings import MOVES
from arcwise.posterior.walk import block_weights

__all__ = ["TwinChain", "Xoshiro"]

WORD = 2**64 - 1
LEAST_WEIGHT = -600.0
LEAST_LOG = -40.0
LARGEST_BLOCK = 4


class Xoshiro:
    """xoshiro256** (Blackman & Vigna 2021), seeded by splitmix64: cpp/core/xoshiro.hpp."""

    def __init__(self, seed: int) -> None:
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & WORD
            z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
            self.state.append(z ^ (z >> 31))

    def next(self) -> int:
        """Return 64 random bits."""
        s = self.state
        result = (_rotate((s[1] * 5) & WORD, 7) * 9) & WORD
        t = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotate(s[3], 45)
        return result

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53

    def below(self, bound: int) -> int:
        """Return a whole number below the bound."""
        excess = (2**64 - bound) % bound
        drawn = self.next()
        while drawn < excess:
            drawn = self.next()
        return drawn % bound

    def shuffle(self, values: list[int]) -> None:
        """Shuffle a list."""
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]


def _rotate(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & WORD


class _Sum:
    """The rows that a draw is made from, with the sums of their weights so far."""

    def __init__(self, chain: _Walker, node: int, rows: Iterable[int], avoided: frozenset[int]) -> None:
        heat, scores = chain.heat, chain.table.scores
        best = float(scores[chain.table.rows_of(node).start])
        self.rows: list[int] = []
        self.sums: list[float] = []
        self.end = -math.inf
        self.log = -math.inf
        total, top, far = 0.0, 0.0, False
        for row in rows:
            score = float(scores[row])
            if self.rows and score < self.end:
                break
            if not avoided.isdisjoint(chain.sets[row]):
                continue
            if not self.rows:
                top, self.end, far = score, score - chain.window / heat, heat * (score - best) < LEAST_WEIGHT
            total += math.exp(heat * (score - (top if far else best)))
            self.rows.append(row)
            self.sums.append(total)
        if self.rows:
            self.log = heat * (top if far else best) + math.log(total)

    def has(self, chain: _Walker, row: int) -> bool:
        """Whether a row that is allowed is within the window."""
        return bool(self.rows) and float(chain.table.scores[row]) >= self.end

    def draw(self, random: Xoshiro) -> int:
        """Draw a row by weight."""
        place = bisect.bisect_right(self.sums, random.uniform() * self.sums[-1])
        return self.rows[min(place, len(self.rows) - 1)]


class _TypedRows:
    """The rows of one node of a block that may be drawn, and the sums of their weights by type."""

    def __init__(self, chain: _Walker, place: int, node: int, cones: Sequence[frozenset[int]]) -> None:
        heat, scores = chain.heat, chain.table.scores
        best = float(scores[chain.table.rows_of(node).start])
        self._cones, self._every = cones, range(1 << len(cones))
        self.limits: dict[int, float] = {}
        self.logs: dict[int, float] = {}
        tops: dict[int, float] = {}
        self._entries: list[tuple[int, int, float]] = []
        self._sums: dict[int, float] = {}
        for row in chain.table.rows_of(node):
            kind, score = self.type_of(chain.sets[row]), float(scores[row])
            if kind >> place & 1 or score < self.limits.get(kind, -math.inf):
                continue
            if kind not in tops:
                tops[kind] = score
                for more in self._every:
                    if kind & ~more == 0:
                        self.limits.setdefault(more, score - chain.window / heat)
            far = heat * (tops[kind] - best) < LEAST_WEIGHT
            weight = math.exp(heat * (score - (tops[kind] if far else best)))
            self._sums[kind] = self._sums.get(kind, 0.0) + weight
            self._entries.append((row, kind, weight))
            self.logs[kind] = heat * (tops[kind] if far else best) + math.log(self._sums[kind])

    def type_of(self, parents: frozenset[int]) -> int:
        return sum(1 << place for place, cone in enumerate(self._cones) if not cone.isdisjoint(parents))

    def has(self, chain: _Walker, row: int) -> bool:
        return float(chain.table.scores[row]) >= self.limits.get(self.type_of(chain.sets[row]), -math.inf)

    def draw(self, kind: int, random: Xoshiro) -> int:
        wanted, total, found = random.uniform() * self._sums[kind], 0.0, -1
        for row, own, weight in self._entries:
            if own == kind:
                found, total = row, total + weight
                if total > wanted:
                    break
        return found


@cache
def _dags_of(size: int) -> list[tuple[int, ...]]:
    """Return all DAGs on so few nodes, as sets of parents."""
    each = [[t for t in range(1 << size) if not t >> place & 1] for place in range(size)]
    return [dag for dag in itertools.product(*each) if _is_acyclic(dag)]


def _is_acyclic(dag: tuple[int, ...]) -> bool:
    placed = 0
    for _ in dag:
        for v, parents in enumerate(dag):
            placed |= (parents & ~placed == 0) << v
    return placed == (1 << len(dag)) - 1


class _Blocks:
    """Draws the nodes of a block: `arcwise::Walker::try_block`."""

    def __init__(self, weights: dict[str, NDArray[Any]]) -> None:
        self._firsts = weights["firsts"].tolist()
        begin = weights["partner_offsets"].tolist()
        self._partners = [weights["partners"][a:b].tolist() for a, b in itertools.pairwise(begin)]
        self._sums = [weights["partner_sums"][a:b].tolist() for a, b in itertools.pairwise(begin)]

    @staticmethod
    def _by_weight(sums: list[float], random: Xoshiro) -> int:
        return min(bisect.bisect_right(sums, random.uniform() * sums[-1]), len(sums) - 1)

    def draw(self, size: int, random: Xoshiro) -> list[int]:
        chosen = [self._by_weight(self._firsts, random)]
        for _ in range(size - 1):
            node = chosen[random.below(len(chosen))]
            if not self._partners[node]:
                break
            partner = self._partners[node][self._by_weight(self._sums[node], random)]
            if partner not in chosen:
                chosen.append(partner)
        return chosen


class _Walker:
    """One DAG that moves at one heat; the moves are those of `arcwise::Walker`."""

    def __init__(self, table: ParentSetTable, window: float, heat: float) -> None:
        self.table, self.window, self.heat = table, window, heat
        self.blocks = _Blocks(block_weights(table))
        self.sets = [frozenset(table.parents_of(row)) for row in range(table.n_rows)]
        self.found = [{self.sets[row]: row for row in table.rows_of(v)} for v in range(table.n_variables)]
        self.arcs = sorted(
            {(v, p) for v in range(table.n_variables) for row in table.rows_of(v) for p in self.sets[row]}
        )
        self.rows: list[int] = []

    def score(self) -> float:
        total = 0.0
        for row in self.rows:
            total += float(self.table.scores[row])
        return total

    def _parents(self) -> list[frozenset[int]]:
        return [self.sets[row] for row in self.rows]

    @staticmethod
    def _below(parents: Sequence[frozenset[int]], node: int) -> frozenset[int]:
        """Return the node and its descendants."""
        found = {node}
        while more := {v for v, own in enumerate(parents) if v not in found and not own.isdisjoint(found)}:
            found |= more
        return frozenset(found)

    def _sum(
        self, parents: Sequence[frozenset[int]], node: int, holding: int | None = None, avoiding: Iterable[int] = ()
    ) -> _Sum:
        rows = [row for row in self.table.rows_of(node) if holding is None or holding in self.sets[row]]
        return _Sum(self, node, rows, self._below(parents, node) | frozenset(avoiding))

    def _is_accepted(self, log_ratio: float, random: Xoshiro) -> bool:
        return log_ratio >= 0 or random.uniform() < math.exp(log_ratio)

    def _gain(self, *changes: tuple[int, int]) -> float:
        after = [float(self.table.scores[row]) for _, row in changes]
        before = [float(self.table.scores[self.rows[v]]) for v, _ in changes]
        return self.heat * (sum(after) - sum(before))

    def _draw_arc(self, random: Xoshiro) -> tuple[int, int] | None:
        arcs = [(parent, v) for v, own in enumerate(self._parents()) for parent in sorted(own)]
        return arcs[random.below(len(arcs))] if arcs else None

    def toggle(self, random: Xoshiro) -> None:
        if not self.arcs:
            return
        head, tail = self.arcs[random.below(len(self.arcs))]
        parents = self._parents()
        row = self.found[head].get(parents[head] ^ {tail})
        if row is None or not self._is_accepted(self._gain((head, row)), random):
            return
        if tail in parents[head] or tail not in self._below(parents, head):
            self.rows[head] = row

    def reversal(self, random: Xoshiro) -> None:
        arc = self._draw_arc(random)
        if arc is None:
            return
        tail, head = arc
        parents = self._parents()
        lost, won = self.found[head].get(parents[head] - {tail}), self.found[tail].get(parents[tail] | {head})
        if lost is None or won is None:
            return
        if not self._is_accepted(self._gain((head, lost), (tail, won)), random):
            return
        parents[head] = self.sets[lost]
        if head not in self._below(parents, tail):
            self.rows[head], self.rows[tail] = lost, won

    def redraw(self, random: Xoshiro) -> None:
        node = random.below(len(self.rows))
        rows = self.table.rows_of(node)
        best = float(self.table.scores[rows.start])
        sums = list(itertools.accumulate(math.exp(self.heat * (float(self.table.scores[r]) - best)) for r in rows))
        row = rows[min(bisect.bisect_right(sums, random.uniform() * sums[-1]), len(sums) - 1)]
        if self.sets[row].isdisjoint(self._below(self._parents(), node)):
            self.rows[node] = row

    def parents(self, random: Xoshiro) -> None:
        self._draw_block(1, random)

    def block(self, random: Xoshiro) -> None:
        self._draw_block(LARGEST_BLOCK, random)

    def _draw_block(self, size: int, random: Xoshiro) -> None:
        chosen = self.blocks.draw(size, random)
        bare = [frozenset() if v in chosen else own for v, own in enumerate(self._parents())]
        cones = [self._below(bare, node) for node in chosen]
        typed = [_TypedRows(self, place, node, cones) for place, node in enumerate(chosen)]
        if not all(own.has(self, self.rows[node]) for own, node in zip(typed, chosen, strict=True)):
            return
        dags = _dags_of(len(chosen))
        logs = [sum((own.logs.get(t, -math.inf) for own, t in zip(typed, dag, strict=True)), 0.0) for dag in dags]
        best, total, sums = max(logs), 0.0, []
        for log in logs:
            total += math.exp(log - best) if log - best >= LEAST_LOG else 0.0
            sums.append(total)
        place = bisect.bisect_right(sums, random.uniform() * total)
        dag = dags[place if place < len(sums) else bisect.bisect_left(sums, total)]
        drawn = [own.draw(t, random) for own, t in zip(typed, dag, strict=True)]
        for node, row in zip(chosen, drawn, strict=True):
            self.rows[node] = row

    def edge(self, random: Xoshiro) -> None:
        arc = self._draw_arc(random)
        if arc is None:
            return
        u, v = arc
        parents = self._parents()
        count = sum(map(len, parents))
        parents[u] = parents[v] = frozenset()
        back_v = self._sum(parents, v, holding=u)
        if not back_v.has(self, self.rows[v]):
            return
        with_v = self._sum(parents, u, holding=v)
        if not with_v.rows:
            return
        new_u = with_v.draw(random)
        parents[v] = self.sets[self.rows[v]]
        back_u = self._sum(parents, u)
        if not back_u.has(self, self.rows[u]):
            return
        parents[u], parents[v] = self.sets[new_u], frozenset()
        free_v = self._sum(parents, v)
        if not free_v.rows:
            return
        new_v = free_v.draw(random)
        parents[v] = self.sets[new_v]
        log_ratio = (
            math.log(count) - math.log(sum(map(len, parents))) + (with_v.log - back_v.log) + (free_v.log - back_u.log)
        )
        if self._is_accepted(log_ratio, random):
            self.rows[u], self.rows[v] = new_u, new_v

    def blanket(self, random: Xoshiro) -> None:
        node = random.below(len(self.rows))
        whole = self._parents()
        children = [v for v, own in enumerate(whole) if node in own]
        random.shuffle(children)
        bare = [
            frozenset((node,)) if v in children else frozenset() if v == node else own for v, own in enumerate(whole)
        ]
        forward = self._sum(bare, node, avoiding=whole[node])
        if not forward.rows:
            return
        drawn = forward.draw(random)
        backward = self._sum(bare, node, avoiding=self.sets[drawn])
        if not backward.has(self, self.rows[node]):
            return
        log_ratio = forward.log - backward.log
        parents = list(bare)
        parents[node] = whole[node]
        for child in children:
            back = self._sum(parents, child, holding=node)
            if not back.has(self, self.rows[child]):
                return
            log_ratio -= back.log
            parents[child] = whole[child]
        parents = list(bare)
        parents[node] = self.sets[drawn]
        rows = list(self.rows)
        rows[node] = drawn
        for child in children:
            there = self._sum(parents, child, holding=node)
            if not there.rows:
                return
            log_ratio += there.log
            rows[child] = there.draw(random)
            parents[child] = self.sets[rows[child]]
        if self._is_accepted(log_ratio, random):
            self.rows = rows


class TwinChain:
    """A chain with its replicas: what `arcwise::DagChain` does, draw by draw.

    Parameters
    ----------
    table
        The parent sets that it walks on.
    mixture, window, steps, heats
        See `ChainSettings`.
    seed
        Of 64 bits, as the native core takes it.
    start
        The row of each node, counted within the node.
    """

    def __init__(
        self,
        table: ParentSetTable,
        *,
        mixture: Sequence[float],
        window: float,
        steps: int,
        heats: Sequence[float],
        seed: int,
        start: Sequence[int],
    ) -> None:
        self._mixture, self._steps, self._heats = mixture, steps, heats
        self._starts = table.node_offsets.tolist()
        self._random = Xoshiro(seed)
        self._walkers = [_Walker(table, window, heat) for heat in heats]
        for walker in self._walkers:
            walker.rows = self._absolute(start)

    def _absolute(self, rows: Sequence[int]) -> list[int]:
        return [begin + int(row) for begin, row in zip(self._starts, rows, strict=False)]

    def advance(self, target: Sequence[int] | None = None, least: float = 0.0) -> tuple[list[int], float]:
        """Walk to the next draw; return its rows, counted within the nodes, and its score."""
        for walker in self._walkers:
            for _ in range(self._steps):
                self._move(walker)(self._random)
        for i in range(len(self._walkers) - 1, 0, -1):
            cold, warm = self._walkers[i - 1], self._walkers[i]
            log_ratio = (self._heats[i - 1] - self._heats[i]) * (warm.score() - cold.score())
            if log_ratio >= 0 or self._random.uniform() < math.exp(log_ratio):
                cold.rows, warm.rows = warm.rows, cold.rows
        first = self._walkers[0]
        if target is not None and first.score() >= least:
            first.rows = self._absolute(target)
        return [row - begin for begin, row in zip(self._starts, first.rows, strict=False)], first.score()

    def _move(self, walker: _Walker) -> Callable[[Xoshiro], None]:
        left, move = self._random.uniform(), 0
        while move < len(MOVES) - 1 and left >= self._mixture[move]:
            left -= self._mixture[move]
            move += 1
        moves: tuple[Callable[[Xoshiro], None], ...] = (
            walker.toggle,
            walker.reversal,
            walker.redraw,
            walker.parents,
            walker.block,
            walker.edge,
            walker.blanket,
        )
        return moves[move]
