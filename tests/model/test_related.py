"""Tables of related data sets: against bnlearn, and what pooling is for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, fit_parameters

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "bnlearn_sites.json").read_text())
NAMES = ["a", "b", "c", "site"]
ARCS = [("site", "a"), ("a", "b"), ("site", "b"), ("a", "c"), ("b", "c"), ("site", "c")]


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_tables_are_those_of_bnlearn(case: dict[str, Any]) -> None:
    states = [[str(k) for k in range(r)] for r in case["arities"]]
    data = Dataset.from_codes(case["rows"], names=NAMES, states=states)
    dag = Dag.from_arcs(NAMES, ARCS)
    fitted = fit_parameters(dag, data, estimator="sites", ess=case["iss"], alpha0=case["alpha0"])
    for v, (name, own) in enumerate(zip(NAMES[:3], (["site"], ["a", "site"], ["a", "b", "site"]), strict=True)):
        # bnlearn's child varies fastest, then its parents in this order: read backwards, the child is last.
        sizes = [case["arities"][NAMES.index(p)] for p in own]
        theirs = np.array(case["tables"][name]).reshape([*sizes[::-1], case["arities"][v]])
        theirs = np.moveaxis(theirs, range(len(own)), range(len(own))[::-1])
        assert [dag.names[p] for p in dag.parents[v]] == own
        np.testing.assert_allclose(fitted.tables[v], theirs.reshape(fitted.tables[v].shape), rtol=0, atol=1e-10)


def sites(seed: int, cases: int, count: int = 6) -> tuple[Dataset, np.ndarray]:
    """Draw a -> b in sites that are alike but not the same, with few cases each; and b's true table per site."""
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet([6.0, 2.0, 2.0], (count, 2)) if seed % 2 else rng.dirichlet([2.0, 2.0, 6.0], (count, 2))
    site = rng.integers(0, count, cases)
    a = rng.integers(0, 2, cases)
    b = (rng.random(cases)[:, None] > tables[site, a].cumsum(axis=1)).sum(axis=1)
    states = [["0", "1"], ["0", "1", "2"], [str(k) for k in range(count)]]
    data = Dataset.from_codes(np.column_stack([a, b, site]), names=["a", "b", "site"], states=states)
    return data, tables


def test_pooled_tables_are_nearer_to_the_truth_than_those_of_each_site_or_of_all() -> None:
    apart = Dag.from_arcs(["a", "b", "site"], [("site", "a"), ("a", "b"), ("site", "b")])
    together = Dag.from_arcs(["a", "b", "site"], [("a", "b")])
    errors = np.zeros(3)
    for seed in range(12):
        data, true = sites(seed, 120)

        def table(network: BayesianNetwork, true: np.ndarray = true) -> np.ndarray:
            own = network.tables[1]
            return own.reshape(2, -1, 3).transpose(1, 0, 2) if len(own) > 2 else np.tile(own, (len(true), 1, 1))

        for k, (dag, options) in enumerate(
            (
                (apart, {"estimator": "sites", "ess": 60.0}),
                (apart, {"estimator": "bd"}),
                (together, {"estimator": "bd"}),
            )
        ):
            errors[k] += ((table(fit_parameters(dag, data, **options)) - true) ** 2).sum()  # type: ignore[arg-type]
    assert errors[0] < 0.8 * errors[1]
    assert errors[0] < errors[2]


def test_the_site_is_a_parent_of_all() -> None:
    data, _ = sites(1, 50)
    with pytest.raises(OptionError, match="is no parent of 'b'"):
        fit_parameters(Dag.from_arcs(["a", "b", "site"], [("a", "b"), ("site", "a")]), data, estimator="sites")
    whole = Dag.from_arcs(["a", "b", "site"], [("a", "b"), ("site", "a"), ("site", "b")])
    with pytest.raises(OptionError, match="alpha0"):
        fit_parameters(whole, data, estimator="sites", alpha0=0.0)
