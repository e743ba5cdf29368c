"""Numbers that others have published or computed."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln
from tests.oracles.bnlearn_samples import NAMES, golden, read_sample
from tests.twins.scores import local_twin, log_nml_approximation

from arcwise import _core
from arcwise.data import Dataset
from arcwise.graph import Dag
from arcwise.scores import make_score

log_nml_normaliser = _core.scores.log_nml_normaliser
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
LIAO = json.loads((GOLDEN / "liao_table_4_1.json").read_text())
LAU = json.loads((GOLDEN / "lau_penalties.json").read_text())


def cases_of_bnlearn() -> list[Any]:
    return [pytest.param(name, kind, id=f"{name}-{kind}") for name in NAMES for kind in ("true", "empty")]


@pytest.mark.parametrize(("name", "kind"), cases_of_bnlearn())
def test_totals_of_bnlearn(name: str, kind: str) -> None:
    data, dag = read_sample(name)
    if kind == "empty":
        dag = Dag(dag.names, [()] * dag.n_nodes)
    theirs = golden(name)[kind]
    same = {"ll": "ll", "aic": "aic", "bic": "bic", "k2": "k2", "bdeu_ess1": "bdeu", "bdeu_ess10": "bdeu:ess=10"}
    for key, score in same.items():
        assert make_score(score).score_network(data, dag) == pytest.approx(theirs[key], rel=1e-11), key

    # Differences that are bnlearn's: for a variable without parents a_j of its BDJ is r in place of r/2, and it
    # averages log scores over the sample sizes, where it averages likelihoods per configuration of parents.
    roots = [v for v, parents in enumerate(dag.parents) if not parents]
    r, n = data.arities[roots].astype(float), data.n_cases
    bdj = make_score("bdj").score_network(data, dag)
    bdj += float((gammaln(r / 2 + n) - gammaln(r / 2) + gammaln(r) - gammaln(r + n)).sum())
    assert bdj == pytest.approx(theirs["bdj"], rel=1e-11)

    grid = (0.25, 0.5, 1, 2, 4)
    local, by_log = (make_score("bdeu_averaged", grid=grid, average=a) for a in ("configuration", "log"))
    averaged = sum(
        (local if parents else by_log).score_family(data, v, parents) for v, parents in enumerate(dag.parents)
    )
    assert averaged == pytest.approx(theirs["bdla_l5"], rel=1e-11)


@pytest.mark.parametrize(("name", "kind"), cases_of_bnlearn())
def test_nml_of_bnlearn(name: str, kind: str) -> None:
    """Exactly where bnlearn computes the normaliser exactly, else within the error of its approximation."""
    data, dag = read_sample(name)
    if kind == "empty":
        dag = Dag(dag.names, [()] * dag.n_nodes)
    theirs = golden(name)[kind]
    few_cases = data.n_cases <= 1000
    few_cells = few_cases and (kind == "empty" or name == "asia")
    fnml = make_score("fnml").score_network(data, dag)
    assert fnml == pytest.approx(theirs["fnml"], abs=1e-8 if few_cases else 3e-4)
    qnml = make_score("qnml").score_network(data, dag)
    assert qnml == pytest.approx(theirs["qnml"], abs=1e-8 if few_cells else 0.05)


def penalty(score: str, cases: int, q: int) -> float:
    """The penalty alone: all cases in one cell of a binary child, where the likelihood's part is 0."""
    counts = np.zeros((q, 2), dtype=np.int64)
    counts[0, 0] = cases
    return -local_twin(make_score(score), counts)


@pytest.mark.parametrize("row", LIAO["rows"], ids=lambda row: f"N={row[0]}-q={row[1]}")
def test_penalties_of_liao(row: list[float]) -> None:
    cases, q, *printed = row
    ours = [penalty(score, int(cases), int(q)) for score in ("aic", "bic", "qnml", "qbdj")]
    assert [round(value, 1) for value in ours] == printed
    native = log_nml_normaliser(int(cases), 2 * q) - log_nml_normaliser(int(cases), q)
    approximate = log_nml_approximation(int(cases), 2 * q) - log_nml_approximation(int(cases), q)
    assert round(native, 1) == printed[2]
    assert round(approximate, 1) == printed[2]


@pytest.mark.parametrize("network", LAU["networks"].values(), ids=LAU["networks"])
def test_penalties_of_lau(network: dict[str, float]) -> None:
    """A binary child with q configurations has q parameters."""
    bits = penalty("bic", int(network["cases"]), int(network["parameters"])) / math.log(2)
    assert round(bits, 3) == network["penalty_bits"]


def tic_tac_toe() -> Dataset:
    """The 958 final boards of tic-tac-toe with x moving first, and whether x has won."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    boards: set[tuple[int, ...]] = set()

    def play(board: list[int], player: int) -> None:
        won = any(board[a] == board[b] == board[c] == 3 - player for a, b, c in lines)
        if won or 0 not in board:
            boards.add((*board, int(won and player == 2)))
            return
        for square in range(9):
            if board[square] == 0:
                board[square] = player
                play(board, 3 - player)
                board[square] = 0

    play([0] * 9, 1)
    assert len(boards) == 958
    return Dataset.from_codes(np.array(sorted(boards)))


@pytest.mark.parametrize(("score", "optimum"), [("bic", -9396.375858), ("bdeu:ess=1", -9423.068333)])
def test_the_optimum_of_tic_tac_toe(score: str, optimum: float) -> None:
    """All 5,120 families from the data, and the best network by dynamic programming over sets."""
    data = tic_tac_toe()
    n = data.n_variables
    families = [
        (v, parents)
        for v in range(n)
        for k in range(n)
        for parents in itertools.combinations(sorted({*range(n)} - {v}), k)
    ]
    values = make_score(score).score_families(data, families)
    local = np.full((n, 2**n), -np.inf)
    for (v, parents), value in zip(families, values, strict=True):
        local[v, sum(1 << p for p in parents)] = value
    for v, bit in itertools.product(range(n), range(n)):  # the best subset of each candidate set
        for members in range(2**n):
            if members >> bit & 1:
                local[v, members] = max(local[v, members], local[v, members ^ (1 << bit)])
    best = np.zeros(2**n)
    for members in range(1, 2**n):
        best[members] = max(
            best[members ^ (1 << v)] + local[v, members ^ (1 << v)] for v in range(n) if members >> v & 1
        )
    assert best[-1] == pytest.approx(optimum, abs=1e-6)
