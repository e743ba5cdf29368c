"""Scores of numbers, scales and categories: against bnlearn, against their twins, and what every score must do."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.twins.gaussian import bge_twin, bic_cg_twin, bic_dg_twin, bic_g_twin, bic_jcg_twin

from arcwise import _core
from arcwise.base.errors import ConstraintError, DataError
from arcwise.bootstrap.bootstrap import bootstrap_networks
from arcwise.confidence import edge_confidence
from arcwise.data import Dataset, MixedData
from arcwise.data.column import VariableKind
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag
from arcwise.local import hill_climb, tabu_search
from arcwise.parent_sets import build_parent_sets
from arcwise.posterior.exact import exact_posterior
from arcwise.scores import MIXED_SCORES, make_score
from arcwise.scores.gaussian import RIDGE, embed

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "bnlearn_gaussian.json").read_text())
OF_BNLEARN = {"bic-g": "bic-g", "bic-cg": "bic-cg", "bge": "bge:units=raw"}


def mixed(seed: int, rows: int = 120, *, weighted: bool = False) -> MixedData:
    """Numbers, a scale and two categories that depend on each other, in rows that may have weights."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    b = a**2 + rng.normal(size=rows)
    c = rng.integers(0, 3, rows)
    d = 100 * (c == 1) + 30 * a + rng.normal(0, 20, rows)
    e = np.digitize(a + rng.normal(size=rows), [-1, 0, 1])
    f = rng.integers(0, 2, rows)
    frame = pd.DataFrame({"a": a, "b": b, "c": np.array(list("xyz"))[c], "d": d, "e": e, "f": np.array(["n", "j"])[f]})
    weights = rng.integers(0, 4, rows) if weighted else None
    return MixedData.from_dataframe(frame, counts=weights)


def numbers_of(data: MixedData) -> MixedData:
    return data.select(["a", "b", "d", "e"])


def families(n: int, most: int = 3) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (child, parents)
        for child in range(n)
        for k in range(most + 1)
        for parents in itertools.combinations([v for v in range(n) if v != child], k)
    ]


def twin_of(score: Any, data: MixedData, child: int, parents: tuple[int, ...]) -> float:
    whole = data.expand()
    columns = np.stack([whole.scores(name) if not whole.arities[v] or whole.kinds[v] == "ordinal" else whole.values[v]
                        for v, name in enumerate(whole.names)], axis=1)  # fmt: skip
    if score.name == "bic-cg":
        return bic_cg_twin(list(whole.values), whole.arities.tolist(), child, parents)
    if score.name == "bic-jcg" and not arities_of(data)[child]:
        return bic_cg_twin(list(columns.T), arities_of(data), child, parents)
    if score.name == "bic-jcg":
        return bic_jcg_twin(list(columns.T), arities_of(data), child, parents)
    if score.name == "bic-g":
        return bic_g_twin(columns[:, child], columns[:, list(parents)])
    made = embed(data, getattr(score, "numbers", "auto"), getattr(score, "functions", 0) or None)
    if score.name == "bge":
        raw = score.units == "raw"
        own = {"mean_cases": score.iss_mu}
        if raw:
            own["covariance_cases"] = columns.shape[1] + score.iss_w
            return bge_twin(columns, [child], parents, **own)
        rows = np.repeat(np.arange(data.n_rows), data.weights if data.weights is not None else 1)
        of = made.of_column
        own["covariance_cases"] = len(of) + score.iss_w
        listed = np.flatnonzero(np.isin(of, parents)).tolist()
        return bge_twin(made.rows[rows], np.flatnonzero(of == child).tolist(), listed, **own)
    blocks = np.split(made.rows, np.cumsum(made.widths)[:-1], axis=1)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(float)
    return bic_dg_twin(blocks, weights, child, parents, ridge=RIDGE, penalty=score.penalty * price_twin(data))


def arities_of(data: MixedData) -> list[int]:
    """Return the numbers of states of categories; scales are numbers."""
    return [len(own) if kind == "nominal" else 0 for own, kind in zip(data.states, data.kinds, strict=True)]


