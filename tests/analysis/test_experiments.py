"""What an analysis says where variables were set by experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from arcwise import Analysis, Dataset, learn
from arcwise.findings.edges import describe_arc
from arcwise.graph import Constraints, Dag

QUICK: dict[str, Any] = {"compare": False, "progress": False, "seed": 1}


def chain(rows: int = 400, seed: int = 0) -> Dataset:
    """a -> b -> c; b is set at random in the second half."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.1, 1 - a, a)
    b[rows // 2 :] = rng.integers(0, 2, rows - rows // 2)
    c = np.where(rng.random(rows) < 0.1, 1 - b, b)
    return Dataset.from_codes(np.column_stack([a, b, c]), names=["a", "b", "c"])


def run(data: Dataset, **options: Any) -> Analysis:
    return learn(data.to_dataframe(), **QUICK, **options)


def test_a_required_arc_into_what_was_always_set_is_learned_with_and_told() -> None:
    data = chain().with_targets(["b"] * 400)
    known = Constraints(list(data.names), required=[("a", "b")])
    found = run(data, interventions="interventions", constraints=known)
    assert ("a", "b") in found.consensus.dag.arcs
    told = [remark.text for remark in found.remarks if "was set in all 400 rows" in remark.text]
    assert len(told) == 1
    assert told[0].startswith("a → b is required")


def test_effects_are_counted_without_the_cases_in_which_the_head_was_set() -> None:
    data = chain().with_targets([None] * 200 + ["b"] * 200)
    observed = pd.crosstab(data.codes[0, :200], data.codes[1, :200]).to_numpy()
    edge = describe_arc(data, Dag.from_arcs(data.names, [("a", "b"), ("b", "c")]), "a", "b")
    assert edge.counts.tolist() == observed.tolist()
    assert edge.prior is not None
    assert edge.prior.n_cases == 200
    found = run(data, interventions="interventions")
    first = next(e for e in found.edges if (e.tail, e.head) == ("a", "b"))
    assert first.counts.tolist() == observed.tolist()
    # The tail being set does not matter: the head answers to it as ever.
    second = next(e for e in found.edges if (e.tail, e.head) == ("b", "c"))
    assert second.counts.sum() == 400


def test_the_next_experiment_is_told_although_odds_direct_every_edge() -> None:
    from arcwise.graph import Beliefs

    found = run(chain(), beliefs=Beliefs(arcs={("a", "b"): 50, ("b", "c"): 50, ("a", "c"): 2}))
    assert found.main.confidence is not None
    assert found.main.confidence.undirected.max() < 0.01
    assert found.main.experiments is not None
    assert found.main.experiments.open_now > 1.5


def test_odds_of_arcs_into_what_was_always_set_are_told_to_be_idle() -> None:
    from arcwise.graph import Beliefs
    from arcwise.report.remarks import idle_remark

    data = chain().with_targets(["b"] * 400)
    told = idle_remark(Beliefs(arcs={("a", "b"): 50}), None, data)
    assert told is not None
    assert "arcs into b do nothing: it was set in all rows" in told.text
    assert idle_remark(Beliefs(arcs={("a", "c"): 50, ("b", "c"): 2}), None, data) is None
