"""Exact confidences of sets that are not held in memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from arcwise import datasets
from arcwise.base.run import Run
from arcwise.confidence import averaging, edge_confidence
from arcwise.confidence.averaging import average_over_classes, average_over_networks
from arcwise.ensemble import CredibleSet, count_credible, find_credible
from arcwise.errors import GuaranteeError, OptionError, UnfinishedError
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_sets

TABLES = {
    "classes": {"score": "bdeu:ess=1"},
    "classes: one parent": {"score": "bic", "max_parents": 1},
    "classes: two parents": {"score": "qnml", "max_parents": 2},
    "chunks: not equivalent": {"score": "k2"},
}


@pytest.mark.parametrize("options", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("weights", ["posterior", "equal"])
@pytest.mark.parametrize("large", [False, True], ids=["listed", "not listed"])
def test_the_same_as_from_the_list(
    options: dict[str, object], weights: Any, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(averaging, "MOST_DAGS", 10)
        monkeypatch.setattr(averaging, "CHUNK", 70)
    data = datasets.load("tic-tac-toe")
    table = build_parent_sets(data, slack=math.log(20), **options)  # type: ignore[arg-type]
    networks = find_credible(table, log_slack=math.log(20))
    built = CredibleSet.build(table, log_slack=math.log(20))
    readings: list[dict[str, Any]] = [{"orient": orient} for orient in ("cpdag", "dag", "skeleton")]
    readings += [{"feature": feature} for feature in ("markov-blanket", "path")]
    for reading in readings:
        listed = edge_confidence(networks, weights=weights, **reading)
        found = edge_confidence(built, weights=weights, n_cases=958, **reading)
        np.testing.assert_allclose(found.directed, listed.directed, atol=1e-9)
        np.testing.assert_allclose(found.undirected, listed.undirected, atol=1e-9)
        assert (found.n_networks, found.exact, found.complete, found.n_cases) == (listed.n_networks, True, True, 958)
        assert (found.orient, found.feature) == (listed.orient, listed.feature)


def test_the_default_is_the_finest_reading_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    data = datasets.load("tic-tac-toe")
    table = build_parent_sets(data, "bic", slack=math.log(20))
    built = CredibleSet.build(table, bayes_factor=20)
    assert edge_confidence(built).orient == "cpdag"
    monkeypatch.setattr(averaging, "MOST_DAGS", 10)
    assert edge_confidence(built).orient == "cpdag"
    monkeypatch.setattr(averaging, "MOST_CLASSES", 1)
    assert edge_confidence(built).orient == "dag"
    assert edge_confidence(built, orient="cpdag").orient == "cpdag"
    summary = count_credible(table, bayes_factor=20)
    assert edge_confidence(summary).orient == "dag"
    with pytest.raises(GuaranteeError, match="give the CredibleSet"):
        edge_confidence(summary, orient="cpdag")


def test_what_was_cut_is_not_exact() -> None:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20))
    whole = edge_confidence(CredibleSet.build(table, bayes_factor=20))
    assert (whole.exact, whole.complete) == (True, True)
    assert (whole.standard_error == 0).all()
    for cut in (
        edge_confidence(find_credible(table, bayes_factor=20, limits=Limits(count=50))),
        edge_confidence(CredibleSet.build(table, bayes_factor=20), limits=Limits(count=50)),
    ):
        assert (cut.exact, cut.complete) == (False, False)
        assert np.isnan(cut.standard_error).all()
    with pytest.raises(OptionError, match="no network was counted"):
        edge_confidence(CredibleSet.build(table, bayes_factor=20, limits=Limits(memory_bytes=100)))


def test_features_by_the_same_call() -> None:
    data = datasets.load("tic-tac-toe")
    networks = find_credible(build_parent_sets(data, "bic", slack=1.0), log_slack=1.0)
    blankets = edge_confidence(networks, feature="markov-blanket")
    paths = edge_confidence(networks, feature="path")
    edges = edge_confidence(networks, orient="dag")
    assert (blankets.present >= edges.present - 1e-9).all()
    assert (paths.directed >= edges.directed - 1e-9).all()
    assert (blankets.feature, paths.feature) == ("markov-blanket", "path")


def test_weights_that_are_not_numbers_are_refused() -> None:
    from dataclasses import replace

    data = datasets.load("tic-tac-toe")
    networks = find_credible(build_parent_sets(data, "bic"), log_slack=0.0)
    weights = networks.log_weights.copy()
    weights[1] = np.nan
    with pytest.raises(OptionError, match="the weight of network 1 is not a number"):
        edge_confidence(replace(networks, log_weights=weights))


def test_where_members_cannot_be_counted_the_networks_are_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20))
    built = CredibleSet.build(table, bayes_factor=20)
    expected = edge_confidence(built, orient="cpdag")

    def uncountable(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("the members of a class are too many to count.")

    monkeypatch.setattr(averaging, "MOST_DAGS", 10)
    monkeypatch.setattr(averaging, "CHUNK", 100)
    monkeypatch.setattr(averaging, "weigh_classes", uncountable)
    found = edge_confidence(built, orient="cpdag")
    np.testing.assert_allclose(found.directed, expected.directed, atol=1e-9)
    assert found.complete


def test_limits_while_networks_are_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(averaging, "MOST_DAGS", 10)
    monkeypatch.setattr(averaging, "CHUNK", 100)
    table = build_parent_sets(datasets.load("tic-tac-toe"), "k2", slack=math.log(20))
    built = CredibleSet.build(table, bayes_factor=20)
    assert built.count > 200
    assert edge_confidence(built).orient == "dag"  # classes are not whole
    summed = lambda part: (np.array([float(part.count)]),)  # noqa: E731
    sums, status = average_over_networks(built, summed, "equal", Run(limits=Limits(count=150)))
    assert (sums[0].tolist(), status) == ([100.0], Status.COUNT_LIMIT)
    over = Run(limits=Limits(seconds=1e-9))
    assert average_over_networks(built, summed, "equal", over)[1] is Status.TIME_LIMIT
    stopped = CredibleSet.build(table, bayes_factor=20, limits=Limits(memory_bytes=100))
    with pytest.raises(OptionError, match=r"no network was listed \(memory limit\)"):
        average_over_networks(stopped, summed, "equal", Run())
    whole = CredibleSet.build(
        build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20)), bayes_factor=20
    )
    assert whole.count > 10
    with pytest.raises(OptionError, match=r"no equivalence class was listed \(memory limit\)"):
        average_over_classes(whole, summed, "equal", Run(limits=Limits(memory_bytes=100)))
