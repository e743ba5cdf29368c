"""Cuts chosen with the structure: the dynamic programme against all partitions, and what is found in made data."""

from __future__ import annotations

import importlib
import itertools
import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Table, apply_cuts
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.local import hill_climb
from arcwise.local.joint_cuts import _cuts_for, _Fine, _length, best_partition, interval_gains, joint_cuts
from arcwise.scores import make_score

MODULE = importlib.import_module("arcwise.local.joint_cuts")  # the function has the same name


def information(counts: np.ndarray, per_total: int, ends: list[int]) -> float:
    """Return the gain of a partition by definition: sums of n log n over merged columns, less those of their totals."""
    total = 0.0
    for a, b in itertools.pairwise([0, *ends]):
        merged = counts[:, a:b].sum(axis=1)
        groups = [merged.sum()] if per_total == 1 else merged.reshape(-1, per_total).sum(axis=1)
        total += sum(n * math.log(n) for n in merged if n > 0) - sum(n * math.log(n) for n in groups if n > 0)
    return total


@given(
    counts=st.lists(st.lists(st.integers(0, 9), min_size=6, max_size=6), min_size=4, max_size=4),
    per_total=st.sampled_from([1, 2]),
)
def test_the_best_partition_is_best(counts: list[list[int]], per_total: int) -> None:
    table = np.array(counts, dtype=float)
    found = {len(ends): (total, ends) for total, ends in best_partition(interval_gains(table, per_total), 4)}
    for k in range(1, 5):
        every = [[*inner, 6] for inner in itertools.combinations(range(1, 6), k - 1)]
        best = max(information(table, per_total, ends) for ends in every)
        total, ends = found[k]
        assert total == pytest.approx(best, abs=1e-9)
        assert information(table, per_total, ends) == pytest.approx(best, abs=1e-9)


