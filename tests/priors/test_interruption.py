"""Ctrl-C ends an analysis of the prior with what is finished, and says so; without anything, it is an interruption."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arcwise import datasets
from arcwise.data import Dataset
from arcwise.limits import Status
from arcwise.priors import ascend_ess, data_saturation, maximise_ess, optima
from arcwise.priors.ess_path import EssSolver
from arcwise.scores import make_score


@pytest.fixture(scope="module")
def data() -> Dataset:
    return datasets.load("balance-scale")


def interrupted_at(call: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which raises KeyboardInterrupt instead of its n-th answer."""
    calls = 0

    def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return function(*arguments, **options)

    return wrapped


def test_an_ascent_keeps_its_finished_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    data = datasets.load("iris")
    whole = ascend_ess(data, tolerance=1e-9)
    assert whole.status is Status.COMPLETE
    assert whole.rounds >= 2
    for call in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(EssSolver, "solve", interrupted_at(call, EssSolver.solve))
            part = ascend_ess(data, tolerance=1e-9)
        assert part.status is Status.INTERRUPTED
        assert not part.converged
        assert part.history == whole.history[:call]
        assert len(part.n_arcs) == call
    monkeypatch.setattr(EssSolver, "__init__", interrupted_at(1, EssSolver.__init__))
    assert ascend_ess(data).history == whole.history[:1]
    with pytest.raises(KeyboardInterrupt):  # a maximum over a part of the range is none
        monkeypatch.setattr(EssSolver, "__init__", interrupted_at(1, EssSolver.__init__))
        maximise_ess(data)


def test_saturation_keeps_its_finished_repetitions_or_sizes(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_saturation(data, repetitions=2, seed=1)
    searches = len(whole.sizes) - 1  # the last size is that of all the data, searched once
    once = data_saturation(data, repetitions=1, seed=1)
    for call, repetitions, sizes in (
        (4, 1, 2),
        (2 + searches, 1, len(whole.sizes)),
        (4 + searches, 1, len(whole.sizes)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(optima, "find_optima", interrupted_at(call, optima.find_optima))
            part = data_saturation(data, repetitions=2, seed=1)
        assert (part.status, part.repetitions) == (Status.INTERRUPTED, repetitions)
        np.testing.assert_array_equal(part.sizes, whole.sizes[:sizes])
        np.testing.assert_array_equal(part.change, once.change[:sizes])
        assert "More data" in part.advice
        part.plot()
    for call in (1, 2, 3):
        with monkeypatch.context() as patch:
            patch.setattr(optima, "find_optima", interrupted_at(call, optima.find_optima))
            with pytest.raises(KeyboardInterrupt):
                data_saturation(data, repetitions=2, seed=1)


def test_a_search_that_was_interrupted_says_so_also_if_its_table_is_a_part(
    data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, search = optima.build_parent_set_tables, optima.find_optimal

    def part(*arguments: Any, **options: Any) -> list[Any]:
        return [dataclasses.replace(table, status=Status.COUNT_LIMIT) for table in build(*arguments, **options)]

    monkeypatch.setattr(optima, "build_parent_set_tables", part)
    ended = optima.find_optima(data, [make_score("bic")], optima.Learning())
    assert [found.status for found in ended] == [Status.COUNT_LIMIT]
    monkeypatch.setattr(
        optima, "find_optimal", lambda *a, **k: dataclasses.replace(search(*a, **k), status=Status.INTERRUPTED)
    )
    ended = optima.find_optima(data, [make_score("bic"), make_score("aic")], optima.Learning())
    assert [found.status for found in ended] == [Status.INTERRUPTED]
