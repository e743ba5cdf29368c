"""The price of what the analyst said: how far below the best network of all the best allowed one lies.

The difference of the two log scores is what the constraints cost together. What each of them costs is what dropping it
alone would regain. These parts need not add up: two statements that exclude the same arc cost nothing one by one, as
each goes on without the other, and two that only together leave no way round cost as much each as both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import GuaranteeError, UnfinishedError
from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import one_screen
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.statements import Statement
from arcwise.local.searches import tabu_search
from arcwise.parent_sets.build import build_parent_sets, check_reachable, wider_slack
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, scored_of

if TYPE_CHECKING:
    from arcwise.data.dataset import Frame
    from arcwise.scores.score import Whole


# Differences that are smaller are rounding.
ROUNDING = 1e-6
# What statements about ancestors are first thought to cost.
FIRST_REACH = 4.0


@one_screen
@dataclass(frozen=True, slots=True)
class StatementPrice:
    """What one statement costs: the log score that dropping it alone would regain."""

    statement: Statement
    cost: float

    @property
    def binds(self) -> bool:
        """Whether the best network would be another one without it."""
        return self.cost > ROUNDING


@one_screen
@dataclass(frozen=True, eq=False)
class ConstraintPrice:
    """What constraints cost in log score.

    Parameters
    ----------
    constrained, unconstrained
        The score of the best network that satisfies the constraints, and of the best of all.
    parts
        The price of each statement, the dearest first; without those that the time did not suffice for.
    exact
        Whether the networks are proved to be the best; otherwise they are what a local search found.
    is_factor
        Whether a difference of the score is the logarithm of a Bayes factor.
    status
        COMPLETE, or the limit that kept some statements from being priced.
    unpriced
        The statements that were not.
    """

    constrained: float
    unconstrained: float
    parts: tuple[StatementPrice, ...]
    exact: bool
    is_factor: bool = True
    status: Status = Status.COMPLETE
    unpriced: tuple[Statement, ...] = ()

    @property
    def cost(self) -> float:
        """What all constraints cost together, at least 0."""
        return max(0.0, self.unconstrained - self.constrained)

    @property
    def binding(self) -> tuple[StatementPrice, ...]:
        """The statements that cost something by themselves, the dearest first."""
        return tuple(part for part in self.parts if part.binds)

    def describe(self) -> dict[str, Any]:
        """Return the prices as JSON can hold them: what the record of a run has."""
        return {
            "cost": self.cost,
            "with_constraints": self.constrained,
            "without_constraints": self.unconstrained,
            "exact": self.exact,
            "status": str(self.status),
            "statements": [
                {"kind": str(part.statement.kind), "text": part.statement.text(), "cost": part.cost}
                for part in self.parts
            ],
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each statement that binds: "the data object to ... by a factor of 4,000"."""
        return tuple(
            f"The data object to {part.statement.objection} by {factor_words(part.cost, is_factor=self.is_factor)}."
            for part in self.binding
        )


def factor_words(cost: float, *, is_factor: bool = True) -> str:
    """Return a difference of log scores in words: "a factor of 4,000", with one or two digits that matter.

    >>> factor_words(8.3), factor_words(0.2), factor_words(100), factor_words(8.3, is_factor=False)
    ('a factor of 4,000', 'a factor of 1.2', 'a factor of 10^43', '8.3 in log score')
    """
    if not is_factor:
        return f"{cost:.2g} in log score"
    if cost > math.log(1e9):
        return f"a factor of 10^{cost / math.log(10):.0f}"
    factor = math.exp(cost)
    if factor < 10:
        return f"a factor of {factor:.2g}"
    digits = 1 - math.floor(math.log10(factor))
    return f"a factor of {round(factor, digits):,.0f}"


def constraint_price(
    data: Whole | Frame,
    constraints: Constraints,
    *,
    score: str | Score = "bdeu:ess=1",
    max_parents: int | None = None,
    exact: bool = True,
    seed: int = 0,
    threads: int | None = None,
    limits: Limits | None = None,
) -> ConstraintPrice | None:
    """Find what constraints cost in log score, in all and one by one.

    Parameters
    ----------
    data
        The data.
    constraints
        What the best network must satisfy.
    score, max_parents
        The score; a limit on parents that holds with and without the constraints.
    exact
        Find the best networks with proof. If False, or if the time is too short for that, local search finds good
        ones, and the result says so.
    seed
        For the local search.
    limits
        `seconds` and `memory_bytes` for all searches together. Statements that they do not suffice for are listed as
        `unpriced`.

    Returns
    -------
    ConstraintPrice
        None if the limits do not even suffice for the two best networks.

    Examples
    --------
    >>> from arcwise import Constraints, datasets
    >>> data = datasets.load("iris")
    >>> known = Constraints(data.names, forbidden=[("species", "petal-length"), ("petal-length", "species")])
    >>> price = constraint_price(data, known, score="bic")
    >>> price.exact, round(price.cost, 3), len(price.binding)
    (True, 9.905, 2)
    """
    made = make_score(score)
    given: Whole = scored_of(data, made)
    run = Run.of(limits)
    if constraints.names != given.names:
        constraints = constraints.reorder(given.names)
    work = _Prices(given, made, max_parents, run, seed, threads)
    ancestral = constraints.is_ancestral
    found = _price(constraints, work.exactly, run.share(1.0 if ancestral else 0.6), exact=True) if exact else None
    if found is None and not ancestral:
        found = _price(constraints, work.locally, run, exact=False)
    if found is None:
        return None
    return replace(found, is_factor=made.facts.reads_as_odds)


