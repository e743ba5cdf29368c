"""Contradictions: the smallest conflicting set, against all subsets and all DAGs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import ConstraintError
from arcwise.graph import Constraints, Dag, Statement, StatementKind, all_dags
from arcwise.graph.statements import smallest_conflict

NAMES = "abcd"
DAGS = list(all_dags(NAMES))


def satisfies(dag: Dag, said: Statement) -> bool:
    """Return whether a network satisfies a statement, by definition."""
    arcs = set(dag.arcs)
    inside = [arc for arc in arcs if set(arc) <= set(said.names)]
    tier = {name: k for k, part in enumerate(said.parts) for name in part} if said.kind is StatementKind.TIERS else {}
    return {
        StatementKind.REQUIRED: lambda: said.names in arcs,
        StatementKind.FORBIDDEN: lambda: said.names not in arcs,
        StatementKind.ALLOWED: lambda: arcs <= set(said.parts),
        StatementKind.TIERS: lambda: not any(a in tier and b in tier and tier[a] > tier[b] for a, b in arcs),
        StatementKind.ROOT: lambda: not dag.parents_of(said.names[0]),
        StatementKind.LEAF: lambda: not dag.children_of(said.names[0]),
        StatementKind.SEPARATE: lambda: not inside,
        StatementKind.GROUP: lambda: not inside,
        StatementKind.ANCESTOR: lambda: said.names[1] in dag.descendants(said.names[0]),
        StatementKind.NON_ANCESTOR: lambda: said.names[1] not in dag.descendants(said.names[0]),
        StatementKind.MAX_PARENTS: lambda: all(len(dag.parents_of(v)) <= (said.limit or 0) for v in said.names),
        StatementKind.MAX_PARENTS_OF: lambda: len(dag.parents_of(said.names[0])) <= (said.limit or 0),
    }[said.kind]()


def exists(statements: tuple[Statement, ...]) -> bool:
    return any(all(satisfies(dag, said) for said in statements) for dag in DAGS)


NODES = st.sampled_from(NAMES)
PAIRS = st.tuples(NODES, NODES).filter(lambda pair: pair[0] != pair[1])


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    order = draw(st.permutations(NAMES))
    cuts = sorted((draw(st.integers(0, 4)), draw(st.integers(0, 4))))
    kinds: dict[str, Any] = {
        "required": draw(st.lists(PAIRS, max_size=3, unique=True)),
        "forbidden": draw(st.lists(PAIRS, max_size=2, unique=True)),
        "tiers": draw(st.sampled_from([[], [order[: cuts[0]], order[cuts[0] : cuts[1]]]])),
        "roots": draw(st.lists(NODES, max_size=1)),
        "leaves": draw(st.lists(NODES, max_size=1)),
        "separate": draw(st.lists(PAIRS, max_size=1)),
        "groups": draw(st.sampled_from([[], [order[:3]]])),
        "allowed": draw(st.none() | st.lists(PAIRS, min_size=4, max_size=8, unique=True)),
        "ancestors": draw(st.lists(PAIRS, max_size=2, unique=True)),
        "non_ancestors": draw(st.lists(PAIRS, max_size=2, unique=True)),
        "max_parents": draw(st.none() | st.integers(0, 2)),
    }
    used = draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1, max_size=5))
    return {key: value for key, value in kinds.items() if key in used}


class _Unchecked(Constraints):
    """Constraints that are not refused, to see their statements."""

    def _check(self) -> None:
        return


@given(options())
@settings(max_examples=80, deadline=None)
def test_the_conflict_is_the_smallest_that_there_is(given_options: dict[str, Any]) -> None:
    statements = _Unchecked(NAMES, **given_options).statements
    conflict = smallest_conflict(NAMES, statements)
    if not conflict:
        assert exists(statements)
        known = Constraints(NAMES, **given_options)
        allowed = [dag for dag in DAGS if all(satisfies(dag, said) for said in statements)]
        assert [dag for dag in DAGS if known.allows_dag(dag)] == allowed
        # What the arcs alone say is never more than what was said.
        assert all(known.arc_part.allows_dag(dag) for dag in allowed)
        assert Constraints.from_description(NAMES, known.describe()) == known
        return
    assert not exists(conflict)
    with pytest.raises(ConstraintError, match="no network satisfies these constraints together"):
        Constraints(NAMES, **given_options)
    for size in range(1, len(conflict)):
        assert all(exists(some) for some in combinations(statements, size))


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "a")]},
            "a -> b is required; b -> c is required; c -> a is required. Drop",
        ),
        ({"required": [("a", "b")], "roots": ["b"]}, "a -> b is required; b has no parents. Drop"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "a -> b is required; a has no children. Drop"),
        ({"required": [("a", "b")], "separate": [("b", "a")]}, "a -> b is required; there is no arc between a and b."),
        ({"required": [("a", "b")], "allowed": [("a", "c")]}, "a -> b is required; no arc but a -> c is allowed."),
        ({"ancestors": [("a", "b")], "roots": ["b"]}, "b has no parents; a leads to b. Drop"),
        ({"ancestors": [("a", "b"), ("b", "c"), ("c", "a")]}, "a leads to b; b leads to c; c leads to a. Drop"),
        (
            {"required": [("a", "b"), ("b", "c")], "non_ancestors": [("a", "c")]},
            "a -> b is required; b -> c is required; a does not lead to c. Drop",
        ),
        (  # smaller than the cycle
            {"required": [("a", "b"), ("b", "c"), ("c", "a")], "ancestors": [("a", "d")], "roots": ["d"]},
            "together: d has no parents; a leads to d. Drop",
        ),
        ({"ancestors": [("a", "d")], "max_parents_of": {"d": 0}}, "a leads to d; d has at most 0 parents. Drop"),
    ],
)
def test_the_error_names_it(given_options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        Constraints(NAMES, **given_options)
    assert message in str(caught.value)
