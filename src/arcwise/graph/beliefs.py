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

import decimal
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, FormatError, OptionError, Remedy, check_argument, errors_within, suggestion
from arcwise.base.files import csv_rows, parse_json
from arcwise.base.showing import one_screen
from arcwise.graph.classes import FixedPairs
from arcwise.graph.constraints import Constraints, read_table_file
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import NamedNodes

if TYPE_CHECKING:
    import pandas as pd


# How many edges a network has on average if every edge has the same odds, exactly, and the odds for a given number.
#
# Let Z(n) be the sum of t^edges over all DAGs with n nodes: the prior weights if each edge has the odds t. Robinson's
# recurrence, by inclusion and exclusion over the k nodes without parents (1973; with marked edges: Rodionov 1992), is
#
#     Z(n) = sum over k = 1 .. n of (-1)^(k + 1) C(n, k) (1 + t)^(k (n - k)) Z(n - k).
#
# Divided by n! (1 + t)^C(n, 2) it becomes a convolution, z(n) = sum of (-1)^(k + 1) c(k) z(n - k) with c(k) = 1 / (k!
# (1 + t)^C(k, 2)); and the expected number of edges is the derivative of log Z(n) by log t. That acyclicity makes
# edges rarer is so taken into account: three equally likely states of every pair would give two thirds of all pairs an
# edge; with all odds 1, it is 64 % of them among three variables, and less among more.
#
# The terms alternate and cancel by about a bit in every step, so the sums carry that many extra digits.


# n^2 steps with n digits: a second.
MOST_VARIABLES = 200
# Digits beyond those that cancel.
DIGITS = 30


def expected_edges(n: int, odds: float) -> float:
    """Return the expected number of edges of a DAG with n nodes whose weight is odds^edges.

    >>> round(expected_edges(2, 1.0), 6)  # no edge, or either of two: three networks
    0.666667
    """
    with decimal.localcontext() as context:
        context.prec = DIGITS + n // 2
        t = Decimal(odds)
        share = t / (1 + t)
        terms, slopes = _terms(n, t, share)
        z, slope = [Decimal(1)], [Decimal(0)]
        for m in range(1, n + 1):
            first, rates = terms[m:0:-1], slopes[m:0:-1]
            change = sum(map(mul, rates, z), Decimal(0)) + sum(map(mul, first, slope), Decimal(0))
            z.append(sum(map(mul, first, z), Decimal(0)))
            slope.append(change)
        return float(slope[n] / z[n] + share * math.comb(n, 2))


def _terms(n: int, t: Decimal, share: Decimal) -> tuple[list[Decimal], list[Decimal]]:
    """Return (-1)^(k + 1) c(k) for k = 0 .. n, and its derivative by log t."""
    terms, slopes = [Decimal(-1)], [Decimal(0)]
    power = Decimal(1)  # (1 + t)^(k - 1)
    for k in range(1, n + 1):
        terms.append(-terms[-1] / (k * power))
        slopes.append(-terms[-1] * share * math.comb(k, 2))
        power *= 1 + t
    return terms, slopes


@lru_cache(maxsize=64)
def edge_odds_for(n: int, edges: float) -> float:
    """Return the odds of every edge that make `edges` the expected number of edges of a DAG with n nodes.

    >>> round(edge_odds_for(2, 2 / 3), 6)
    1.0
    """
    from scipy.optimize import brentq

    pairs = math.comb(n, 2)
    if not 0 < edges < pairs:
        raise OptionError(
            f"{edges:g} edges are expected, but {n} variables can have an expected number between 0 and {pairs}, both "
            "excluded."
        )
    if n > MOST_VARIABLES:
        raise OptionError(
            f"the odds that make {edges:g} edges the expected number are computed for up to {MOST_VARIABLES} variables,"
            f" not for {n:,}.",
            remedies=Remedy("give the odds of every edge themselves as", Argument("every_edge")),
        )
    # Acyclicity makes edges rarer than in the graph without it, where 2t/(1 + 2t) of the pairs have one.
    low = math.log(edges / (pairs - edges) / 2) - 1e-9
    high = low + 1.0
    while expected_edges(n, math.exp(high)) < edges:
        high += high - low
    return math.exp(brentq(lambda x: expected_edges(n, math.exp(x)) - edges, low, high, xtol=1e-11, rtol=1e-11))


