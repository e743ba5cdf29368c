"""Exact confidences of sets that are not held in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arcwise import datasets
from arcwise.confidence import credible_confidence, edge_confidence
from arcwise.ensemble import find_credible
from arcwise.errors import OptionError
from arcwise.parent_sets import build_parent_sets

TABLES = {
    "classes": {"score": "bdeu:ess=1"},
    "classes: one parent": {"score": "bic", "max_parents": 1},
    "classes: two parents": {"score": "qnml", "max_parents": 2},
    "chunks: not equivalent": {"score": "k2"},
}


@pytest.mark.parametrize("options", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("weights", ["posterior", "equal"])
def test_the_same_as_from_the_list(options: dict[str, object], weights: str) -> None:
    data = datasets.load("tic-tac-toe")
    table = build_parent_sets(data, slack=math.log(20), **options)  # type: ignore[arg-type]
    for orient in ("cpdag", "dag", "skeleton"):
        listed = edge_confidence(find_credible(table, log_slack=math.log(20)), orient=orient, weights=weights)  # type: ignore[arg-type]
        found = credible_confidence(
            table,
            log_slack=math.log(20),
            orient=orient,  # type: ignore[arg-type]
            weights=weights,  # type: ignore[arg-type]
            n_cases=958,
        )
        np.testing.assert_allclose(found.directed, listed.directed, atol=1e-9)
        np.testing.assert_allclose(found.undirected, listed.undirected, atol=1e-9)
        assert (found.n_networks, found.exact, found.complete, found.n_cases) == (listed.n_networks, True, True, 958)


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
