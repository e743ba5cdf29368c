"""The experiments on single elements of the papers: what a cell computes, by other ways, and what is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise import datasets
from arcwise.counts import contingency
from arcwise.graph import Dag
from arcwise.limits import Limits
from arcwise.local import genetic_search
from arcwise.priors import Learning, find_optima
from arcwise.scores import make_score
from arcwise_studies import CellContext, Sources, load_experiment
from arcwise_studies.experiment import SummaryTable
from arcwise_studies.experiments import ueno_fit
from arcwise_studies.experiments.discovery_thresholds import beside_printed_rules
from arcwise_studies.experiments.lau import _catching_up, problem_data
from arcwise_studies.experiments.lau_genetic import VARIANTS, Evolution, is_acyclic
from arcwise_studies.experiments.liao_printed import RULES_PRINTED
from arcwise_studies.experiments.ueno import STRUCTURE, fit_and_penalty, ueno_network
from arcwise_studies.experiments.ueno_fitted import NETWORKS, fitted_network
from arcwise_studies.experiments.ueno_printed import ESS_PRINTED, SIZES_PRINTED, TABLE_1, TABLE_2, printed_row


def run(name: str, **settings: Any) -> dict[str, pd.DataFrame]:
    """Run all cells of a small plan; return the tables of the summary."""
    experiment = load_experiment(name)
    made = experiment.Settings(**settings)
    lines, cells = [], []
    for number, parameters in enumerate(experiment.plan(made)):
        context = CellContext(np.random.default_rng(number), Limits(), Sources(), 1)
        found = experiment.run(made, parameters, context)
        cells.append({"cell": str(number), **parameters, "status": "finished"})
        lines += [{"cell": str(number), **parameters, "status": "finished", **row} for row in found.rows]
    parts = experiment.summarize(made, pd.DataFrame(lines), pd.DataFrame(cells))
    return {part.name: part.frame for part in parts if isinstance(part, SummaryTable)}


def test_tic_tac_toe_has_the_printed_networks_and_collider_classes() -> None:
    tables = run("credible_counts", bic=("tic-tac-toe",), bdeu=("tic-tac-toe",), folder="")
    for name in ("table-3-1", "table-3-2"):
        frame = tables[name]
        assert frame["networks"].tolist() == frame["networks printed"].tolist()
        assert frame["collider classes"].tolist() == frame["classes printed"].tolist()
    assert tables["table-3-1"]["Markov classes"].tolist() == [8, 8, 40]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_genetic_search_ends_with_the_score_of_a_network(variant: str) -> None:
    data = problem_data("random:nodes=4,max_degree=3,seed=11@100", Sources(), 2004)
    score = make_score("bic_laplace")
    evolution = Evolution(data, score, *VARIANTS[variant], rng=np.random.default_rng(1))
    best, rounds = evolution.evolve(5)
    assert rounds >= 5
    best_of_many = max(genetic_search(data, seed=seed).score for seed in range(5))
    assert best <= best_of_many + 1e-9
    if variant != "classical":
        assert best == pytest.approx(best_of_many, rel=0.02)
    chain = (0, 1, 2, 4)  # 0 -> 1 -> 2 -> 3
    dag = Dag(data.names, [[p for p in range(4) if own >> p & 1] for own in chain])
    assert evolution.value(chain) == pytest.approx(score.score_network(data, dag))


def test_a_cycle_of_bits_is_seen() -> None:
    assert is_acyclic([0, 1, 2, 4])
    assert not is_acyclic([8, 1, 2, 4])


def test_the_printed_columns_of_ueno_add_up() -> None:
    rows = [
        printed_row(table, network, ess, size)
        for table in (TABLE_1, TABLE_2)
        for network in table
        for ess in ESS_PRINTED
        for size in SIZES_PRINTED
    ]
    assert len(rows) == 72
    whole = [row for row in rows if None not in row]
    assert len(whole) == 70
    off = [row for row in whole if row[1] != sum(row[2:])]  # type: ignore[arg-type]
    assert off == [[6, 447, 24, 215, 12, 87, 108]], "the one row that does not add up in print"


def test_the_fit_learns_what_the_library_learns() -> None:
    for name in NETWORKS:
        network = fitted_network(name)
        parts = [network.table(v).reshape(-1, 2)[:, 1] for v in network.names]
        expected = ueno_fit.joint(np.concatenate(parts))
        assert expected.sum() == pytest.approx(1)
        data = network.sample(500, seed=3)
        counts = contingency(data, range(5)).reshape(1, 32).astype(float)
        for ess in (0.1, 10.0):
            found = ueno_fit.SEARCH.results(counts, ess)
            (optimum,) = find_optima(data, [make_score("bdeu", ess=ess)], Learning(), progress=False)
            parts_of = ueno_fit.structural_hamming(STRUCTURE, optimum.dag)
            assert found[1:].sum() == parts_of.total
            assert found[1] == parts_of.missing


def test_theorem_1_leaves_a_constant() -> None:
    data = ueno_network(0.9, 0.35).sample(1000, seed=1)
    dags = [STRUCTURE, Dag(STRUCTURE.names, [[]] * 5), Dag(STRUCTURE.names, [[], [0], [1], [2], [3]])]
    score = make_score("bdeu", ess=100)
    rest = []
    for dag in dags:
        fit, penalty = fit_and_penalty(data, dag, 100)
        rest.append(score.score_network(data, dag) - (fit - penalty))
    assert np.ptp(rest) < 0.01 * np.ptp([score.score_network(data, dag) for dag in dags])


def test_a_limit_on_parents_is_kept_and_all_values_see_one_sample() -> None:
    network = "random:nodes=6,max_degree=4,seed=1"
    settings = {"networks": (network,), "sizes": (40,), "unseen": 500}
    tables = run("scanagatta_variations", **settings, max_parents=(1, 3), ess=(1.0, 10.0))
    assert {"at most 1", "at most 3"} <= set(tables["parents"])
    assert tables["settings"]["value"].tolist() == [1.0, 1.0, 10.0, 10.0]
    assert (tables["settings"]["cells"] == 1).all()


def test_a_large_ess_reaches_more_edges_of_the_balance_scale() -> None:
    tables = run("steck_averaging", data=("balance-scale",), ess=(1.0, 1e5), averaged=(1.0, 10.0))
    reach, averages = tables["reach"].iloc[0], tables["averaging"].iloc[0]
    assert (reach["of"], reach["alpha^M printed"]) == (10, 48)
    assert datasets.load("balance-scale").n_variables == 5
    assert 0 < averages["expected edges, ESS 1"] <= 10
    assert averages["above 1/2, ESS 10"] >= 4


def test_points_stand_beside_points() -> None:
    key = ("f", "bootstrap", 4.0)
    frame = beside_printed_rules({key: {"Scutari": 1, "Gross": 2, "cost": 3, "learned": 4, "cells": 10}}).frame
    row = frame.iloc[0]
    assert (row["Broom, printed"], row["learned, printed"], row["learned, ours"]) == (
        8942,
        RULES_PRINTED[key]["learned"],
        4,
    )
    assert (row["first, printed"], row["first of these, printed"], row["first, ours"]) == ("cost", "cost", "learned")


def test_the_empty_start_catches_up_if_its_mean_score_ever_is_the_other() -> None:
    runs = {
        ("a", "empty"): [[0.0, 2.0, 5.0], [0.0, 4.0]],  # means 0, 3, 4.5: ahead after one iteration
        ("a", "random"): [[1.0, 2.0]],
        ("b", "empty"): [[0.0, 1.0]],
        ("b", "random"): [[1.0, 2.0]],
        ("c", "empty"): [[3.0, 4.0]],  # never behind
        ("c", "random"): [[1.0, 2.0]],
    }
    rows = pd.DataFrame(
        {"kind": "step", "score_name": "bic", "problem": problem, "search": search, "cell": f"{problem}{search}{k}"}
        | {"step": step, "score": score}
        for (problem, search), scores in runs.items()
        for k, run in enumerate(scores)
        for step, score in enumerate(run)
    )
    assert _catching_up(["a", "b", "c"], "bic", rows) == ([True, False, None], 7)