def price_twin(data: MixedData) -> float:
    """Return 1.75 if all columns are scales, 1 if none is: the mean over pairs."""
    scales = data.kinds.count(VariableKind.ORDINAL) / len(data.kinds)
    return (1 - scales) ** 2 + 2 * scales * (1 - scales) * 1.75**0.5 + scales**2 * 1.75


@pytest.mark.parametrize("kind", OF_BNLEARN)
def test_scores_equal_those_of_bnlearn(kind: str) -> None:
    frame = pd.DataFrame(GOLDEN["data"])
    data = MixedData.from_dataframe(frame if kind == "bic-cg" else frame[["x", "y", "z", "w"]])
    asked = [row[1:] for row in GOLDEN["families"] if row[0] == kind]
    assert len(asked) > 30
    found = make_score(OF_BNLEARN[kind]).score_families(
        data, [(data.index(child), [data.index(p) for p in parents]) for child, parents, _ in asked]
    )
    np.testing.assert_allclose(found, [value for *_, value in asked], rtol=1e-9, atol=1e-9)


BY_TWINS = ("bic-dg", "bic-dg:functions=2,numbers=ranks,penalty=2", "bge", "bge:iss_mu=3,iss_w=7,functions=1")


@pytest.mark.parametrize("name", [*BY_TWINS, "bge:units=raw", "bic-g", "bic-cg", "bic-jcg"])
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@example(seed=29656, weighted=True)  # two distinct rows of a configuration, on a line: nothing is left but rounding
def test_families_score_as_their_twins(name: str, seed: int, weighted: bool) -> None:
    score, data = make_score(name), mixed(seed, 60, weighted=weighted)
    if name in ("bge:units=raw", "bic-g"):
        data = numbers_of(data)
    listed = families(data.n_variables)
    some = [listed[k] for k in np.random.default_rng(seed).integers(0, len(listed), 25)]
    expected = [twin_of(score, data, child, parents) for child, parents in some]
    np.testing.assert_allclose(score.score_families(data, some), expected, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("name", MIXED_SCORES)
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), slack=st.sampled_from([0.0, 4.0, math.inf]))
def test_tables_hold_what_networks_within_the_slack_can_have(
    name: str, seed: int, weighted: bool, slack: float
) -> None:
    data = (
        numbers_of(mixed(seed, 50, weighted=weighted))
        if name in ("bge", "bic-g")
        else mixed(seed, 50, weighted=weighted)
    )
    score, n = make_score(name), data.n_variables
    table = build_parent_sets(data, score, slack=slack, threads=2)
    listed = families(n, n - 1)
    values = dict(zip(listed, score.score_families(data, listed).tolist(), strict=True))
    for child in range(n):
        found = {table.parents_of(row): float(table.scores[row]) for row in table.rows_of(child)}
        for (of, parents), value in values.items():
            if of != child or value == -math.inf:
                continue
            subsets = [values[child, s] for k in range(len(parents)) for s in itertools.combinations(parents, k)]
            if max(subsets, default=-math.inf) - slack > value + 1e-6:
                assert parents not in found
            elif max(subsets, default=-math.inf) - slack < value - 1e-6:
                assert found[parents] == pytest.approx(value, abs=1e-7)
    assert (table.scores > -math.inf).all()


@given(seed=st.integers(0, 10**6), name=st.sampled_from([n for n, k in MIXED_SCORES.items() if k.FACTS.equivalent]))
def test_equivalent_networks_score_the_same(seed: int, name: str) -> None:
    data, rng = mixed(seed) if name in ("bic-dg", "bic-jcg") else numbers_of(mixed(seed)), np.random.default_rng(seed)
    order = rng.permutation(data.n_variables).tolist()
    complete = Dag(data.names, [tuple(order[: order.index(v)]) for v in range(data.n_variables)])
    other = Dag(data.names, [tuple(range(v)) for v in range(data.n_variables)])
    score = make_score(name)
    assert score.score_network(data, complete) == pytest.approx(score.score_network(data, other), rel=1e-9, abs=1e-7)


