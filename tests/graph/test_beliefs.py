"""Prior odds: what they mean, how they are read, and the expected number of edges, against brute force."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.oracles.random_beliefs import random_beliefs

from arcwise.errors import FormatError, OptionError
from arcwise.graph import (
    Beliefs,
    Constraints,
    Dag,
    all_dags,
    beliefs_from_frame,
    expected_edges,
    make_beliefs,
    read_beliefs,
)
from arcwise.graph.beliefs import MOST_VARIABLES, edge_odds_for

NAMES = ("a", "b", "c", "d")


def test_odds_are_those_of_a_network_with_the_arc_against_the_same_network_without_it() -> None:
    beliefs = Beliefs(arcs={("a", "b"): 4, ("c", "b"): "1:5"}, edges={("a", "c"): "10 to 1"}, every_edge=0.5)
    prior = beliefs.on(NAMES)
    expected = {("a", "b"): 4.0, ("c", "b"): 0.2, ("a", "c"): 10.0, ("c", "a"): 10.0}
    seen = set()
    for dag in all_dags(NAMES):
        for tail, head in itertools.permutations(NAMES, 2):
            if (tail, head) in dag.arcs:
                smaller = Dag.from_arcs(NAMES, [arc for arc in dag.arcs if arc != (tail, head)])
                odds = math.exp(prior.network(dag) - prior.network(smaller))
                assert odds == pytest.approx(expected.get((tail, head), 0.5))
                seen.add((tail, head))
    assert len(seen) == 12


def test_the_most_specific_statement_counts() -> None:
    beliefs = Beliefs(arcs={("a", "b"): 8}, edges={("b", "a"): 3}, every_edge=0.25)
    weights = np.exp(beliefs.on(("a", "b", "c")).weights)
    assert weights[0, 1] == pytest.approx(8)
    assert weights[1, 0] == pytest.approx(3)
    assert weights[0, 2] == weights[2, 1] == pytest.approx(0.25)


def test_with_fair_sizes_every_number_of_parents_is_as_likely_as_any_other() -> None:
    prior = Beliefs(fair_sizes=True).on(NAMES)
    by_size = [0.0] * 4
    for size in range(4):
        for parents in itertools.combinations((1, 2, 3), size):
            by_size[size] += math.exp(prior.family(0, parents))
    assert by_size == pytest.approx([1.0] * 4)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("odds", [0.01, 0.3, 1.0, 6.0])
def test_the_expected_number_of_edges_is_that_over_all_dags(n: int, odds: float) -> None:
    arcs = np.array([dag.n_arcs for dag in all_dags([f"x{v}" for v in range(n)])])
    weights = odds**arcs
    assert expected_edges(n, odds) == pytest.approx((weights * arcs).sum() / weights.sum(), rel=1e-12)


@pytest.mark.parametrize(("n", "edges"), [(2, 0.5), (4, 5.9), (10, 7), (60, 80), (60, 0.01), (60, 1500)])
def test_the_odds_give_the_number_of_edges_that_was_asked_for(n: int, edges: float) -> None:
    assert expected_edges(n, edge_odds_for(n, edges)) == pytest.approx(edges, rel=1e-8)


def test_expected_parents_are_expected_edges_per_variable() -> None:
    first, second = Beliefs(expected_parents=0.5).on(NAMES), Beliefs(expected_edges=2).on(NAMES)
    np.testing.assert_array_equal(first.weights, second.weights)


def test_impossible_expectations_are_refused() -> None:
    with pytest.raises(OptionError, match="7 edges are expected, but 4 variables"):
        Beliefs(expected_edges=7).on(NAMES)
    with pytest.raises(OptionError, match=f"up to {MOST_VARIABLES} variables.*every_edge"):
        Beliefs(expected_edges=7).on([f"x{v}" for v in range(MOST_VARIABLES + 1)])
    for options in (
        {"expected_edges": 0},
        {"expected_parents": -1},
        {"expected_edges": math.inf},
        {"expected_edges": 10**400},
    ):
        with pytest.raises(OptionError, match="must be a number above 0"):
            Beliefs(**options)
    with pytest.raises(OptionError, match="say the same in two ways"):
        Beliefs(expected_edges=2, every_edge=0.5)
    with pytest.raises(OptionError, match="both say how many parents"):
        Beliefs(expected_edges=2, fair_sizes=True)


@pytest.mark.parametrize("text", ["4", "4:1", "4 : 1", "4 to 1", "8/2", " 4.0 "])
def test_odds_can_be_spelled(text: str) -> None:
    assert Beliefs(arcs=[("a", "b", text)]).arcs == (("a", "b", 4.0),)


@pytest.mark.parametrize("odds", [0, -1, math.inf, math.nan, "four", "1:0", "", None, True, "4:1:2", 10**400, "1e400"])
def test_what_are_no_odds_is_refused_with_the_place(odds: object) -> None:
    with pytest.raises(OptionError, match=r"arcs, a -> b: .* are no odds"):
        Beliefs(arcs=[("a", "b", odds)])


def test_contradictory_odds_are_refused() -> None:
    with pytest.raises(OptionError, match="edges: b - a has odds twice"):
        Beliefs(edges=[("a", "b", 2), ("b", "a", 3)])
    with pytest.raises(OptionError, match="a variable has no arc to itself"):
        Beliefs(arcs=[("a", "a", 2)])
    with pytest.raises(OptionError, match=r"not of the form \(from, to, odds\)"):
        Beliefs(arcs=[("a", "b")])
    with pytest.raises(OptionError, match=r"beliefs speak of a variable that is not there.*'aa'"):
        Beliefs(arcs=[("aa", "b", 2)]).on(NAMES)


def test_odds_of_one_say_nothing() -> None:
    assert Beliefs(arcs={("a", "b"): 1}, edges={("c", "d"): "1:1"}).is_trivial
    assert make_beliefs(Beliefs(arcs={("a", "b"): 1})) is None
    assert make_beliefs({"every_edge": 1.0}) is None
    assert Beliefs(arcs={("a", "b"): 1}, edges={("a", "b"): 2}).arcs == (("a", "b", 1.0),)  # here it says something
    assert Beliefs(arcs={("a", "b"): 1}, every_edge=0.5).arcs == (("a", "b", 1.0),)


def test_equal_beliefs_are_equal_and_come_back_from_their_description() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        beliefs = random_beliefs(rng, NAMES)
        again = Beliefs.from_description(beliefs.describe())
        assert again == beliefs
        assert hash(again) == hash(beliefs)
        assert again.digest == beliefs.digest
    assert Beliefs(edges={("a", "b"): 2}) == Beliefs(edges={("b", "a"): 2})
    assert Beliefs(edges={("a", "b"): 2}).digest != Beliefs(arcs={("a", "b"): 2}).digest


def test_symmetric_beliefs_are_those_that_depend_on_the_skeleton_alone() -> None:
    rng = np.random.default_rng(1)
    kinds = set()
    for _ in range(40):
        beliefs = random_beliefs(rng, NAMES[:3])
        prior = beliefs.on(NAMES[:3])
        by_skeleton: dict[frozenset[frozenset[str]], set[float]] = {}
        for dag in all_dags(NAMES[:3]):
            skeleton = frozenset(frozenset(arc) for arc in dag.arcs)
            by_skeleton.setdefault(skeleton, set()).add(round(prior.network(dag), 9))
        depends = any(len(values) > 1 for values in by_skeleton.values())
        assert not (beliefs.is_symmetric and depends)
        kinds.add(beliefs.is_symmetric)
    assert kinds == {True, False}
    assert Beliefs(arcs={("a", "b"): 2, ("b", "a"): 2}).is_symmetric


def test_networks_of_a_class_that_agree_on_fixed_pairs_have_one_prior() -> None:
    beliefs = Beliefs(arcs={("a", "b"): 4}, edges={("b", "c"): 3}, every_edge=0.5)
    fixed, prior = beliefs.fixed_on(NAMES), beliefs.on(NAMES)
    assert fixed.fixes("a", "b")
    assert not fixed.fixes("b", "c")
    by_class: dict[object, set[float]] = {}
    for dag in all_dags(NAMES):
        by_class.setdefault(fixed.class_of(dag), set()).add(round(prior.network(dag), 9))
    assert all(len(values) == 1 for values in by_class.values())


def test_odds_that_constraints_leave_nothing_to_decide_are_told() -> None:
    rules = Constraints(NAMES, required=[("a", "b")], forbidden=[("c", "d"), ("d", "c")], tiers=[["a"], ["c"]])
    beliefs = Beliefs(
        arcs={("a", "b"): 4, ("c", "a"): 2, ("b", "c"): 3}, edges={("c", "d"): 0.1, ("a", "c"): 2, ("b", "d"): 2}
    )
    told = beliefs.idle_under(rules)
    assert [sentence.partition(" do nothing")[0] for sentence in told] == [
        "the odds of a -> b (4 to 1)",
        "the odds of c -> a (2 to 1)",
        "the odds of c - d (1 to 10)",
    ]
    assert ["require" in told[0], "forbid" in told[1], "forbid" in told[2]] == [True] * 3


FILES = {
    "odds.csv": "from,to,odds,kind,why\na,b,4,->,a trial\nc,a,1:10,--,\n",
    "odds.toml": 'arcs = [["a", "b", 4]]\nedges = [["a", "c", "1:10"]]\n',
    "odds.json": '{"arcs": [["a", "b", "4:1"]], "edges": [["c", "a", 0.1]]}',
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_kind_say_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    expected = Beliefs(arcs={("a", "b"): 4}, edges={("a", "c"): 0.1})
    assert read_beliefs(path) == expected
    assert make_beliefs(str(path)) == expected
    assert make_beliefs(path) == expected


def test_a_frame_and_a_file_without_kind_hold_arcs(tmp_path: Path) -> None:
    frame = pd.DataFrame({"from": ["a"], "to": ["b"], "odds": [4]})
    path = tmp_path / "odds.csv"
    frame.to_csv(path, index=False)
    assert beliefs_from_frame(frame) == read_beliefs(path) == make_beliefs(frame) == Beliefs(arcs={("a", "b"): 4})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("odds.csv", "from,to\na,b\n", "there is no column 'odds'"),
        ("odds.csv", "", "empty; the header is"),
        ("odds.csv", "from,to,odds\na,b,4\na,c,x\n", "line 3: .*'x' are no odds"),
        ("odds.csv", "from,to,odds\na,b\n", "line 2: 2 cells, where the header has 3"),
        ("odds.csv", "from,to,odds,kind\na,b,2,=>\n", "line 2: the kind '=>'"),
        ("odds.csv", "from,to,odds\na,b,2\na,b,3\n", "a -> b has odds twice"),
        ("odds.toml", "odds = 4\n", "unknown key 'odds'"),
        ("odds.toml", "arcs = 4\n", r"arcs must be a list of rows \[from, to, odds\]"),
        ("odds.toml", 'arcs = [["a", "b"]]\n', "not of the form"),
        ("odds.json", "[]", "a table with the keys"),
        ("odds.txt", "", "read from a .csv, .toml or .json file"),
    ],
)
def test_malformed_files_are_refused_with_what_and_where(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_beliefs(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "beliefs",
    [
        Beliefs(arcs={("a", "b"): 4}, edges={("a", "b"): 4}),
        Beliefs(arcs={("a", "b"): 4}, edges={("a", "b"): 3}),
        Beliefs(arcs={("b", "a"): 2}, edges={("a", "b"): 4}, every_edge=2),
        Beliefs(arcs={("a", "b"): 4, ("b", "a"): 4}),
        Beliefs(arcs={("a", "b"): 4, ("b", "a"): 3}, edges={("a", "b"): 4}),
        Beliefs(arcs={("a", "b"): 4}),
        Beliefs(edges={("a", "b"): 4}, expected_edges=2),
        Beliefs(arcs={("a", "b"): 4}, edges={("a", "b"): 4}, expected_edges=2),
        Beliefs(arcs={("a", "b"): 4}, expected_edges=2),
    ],
)
def test_symmetric_are_odds_with_symmetric_weights(beliefs: Beliefs) -> None:
    weights = beliefs.on(["a", "b", "c"]).weights
    assert beliefs.is_symmetric == bool((weights == weights.T).all())
