"""`Beliefs`: what the analyst thinks likely before seeing the data, as odds; the data may overrule it.

A network's prior weight is a product of one factor per family, so that its logarithm is one more term of every local
score: whatever is exact for a score (the optimum, the credible set, the best k, the posterior) stays exact.

What odds mean. Let G be a network in which x and y are not joined, and G' the same network with the arc x -> y (and
without a cycle). If the arc x -> y has the odds o, then P(G') : P(G) = o : 1, times the ratio of the size terms if
sizes count. For G' and G differ in the family of y alone, by the parent x, whose factor is o. So odds of 1 say nothing:
a network with the arc is as likely as the same network without it, as the uniform prior has it for all of them.

The odds of an edge x - y are those of either arc. Summed up for a pair of variables (but for acyclicity) the weights of
no edge, x -> y and y -> x are as 1 : o(x -> y) : o(y -> x): an edge of odds o is then 2 o times as likely as none,
where it is 2 times as likely under the uniform prior, and "x -> y: 2, y -> x: 0.5" prefers a direction by 4 to 1.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.errors import OptionError
from arcwise.graph.expected_edges import edge_odds_for
from arcwise.graph.family_prior import FamilyPrior
from arcwise.graph.fixed_pairs import FixedPairs
from arcwise.graph.nodes import NamedNodes
from arcwise.mentions import Argument, Remedy
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.graph.constraints import Constraints

__all__ = ["Beliefs", "Odds", "odds_text", "read_odds"]

LARGEST = 10**300
# One statement: two variables and the odds of the arc, or the edge, between them.
Odds = tuple[str, str, float]
Given = Mapping[tuple[str, str], float | str] | Iterable[Sequence[Any]]
# "4:1", "4 to 1", "1/4"
RATIO = re.compile(r"\s*(?P<first>[^:/\s]+)\s*(?::|/|\bto\b)\s*(?P<second>[^:/\s]+)\s*")


@one_screen
@dataclass(frozen=True)
class Beliefs:
    """Prior odds of arcs and edges, of every edge, or an expected number of them; nothing at all is the uniform prior.

    Of several statements about an arc the most specific one counts: its own odds, else those of the edge, else those
    of every edge.

    Parameters
    ----------
    arcs
        The odds of arcs: ``{("smoke", "cancer"): 4}``, or triples; odds are numbers or texts, 0.25 or "1:4".
    edges
        The odds of edges, whichever way they point.
    every_edge
        The odds of every edge that has no odds of its own: below 1 for sparse networks (their logarithm is the log
        prior of an edge).
    expected_edges
        Instead: the odds that make this the expected number of edges in a network of the prior alone, every edge
        having the same odds; computed exactly, for up to 200 variables, without constraints.
    expected_parents
        The same as an expected number of parents of a variable: expected_edges divided by the number of variables.
    fair_sizes
        Whether all numbers of parents are equally likely, 1 / C(n - 1, k) for every set of k parents (Koivisto & Sood
        2004): under the uniform prior, sets of about half of all variables are by far the likeliest.

    Examples
    --------
    >>> beliefs = Beliefs(arcs={("smoke", "cancer"): 4}, edges={("age", "sex"): "1:10"})
    >>> beliefs.describe()
    {'arcs': [['smoke', 'cancer', 4.0]], 'edges': [['age', 'sex', 0.1]]}
    """

    arcs: tuple[Odds, ...] = ()
    edges: tuple[Odds, ...] = ()
    every_edge: float = 1.0
    expected_edges: float | None = None
    expected_parents: float | None = None
    fair_sizes: bool = False

    def __init__(
        self,
        arcs: Given = (),
        edges: Given = (),
        *,
        every_edge: float | str = 1.0,
        expected_edges: float | None = None,
        expected_parents: float | None = None,
        fair_sizes: bool = False,
    ) -> None:
        given = {"every_edge": every_edge != 1.0, "expected_edges": expected_edges is not None}
        given["expected_parents"] = expected_parents is not None
        named = [name for name, is_given in given.items() if is_given]
        if len(named) > 1:
            raise OptionError(Argument(named[0]), "and", Argument(named[1]), "say the same in two ways; give one.")
        if not isinstance(fair_sizes, bool):
            raise OptionError(Argument("fair_sizes", fair_sizes), "must be True or False.")
        if fair_sizes and (expected_edges is not None or expected_parents is not None):
            raise OptionError(
                Argument(named[0]),
                "and",
                Argument("fair_sizes", True),
                "both say how many parents to expect; give one.",
            )
        general = read_odds(every_edge, "every_edge")
        for name, value in (("expected_edges", expected_edges), ("expected_parents", expected_parents)):
            if value is not None and not (_is_number(value) and 0 < value < math.inf):
                raise OptionError(Argument(name, value), "must be a number above 0.")
        # What says the same as the odds of every edge says nothing, where these are known.
        neutral = general if expected_edges is None and expected_parents is None else None
        listed = _read_all(edges, "edges", ordered=False)
        about = {frozenset((a, b)) for a, b, _ in listed}
        pointed = _read_all(arcs, "arcs", ordered=True)
        set_fields: dict[str, Any] = {
            "arcs": tuple(o for o in pointed if o[2] != neutral or frozenset(o[:2]) in about),
            "edges": tuple(o for o in listed if o[2] != neutral),
            "every_edge": general,
            "expected_edges": None if expected_edges is None else float(expected_edges),
            "expected_parents": None if expected_parents is None else float(expected_parents),
            "fair_sizes": fair_sizes,
        }
        for name, value in set_fields.items():
            object.__setattr__(self, name, value)

    @property
    def is_trivial(self) -> bool:
        """Whether nothing is said: the uniform prior."""
        return not self.describe()

    @property
    def is_symmetric(self) -> bool:
        """Whether the prior depends on which pairs are joined alone, so that all networks of a class have the same."""
        if self.fair_sizes:
            return False
        # Odds that make an expected number of edges depend on how many variables there are, and are taken to differ.
        general = self.every_edge if self.expected_edges is None and self.expected_parents is None else math.nan
        reverse = [self.odds_of(b, a) for a, b, _ in self.arcs]
        return all((general if r is None else r) == o for r, (_, _, o) in zip(reverse, self.arcs, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that have odds of their own, sorted."""
        return tuple(sorted({name for a, b, _ in (*self.arcs, *self.edges) for name in (a, b)}))

    @property
    def digest(self) -> str:
        """SHA-256 of `describe`: equal for equal beliefs alone."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    def describe(self) -> dict[str, Any]:
        """Return what is believed as JSON can hold it; the keys are those of the class, without what says nothing."""
        content: dict[str, Any] = {
            "arcs": [list(odds) for odds in self.arcs],
            "edges": [list(odds) for odds in self.edges],
            "every_edge": self.every_edge if self.every_edge != 1.0 else None,
            "expected_edges": self.expected_edges,
            "expected_parents": self.expected_parents,
            "fair_sizes": self.fair_sizes or None,
        }
        return {key: value for key, value in content.items() if value not in (None, [])}

    @classmethod
    def from_description(cls, facts: Mapping[str, Any]) -> Beliefs:
        """Make what `describe` described."""
        try:
            return cls(**facts)
        except TypeError as error:
            raise OptionError(Argument("beliefs", dict(facts)), f"cannot be read ({error}).") from None

    def general_odds(self, n: int) -> float:
        """Return the odds of an edge that has none of its own, among n variables."""
        if self.expected_edges is not None:
            return edge_odds_for(n, self.expected_edges)
        if self.expected_parents is not None:
            return edge_odds_for(n, self.expected_parents * n)
        return self.every_edge

    def odds_of(self, tail: str, head: str) -> float | None:
        """Return the odds of an arc's own, by itself or by its edge; None if it has none."""
        for a, b, odds in self.arcs:
            if (a, b) == (tail, head):
                return odds
        for a, b, odds in self.edges:
            if {a, b} == {tail, head}:
                return odds
        return None

    def on(self, names: Sequence[str]) -> FamilyPrior:
        """Return the prior of every family over the variables `names`; an OptionError names one that is not there."""
        nodes = NamedNodes(names)
        n = nodes.n_nodes
        weights = np.zeros((n, n))
        if n > 1:
            weights += math.log(self.general_odds(n))
        for a, b, odds in self.edges:
            i, j = self._find(nodes, a), self._find(nodes, b)
            weights[i, j] = weights[j, i] = math.log(odds)
        for a, b, odds in self.arcs:
            weights[self._find(nodes, a), self._find(nodes, b)] = math.log(odds)
        np.fill_diagonal(weights, 0.0)
        sizes = [-math.log(math.comb(n - 1, k)) if self.fair_sizes else 0.0 for k in range(n)]
        return FamilyPrior(nodes.names, weights, np.array(sizes))

    def fixed_on(self, names: Sequence[str]) -> FixedPairs:
        """Return the pairs whose two directions have different odds.

        Members of a Markov class that agree on the directions of these pairs have the same prior, unless sizes count:
        every other edge has the same odds either way. So they are what directions know from beliefs.
        """
        weights = self.on(names).weights
        masks = [sum(1 << int(p) for p in np.flatnonzero(weights[:, v] != weights[v])) for v in range(len(weights))]
        return FixedPairs(names, masks)

    def idle_under(self, constraints: Constraints) -> tuple[str, ...]:
        """Say of which odds the constraints leave nothing to decide: of forbidden and of required arcs.

        >>> from arcwise.graph import Constraints
        >>> rules = Constraints(["a", "b"], forbidden=[("a", "b")])
        >>> Beliefs(arcs={("a", "b"): 4}).idle_under(rules)
        ('the odds of a -> b (4 to 1) do nothing: the constraints forbid the arc',)
        """
        found = []
        for a, b, odds in self.arcs:
            fate = _fate(constraints, a, b)
            if fate:
                found.append(f"the odds of {a} -> {b} ({odds_text(odds)}) do nothing: the constraints {fate} the arc")
        for a, b, odds in self.edges:
            fates = {_fate(constraints, a, b), _fate(constraints, b, a)}
            if "" not in fates:
                fate = "require" if "require" in fates else "forbid"
                found.append(f"the odds of {a} - {b} ({odds_text(odds)}) do nothing: the constraints {fate} the edge")
        return tuple(found)

    @staticmethod
    def _find(nodes: NamedNodes, name: str) -> int:
        try:
            return nodes.index(name)
        except ValueError as error:
            raise OptionError("the beliefs speak of a variable that is not there:", str(error)) from None