def test_neither_units_nor_origin_nor_increasing_functions_matter() -> None:
    data = mixed(3)
    frame = data.to_dataframe()
    frame["d"] = 1e6 + 1e-3 * frame["d"]
    moved = MixedData.from_dataframe(frame, kinds={"e": "ordinal"})
    for name in ("bic-dg", "bic-cg"):
        scores = [
            make_score(name).score_family(one, 3, (0, 2)) - make_score(name).score_family(one, 3)
            for one in (data, moved)
        ]
        assert scores[0] == pytest.approx(scores[1], abs=1e-5)
    frame["a"] = np.exp(3 * frame["a"])
    bent = MixedData.from_dataframe(frame, kinds={"e": "ordinal"})
    ranks = make_score("bic-dg:numbers=ranks")
    assert ranks.score_family(bent, 3, (0, 2)) == pytest.approx(ranks.score_family(data, 3, (0, 2)), abs=1e-6)


def test_functions_are_added_where_effects_are_no_lines() -> None:
    rng = np.random.default_rng(1)
    for curved in (0, 1):
        wrong = 0
        for _ in range(20):
            x = rng.normal(size=400)
            y = (x**2 if curved else x) + rng.normal(size=400)
            z = y + rng.normal(size=400)
            widths = embed(MixedData.from_dataframe(pd.DataFrame({"x": x, "y": y, "z": z}))).widths
            wrong += widths[0] == 1 if curved else int((widths > 1).any())
        assert wrong <= 2


def test_copies_sums_and_constants_are_told_and_score_finitely() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    frame = pd.DataFrame({"a": a, "b": b, "copy": 2 * a + 1, "sum": a - b, "c": 5.0, "d": rng.normal(size=300)})
    data = MixedData.from_dataframe(frame, kinds={"c": "number"})
    assert data.sums() == {"copy": ("a",), "sum": ("a", "b")}
    listed = families(6, 4)
    for name in ("bic-dg", "bge", "bic-g"):
        score = make_score(name)
        values = score.score_families(data, listed)
        assert np.isfinite(values).all()
        table = build_parent_sets(data, score)
        assert (np.abs(table.scores) < 1e6).all()
        assert table.rows_of(4) == range(table.rows_of(4).start, table.rows_of(4).start + 1)  # nothing is said of c
    two = Dag.from_arcs(data.names, [("a", "copy"), ("a", "sum"), ("b", "sum")])
    turned = Dag.from_arcs(data.names, [("copy", "a"), ("copy", "sum"), ("b", "sum")])
    score = make_score("bic-dg")
    assert score.score_network(data, two) == pytest.approx(score.score_network(data, turned), abs=1e-2)


