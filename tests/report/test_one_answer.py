"""One answer: what says something about an edge says the same, and what speaks against it is not hidden.

Beside these: the target's sentence names open edges apart, and a prediction that is worse says so
(`analysis/test_questions.py`); an edge leans, and has a head, from 70 % on, a plot has the report's heads, and a few
gaps are no reason to doubt (`analysis/test_wording.py`); the slider is a probability (`test_browser.py`).
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis import Analysis, SavedAnalysis
from arcwise.base.showing import show_figure
from arcwise.confidence.consensus import Fate
from arcwise.evaluate.fit import FitCheck, PairFit
from arcwise.findings.edge_record import Origin
from arcwise.findings.method_result import MethodResult
from arcwise.findings.parts import Comparisons, Fit, MainAnswer, PriceOfConstraints
from arcwise.findings.price import ConstraintPrice
from arcwise.findings.verdict import Direction, Verdict, record_with
from arcwise.report.blocks import Chart, Series
from arcwise.report.edges import explain_edge, state_labels
from arcwise.report.effects import effect_answer
from arcwise.report.explanation import explain_folder
from arcwise.report.html import chart_svg
from arcwise.report.page import build_report
from arcwise.report.sections import variable_answer


@pytest.fixture(scope="module")
def survey() -> Analysis:
    return arcwise.learn(datasets.load("survey"), seed=1, replicates=40, permutations=0, target="visits")


def test_whatever_speaks_of_an_edge_has_the_same_verdict(wine: Analysis, tmp_path: Path) -> None:
    """File, frame, JSON, page, terminal, picture and the answer about a variable."""
    folder = wine.save(tmp_path / "out")
    rows = {
        (row["first"], row["second"]): row for row in csv.DictReader(io.StringIO((folder / "edges.csv").read_text()))
    }
    explained = {(one["first"], one["second"]): one for one in (e.to_dict() for e in explain_folder(folder))}
    payload = json.loads(re.findall(r'id="payload">(.*?)</script>', wine.to_html())[0])
    drawn = {
        tuple(payload["nodes"][edge[end]]["name"] for end in ("first", "second")): edge for edge in payload["edges"]
    }
    short = wine.to_frame().set_index("edge")
    terminal, picture = wine.summary(), wine.report.to_svg()
    kept = [edge for edge in wine.edges if edge.fate.in_network]
    assert len({edge.verdict for edge in kept}) > 2 and len({edge.direction for edge in kept}) > 1
    for edge in kept:
        pair = edge.first, edge.second
        answer = (edge.verdict, edge.direction, edge.action)
        for told in (rows[pair], explained[pair]):
            assert (told["verdict"], told["direction"], told["do"]) == answer
        assert (drawn[pair]["verdict"], drawn[pair]["direction"], drawn[pair]["action"]) == (
            edge.verdict.key,
            *answer[1:],
        )
        assert tuple(short.loc[edge.name, ["verdict", "direction", "do"]]) == answer
        assert f"What to do: {edge.action}" in " ".join(explain_folder(folder, [pair])[0].sentences)
    for verdict, own in wine.report.network.by_verdict:
        assert f"{str(verdict).capitalize()} ({len(own)})" in terminal
        assert picture.count(f'class="e {verdict.key}"') == len(own)
    table = variable_answer(wine.variable("cultivar"), wine.edges).to_text(width=200).splitlines()
    for edge in (edge for edge in kept if "cultivar" in (edge.first, edge.second)):
        other = edge.second if edge.first == "cultivar" else edge.first
        assert any(line.startswith(other) and f" {edge.verdict} " in line for line in table)


def test_a_coin_flip_is_open_and_has_no_firm_words(survey: Analysis) -> None:
    edge = next(edge for edge in survey.edges if edge.verdict is Verdict.RELY)
    assert edge.probability is not None
    flip = replace(edge, probability=replace(edge.probability, edge=0.52))
    assert flip.verdict is Verdict.OPEN
    assert flip.action == "not established: probability 0.52"


def test_a_failed_check_is_in_the_headline_and_beside_the_target(
    survey: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert survey.fit is not None
    pair = PairFit("sex", "visits", ("age",), 0.001, 0.1, 0.0, 0.01, True)
    monkeypatch.setattr(FitCheck, "misfits", (pair,))
    failed = survey.plus(Fit(replace(survey.fit, n_tests=40, small=0.5)))
    assert "Take care: the network does not fit, so edges may be missing." in failed.report.headline
    told = next(check.words for check in failed.report.checks if check.key == "fit")
    assert told == "the data contradict 20 of the 40 independences that it claims (2 by chance)"
    (target,) = [sentence for sentence in failed.report.summary if sentence.startswith("visits depends on")]
    assert "The network does not fit, so other variables may matter too." in target
    assert "FAIL fit (20 of 40)" in failed.summary()
    for analysis in (survey, failed):  # what the network implies is no fact of the first screen
        assert "no other variable" not in " ".join(analysis.report.summary)


def test_an_effect_that_may_be_the_other_way_round_asks_for_the_order_in_time(survey: Analysis) -> None:
    found = survey.effect("smoke", "cough")
    assert isinstance(found, arcwise.effects.Effect)
    told = effect_answer(found, reverse=0.36).to_text()
    assert "In 36% of the networks it is cough that leads to smoke." in told
    assert '--tiers "smoke | cough"' in " ".join(told.split())
    assert "--tiers" not in effect_answer(found).to_text()
    again = " ".join(effect_answer(found, reverse=0.36, constrained=True).to_text().split())
    assert "give smoke an earlier tier than cough" in again and "--tiers" not in again


def test_the_order_in_time_is_asked_for_where_an_arrow_points_at_age(survey: Analysis) -> None:
    ahead, *rest = survey.edges
    odd = replace(
        ahead, tail="smoke", head="age", counts=ahead.counts.T, judged=(Verdict.RELY, Direction.LIKELY, "report it")
    )
    asked = survey.plus(replace(survey.part(MainAnswer), edges=(odd, *rest)))
    (told,) = [sentence for sentence in asked.report.summary if "what comes first in time" in sentence]
    assert "smoke → age would have smoke come before age." in told and told.endswith('--tiers "age, sex | *".')


def test_what_the_data_contradict_is_in_the_first_lines(survey: Analysis) -> None:
    """Of little cost, it comes last; and what changes no verdict is folded."""
    left = MethodResult.not_begun(survey.main.recipe, "it is large", by_time=False)
    told = survey.plus(PriceOfConstraints(ConstraintPrice(-1010.0, -1000.0, (), exact=True)))
    told = told.plus(replace(survey.part(Comparisons), missing=(("another", left),)))
    assert [told.report.summary[0]] == [s for s in told.report.summary if "strongly contradict your constraints" in s]
    assert "strongly contradict" in told.summary()
    cheap = survey.plus(PriceOfConstraints(ConstraintPrice(-1001.0, -1000.0, (), exact=True))).report.summary
    assert not any("contradict" in sentence for sentence in cheap)
    assert [note for note in told.report.notes if "another (it is large)" in note]
    assert not any("it is large" in sentence for sentence in told.report.summary)


def test_why_bars_and_counts_differ_is_said_beside_the_bars(survey: Analysis) -> None:
    page = survey.to_html()
    assert "where rows are few, a prior smooths them, so counted shares differ a little" in page
    assert page.index('id="evidence-help"') < page.index("a prior smooths them") < page.index('id="cards"')


def test_a_warning_beside_edges_to_rely_on_says_how_often_these_were_right() -> None:
    assert record_with(tiers=True, gaps=True).startswith("But in 36 tables with true tiers, 411 of 412, and in ")
    assert record_with(tiers=False, gaps=False) == ""
    told = arcwise.learn(datasets.load("survey"), seed=1, tiers="age, sex | *", replicates=20, compare=False)
    remarks = [one.text for one in told.remarks if "no study shows" in one.text]
    assert all(text.endswith(record_with(tiers=True, gaps=False)) for text in remarks)


@pytest.fixture(scope="module")
def told_tiers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, SavedAnalysis]:
    """Numbers, told what comes first: x -> y -> z, and w beside."""
    rng = np.random.default_rng(3)
    x, w, noise = rng.normal(size=(3, 400))
    y = x + 0.5 * noise
    table = pd.DataFrame({"x": x, "y": y, "z": y + 0.4 * x + w, "w": rng.normal(size=400)})
    made = arcwise.learn(table, seed=1, tiers="x, w | y | z", replicates=40, compare=False)
    return made, arcwise.open(made.save(tmp_path_factory.mktemp("told") / "out"))


def test_tiers_that_are_given_are_not_asked_for(told_tiers: tuple[Analysis, SavedAnalysis]) -> None:
    made, saved = told_tiers
    assert not any("--tiers" in sentence for sentence in made.report.summary)
    for first, second in itertools.combinations("xyzw", 2):
        words = made.explain(first, second)
        assert "unknown" not in words or {first, second} == {"x", "w"}
        advice = " ".join(explain_folder(saved.folder, [(first, second)])[0].sentences)
        assert "--tiers" not in advice
    below = [edge for edge in made.edges if edge.fate is Fate.BELOW and edge.origin is Origin.DIRECTED]
    assert below and all("comes from your tiers." in explain_edge(made, edge) for edge in below)


def test_what_the_data_alone_say_is_one_figure(told_tiers: tuple[Analysis, SavedAnalysis]) -> None:
    """In memory, in the file, and in what is read back: the probability."""
    made, saved = told_tiers
    text = (saved.folder / "edges.csv").read_text(encoding="utf-8")
    rows = {(row["first"], row["second"]): row for row in csv.DictReader(io.StringIO(text))}
    for edge in made.edges:
        assert edge.without is not None
        assert float(rows[edge.first, edge.second]["without_constraints"]) == pytest.approx(edge.without.real)
        again = saved.edge(edge.first, edge.second).without
        assert again is not None and again.real == pytest.approx(edge.without.real)


def test_what_is_seen_the_effect_and_the_regression_are_told_apart(
    told_tiers: tuple[Analysis, SavedAnalysis], cli: Callable[..., str]
) -> None:
    made, saved = told_tiers
    told = " ".join(cli("effect", saved.folder, "x", "z").split())
    slope = saved.edge("x", "z").regression
    assert slope is not None and f"The direct part is {slope.slope:+.3g}" in told
    assert "whatever the reason. The effect, " in told and "along all paths." in told
    assert "That is the direct part; `effect` has the whole." in made.explain("x", "z")


def test_a_category_has_a_direct_part_and_what_lies_between_is_named(tmp_path: Path, cli: Callable[..., str]) -> None:
    rng = np.random.default_rng(4)
    cooled = rng.random(800) < 0.4
    rooms = 3 + 2 * cooled + rng.normal(size=800)
    price = 50_000 + 12_000 * cooled + 5_000 * rooms + 4_000 * rng.normal(size=800)
    table = pd.DataFrame({"cooled": np.where(cooled, "yes", "no"), "rooms": rooms, "price": price})
    made = arcwise.learn(table, seed=1, tiers="cooled | rooms | price", replicates=40, compare=False)
    folder = made.save(tmp_path / "out")
    told = " ".join(cli("effect", folder, "cooled", "price").split())
    slope = arcwise.open(folder).edge("cooled", "price").regression
    assert slope is not None and f"The direct part is {show_figure(slope.slope)}: " in told
    assert 11_000 < slope.slope < 13_000 and show_figure(slope.slope).count(",") == 1
    assert "Between the two are paths through rooms. An order in time (`--tiers`)" in told
    assert "both cooled = yes and high or low values of price that many times as likely" in told
    assert "e+0" not in told and told.endswith("shows it.")
    assert "no study shows" not in told or record_with(tiers=True, gaps=False) in told


def test_an_open_edge_says_that_a_regression_shows_it(told_tiers: tuple[Analysis, SavedAnalysis]) -> None:
    edge = next(edge for edge in told_tiers[0].edges if edge.fate.in_network and edge.verdict is not Verdict.OPEN)
    assert edge.probability is not None and edge.regression is not None
    flip = replace(edge, probability=replace(edge.probability, edge=0.56))
    assert flip.action == f"not established: probability 0.56; a regression shows it (t = {edge.regression.t:.2g})"
    weak = replace(flip, regression=replace(edge.regression, t=2.0))
    assert weak.action == "not established: probability 0.56"


def test_labels_at_the_end_of_lines_do_not_overlap() -> None:
    flat = Chart("c", "s", "x", "y", tuple(Series(name, (0.0, 1.0), (0.0, 1.0)) for name in ("one", "two", "three")))
    places = [float(y) for y in re.findall(r'class="tick s\d" x="[\d.]+" y="([\d.]+)"', chart_svg(flat, "k"))]
    assert len(places) == 3 and min(b - a for a, b in itertools.pairwise(sorted(places))) >= 12


def test_bins_are_low_middle_and_high() -> None:
    assert state_labels(("(-inf,31]", "(31,44]", "(44,inf)")) == ("low (≤ 31)", "middle (31 to 44)", "high (> 44)")
    assert state_labels(("(-inf,0]", "(0,inf)")) == ("low (≤ 0)", "high (> 0)")
    assert state_labels(("no", "yes")) == ("no", "yes")


def test_the_order_in_time_is_asked_for_with_columns_of_the_table(survey: Analysis) -> None:
    kept = [replace(edge, settled=False, split=(0.4, 0.4, 0.2), probability=None) for edge in survey.edges]
    opened = survey.plus(replace(survey.part(MainAnswer), edges=tuple(kept)))
    (asks,) = [sentence for sentence in opened.report.summary if "what comes first in time" in sentence]
    assert asks.endswith('--tiers "age, sex | *".')


@pytest.mark.parametrize(("encoding", "arrow"), [("cp1252", "smoke -> cough"), ("utf-8", "smoke → cough")])
def test_signs_that_a_screen_does_not_have_are_spelled(
    survey: Analysis, tmp_path: Path, encoding: str, arrow: str
) -> None:
    folder = survey.save(tmp_path / "out")
    for verb in (["show"], ["show", "--details"], ["explain"]):
        done = subprocess.run(
            [sys.executable, "-m", "arcwise.cli", *verb, folder],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert arrow in done.stdout.decode(encoding)


def test_names_of_the_program_are_code_on_the_page(told_tiers: tuple[Analysis, SavedAnalysis]) -> None:
    made, _ = told_tiers
    assert "`effect`" in made.explain("x", "z")
    page = re.sub(r"<script.*?</script>", "", made.to_html(), flags=re.DOTALL)
    assert "<code>query</code> and <code>predict</code> take all of these" in page and "`" not in page


def test_a_column_that_was_computed_from_the_target_is_told_of_first() -> None:
    rng = np.random.default_rng(5)
    weight = rng.normal(3000, 500, 200).round()
    people = pd.DataFrame({"weight": weight, "low": (weight < 2500).astype(int), "age": rng.normal(25, 5, 200)})
    for target, other in (("weight", "low"), ("low", "weight")):
        analysis = arcwise.learn(people, target=target, seed=1, permutations=0, compare=False)
        (said,) = [line for line in build_report(analysis).summary if "follows from" in line]
        assert said.startswith("Beware: column 'low' follows from column 'weight'")
        assert f"learn again with --drop {other}." in said
    analysis = arcwise.learn(people, target="age", seed=1, permutations=0, compare=False)
    assert not [line for line in build_report(analysis).summary if "follows from" in line]