def read_odds(value: object, where: str) -> float:
    """Return odds as a number: 4, "4", "4:1", "4 to 1" or "1/4"; never 0 or infinite."""
    odds = math.nan
    if _is_number(value):
        odds = float(value)  # type: ignore[arg-type]
    elif isinstance(value, str):
        ratio = RATIO.fullmatch(value)
        try:
            odds = float(value) if ratio is None else float(ratio["first"]) / float(ratio["second"])
        except (ValueError, ZeroDivisionError):
            odds = math.nan
    if not 0 < odds < math.inf:
        raise OptionError(
            f"{where}: {value!r} are no odds; give a number above 0, such as 4 or 0.25, or '4:1'.",
            remedies=Remedy("forbid or require an arc that is certain by", Argument("constraints"), only_if="you know"),
        )
    return odds


def odds_text(odds: float) -> str:
    """Return odds in words: "4 to 1", "1 to 10"."""
    return f"{odds:.4g} to 1" if odds >= 1 else f"1 to {1 / odds:.4g}"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return not isinstance(value, int) or abs(value) < LARGEST  # JSON has integers of a thousand digits


def _read_all(given: Given, kind: str, *, ordered: bool) -> tuple[Odds, ...]:
    rows: list[Any] = [(*pair, odds) for pair, odds in given.items()] if isinstance(given, Mapping) else list(given)
    found: dict[tuple[str, str], float] = {}
    for row in rows:
        if not isinstance(row, tuple | list) or len(row) != 3:
            raise OptionError(f"{kind}: {row!r} is not of the form (from, to, odds).")
        a, b, odds = row
        if not (isinstance(a, str) and isinstance(b, str)):
            raise OptionError(f"{kind}: {row!r} must begin with two names.")
        sign = "->" if ordered else "-"
        if a == b:
            raise OptionError(f"{kind}: {a} {sign} {b}: a variable has no arc to itself.")
        pair = (a, b) if ordered or a < b else (b, a)
        if pair in found:
            raise OptionError(f"{kind}: {a} {sign} {b} has odds twice; keep one of the two.")
        found[pair] = read_odds(odds, f"{kind}, {a} {sign} {b}")
    return tuple((a, b, odds) for (a, b), odds in sorted(found.items()))


def _fate(constraints: Constraints, tail: str, head: str) -> str:
    if tail in constraints.required_parents(head):
        return "require"
    return "forbid" if tail in constraints.forbidden_parents(head) else ""