@pytest.mark.parametrize("name", [*MIXED_SCORES, "bge:units=raw"])
def test_a_number_that_never_varies_in_a_sample_says_nothing_of_the_others(name: str) -> None:
    """In a third of the samples of `lone` its only other value is not drawn; the scores of BIC were infinite there."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=30)
    values = np.array([first, first + rng.normal(0, 0.5, 30), np.arange(30) == 3], dtype=float)
    kinds = (VariableKind.NUMBER,) * 3
    data = MixedData(values, ("first", "second", "lone"), kinds, ((),) * 3)
    score = make_score(name)
    rest = replace(data, weights=np.arange(30) != 3)
    assert score.score_families(rest, [(2, ()), (2, (0,)), (2, (0, 1))]).tolist() == [0.0, 0.0, 0.0]
    assert hill_climb(rest, score=score, progress=False).dag.n_arcs == 1
    assert find_optimal(build_parent_sets(rest, score, progress=False), progress=False).dag.n_arcs == 1
    networks = bootstrap_networks(data, score=score, replicates=40, seed=1, progress=False)
    assert np.isfinite(networks.scores).all()
    assert edge_confidence(networks).present[0, 1] > 0.9


@pytest.mark.parametrize("name", ["bic-dg", "bge"])
def test_a_category_of_rare_levels_has_no_arcs(name: str) -> None:
    """It has no column, so that all its arcs scored the same: a posterior gave each of them 0.6."""
    rng = np.random.default_rng(2)
    first, rows = rng.normal(size=400), np.arange(400)
    frame = pd.DataFrame({"first": first, "second": first + rng.normal(size=400)})
    frame = frame.assign(rare=np.where(rows < 3, "y", "n"), lone=np.where(rows % 130 == 0, "y", "n"))
    data = MixedData.from_dataframe(frame)
    table = build_parent_sets(data, name, slack=math.inf, progress=False)
    present = exact_posterior(table, progress=False).edge_probabilities()
    assert present[0, 1] > 0.99
    assert present[2:].max() == 0
    required = build_parent_sets(data, name, constraints=Constraints(data.names, required=[("first", "rare")]))
    assert find_optimal(required, progress=False).dag.n_arcs == 2


def test_families_that_a_score_does_not_know_are_told() -> None:
    data = mixed(1)
    constraints = Constraints(data.names, required=[("a", "f")])
    with pytest.raises(ConstraintError, match=r"'f' with the required a has the score minus infinity by conditional"):
        build_parent_sets(data, "bic-cg", constraints=constraints, progress=False)
    with pytest.raises(ConstraintError, match=r"'f' with the required a has the score minus infinity"):
        tabu_search(data, score="bic-cg", constraints=constraints, progress=False)  # it did not end


def test_categories_have_no_numbers_as_parents_under_conditional_gaussian_bic() -> None:
    data = mixed(5)
    score = make_score("bic-cg")
    assert score.score_family(data, 2, (0,)) == -math.inf
    table = build_parent_sets(data, score, slack=math.inf, max_parents=2)
    for row in table.rows_of(2):
        assert set(table.parents_of(row)) <= {4, 5}


@given(seed=st.integers(0, 10**6), name=st.sampled_from(["bic-dg", "bic-cg", "bic-jcg"]))
def test_weights_count_as_repeated_rows(seed: int, name: str) -> None:
    data = mixed(seed, 40, weighted=True)
    listed, score = families(6, 2), make_score(name)
    found, repeated = score.score_families(data, listed), score.score_families(data.expand(), listed)
    known = found > -math.inf
    assert (known == (repeated > -math.inf)).all()
    np.testing.assert_allclose(found[known], repeated[known], rtol=1e-9, atol=1e-6)


def test_scores_refuse_other_data() -> None:
    states = Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["a", "b"])
    with pytest.raises(DataError, match=r"as they are, and these data are not MixedData"):
        make_score("bic-dg").score_family(states, 0)
    with pytest.raises(DataError, match=r"counts states, and these data hold numbers"):
        make_score("bdeu").score_family(mixed(0), 0)
    with pytest.raises(DataError, match=r"takes numbers, and 'c' is nominal"):
        make_score("bic-g").score_family(mixed(0), 0)


@given(seed=st.integers(0, 10**6))
def test_rows_of_neighbours_are_family_scores(seed: int) -> None:
    data, score = mixed(seed, 50), make_score("bic-dg")
    weights = np.random.default_rng(seed).integers(0, 3, 50)
    learner = _core.local.DataLearner(
        50, [score.native(data)], np.zeros(6, np.int32), np.empty(0, np.uint8), np.zeros(6, np.uint64),
        np.zeros(6, np.uint64), np.full(6, 5, np.int32), 2**20,
    )  # fmt: skip
    own, toggled = learner.neighbours(np.empty(0, np.int64), 1, np.array([0, 3], np.int32))
    asked = [(1, (3,)), (1, (0, 2, 3)), (1, (0,)), (1, (0, 3, 4)), (1, (0, 3, 5))]
    assert own == score.score_family(data, 1, (0, 3))
    assert np.isnan(toggled[1])
    assert toggled[[0, 2, 3, 4, 5]].tolist() == score.score_families(data, asked).tolist()
    # Of other weights: the same columns, other products.
    made = embed(data)
    blocks = np.split(made.rows, np.cumsum(made.widths)[:-1], axis=1)
    own, toggled = learner.neighbours(weights, 1, np.array([0, 3], np.int32))
    terms = {"ridge": RIDGE, "penalty": price_twin(data)}
    assert own == pytest.approx(bic_dg_twin(blocks, weights.astype(float), 1, (0, 3), **terms), abs=1e-6)
    assert toggled[4] == pytest.approx(bic_dg_twin(blocks, weights.astype(float), 1, (0, 3, 4), **terms), abs=1e-6)
