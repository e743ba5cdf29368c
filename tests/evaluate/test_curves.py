"""Curves of confidences against their definitions and scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.confidence import EdgeConfidence
from arcwise.errors import GraphError, UnknownNameError
from arcwise.evaluate import confidence_curve
from arcwise.graph import Dag


def confidences(n: int, seed: int, levels: int) -> EdgeConfidence:
    rng = np.random.default_rng(seed)
    parts = rng.integers(0, levels, (3, n, n)) / (3.0 * levels)
    directed = parts[0] * (1 - np.eye(n))
    undirected = np.triu(parts[1], 1)
    names = tuple(f"v{k}" for k in range(n))
    return EdgeConfidence(names, directed, undirected + undirected.T, "cpdag", "given", 9, "equal", True)


@settings(max_examples=40)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.sampled_from([2, 5, 1000]), st.sampled_from(["edges", "arcs"]))
def test_curve_and_areas(n: int, seed: int, levels: int, kind: str) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    found = confidences(n, seed, levels)
    rng = np.random.default_rng(seed + 1)
    true = Dag(found.names, [[p for p in range(v) if rng.random() < 0.4] for v in range(n)])
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and (kind == "arcs" or i < j)]
    arcs = {(found.names.index(a), found.names.index(b)) for a, b in true.arcs}
    labels = np.array([p in arcs or (kind == "edges" and p[::-1] in arcs) for p in pairs])
    if kind == "edges":
        values = np.array([found.present[i, j] for i, j in pairs])
    else:
        values = np.round([found.directed[i, j] + found.undirected[i, j] / 2 for i, j in pairs], 12)
    curve = confidence_curve(found, true, kind)  # type: ignore[arg-type]
    assert curve.thresholds.tolist() == sorted(set(values.tolist()), reverse=True)
    for at, threshold in enumerate(curve.thresholds.tolist()):
        chosen = values >= threshold
        assert curve.precision[at] == pytest.approx((labels & chosen).sum() / chosen.sum())
        assert curve.true_positives[at] == (labels & chosen).sum()
    if labels.any():
        assert curve.average_precision == pytest.approx(average_precision_score(labels, values))
        assert curve.recall[-1] == 1.0
    else:
        assert math.isnan(curve.average_precision)
    if labels.any() and not labels.all():
        assert curve.roc_area == pytest.approx(roc_auc_score(labels, values))
    assert list(curve.to_frame()["threshold"]) == curve.thresholds.tolist()


def test_names_and_kinds() -> None:
    found = confidences(3, 1, 5)
    true = Dag.from_arcs(found.names, [("v0", "v1")])
    one = confidence_curve(found, true)
    other = confidence_curve(found, true.reorder(["v2", "v1", "v0"]))
    assert one.true_positives.tolist() == other.true_positives.tolist()
    with pytest.raises(GraphError, match="only partly directed"):
        confidence_curve(found, true.cpdag, "arcs")
    with pytest.raises(UnknownNameError, match="unknown kind 'skeleton'"):
        confidence_curve(found, true, "skeleton")  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="different nodes"):
        confidence_curve(found, true.relabel({"v0": "z"}))
