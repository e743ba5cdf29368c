"""What the tables of the evidence count: patterns and their errors, classes but for copies, networks from DSC files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from benchmarks._topic import SHARED

from arcwise.data import Dataset
from arcwise.graph import Dag
from benchmarks import aslib, benchpress, column_order, uai


def matrix(arcs: list[tuple[int, int]], size: int = 3) -> np.ndarray:
    found = np.zeros((size, size), dtype=np.int64)
    for tail, head in arcs:
        found[tail, head] = 1
    return found


@pytest.mark.parametrize(
    ("found", "truth", "rates"),
    [
        ([(0, 1), (1, 2)], [(2, 1), (1, 0)], (1.0, 0.0)),  # one class
        ([(0, 1), (1, 2)], [(0, 1), (2, 1)], (0.5, 0.5)),  # both edges lack their arrows: half an error each way
        ([(0, 1)], [(0, 1), (2, 1)], (0.25, 0.25)),  # one edge missing, one without its arrow
        ([(0, 1), (2, 1), (0, 2)], [(0, 1)], (1.0, 2.0)),  # a triangle has no v-structure
        ([], [(0, 1)], (0.0, 0.0)),
    ],
)
def test_errors_are_counted_as_benchpress_does(
    found: list[tuple[int, int]], truth: list[tuple[int, int]], rates: tuple[float, float]
) -> None:
    assert benchpress.accuracy(matrix(found), matrix(truth)) == pytest.approx(rates)


def test_worlds_of_benchpress_are_as_it_says() -> None:
    edges = []
    for seed in range(20):
        truth, data = benchpress.world("er", seed)
        assert truth.sum(axis=0).max() <= benchpress.MOST_PARENTS
        assert (data.n_variables, data.n_cases) == (80, 320)
        edges.append(truth.sum())
    assert np.mean(edges) == pytest.approx(160, abs=15)  # 80 variables with four neighbours, fewer by the limit
    assert not np.array_equal(np.triu(truth), truth), "the columns are in causal order"


def test_a_child_is_one_as_often_as_its_parents_say() -> None:
    arcs = matrix([(0, 2), (1, 2)])
    rates = []
    for seed in range(200):
        values = benchpress.sampled(arcs, np.random.default_rng(seed))
        assert 0.0 < values[:, 0].mean() < 1.0
        neither = values[(values[:, :2] == 0).all(axis=1), 2]
        both = values[(values[:, :2] == 1).all(axis=1), 2]
        rates.append((neither.mean() if len(neither) > 30 else np.nan, both.mean() if len(both) > 30 else np.nan))
    low, high = np.nanmean(rates, axis=0)
    assert low == pytest.approx(0.055, abs=0.01)
    assert high == pytest.approx(0.94, abs=0.02)  # the sum of two strengths, at most 0.95


def test_classes_are_the_same_but_for_copies() -> None:
    codes = [[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    data = Dataset.from_codes(codes, names=["a", "b", "c"], states=[["0", "1"]] * 3)
    assert column_order.copies_of(data) == [["a", "b"]]
    called = {name: name for name in data.names}
    by_a = column_order.class_of(Dag(data.names, [(), (0,), (0,)]), called)
    by_b = column_order.class_of(Dag(data.names, [(), (0,), (1,)]), called)
    assert by_a != by_b
    assert column_order.but_for_copies({by_a, by_b}, [["a", "b"]]) == 1
    assert column_order.but_for_copies({by_a, by_b}, []) == 2
    assert column_order.f1(by_a, by_b) == 0.5


def test_a_network_of_a_dsc_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "two.dsc"
    path.write_text(
        'belief network "unknown"\n'
        'node b {\n  type : discrete [ 2 ] = { "x", "y" };\n}\n'
        'node a {\n  type : discrete [ 3 ] = { "x", "y", "z" };\n}\n'
        "probability ( b | a ) {\n  (0) : 0.5, 0.5;\n  (1) : 0.25, 0.75;\n  (2) : 1e-1, 0.9;\n}\n"
        "probability ( a ) {\n   0.2, 0.3, 0.5;\n}\n"
    )
    network = column_order.read_dsc(path)
    assert network.names == ("b", "a")
    assert network.query("b").probabilities == pytest.approx([0.1 + 0.075 + 0.05, 0.1 + 0.225 + 0.45])


@pytest.mark.skipif(not (SHARED / "data" / "scores" / "reference").exists(), reason="needs the reference data")
def test_an_instance_of_aslib_is_rebuilt_and_solved() -> None:
    folder = SHARED / "data"
    (one,) = [own for own in aslib.instances(folder) if own.name == "zoo_bdeu-1-2"]
    assert (one.score, one.max_parents, one.variables, one.parent_sets) == ("bdeu:ess=1", 2, 17, 701)
    found = aslib.measure(one, folder, 60.0)
    assert found["same"]
    assert found["solved"]
    times = aslib.published(folder)
    assert times[one.name, "ilp-162"] < 7200


def test_a_problem_of_the_uai_evaluation_is_answered(tmp_path: Path) -> None:
    texts = {
        "BN_7.erg.gz": "3\n2 2 2\n0\n2 2 0\n1 0\n/* Probabilities */\n2 0.3 0.7\n8 0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6\n"
        "4 0.5 0.5 0.25 0.75\n",
        "BN_7.erg.evid.gz": "/* Evidence */\n2\n 1 0\n 0 1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    network = uai.read_network(tmp_path / "BN_7.erg.gz")
    found, _ = uai.measure(network, uai.read_evidence(tmp_path / "BN_7.erg.evid.gz"))
    # the parents of 1 are 2 and 0, in this order: P(1 = 0 | 0 = 1) is 0.2 with 2 = 0 and 0.4 with 2 = 1
    assert found == pytest.approx(np.log(0.7 * (0.25 * 0.2 + 0.75 * 0.4)))
