from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from arcwise.errors import GraphError, OptionError, UnknownNameError
from arcwise.evaluate import (
    EdgeCounts,
    StructuralHamming,
    compare,
    directed_counts,
    f_beta,
    misclassification_cost,
    moral_distance,
    multiclass_f_beta,
    shd,
    skeleton_counts,
    structural_hamming,
    undirected_counts,
)
from arcwise.graph import Dag, Pdag

NAMES = "PSCBXD"
# Liao, Figure 2.1: the augmented CANCER network (its arcs are told in Examples 2.2 and 2.4).
CANCER = Dag.from_arcs(NAMES, [("P", "C"), ("S", "C"), ("S", "B"), ("C", "X"), ("C", "D"), ("B", "D")])
GOLDEN = Path(__file__).parents[1] / "golden" / "structural_metrics.json"


def test_liao_example_2_3() -> None:
    """SHD 2: the orientations of X - C and S - C differ. The figure is lost; this pair differs in just these two."""
    left = Dag.from_arcs("SCBXD", [("S", "B"), ("S", "C"), ("C", "X"), ("C", "D"), ("B", "D")])
    right = Dag.from_arcs("SCBXD", [("S", "B"), ("S", "C"), ("X", "C"), ("C", "D"), ("B", "D")])
    assert set(left.cpdag.edges) ^ set(right.cpdag.edges) == {("C", "X"), ("S", "C")}
    assert shd(left, right) == shd(right, left) == 2
    assert structural_hamming(left, right) == StructuralHamming(0, 0, 0, 0, 2)
    assert structural_hamming(right, left) == StructuralHamming(0, 0, 0, 2, 0)


@pytest.mark.parametrize("beta", [1 / 8, 0.5, 1, 2, 8])
def test_liao_example_2_4(beta: float) -> None:
    predicted = Dag.from_arcs(NAMES, [("S", "B")])
    counts = skeleton_counts(CANCER, predicted)
    assert (counts.precision, counts.recall) == (1, 1 / 6)
    assert f_beta(CANCER, predicted, beta=beta) == pytest.approx((1 + beta**2) * (1 / 6) / (beta**2 + 1 / 6))
    # Figure 2.6: TP^u = 1, FP^u = FN^u = 0; TP^d = FP^d = 0, FN^d = 5.
    assert undirected_counts(CANCER, predicted) == EdgeCounts(1, 0, 0)
    directed = directed_counts(CANCER, predicted)
    assert directed == EdgeCounts(0, 0, 5)
    assert (directed.precision, directed.recall, directed.f_beta(beta)) == (0, 0, 0)
    assert multiclass_f_beta(CANCER, predicted, beta=beta) == pytest.approx(1 / 6)
    assert multiclass_f_beta(CANCER, predicted, beta=beta, average="macro") == 0.5


@pytest.mark.parametrize("alpha", [0.125, 1, 8])
def test_liao_example_2_5(alpha: float) -> None:
    predicted = Dag.from_arcs(NAMES, [*(arc for arc in CANCER.arcs if arc != ("S", "C")), ("S", "D")])
    counts = skeleton_counts(CANCER, predicted)
    assert (counts.false_negatives, counts.false_positives) == (1, 1)
    assert misclassification_cost(CANCER, predicted, alpha=alpha) == 1 + alpha


def test_identical_undirected_cpdags_have_the_score_1() -> None:
    """Liao, section 2.4.2: why the weighted and not the macro average is used."""
    chain = Dag.from_arcs("abc", [("a", "b"), ("b", "c")])
    assert multiclass_f_beta(chain, chain) == 1
    empty = Dag("abc", [[], [], []])
    assert multiclass_f_beta(empty, empty) == f_beta(empty, empty) == 1
    assert multiclass_f_beta(empty, chain) == f_beta(empty, chain) == 0
    assert multiclass_f_beta(chain, empty) == f_beta(chain, empty) == 0


@st.composite
def pairs_of_dags(draw: st.DrawFn) -> tuple[Dag, Dag]:
    n = draw(st.integers(1, 7))
    dags = []
    for _ in range(2):
        order = draw(st.permutations(range(n)))
        parents: list[list[int]] = [[] for _ in range(n)]
        for later in range(n):
            for earlier in range(later):
                if draw(st.booleans()):
                    parents[order[later]].append(order[earlier])
        dags.append(Dag([f"v{i}" for i in range(n)], parents))
    return dags[0], dags[1]


def kind(graph: Pdag, a: str, b: str) -> str:
    if (a, b) in graph.arcs:
        return "->"
    if (b, a) in graph.arcs:
        return "<-"
    return "--" if (a, b) in graph.edges or (b, a) in graph.edges else ""


@given(pairs_of_dags())
def test_breakdown_edge_by_edge(pair: tuple[Dag, Dag]) -> None:
    true, learned = (dag.cpdag for dag in pair)
    kinds = [(kind(true, a, b), kind(learned, a, b)) for a, b in combinations(true.names, 2)]
    found = structural_hamming(*pair)
    assert found.missing == sum(bool(t) and not p for t, p in kinds)
    assert found.extra == sum(not t and bool(p) for t, p in kinds)
    assert found.wrong_orientation == sum((t, p) in {("->", "<-"), ("<-", "->")} for t, p in kinds)
    assert found.missing_orientation == sum(t in ("->", "<-") and p == "--" for t, p in kinds)
    assert found.extra_orientation == sum(t == "--" and p in ("->", "<-") for t, p in kinds)
    assert found.total == sum(t != p for t, p in kinds) == shd(*reversed(pair))


