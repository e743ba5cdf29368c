"""Checks of the prior: where one is not made, the remark says which limit stopped it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from arcwise import datasets
from arcwise.base.run import Run
from arcwise.data import Dataset
from arcwise.findings import checks
from arcwise.findings.options import LearnOptions
from arcwise.limits import Limits, Status


@pytest.mark.parametrize("status", [Status.TIME_LIMIT, Status.MEMORY_LIMIT])
def test_saturation_says_which_limit_stopped_it(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "data_saturation", lambda *_, **__: SimpleNamespace(status=status))
    data = datasets.load("balance-scale")
    found = checks.grow_parts(data, LearnOptions(), 1.0, Run(progress=False))
    assert found.saturation is None
    note = found.note
    assert note is not None and note.text == f"Saturation was not computed: the {status} was reached."
    assert note.by_time is (status is Status.TIME_LIMIT)


def test_a_deadline_that_is_over_is_a_limit_of_time() -> None:
    data = datasets.load("balance-scale")
    over = Run(limits=Limits(seconds=1e-9))
    found = checks.grow_parts(data, LearnOptions(), 1.0, over)
    assert found.note is not None and found.note.by_time


def test_more_cases_than_memory_are_not_shuffled() -> None:
    data = datasets.load("balance-scale").collapse()
    assert data.weights is not None
    many = Dataset(data.codes, data.names, data.states, data.weights * 10**6)
    found = checks.grow_parts(many, LearnOptions(), 1.0, Run(progress=False))
    assert found.saturation is None
    assert found.note is not None and found.note.text == (
        "Saturation was not computed: to shuffle them, each of the 625,000,000 rows would have to be in memory."
    )