@one_screen
@dataclass(frozen=True, eq=False)
class FamilyPrior:
    """The log prior of every family, up to a constant that all networks share; `Beliefs.on` makes it.

    The prior of the parents P of a variable c is ``sizes[|P|]`` plus the sum of ``weights[p, c]`` over P; that of a
    network is the sum over its families. cpp/core/scores/family_prior.hpp has the native counterpart.

    Parameters
    ----------
    names
        The variables.
    weights
        The natural logarithm of the odds of every arc, by parent and child.
    sizes
        The term of 0, 1, ... parents.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]  # (parent, child)
    sizes: NDArray[np.float64]

    def family(self, child: int, parents: Iterable[int]) -> float:
        """Return the log prior of a variable's parents, all by position; the terms are added in their order."""
        ordered = sorted(parents)
        total = float(self.sizes[len(ordered)])
        for parent in ordered:
            total += float(self.weights[parent, child])
        return total

    def network(self, dag: Dag) -> float:
        """Return the log prior of a network, up to the constant; its nodes may be in any order."""
        ordered = dag if dag.names == self.names else dag.reorder(self.names)
        return sum(self.family(v, parents) for v, parents in enumerate(ordered.parents))


LARGEST = 10**300  # a float holds little more
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
        expected = {"expected_edges": expected_edges, "expected_parents": expected_parents}
        numbers = [name for name, value in expected.items() if value is not None]
        named = [*(["every_edge"] if every_edge != 1.0 else []), *numbers]
        if len(named) > 1:
            raise OptionError(Argument(named[0]), "and", Argument(named[1]), "say the same in two ways; give one.")
        check_argument(isinstance(fair_sizes, bool), "fair_sizes", fair_sizes, "must be True or False.")
        if fair_sizes and numbers:
            both = (Argument(numbers[0]), "and", Argument("fair_sizes", True))
            raise OptionError(*both, "both say how many parents to expect; give one.")
        general = read_odds(every_edge, "every_edge")
        for name, value in expected.items():
            if value is not None:
                check_argument(_is_number(value) and 0 < value < math.inf, name, value, "must be a number above 0.")
                expected[name] = float(value)
        # What says the same as the odds of every edge says nothing, where these are known.
        neutral = None if numbers else general
        listed = _read_all(edges, "edges", ordered=False)
        about = {frozenset((a, b)) for a, b, _ in listed}
        pointed = _read_all(arcs, "arcs", ordered=True)
        own = tuple(o for o in pointed if o[2] != neutral or frozenset(o[:2]) in about)
        fields = {"arcs": own, "edges": tuple(o for o in listed if o[2] != neutral), "every_edge": general, **expected}
        for name, content in (*fields.items(), ("fair_sizes", fair_sizes)):
            object.__setattr__(self, name, content)

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
        """The variables with individual odds, sorted."""
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
        """Return the odds of an edge without individual odds, among n variables."""
        if self.expected_edges is not None:
            return edge_odds_for(n, self.expected_edges)
        if self.expected_parents is not None:
            return edge_odds_for(n, self.expected_parents * n)
        return self.every_edge

    def odds_of(self, tail: str, head: str) -> float | None:
        """Return the individual odds of an arc, given for it or for its edge; None if there are none."""
        own = [odds for a, b, odds in self.arcs if (a, b) == (tail, head)]
        own += [odds for a, b, odds in self.edges if {a, b} == {tail, head}]
        return own[0] if own else None

    def on(self, names: Sequence[str]) -> FamilyPrior:
        """Return the prior of every family over the variables `names`; an OptionError names one that is not there."""
        nodes = NamedNodes(names)
        n = nodes.n_nodes
        weights = np.zeros((n, n))
        if n > 1:
            weights += math.log(self.general_odds(n))
        for name in self.names:
            with errors_within("the beliefs speak of a variable that is not there:", kind=OptionError):
                nodes.index(name)
        for a, b, odds in self.edges:
            i, j = nodes.index(a), nodes.index(b)
            weights[i, j] = weights[j, i] = math.log(odds)
        for a, b, odds in self.arcs:
            weights[nodes.index(a), nodes.index(b)] = math.log(odds)
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
        """Return of which odds the constraints leave nothing to decide: of forbidden and of required arcs.

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


# Files of prior odds: CSV for single arcs and edges; TOML or JSON for everything that `Beliefs` can say.
#
# from,to,odds,kind                 every_edge = 0.5                        # or expected_edges = 12
# smoke,cancer,4,->                 arcs = [["smoke", "cancer", 4]]
# age,sex,1:10,--                   edges = [["age", "sex", "1:10"]]
#
# Without a column `kind` the rows are arcs. Further columns are ignored, such as one with the reasons.


KEYS = ("arcs", "edges", "every_edge", "expected_edges", "expected_parents", "fair_sizes")
COLUMNS = ("from", "to", "odds")
KINDS = {"->": "arcs", "arc": "arcs", "": "arcs", "--": "edges", "-": "edges", "edge": "edges"}


def read_beliefs(path: str | os.PathLike[str]) -> Beliefs:
    """Read odds from a .csv, .toml or .json file, plain or gzip."""
    content = read_table_file(path, "beliefs are read from a .csv, .toml or .json file.")
    return _from_csv(content, str(path)) if isinstance(content, str) else _from_content(content, str(path))


def parse_beliefs(text: str) -> Beliefs:
    """Read odds from JSON text, as the record of a run has them."""
    return _from_content(parse_json(text, source="the beliefs"), "the beliefs")


def beliefs_from_frame(frame: pd.DataFrame) -> Beliefs:
    """Make beliefs of a table with the columns from, to, odds and perhaps kind ("->", or "--" for an edge)."""
    columns = [str(name) for name in frame.columns]
    rows = ([str(value) for value in row] for row in frame.itertuples(index=False))
    return _from_rows(columns, enumerate(rows, start=1), "the table of beliefs", "row")


def make_beliefs(given: object) -> Beliefs | None:
    """Return beliefs however they are given: `Beliefs`, a DataFrame, a file, a description; None for the uniform prior.

    Odds that are all 1 are the uniform prior, too.
    """
    if given is None:
        return None
    if isinstance(given, Beliefs):
        made = given
    elif isinstance(given, str | os.PathLike):
        text = os.fspath(given)
        made = parse_beliefs(text) if text.lstrip().startswith("{") else read_beliefs(text)
    elif isinstance(given, Mapping):
        made = Beliefs.from_description(given)
    elif hasattr(given, "itertuples"):
        made = beliefs_from_frame(cast("pd.DataFrame", given))
    else:
        raise OptionError(
            Argument("beliefs", given),
            "must be Beliefs(arcs=..., edges=...), a table with the columns from, to, odds, or a file.",
        )
    return None if made.is_trivial else made


def _from_csv(text: str, source: str) -> Beliefs:
    (_, header), *rows = csv_rows(text, source=source, expected="the header is from,to,odds or from,to,odds,kind")
    return _from_rows(header, rows, source, "line")


def _from_rows(columns: list[str], rows: Iterable[tuple[int, list[str]]], source: str, unit: str) -> Beliefs:
    places = {name.lower(): place for place, name in enumerate(columns)}
    if missing := [name for name in COLUMNS if name not in places]:
        raise FormatError(
            f"{source}: there is no column '{missing[0]}'; the columns of odds are from,to,odds or from,to,odds,kind."
        )
    found: dict[str, Any] = {"arcs": [], "edges": []}
    for number, row in rows:
        if len(row) != len(columns):
            raise FormatError(f"{source}, {unit} {number}: {len(row)} cells, where the header has {len(columns)}.")
        cells = {name: row[place].strip() for name, place in places.items()}
        kind = cells.get("kind", "")
        if kind not in KINDS:
            raise FormatError(f"{source}, {unit} {number}: the kind '{kind}'; it is -> for an arc, or -- for an edge.")
        own: dict[str, Any] = {KINDS[kind]: [(cells["from"], cells["to"], cells["odds"])]}
        with errors_within(f"{source}, {unit} {number}:", kind=FormatError):
            Beliefs(**own)
        found[KINDS[kind]] += own[KINDS[kind]]
    with errors_within(f"{source}:", kind=FormatError):
        return Beliefs(**found)


def _from_content(content: Any, source: str) -> Beliefs:
    if not isinstance(content, dict):
        raise FormatError(f"{source}: a table with the keys {', '.join(KEYS)} is needed.")
    for key in content:
        if key not in KEYS:
            raise FormatError(f"{source}: {suggestion('key', str(key), KEYS)}")
    for key in ("arcs", "edges"):
        if not isinstance(content.get(key, []), list):
            raise FormatError(f"{source}: {key} must be a list of rows [from, to, odds].")
    with errors_within(f"{source}:", kind=FormatError):
        return Beliefs(**content)