def made(rows: int = 1500, seed: int = 0) -> tuple[pd.DataFrame, dict[str, list[float]]]:
    """Return a <- state, b <- a, c <- b as numbers with noise, and where the true cuts are; d is joined to nothing."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, rows)
    b = np.where(rng.random(rows) < 0.9, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.9, b == 2, rng.random(rows) < 0.5)
    frame = pd.DataFrame(
        {
            "a": 2.0 * a + rng.normal(0, 0.3, rows),
            "b": np.array([0.0, 1.0, 5.0])[b] + rng.normal(0, 0.2, rows),
            "c": np.where(c, "yes", "no"),
            "d": rng.normal(size=rows),
        }
    )
    return frame, {"a": [1.0, 3.0], "b": [0.5, 3.0]}


def test_the_cuts_are_where_the_states_part() -> None:
    frame, truth = made()
    found = joint_cuts(Table.from_dataframe(frame), ["a", "b", "d"])
    for name, cuts in truth.items():
        for cut in cuts:
            assert np.abs(found.cuts[name] - cut).min() < 0.6, (name, found.cuts[name])
    assert len(found.cuts["d"]) == 1  # nothing to pay for a cut: the median
    assert abs(found.cuts["d"][0] - frame["d"].median()) < 0.1
    assert {frozenset(arc) for arc in found.dag.arcs} >= {frozenset("ab"), frozenset("bc")}


def test_the_description_gets_shorter() -> None:
    frame, _ = made(seed=3)
    table = Table.from_dataframe(frame)
    found = joint_cuts(table, ["a", "b", "d"], start_bins=2)
    fine = {name: _Fine.of(table.column(name).values()) for name in found.cuts}
    start = {name: np.quantile(frame[name], [0.5]) for name in found.cuts}
    data = apply_cuts(table, start, keep_empty=False).to_dataset()
    first = _length(data, hill_climb(data, "bic", progress=False).dag.reorder(data.names), start, fine)
    assert min(found.lengths) < first
    kept = apply_cuts(table, found.cuts, keep_empty=False).to_dataset()
    assert _length(kept, found.dag, found.cuts, fine) == pytest.approx(min(found.lengths), abs=1e-6)


def test_the_same_twice() -> None:
    frame, _ = made(400)
    first, second = (joint_cuts(Table.from_dataframe(frame), ["a", "b", "d"]) for _ in range(2))
    assert all(np.array_equal(first.cuts[name], second.cuts[name]) for name in first.cuts)


def test_cuts_that_time_ended_say_so() -> None:
    frame, _ = made()
    table = Table.from_dataframe(frame)
    assert joint_cuts(table, ["a", "b", "d"]).status is Status.COMPLETE
    assert joint_cuts(table, ["a", "b", "d"], limits=Limits(seconds=1e-9)).status is Status.TIME_LIMIT


@pytest.mark.parametrize(
    ("climbed", "limits", "expected"),
    [
        (Status.TIME_LIMIT, None, Status.TIME_LIMIT),  # a climb was cut short, and no round after it found better cuts
        (Status.COMPLETE, Limits(seconds=1e-9), Status.TIME_LIMIT),  # it was not, but there was no time for a second
        (Status.COMPLETE, None, Status.COMPLETE),
    ],
)
def test_either_end_of_the_time_shows(
    climbed: Status, limits: Limits | None, expected: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table.from_dataframe(made(300)[0])
    monkeypatch.setattr(MODULE, "hill_climb", partial(climb_ended_by, climbed))
    assert joint_cuts(table, ["a", "b", "d"], limits=limits).status is expected


def test_an_interrupt_of_a_climb_is_one_of_the_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table.from_dataframe(made(300)[0])
    monkeypatch.setattr(MODULE, "hill_climb", partial(climb_ended_by, Status.INTERRUPTED))
    with pytest.raises(KeyboardInterrupt):
        joint_cuts(table, ["a", "b", "d"])


def climb_ended_by(status: Status, *given: Any, limits: Limits | None, **options: Any) -> Any:
    """Climb as long as it takes, and say that it ended otherwise."""
    return replace(hill_climb(*given, **options), status=status)


def test_a_family_is_described_without_the_rows_in_which_its_child_was_set() -> None:
    # y follows x at 0; where the experimenter set it, he looked at x, too, but at 1.5.
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, 900)
    y = np.where(np.arange(900) < 400, x > 0, x > 1.5) ^ (rng.random(900) < 0.03)
    frame = pd.DataFrame({"x": x, "y": np.where(y, "yes", "no"), "was": np.where(np.arange(900) < 400, "", "y")})
    dag = Dag.from_arcs(["x", "y"], [("x", "y")])
    fine = _Fine.of(x)
    table = Table.from_dataframe(frame)
    seen = apply_cuts(table.drop(["was"]), {"x": np.array([-1.0])}).to_dataset()
    told = seen.with_targets(["y" if was else None for was in frame["was"]])
    assert np.abs(_cuts_for(seen, dag, "x", fine) - 1.5).min() < 0.15
    cuts = _cuts_for(told, dag, "x", fine)
    assert len(cuts) == 1
    assert abs(cuts[0]) < 0.15
    known = Constraints(["x", "y"], forbidden=[("y", "x")])
    found = joint_cuts(table.with_interventions("was"), ["x"], constraints=known)
    assert found.dag.arcs == (("x", "y"),)
    assert np.abs(found.cuts["x"]).max() < 0.15
    # The length is that of BIC, less what the rows say of each variable by itself.
    parts = [told, told.cases_without("y")]
    bic = sum(make_score("bic").score_family(told, v, ps) for v, ps in enumerate(dag.parents))
    alone = sum(make_score("ll").score_family(part, v) for v, part in enumerate(parts))
    policy = fine.policy(2)
    assert _length(told, dag, {"x": np.array([-1.0])}, {"x": fine}) == pytest.approx(policy + alone - bic)
    always = seen.with_targets(["y"] * 900)
    assert abs(_cuts_for(always, dag, "x", fine)[0] - np.median(x)) < 0.15
