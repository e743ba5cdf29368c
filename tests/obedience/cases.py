"""One random analysis under random constraints: every file of its folder is read again and checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.oracles.random_constraints import random_constraints

from arcwise import learn, read_bif
from arcwise.analysis import PreparationError
from arcwise.confidence import EdgeConfidence, Fate
from arcwise.data import Dataset
from arcwise.errors import ConstraintError
from arcwise.graph import Constraints, Dag, FixedPairs, broken_rules, read_graph
from arcwise.model import MixedNetwork

SCORES = ("bic", "bdeu:ess=1", "bdeu:ess=10", "qnml", "k2", "aic")


def random_case(number: int) -> tuple[Dataset, Constraints, dict[str, Any]]:
    """Return tiny data of two to five variables, constraints, and options that keep the analysis quick."""
    rng = np.random.default_rng([17, number])
    n = int(rng.integers(2, 6))
    names = [str(name) for name in rng.permutation(["age", "trt", "sex", "stage", "status"])[:n]]
    rows = int(rng.integers(12, 41))
    columns: list[np.ndarray] = []
    for v in range(n):
        column = rng.integers(0, 2 + v % 2, size=rows)
        if v and rng.random() < 0.8:  # a noisy copy of another
            copied = rng.random(rows) < rng.choice([0.5, 0.8, 0.95])
            column = np.where(copied, columns[int(rng.integers(v))] % (2 + v % 2), column)
        column[: 2 + v % 2] = np.arange(2 + v % 2)
        columns.append(column)
    data = Dataset.from_codes(np.array(columns).T, names=names)
    options: dict[str, Any] = {
        "score": str(rng.choice(SCORES)),
        "method": str(rng.choice(["credible", "credible", "bootstrap"])),
        "replicates": 5,
        "permutations": 0,
        "compare": bool(rng.random() < 0.05),
        "limit_seconds": None,
        "seed": int(rng.integers(1000)),
    }
    if rng.random() < 0.5:
        options["threshold"] = float(rng.choice([0.0, 0.05, 0.5, 0.95]))
    return data, random_constraints(names, rng), options


def random_table(number: int) -> tuple[pd.DataFrame, Constraints, dict[str, Any]]:
    """Return the same with some columns as numbers, and with groups, weights or gaps: a table, as users have it."""
    data, constraints, options = random_case(number)
    rng = np.random.default_rng([18, number])
    rows = rng.choice(data.n_rows, 60)
    frame = pd.DataFrame({name: np.array(["u", "v", "w"])[data.codes[v][rows]] for v, name in enumerate(data.names)})
    for v, name in enumerate(data.names):
        if rng.random() < 0.5:
            frame[name] = (data.codes[v][rows] + rng.normal(0, 0.3, len(rows))).round(3)
    options |= {"method": "bootstrap", "agree": True, "score": None, "replicates": 4}
    if rng.random() < 0.3:
        frame = frame.mask(rng.random(frame.shape) < 0.05)
        options |= {"impute": str(rng.choice(["completions", "knn", "mode"])), "completions": 2}
    elif rng.random() < 0.3:
        options["groups"] = "family"
        frame["family"] = [f"f{k}" for k in np.arange(len(frame)) // 2]
    elif rng.random() < 0.4:
        options["weights"] = "worth"
        frame["worth"] = rng.lognormal(0, 0.5, len(frame)).round(3)
    return frame, constraints, options


def check(number: int, folder: Path) -> bool:
    """Learn, write the folder, read its files and compare each of them with the constraints: a table every third time.

    A table may be refused for what `learn` says about it before it learns; then False is returned.
    """
    data, constraints, options = random_table(number) if number % 3 == 2 else random_case(number)
    try:
        analysis = learn(data, constraints=constraints, progress=False, **options)
    except (PreparationError, ConstraintError):
        assert number % 3 == 2
        return False
    analysis.save(folder, force=True)
    if analysis.data.names != constraints.names:  # a column was left out
        constraints = Constraints.from_description(analysis.data.names, constraints.describe())
    if (folder / "network.json").exists():
        assert constraints.violations(MixedNetwork.read(folder / "network.json").dag) == []
    dag = read_bif(folder / "network.bif").dag
    assert constraints.violations(dag) == []
    arcs = set(dag.arcs)
    for name in ("cpdag.dot", "cpdag.graphml"):
        graph = read_graph(folder / name)
        assert broken_rules(graph, constraints) == [], name
        assert {frozenset(pair) for pair in (*graph.arcs, *getattr(graph, "edges", ()))} == set(map(frozenset, arcs))
    check_edges(pd.read_csv(folder / "edges.csv", keep_default_na=False), dag, constraints)
    check_confidence(EdgeConfidence.load(folder / "confidence.parquet"), constraints)
    record = json.loads((folder / "run.json").read_text())
    assert {tuple(arc) for arc in record["result"]["arcs"]} == arcs
    for other in analysis.comparisons:
        if other.confidence is not None:
            check_confidence(other.confidence, constraints)
    return True


def check_edges(edges: pd.DataFrame, dag: Dag, constraints: Constraints) -> None:
    """Compare edges.csv with the network and the constraints."""
    fixed = FixedPairs.by_constraints(constraints)
    inside = edges[edges["in_network"].astype(bool)]
    assert set(zip(inside["from"], inside["to"], strict=True)) == set(dag.arcs)
    for row in edges.to_dict("records"):
        first, second = row["first"], row["second"]
        assert row["forward_if_edge"] == 0 or first not in constraints.forbidden_parents(second)
        assert row["backward_if_edge"] == 0 or second not in constraints.forbidden_parents(first)
        assert row["either_if_edge"] == 0 or not fixed.fixes(first, second)
        assert (row["fate"] == Fate.REQUIRED) == ((row["from"], row["to"]) in constraints.required)
        assert row["fate"] != Fate.FORBIDDEN  # no network has it
        if row["fate"] == Fate.UNDIRECTED:
            assert not fixed.fixes(first, second)


def check_confidence(confidence: EdgeConfidence, constraints: Constraints) -> None:
    """Compare confidences with the constraints: what is required is certain, what is forbidden is not there."""
    for i, tail in enumerate(confidence.names):
        for j, head in enumerate(confidence.names):
            if (tail, head) in constraints.required:
                assert confidence.directed[i, j] == 1.0
            if tail in constraints.forbidden_parents(head):
                assert confidence.directed[i, j] == confidence.undirected[i, j] == 0.0
