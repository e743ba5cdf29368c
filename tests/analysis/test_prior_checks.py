"""Checks of the prior: where one is not made, the remark says which limit stopped it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from arcwise import datasets
from arcwise.analysis import prior_checks
from arcwise.analysis.options import LearnOptions
from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.graph import Dag
from arcwise.limits import Limits, Status


@pytest.mark.parametrize("status", [Status.TIME_LIMIT, Status.MEMORY_LIMIT])
def test_saturation_says_which_limit_stopped_it(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior_checks, "data_saturation", lambda *_, **__: SimpleNamespace(status=status))
    data = datasets.load("balance-scale")
    first = prior_checks.check_prior(data, Dag(data.names, [[]] * data.n_variables), ess=1.0)
    found = prior_checks.add_saturation(first, data, LearnOptions(), ess=1.0, deadline=Deadline(), progress=False)
    assert found.saturation is None
    (note,) = found.notes
    assert note.text == f"Saturation was not computed: the {status} was reached."
    assert note.by_time is (status is Status.TIME_LIMIT)


def test_a_deadline_that_is_over_is_a_limit_of_time() -> None:
    data = datasets.load("balance-scale")
    over = Deadline(Limits(seconds=1e-9))
    first = prior_checks.check_prior(data, Dag(data.names, [[]] * data.n_variables), ess=1.0)
    found = prior_checks.add_saturation(first, data, LearnOptions(), ess=1.0, deadline=over, progress=False)
    assert [note.by_time for note in found.notes] == [True]


def test_more_cases_than_memory_are_not_shuffled() -> None:
    data = datasets.load("balance-scale").collapse()
    assert data.weights is not None
    many = Dataset(data.codes, data.names, data.states, data.weights * 10**6)
    first = prior_checks.check_prior(many, Dag(data.names, [[]] * data.n_variables), ess=1.0)
    found = prior_checks.add_saturation(first, many, LearnOptions(), ess=1.0, deadline=Deadline(), progress=False)
    assert found.saturation is None
    assert [note.text for note in found.notes] == [
        "Saturation was not computed: to shuffle them, each of the 625,000,000 cases would have to be in memory."
    ]
