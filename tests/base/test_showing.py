"""Every public object shows itself on one screen, however large its data, and a notebook gets tables."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from arcwise.base.showing import brief, html_table, one_screen, wrapped
from arcwise.confidence import choose_threshold, consensus_network, edge_confidence, recommend
from arcwise.data import Dataset, Table
from arcwise.ensemble import NetworkSet, bootstrap_networks, count_credible, exact_posterior
from arcwise.evaluate import compare
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Cpdag, Dag
from arcwise.limits import Limits
from arcwise.local import analyse_runs, hill_climb
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets
from arcwise.priors import (
    Learning,
    analytic_ess,
    data_saturation,
    edge_prior,
    ess_path,
    maximise_ess,
    prior_sensitivity,
)
from arcwise.report import Paragraph, Section

VARIABLES = 40


@cache
def data() -> Dataset:
    """40 variables with long names in a chain, strong enough that every search finds many arcs."""
    rng = np.random.default_rng(1)
    codes = np.empty((200, VARIABLES), dtype=np.int64)
    codes[:, 0] = rng.integers(0, 3, 200)
    for v in range(1, VARIABLES):
        codes[:, v] = np.where(rng.random(200) < 0.2, rng.integers(0, 3, 200), codes[:, v - 1])
    names = [f"a rather long name of a variable {v:02}" for v in range(VARIABLES)]
    return Dataset.from_codes(codes, names=names, states=[["low", "middle", "high"]] * VARIABLES)


@cache
def small() -> Dataset:
    return data().select(data().names[:8])


@cache
def found() -> Any:
    return hill_climb(data(), score="bic", max_parents=3)


@cache
def table() -> Any:
    return build_parent_sets(data(), "bic", max_parents=1)


@cache
def many() -> NetworkSet:
    return bootstrap_networks(data(), replicates=30, score="bic", max_parents=2, seed=1)


@cache
def confidence() -> Any:
    return edge_confidence(many())


@cache
def small_table() -> Any:
    return build_parent_sets(small(), "bdeu", slack=math.inf, max_parents=2)


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Let go of what was made when the last test has run: native objects must not outlive the interpreter."""
    yield
    for made in (data, small, found, table, many, confidence, small_table):
        made.cache_clear()


MADE: dict[str, Callable[[], Any]] = {
    "Dataset": data,
    "Table": lambda: Table.from_dataframe(data().to_dataframe()),
    "Column": lambda: Table.from_dataframe(data().to_dataframe()).columns[0],
    "Dag": lambda: found().dag,
    "Cpdag": lambda: Cpdag.from_dag(found().dag),
    "Constraints": lambda: Constraints(data().names, required=list(found().dag.arcs), max_parents=3),
    "ParentSetTable": table,
    "Optimum": lambda: find_optimal(table(), limits=Limits(seconds=20)),
    "LocalSearchResult": found,
    "RunAnalysis": lambda: analyse_runs(small(), runs=2, seed=1),
    "NetworkSet": many,
    "Families": lambda: many().families,
    "NetworkSummary": lambda: count_credible(small_table(), bayes_factor=3.0),
    "ExactPosterior": lambda: exact_posterior(small_table()),
    "EdgeConfidence": confidence,
    "PairConfidence": lambda: confidence().pair(*data().names[:2]),
    "Recommendation": lambda: recommend(confidence()),
    "Threshold": lambda: choose_threshold(confidence(), "scutari"),
    "ConsensusNetwork": lambda: consensus_network(confidence(), threshold=0.5),
    "BayesianNetwork": lambda: fit_parameters(found().dag, data()),
    "Distribution": lambda: fit_parameters(found().dag, data()).query(list(data().names[:4])),
    "Comparison": lambda: compare(found().dag, Dag(data().names, [()] * VARIABLES)),
    "AnalyticEss": lambda: analytic_ess(data(), found().dag),
    "EssPath": lambda: ess_path(small(), ess=[0.5, 1.0, 2.0], learning=Learning(max_parents=1)),
    "EssMaximum": lambda: maximise_ess(small(), learning=Learning(max_parents=1)),
    "EdgePrior": lambda: edge_prior(data(), child=data().names[0], parent=data().names[1]),
    "Sensitivity": lambda: prior_sensitivity(data(), found().dag),
    "Saturation": lambda: data_saturation(
        small().select(small().names[:4]), repetitions=1, learning=Learning(max_parents=1)
    ),
    "Section": lambda: Section("s", "t" * 500, (Paragraph("p" * 5000),) * 100),
}


@pytest.mark.parametrize("name", MADE)
def test_a_repr_fits_on_one_screen(name: str) -> None:
    shown = repr(MADE[name]())
    lines = shown.split("\n")
    assert type(MADE[name]()).__name__ in shown
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 120


def test_every_public_dataclass_has_such_a_repr() -> None:
    """One that Python wrote itself would print every array and every member of its fields."""
    own = []
    for stage in ("data", "graph", "parent_sets", "exact", "local", "ensemble", "confidence", "model", "evaluate",
                  "priors", "report", "analysis"):  # fmt: skip
        module = importlib.import_module(f"arcwise.{stage}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
                code = inspect.unwrap(thing.__repr__).__code__
                if code.co_filename.startswith("<"):
                    own.append(f"{stage}.{name}")
    assert own == []


@pytest.mark.parametrize("name", ["Dataset", "NetworkSet", "EdgeConfidence", "BayesianNetwork"])
def test_a_notebook_gets_a_short_table(name: str) -> None:
    shown = MADE[name]()._repr_html_()
    assert shown.count("<table>") == shown.count("</table>") == 1
    assert 2 <= shown.count("<tr>") <= 25
    assert "more rows" in shown


def test_what_a_table_holds_is_escaped() -> None:
    shown = html_table("<b>", ["<i>"], [["<script>"]], 1)
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "<b>" not in shown


def test_short_things_are_shown_whole() -> None:
    @one_screen
    @dataclasses.dataclass(frozen=True)
    class Pair:
        first: float
        second: tuple[str, ...]
        hidden: int = dataclasses.field(default=0, repr=False)

    assert repr(Pair(0.5, ("a",))).endswith("Pair(first=0.5, second=('a',))")
    assert brief([1, 2]) == "[1, 2]"
    assert brief({"a": np.float64(0.5)}) == "{'a': 0.5}"
    assert brief(tuple(range(9))) == "(0, 1, 2, 3, 4, 5, ... 3 more)"
    assert brief(np.zeros((40, 3))) == "<array of 40 x 3 float64>"
    assert brief("x" * 100) == f"'{'x' * 80}'..."


def test_a_long_list_is_wrapped_and_cut() -> None:
    assert wrapped("Dag(", ["a", "b"], ")") == "Dag(a, b)"
    lines = wrapped("Dag(", (f"item {k}" for k in range(10_000)), ")").split("\n")
    assert len(lines) <= 23
    assert lines[-1].strip().endswith("more)")