@given(pairs_of_dags(), st.sampled_from([0.0, 0.25, 1.0, 3.0]))
def test_f_beta_agrees_with_scikit_learn(pair: tuple[Dag, Dag], beta: float) -> None:
    true, learned = (dag.cpdag for dag in pair)
    unordered = list(combinations(true.names, 2))
    ordered = [*unordered, *((b, a) for a, b in unordered)]

    def score(flags: list[list[bool]]) -> float:
        if not any(flags[0]) and not any(flags[1]):
            return 1.0
        return float(fbeta_score(*flags, beta=beta, zero_division=0.0))

    both = (true, learned)
    assert f_beta(*pair, beta=beta) == pytest.approx(score([[kind(g, *e) != "" for e in unordered] for g in both]))
    directed = score([[kind(g, *e) == "->" for e in ordered] for g in both])
    undirected = score([[kind(g, *e) == "--" for e in unordered] for g in both])
    n_directed, n_undirected = len(true.arcs), len(true.edges)
    expected = float(not learned.skeleton)
    if n_directed + n_undirected:
        expected = (directed * n_directed + undirected * n_undirected) / (n_directed + n_undirected)
    assert multiclass_f_beta(*pair, beta=beta) == pytest.approx(expected)


@pytest.mark.parametrize("case", json.loads(GOLDEN.read_text())["cases"])
def test_against_pyagrum(case: dict[str, list[list[int]]]) -> None:
    names = [f"v{v}" for v in range(case["nodes"])]
    true, learned = (
        Dag.from_arcs(names, [(names[a], names[b]) for a, b in case[which]]) for which in ("true", "learned")
    )
    assert set(true.cpdag.arcs) == {(names[a], names[b]) for a, b in case["arcs"]}
    assert set(true.cpdag.edges) == {(names[a], names[b]) for a, b in case["edges"]}
    comparison = compare(true, learned)
    assert comparison.shd == case["shd"]
    assert misclassification_cost(true, learned) == case["shd_skeleton"]
    counts = comparison.skeleton
    assert [counts.true_positives, counts.false_positives, counts.false_negatives] == case["skeleton"]
    assert comparison.f_beta == pytest.approx(case["f_score_skeleton"])


@given(pairs_of_dags())
def test_measures_depend_on_the_class_and_not_on_the_order_of_nodes(pair: tuple[Dag, Dag]) -> None:
    true, learned = pair
    comparison = compare(true, learned, beta=2, alpha=0.5)
    assert compare(true.cpdag.to_dag(), learned.cpdag.reorder(learned.names[::-1]), beta=2, alpha=0.5) == comparison
    assert comparison.equivalent == true.is_equivalent(learned) == (comparison.shd == 0)
    expected = {frozenset(e) for e in true.moral_graph().edges} ^ {frozenset(e) for e in learned.moral_graph().edges}
    assert comparison.moral_distance == moral_distance(true, learned) == len(expected)
    plain = comparison.to_dict()
    assert plain["shd"] == shd(true, learned)
    assert plain["f_beta"] == f_beta(true, learned, beta=2)
    assert plain["multiclass_f_beta"] == multiclass_f_beta(true, learned, beta=2)
    assert plain["misclassification_cost"] == misclassification_cost(true, learned, alpha=0.5)
    json.dumps(plain)


def test_moral_distance_by_hand() -> None:
    collider = Dag.from_arcs("abc", [("a", "c"), ("b", "c")])
    chain = Dag.from_arcs("abc", [("a", "c"), ("c", "b")])
    assert moral_distance(collider, chain) == 1  # the marriage of a and b
    assert moral_distance(collider, Dag("abc", [[], [], []])) == 3


def test_a_pdag_without_extension_is_compared_as_it_is() -> None:
    square = Pdag.from_edges("abcd", [], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    path = Dag.from_arcs("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    comparison = compare(path, square)
    assert (comparison.shd, comparison.moral_distance, comparison.equivalent) == (1, None, False)
    with pytest.raises(GraphError, match="no DAG has these edges"):
        moral_distance(path, square)


def test_bad_arguments() -> None:
    with pytest.raises(GraphError, match="the true graph alone has D, X; the learned graph alone has Z"):
        shd(CANCER, Dag("PSCBZ", [[]] * 5))
    for beta in (-1.0, float("nan"), float("inf")):
        with pytest.raises(OptionError, match="beta"):
            compare(CANCER, CANCER, beta=beta)
    with pytest.raises(OptionError, match="alpha"):
        compare(CANCER, CANCER, alpha=-0.1)
    with pytest.raises(UnknownNameError, match="did you mean 'macro'"):
        multiclass_f_beta(CANCER, CANCER, average="makro")
    assert np.isclose(EdgeCounts(0, 1, 0).recall, 0)
