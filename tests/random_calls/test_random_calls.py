"""Some sessions of random calls, and the proof that the tester finds what it was made for.

Each mutant puts one of the wrong results of version 0.1.0 back into today's code: what was wrong then must be found by
some of the first sessions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.random_calls.calls import CALLS, Call
from tests.random_calls.problem import Rules
from tests.random_calls.sessions import calls_of, run_calls, shrink

from arcwise.credible import credible_set, listing
from arcwise.networks.network_list import NetworkSet
from arcwise.parent_sets import build
from arcwise.scores import make_score


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 8))])
def test_random_calls(part: int) -> None:
    for seed in range(12 * part, 12 * part + 12):
        calls = calls_of(seed)
        failure = run_calls(seed, calls)
        assert failure is None, f"seed {seed}: {failure.text} after {'; '.join(map(str, shrink(seed, calls, failure)))}"


def k_best_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong result 1: of the networks that tie for the last place, rounding lost all."""
    whole = credible_set.CredibleSet.best

    def best(self: Any, count: int, by: Any = "dag", **options: Any) -> NetworkSet:
        found = whole(self, count, by, **options)
        return found[found.scores > found.scores.min() + 1e-12] if found.count == count and count > 1 else found

    monkeypatch.setattr(credible_set.CredibleSet, "best", best)


def stream_of_other_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong result 2: the identity of a stream held the repr of its constraints, which counts them."""

    def identity(found: Any, by: Any, chunk: int, parquet: bool) -> str:
        facts = [found.table.digest, repr(float(found.slack)), by, chunk, parquet, repr(found.constraints)]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    monkeypatch.setattr(listing, "_identity", identity)


def required_arcs_on_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong result 3: searches took required arcs for which their table had not been built."""
    monkeypatch.setattr(build, "check_required", lambda table, constraints: None)


def classes_of_bde_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong result 6: whether a score is equivalent was asked of a score that was made from its name alone."""

    def whole(table: Any) -> bool:
        return bool(make_score(table.score["name"]).facts.equivalent)

    monkeypatch.setattr(listing, "has_whole_classes", whole)


@pytest.mark.parametrize(
    ("mutant", "call"),
    [
        (k_best_short, "best"),
        (stream_of_other_constraints, "streamed"),
        (required_arcs_on_any_table, ("optimal", "credible", "counted", "best")),
        (classes_of_bde_refused, ("counted", "best")),
    ],
)
def test_the_wrong_results_of_the_first_version_are_found(
    monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None], call: str | tuple[str, ...]
) -> None:
    mutant(monkeypatch)
    names = (call,) if isinstance(call, str) else call
    for seed in range(400):
        calls = [made for made in calls_of(seed, 24) if made.name in ("build", *names)]
        failure = run_calls(seed, calls)
        if failure is not None:
            shrunk = shrink(seed, calls, failure)
            assert shrunk[-1].name in names
            assert len(shrunk) <= 4
            assert run_calls(seed, shrunk) is not None
            return
    pytest.fail("not found")


def test_a_failure_is_shrunk_to_the_calls_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(session: Any, **options: Any) -> None:
        if session.score == "aic":
            raise RuntimeError("only after a table of AIC")

    monkeypatch.setitem(CALLS, "posterior", broken)
    build = {"slack": 1.0, "rules": Rules(), "threads": 1}
    calls = [
        Call("build", {"score": "bic", **build}),
        Call("build", {"score": "aic", **build}),
        Call("reload_table", {"suffix": ".jkl"}),
        Call("posterior", {"score": "bic", "threads": 1}),
        Call("build", {"score": "bic", **build}),
    ]
    failure = run_calls(3, calls)
    assert failure is not None
    assert failure.position == 3
    assert [call.name for call in shrink(3, calls, failure)] == ["build", "posterior"]