Search = Callable[[Constraints, "Dag | None", Run], "tuple[float, Dag] | None"]


def _price(constraints: Constraints, search: Search, run: Run, *, exact: bool) -> ConstraintPrice | None:
    """Price the constraints by one way of searching; None if the two networks could not be found in the time."""
    with_all = search(constraints, None, run)
    if with_all is None:
        return None
    best, dag = with_all
    without_any = search(Constraints(constraints.names), dag, run)
    if without_any is None:
        return None
    parts: list[StatementPrice] = []
    unpriced: list[Statement] = []
    for statement in constraints.statements:
        regained = None if unpriced else search(constraints.without(statement), dag, run)
        if regained is None:
            unpriced.append(statement)
        else:
            parts.append(StatementPrice(statement, max(0.0, regained[0] - best)))
    parts.sort(key=lambda part: -part.cost)
    return ConstraintPrice(
        constrained=best,
        unconstrained=max(best, without_any[0]),
        parts=tuple(parts),
        exact=exact,
        status=Status.TIME_LIMIT if unpriced else Status.COMPLETE,
        unpriced=tuple(unpriced),
    )


@dataclass(frozen=True, eq=False)
class _Prices:
    """Searches for the best network under one set of constraints after the other."""

    data: Whole
    score: Score
    max_parents: int | None
    run: Run
    seed: int
    threads: int | None
    tables: dict[frozenset[tuple[str, str]], ParentSetTable] = field(default_factory=dict)

    def exactly(self, known: Constraints, start: Dag | None, run: Run) -> tuple[float, Dag] | None:
        """Return the best network and its score; None if a limit ended the search."""
        del start
        slack = FIRST_REACH if known.is_ancestral else 0.0
        check_reachable(self.data, known, self.max_parents)
        while True:
            table = self._table(known, slack, run)
            if table is None:
                return None
            try:
                found = find_optimal(
                    table,
                    constraints=known,
                    limits=run.limits,
                    threads=self.threads,
                    seed=self.seed,
                    progress=False,
                )
            except GuaranteeError:
                required = Constraints(known.names, required=known.required)
                slack = wider_slack(table, table.slack, self.data, required, self.max_parents)
                continue
            except UnfinishedError:
                return None
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            return (found.score, found.dag) if found.is_proved else None

    def locally(self, known: Constraints, start: Dag | None, run: Run) -> tuple[float, Dag] | None:
        """Return the better of what local search finds from nothing and from a network that is allowed already."""
        if run.is_over:
            return None
        results = [
            tabu_search(
                self.data,
                score=self.score,
                start=begin,
                constraints=known,
                max_parents=self.max_parents,
                seed=self.seed,
                limits=run.limits,
                by_position=True,
                progress=False,
            )
            for begin in (("empty",) if start is None else ("empty", start))
        ]
        if any(result.status is Status.INTERRUPTED for result in results):
            raise KeyboardInterrupt
        if any(result.status is not Status.COMPLETE for result in results):
            return None
        best = max(results, key=lambda result: result.score)
        return best.score, best.dag

    def _table(self, known: Constraints, slack: float, run: Run) -> ParentSetTable | None:
        """Return a table for the required arcs of the constraints.

        Nothing else needs one of its own: a set was dropped for a subset that scores better, and a subset of an allowed
        set is allowed by whatever forbids arcs or limits parents (`arcwise.parent_sets.table`).
        """
        key = frozenset(known.required)
        table = self.tables.get(key)
        if table is not None and table.slack >= slack:
            return table
        if run.is_over:
            return None
        required = Constraints(known.names, required=known.required)
        table = build_parent_sets(
            self.data,
            self.score,
            slack=slack,
            max_parents=self.max_parents,
            constraints=required,
            threads=self.threads,
            limits=run.limits,
            progress=False,
        )
        if table.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if table.status is not Status.COMPLETE:
            return None
        self.tables[key] = table
        return table
