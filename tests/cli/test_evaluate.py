"""The verb evaluate, on every kind of file that holds a graph."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.confidence import EdgeConfidence
from arcwise.data import write_data
from arcwise.graph import Dag, write_adjacency, write_arc_list, write_structure
from arcwise.model import BayesianNetwork

Cli = Callable[..., str]

TRUE = Dag.from_arcs("abcd", [("a", "c"), ("b", "c")])
LEARNED = Dag.from_arcs("abcd", [("a", "c"), ("c", "b"), ("b", "d")])


def network(dag: Dag, weight: float) -> BayesianNetwork:
    tables = [np.full((2,) * len(ps) + (2,), 0.5) for ps in dag.parents]
    tables[0] = np.array([weight, 1 - weight])
    return BayesianNetwork(dag, [("n", "y")] * 4, tables)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    """Both graphs in every format."""
    result = {}
    for which, dag in (("true", TRUE), ("learned", LEARNED)):
        paths = [tmp_path / f"{which}{end}" for end in (".bif", ".txt", "_matrix.csv", "_arcs.csv", ".txt.gz")]
        network(dag, 0.2).write_bif(paths[0])
        write_structure(paths[1], dag)
        write_adjacency(paths[2], dag)
        write_arc_list(paths[3], dag)
        write_structure(paths[4], dag)
        result[which] = paths
    return result


def test_every_pair_of_formats_says_the_same(cli: Cli, files: dict[str, list[Path]]) -> None:
    found = []
    for true in files["true"]:
        for learned in files["learned"]:
            if true.name == "true_arcs.csv" and learned.name == "learned_arcs.csv":
                continue
            found.append(json.loads(cli("evaluate", true, learned, "--json", "--beta", 2, "--alpha", 3)))
    assert all(result == found[0] for result in found)
    # True: a -> c <- b. Learned: a - c - b - d. Two orientations are missing and one edge is extra.
    expected = {"nodes": 4, "shd": 3, "missing": 0, "extra": 1, "missing_orientation": 2, "misclassification_cost": 1}
    assert found[0].items() >= expected.items()
    assert found[0]["f_beta"] == pytest.approx(5 * 2 / (5 * 2 + 1))
    assert found[0]["multiclass_f_beta"] == 0
    assert found[0]["moral_distance"] == 2  # a - b only in the true one, b - d only in the learned one
    assert found[0]["equivalent"] is False


def test_two_arc_lists_have_the_nodes_of_both(cli: Cli, files: dict[str, list[Path]]) -> None:
    result = json.loads(cli("evaluate", files["true"][3], files["learned"][3], "--json"))
    assert (result["nodes"], result["shd"]) == (4, 3)


def test_the_text_for_people(cli: Cli, files: dict[str, list[Path]]) -> None:
    text = cli("evaluate", files["true"][0], files["learned"][1])
    assert "structural Hamming distance      3\n" in text
    assert "  missing orientations           2\n" in text


def test_held_out_data(cli: Cli, tmp_path: Path) -> None:
    network(TRUE, 0.2).write_bif(tmp_path / "true.bif")
    network(TRUE, 0.5).write_bif(tmp_path / "learned.bif")
    data = network(TRUE, 0.2).sample(1000, seed=0)
    write_data(data, tmp_path / "held.csv")
    arguments = ("evaluate", tmp_path / "true.bif", tmp_path / "learned.bif", "--data", tmp_path / "held.csv")
    result = json.loads(cli(*arguments, "--json"))
    low = int((data.codes[0] == 0).sum())
    true = low * np.log(0.2) + (1000 - low) * np.log(0.8) + 3000 * np.log(0.5)
    assert result["cases"] == 1000
    assert result["true_log_likelihood"] == pytest.approx(true)
    assert result["learned_log_likelihood"] == pytest.approx(4000 * np.log(0.5))
    assert result["accuracy_score"] == pytest.approx(100 * (true - 4000 * np.log(0.5)) / -true)
    assert "accuracy score (per cent)" in cli(*arguments)
    write_structure(tmp_path / "learned.txt", TRUE)
    message = cli("evaluate", tmp_path / "true.bif", tmp_path / "learned.txt", "--data", tmp_path / "held.csv", code=1)
    assert "learned.txt is a graph only" in message


def test_published_networks(cli: Cli, networks: Path, tmp_path: Path) -> None:
    path = networks / "alarm.bif.gz"
    dag = BayesianNetwork.read_bif(path).dag
    write_structure(tmp_path / "class.txt", dag.cpdag.to_dag())
    result = json.loads(cli("evaluate", path, tmp_path / "class.txt", "--json"))
    assert (result["nodes"], result["true_edges"], result["shd"], result["equivalent"]) == (37, 46, 0, True)


def test_mistakes_get_one_message(cli: Cli, files: dict[str, list[Path]], tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("a []\nz []\n")
    (tmp_path / "arcs.csv").write_text("from,to\na,z\n")
    true = files["true"][0]
    assert "the learned graph alone has z" in cli("evaluate", true, tmp_path / "other.txt", code=1)
    assert "arcs.csv: arc a -> z: unknown node 'z'" in cli("evaluate", true, tmp_path / "arcs.csv", code=1)
    assert "cannot read" in cli("evaluate", true, tmp_path / "none.txt", code=1)
    assert "what kind of graph file" in cli("evaluate", true, tmp_path / "none.xyz", code=1)
    assert "--beta -1 must be 0 or more" in cli("evaluate", true, true, "--beta", -1, code=1)
    cli("evaluate", true, code=2)


def test_adjustment_distances_are_those_of_the_functions(cli: Cli, files: dict[str, list[Path]]) -> None:
    pytest.importorskip("gadjid", reason="gadjid is an extra: pip install 'arcwise[adjustment]'")
    from arcwise.evaluate import adjustment_distance, sid

    true, learned = files["true"][0], files["learned"][0]
    found = json.loads(cli("evaluate", true, learned, "--adjustment", "--json"))
    assert found["sid"] == sid(TRUE, LEARNED).mistakes > 0
    assert found["ancestor_aid"] == adjustment_distance(TRUE.cpdag, LEARNED.cpdag).mistakes > 0
    shown = cli("evaluate", true, learned, "--adjustment")
    assert f"structural intervention distance         {found['sid']}\n" in shown
    assert "sid" not in json.loads(cli("evaluate", true, learned, "--json"))


def test_confidences_are_ranked_and_calibrated(cli: Cli, files: dict[str, list[Path]], tmp_path: Path) -> None:
    present = np.zeros((4, 4))
    for (i, j), value in {(0, 2): 0.9, (1, 2): 0.4, (1, 3): 0.6}.items():
        present[i, j] = present[j, i] = value
    confidence = EdgeConfidence(tuple("abcd"), np.zeros((4, 4)), present, "skeleton", "given", 10, "equal", True)
    confidence.save(tmp_path / "confidence.parquet")
    found = json.loads(cli("evaluate", files["true"][1], tmp_path / "confidence.parquet", "--json"))
    # True are a - c (0.9) and b - c (0.4), and b - d (0.6) lies between them: (1 + 2/3) / 2.
    assert found["average_precision"] == pytest.approx(5 / 6)
    assert found["roc_area"] == pytest.approx(7 / 8)
    assert found["brier"] == pytest.approx((0.1**2 + 0.6**2 + 0.6**2) / 6)
    assert found["calibration_error"] == pytest.approx((0.1 + 0.6 + 0.6) / 3)
    assert "area under precision over recall, edges  0.8333" in cli(
        "evaluate", files["true"][0], tmp_path / "confidence.parquet"
    )
    message = cli("evaluate", files["true"][0], tmp_path / "confidence.parquet", "--adjustment", code=1)
    assert "holds confidences" in message
