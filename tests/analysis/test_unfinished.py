"""A credible set that a limit ends: an answer all the same, with its bound, in all files."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Constraints, datasets
from arcwise.analysis import additions
from arcwise.analysis import open as open_analysis
from arcwise.analysis import run as learn_run
from arcwise.base.run import Run
from arcwise.credible.diagram import Bracket
from arcwise.ensemble import CredibleSet, Recipe
from arcwise.findings.method_result import MethodResult, Shortfall
from arcwise.limits import Limits, Status
from arcwise.model import read_bif
from arcwise.parent_sets import build_parent_sets
from arcwise.recipes import optimum
from arcwise.recipes.credible import PartialResult
from arcwise.recipes.optimum import find_best
from arcwise.report.remarks import remedy_words
from arcwise.report.sections import bound_words, factor_words, methods_of_networks


@pytest.fixture(scope="module")
def votes() -> arcwise.Dataset:
    """A dependent world of nine variables: a chain with noise, and a common child."""
    draws = random.Random(5)
    rows = []
    for _ in range(300):
        row = [draws.randrange(2)]
        while len(row) < 8:
            row.append(row[-1] if draws.random() < 0.75 else draws.randrange(3))
        rows.append([*row, (row[2] + row[6]) % 2 if draws.random() < 0.8 else draws.randrange(2)])
    frame = pd.DataFrame([[f"s{value}" for value in row] for row in rows], columns=[f"v{k}" for k in range(9)])
    return arcwise.Dataset.from_dataframe(frame)


def credible(data: Any, **options: Any) -> arcwise.analysis.Analysis:
    return arcwise.learn(data, method="credible", compare=False, permutations=0, seed=1, progress=False, **options)


def test_no_time_gives_the_best_network_with_its_bound_in_all_files(votes: arcwise.Dataset, tmp_path: Path) -> None:
    known = Constraints(votes.names, required=[("v0", "v5")], forbidden=[("v1", "v2"), ("v2", "v1")])
    found = credible(votes, limit_seconds=1e-6, constraints=known)
    assert found.status is Status.TIME_LIMIT
    assert found.main.shortfall is Shortfall.SINGLE and found.main.count == 1
    assert found.main.asked is not None and found.main.asked.source == "credible"
    best = found.main.optimum
    assert best is not None and not known.violations(best.dag)
    assert best.score == pytest.approx(found.main.recipe.scorer.score_network(votes, best.dag))
    assert "The credible set at a Bayes factor of 20 is not complete" in found.remarks[0].text
    assert f"{best.score:.6f}" in found.remarks[0].text
    assert "not complete" in found.to_html()
    found.save(tmp_path / "out")
    record = json.loads((tmp_path / "out" / "run.json").read_text())["result"]
    assert record["status"] == "time limit" and record["asked"]["source"] == "credible"
    assert record["best"]["score"] == best.score and record["best"]["gap"] == best.gap
    assert record["best"]["most_parents"] == best.most_parents is not None
    methods = methods_of_networks(found)
    assert f"with at most {best.most_parents} parent" in methods and "nothing is known of others" in methods
    assert ["v0", "v5"] in record["arcs"]
    rows = list(csv.DictReader((tmp_path / "out" / "edges.csv").read_text().splitlines()))
    assert len(rows) >= 1 and not {("v1", "v2"), ("v2", "v1")} & {(row["from"], row["to"]) for row in rows}
    assert open_analysis(tmp_path / "out").networks.count == 1


def test_a_smaller_set_that_is_complete_is_averaged(
    votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = credible(votes, bayes_factor=1e6, max_parents=2, limit_seconds=None)
    assert whole.complete
    real = CredibleSet._build

    def small(self: CredibleSet, by: Any, slack: float, *rest: Any) -> Any:
        made = real(self, by, slack, *rest)
        if slack > 5:
            from arcwise import _core

            nothing = _core.credible.NetworkDiagram(list(Status).index(Status.MEMORY_LIMIT))
            return replace(made, native=nothing, status=Status.MEMORY_LIMIT)
        return made

    monkeypatch.setattr(CredibleSet, "_build", small)
    found = credible(votes, bayes_factor=1e6, max_parents=2, limit_seconds=None, settings=("most_networks=3",))
    factor = math.exp(math.log(1e6) * 0.6**2)
    assert found.status is Status.MEMORY_LIMIT and found.main.shortfall is Shortfall.SMALLER
    assert found.main.recipe.settings["bayes_factor"] == pytest.approx(factor, rel=1e-11)
    assert found.main.unfinished is not None and found.main.unfinished.table is None
    assert found.main.recipe.settings["most_networks"] is None and found.main.count > 3
    assert found.main.asked is not None and found.main.asked.settings["bayes_factor"] == 1e6
    best = found.main.optimum
    assert best is not None and best.is_proved
    assert whole.main.credible is not None and best.score == pytest.approx(whole.main.credible.optimum)
    monkeypatch.undo()
    alone = credible(votes, bayes_factor=factor, max_parents=2, limit_seconds=None)
    assert found.main.count == alone.main.count < whole.main.count
    assert found.confidence.vector == pytest.approx(alone.confidence.vector)
    assert f"all {alone.main.count:,} networks within a Bayes factor of {factor:.3g}" in found.remarks[0].text
    found.save(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "run.json").read_text())["result"]["best"]["proved"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seconds=st.sampled_from([1e-9, 1e-4, 1e-3, 0.01, 0.05, 0.2]),
    memory=st.sampled_from([1, 2**10, 2**14, 2**17, 2**20, 2**30]),
    said=st.sampled_from(
        [{}, {"required": [("v3", "v0")]}, {"ancestors": [("v4", "v1")], "non_ancestors": [("v2", "v7")]}]
    ),
)
def test_no_limit_leaves_no_answer(
    votes: arcwise.Dataset, seconds: float, memory: int, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Constraints(votes.names, **said) if said else None
    monkeypatch.setattr(learn_run, "MEMORY", memory)
    try:
        found = credible(votes, limit_seconds=seconds, constraints=known)
    except arcwise.errors.OptionError as error:
        assert memory <= 2**10 and "does not hold one parent set per variable" in str(error)
        return
    assert known is None or not known.violations(found.dag)
    if found.main.asked is not None:
        assert found.main.optimum is not None and found.main.optimum.gap >= 0
        assert not found.complete
    table = build_parent_sets(votes, found.main.recipe.scorer, max_parents=found.main.recipe.max_parents)
    best = found.main.optimum
    if best is not None and best.is_proved and known is None:
        assert best.score == pytest.approx(arcwise.find_optimal(table, progress=False).score)


@given(
    score=st.floats(-1e7, -1e-3), gap=st.floats(1e-5, 1e5), digits=st.integers(0, 6), most=st.sampled_from([None, 0, 2])
)
def test_printed_bounds_are_bounds(
    votes: arcwise.Dataset, score: float, gap: float, digits: int, most: int | None
) -> None:
    score = round(score, digits)
    known = arcwise.find_optimal(build_parent_sets(votes, "bic", max_parents=1, progress=False), progress=False)
    upper = score + gap
    best = replace(known, score=score, upper_bound=upper, status=Status.TIME_LIMIT, most_parents=most)
    text = bound_words(best, Recipe.usual("optimum", "bic", n_cases=300))
    found = re.search(r"more than (-?[\d.]+), so .* more than ([\d.,]+) nats", text)
    assert found is not None, text
    assert float(found[1]) >= upper - 1e-9 * abs(upper) and float(found[2].replace(",", "")) >= best.gap
    assert ("a Bayes factor of" in text) == (best.gap < math.log(1e6)) and "e^" not in text and "e+" not in text
    assert ("nothing is known of others" in text) == (most is not None)
    assert (
        bound_words(replace(best, upper_bound=math.inf), Recipe.usual("optimum", "bic", n_cases=300))
        == "no bound is known"
    )
    assert factor_words(math.log(3.001)) == "a Bayes factor of 3.01"
    assert factor_words(38770.2) == "38,780 nats"


def with_gaps(data: arcwise.Dataset, folder: Path) -> Path:
    draws = random.Random(1)
    file = folder / "gaps.csv"
    data.to_file(folder / "whole.csv")
    head, *rows = list(csv.reader((folder / "whole.csv").read_text().splitlines()))
    with file.open("w") as out:
        csv.writer(out).writerows([head, *([x if draws.random() > 0.05 else "" for x in row] for row in rows)])
    return file


def test_few_completions_that_are_all_there_are_an_answer(votes: arcwise.Dataset, tmp_path: Path) -> None:
    file = with_gaps(votes, tmp_path)
    found = credible(str(file), impute="completions", completions=2, max_parents=1, bayes_factor=2, limit_seconds=None)
    assert found.complete and found.main.asked is None and found.main.shortfall is None
    assert found.confidence.completions >= 2
    assert not any("not complete" in remark.text for remark in found.remarks)


def test_without_a_limit_of_time_the_search_for_one_network_has_one(
    votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Limits] = []

    def noted(real: Any) -> Any:
        def search(*args: Any, **options: Any) -> Any:
            seen.append(options["limits"])
            return real(*args, **options)

        return search

    for name in ("find_optimal", "hill_climb"):
        monkeypatch.setattr(optimum, name, noted(getattr(optimum, name)))
    monkeypatch.setattr(learn_run, "MEMORY", 2**14)
    found = credible(votes, limit_seconds=None)
    assert found.main.shortfall is Shortfall.SINGLE
    assert len(seen) == 2 and all(limits.seconds is not None for limits in seen)


def test_gaps(votes: arcwise.Dataset, tmp_path: Path) -> None:
    file = with_gaps(votes, tmp_path)
    found = credible(str(file), impute="completions", limit_seconds=1e-3)
    assert found.status is Status.TIME_LIMIT and found.main.optimum is not None
    assert not found.main.optimum.is_proved and found.main.optimum.most_parents is not None
    assert "which is proved" not in found.remarks[0].text
    assert "of one completion of the data" in found.remarks[0].text
    found.save(tmp_path / "out")


def test_a_comparison_that_did_not_fit_says_what_is_known(
    votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(additions, "COMPARED_MEMORY", 2**15)
    found = arcwise.learn(votes, replicates=20, permutations=0, seed=1, max_parents=2, bayes_factor=1e6, progress=False)
    text = next(remark.text for remark in found.remarks if remark.text.startswith("Not computed for comparison"))
    unfinished = [
        made.unfinished for _, made in found.missing if isinstance(made, MethodResult) and made.unfinished is not None
    ]
    assert all(one.data is one.table is one.whole is None for one in unfinished)
    assert any(one.found is not None for one in unfinished), text
    assert "the best network found has the score" in text


def test_the_bound_of_an_unfinished_set_is_one(networks: Path) -> None:
    data = read_bif(networks / "alarm.bif.gz").sample(300, seed=1, progress=False)
    recipe = Recipe.usual(
        "credible", "bic", n_cases=300, arities=data.arities.tolist(), max_parents=2, bayes_factor=1e9
    )
    made = recipe.source_facts.carry_out(recipe, data, Run(limits=Limits(memory_bytes=2**21), progress=False))
    assert isinstance(made, PartialResult) and made.table is not None and made.found is not None
    best = arcwise.find_optimal(made.table, progress=False).score
    assert made.found.score <= best + 1e-6 <= made.found.upper_bound + 2e-6


def test_the_optimum_of_a_smaller_set_that_is_complete_is_proved(networks: Path) -> None:
    data = read_bif(networks / "alarm.bif.gz").sample(300, seed=1, progress=False)
    table = build_parent_sets(data, "bic", slack=3.0, max_parents=2, progress=False)
    best = arcwise.find_optimal(table, progress=False)
    whole = CredibleSet.build(table, log_slack=3.0, progress=False)
    diagram = whole.diagram("dag")
    poor = Bracket(np.empty(0, dtype=np.int64), math.inf)  # what is known while it is built does not count
    whole._diagrams["dag"] = replace(diagram, bracket=poor)
    found = whole.bracketed
    assert found is not None and found.is_proved and found.gap == 0
    assert found.score == pytest.approx(best.score, abs=1e-6)
    stopped = CredibleSet.build(table, log_slack=3.0, progress=False)
    stopped._diagrams["dag"] = replace(diagram, bracket=poor, status=Status.MEMORY_LIMIT)
    smaller = stopped.within_reach()
    assert smaller is not None and smaller.complete
    for one in (smaller.bracketed, stopped.bracketed):
        assert one is not None and one.is_proved and one.score == pytest.approx(best.score, abs=1e-6)


def test_the_best_network_under_costly_constraints_on_ancestors_is_proved(votes: arcwise.Dataset) -> None:
    apart = Constraints(votes.names, non_ancestors=[("v0", "v1"), ("v1", "v0"), ("v3", "v4"), ("v4", "v3")])
    recipe = Recipe.usual("optimum", "bic", n_cases=300, max_parents=2, constraints=apart)
    free = replace(recipe, constraints={})
    run = Run(progress=False)
    (best, status), (above, _) = find_best(recipe, votes, run), find_best(free, votes, run)
    assert best is not None and above is not None
    assert status is Status.COMPLETE and best.is_proved and not apart.violations(best.dag)
    assert above.score - best.score > 10
    table = build_parent_sets(votes, "bic", slack=1e6, max_parents=2, progress=False)
    assert best.score == pytest.approx(arcwise.find_optimal(table, constraints=apart, progress=False).score)


def test_without_any_network_there_is_a_reason(votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimum, "best_network", lambda *_, **__: None)
    recipe = Recipe.usual("optimum", "bic", n_cases=300, max_parents=1)
    assert find_best(recipe, votes, Run(progress=False)) == (None, Status.TIME_LIMIT)
    by_memory = Run(progress=False, limits=Limits(memory_bytes=2**30))
    assert find_best(recipe, votes, by_memory) == (None, Status.MEMORY_LIMIT)


@pytest.mark.parametrize("where", ["diagram", "table", "climb"])
def test_ctrl_c_ends_the_search_for_what_is_left(
    where: str, votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(real: Any) -> Any:
        return lambda *args, **options: replace(real(*args, **options), status=Status.INTERRUPTED)

    if where == "diagram":
        real = CredibleSet._build

        def build(self: CredibleSet, by: Any, slack: float, *rest: Any) -> Any:
            status = Status.MEMORY_LIMIT if slack > 13 else Status.INTERRUPTED
            return replace(real(self, by, slack, *rest), status=status)

        monkeypatch.setattr(CredibleSet, "_build", build)
    else:
        name = "find_optimal" if where == "table" else "hill_climb"
        monkeypatch.setattr(optimum, name, stopped(getattr(optimum, name)))
    seconds = None if where == "diagram" else 1e-6
    with pytest.raises(KeyboardInterrupt):
        credible(votes, bayes_factor=1e6, max_parents=2, limit_seconds=seconds)


@pytest.mark.parametrize("method", ["optimum"])
def test_the_best_network_by_name(method: str) -> None:
    found = arcwise.learn(datasets.load("balance-scale"), method=method, compare=False, permutations=0, progress=False)
    assert found.complete and found.main.count == 1


@pytest.mark.parametrize("seconds", [None, 1e-6])
def test_what_is_proved_of_the_best_network_is_told(
    seconds: float | None, votes: arcwise.Dataset, tmp_path: Path
) -> None:
    found = arcwise.learn(
        votes, method="optimum", max_parents=2, limit_seconds=seconds, compare=False, permutations=0, progress=False
    )
    best = found.main.optimum
    assert best is not None and best.is_proved == found.complete == (seconds is None)
    for dag in (best.dag, found.dag):  # of one class
        assert best.score == pytest.approx(found.main.recipe.scorer.score_network(votes, dag))
    found.save(tmp_path / "out")
    record = json.loads((tmp_path / "out" / "run.json").read_text())["result"]
    assert record["best"]["score"] == best.score and record["best"]["proved"] == best.is_proved
    assert record["expected_false"] is None and record["expected_missed"] is None
    methods = methods_of_networks(found)
    if seconds is None:
        table = build_parent_sets(votes, "bic", max_parents=2, progress=False)
        assert best.score == pytest.approx(arcwise.find_optimal(table, progress=False).score) and best.gap == 0
        assert "no network with at most 2 parents per variable has a better one, which is proved" in methods
        assert not any("not proved" in remark.text for remark in found.remarks)
        told = " ".join(found.to_text().split())
        assert "has a better one, which is proved" in told and "allow more time" not in told
    else:
        assert record["best"]["most_parents"] == best.most_parents is not None
        assert f"with at most {best.most_parents} parent" in methods and "nothing is known of others" in methods
        assert f"{best.score:.6f}" in found.remarks[0].text and "nothing is known of others" in found.remarks[0].text


def test_a_network_that_is_proved_by_a_bound_a_rounding_away_has_no_gap(
    votes: arcwise.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Constraints(votes.names, non_ancestors=[("v0", "v8")])
    recipe = Recipe.usual("optimum", "bic", n_cases=300, max_parents=2, constraints=known)
    table = build_parent_sets(votes, "bic", max_parents=2, progress=False)

    def search(table: Any, *, constraints: Constraints, **options: Any) -> Any:
        if constraints.is_ancestral:
            raise arcwise.errors.UnfinishedError("the time is over")
        found = arcwise.find_optimal(table, constraints=constraints, **options)
        return replace(found, upper_bound=score + 1e-8)

    simple = optimum._simple_network(recipe, votes, known, Run())
    assert simple is not None
    score = recipe.scorer.score_network(votes, simple)
    monkeypatch.setattr(optimum, "find_optimal", search)
    found = optimum.best_network(recipe, votes, table, Run())
    assert found is not None and found.is_proved
    assert found.gap == 0 and found.upper_bound == found.score


def test_remedies_are_others_than_what_was_asked_for() -> None:
    usual = Recipe.usual("optimum", "bdeu:ess=1", n_cases=300)
    told = remedy_words(Status.TIME_LIMIT, usual)
    assert told.startswith(
        "Allow more time (--limit-seconds), ask for fewer parents (--max-parents 3), take another score"
    )
    assert "--max-parents 4" in remedy_words(Status.MEMORY_LIMIT, usual, 4)
    few = Recipe.usual("optimum", "bic", n_cases=300, max_parents=3)
    told = remedy_words(Status.MEMORY_LIMIT, few, 3)
    assert told == "Ask for fewer parents (--max-parents 2), or use --method bootstrap."
    one = Recipe.usual("optimum", "bic", n_cases=300, max_parents=1)
    assert remedy_words(Status.MEMORY_LIMIT, one) == "Use --method bootstrap."
