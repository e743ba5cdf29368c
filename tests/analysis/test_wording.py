"""What is said about an edge: agreement, direction and prior in words that agree with the numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis import EdgeRecord, Origin, learn
from arcwise.confidence import Fate
from arcwise.confidence.calibration import calibration_table
from arcwise.confidence.curves import CASES
from arcwise.confidence.probability import PairProbability
from arcwise.findings.edge_record import EDGE_COLUMNS, Shown, Support
from arcwise.findings.parts import GrowingParts, MainAnswer
from arcwise.findings.verdict import Direction, Verdict
from arcwise.priors import EdgePrior, Saturation
from arcwise.report.edges import edge_sentences, explain_edge, prior_sentence
from arcwise.report.sections import choice_blocks

QUICK = {"permutations": 0, "compare": False}
ESS = np.logspace(-3, 5, 33)


@pytest.fixture(scope="module")
def scale() -> arcwise.Analysis:
    return learn(datasets.load("balance-scale"), method="credible", max_parents=3, seed=1, **QUICK)


@pytest.fixture
def edge(scale: arcwise.Analysis) -> EdgeRecord:
    return scale.edges[0]


@pytest.mark.parametrize(
    ("found", "others", "verdict", "action"),
    [
        ({}, (0.95, 0.9), Verdict.RELY, "report it"),
        ({}, (0.95, 0.7), Verdict.PROBABLY, "report with: the methods differ in strength"),
        ({}, (), Verdict.PROBABLY, "report with: no other method was asked"),
        ({"cuts_decide": True}, (0.95,), Verdict.PROBABLY, "report with: the bins decide"),
        ({"between_completions": 0.1}, (0.95,), Verdict.PROBABLY, "report with: the missing values matter"),
        ({"support": "depends"}, (0.95,), Verdict.PROBABLY, "report with: the prior decides"),
        ({"present": 0.8}, (0.85,), Verdict.PROBABLY, "report with: probability 0.80"),
        ({"present": 0.6}, (0.7,), Verdict.OPEN, "not established: probability 0.60"),
        ({}, (0.95, 0.1), Verdict.PROBABLY, "report with: methods disagree (0.10 to 1.00)"),
        ({"present": 0.75}, (0.95, 0.1), Verdict.OPEN, "not established: methods disagree (0.10 to 0.95)"),
        ({"is_guess": True}, (0.95,), Verdict.OPEN, "not established: too few networks to tell"),
        ({"fate": Fate.DROPPED}, (0.95,), Verdict.OPEN, "not established: left out, it would close a cycle"),
        ({"present": 0.3}, (0.2,), Verdict.UNLIKELY, "do not draw it, and do not claim that the two are unrelated"),
        ({"origin": Origin.REQUIRED}, (0.95, 0.1), Verdict.YOURS, "report it as an assumption, not as a finding"),
    ],
)
def test_one_verdict_comes_out_of_all_checks(
    edge: EdgeRecord, found: dict[str, Any], others: tuple[float, ...], verdict: Verdict, action: str
) -> None:
    """With one action; each doubt alone keeps an edge from being one to rely on."""
    plain = replace(edge, probability=None, prior=None, support=Support.ALWAYS, origin=Origin.FOUND, fate=Fate.KEPT)
    told = {"present": 1.0, **found}
    if "support" in told:
        told["support"] = Support(told["support"])
    judged = compared(replace(plain, **told), told["present"], *others)
    assert (judged.verdict, judged.action) == (verdict, action)


@pytest.mark.parametrize(
    ("split", "settled", "origin", "way"),
    [
        ((0.98, 0.0, 0.02), True, Origin.FOUND, Direction.SETTLED),
        ((0.8, 0.1, 0.1), False, Origin.FOUND, Direction.LIKELY),
        ((0.69, 0.1, 0.21), False, Origin.FOUND, Direction.UNKNOWN),
        ((1.0, 0.0, 0.0), True, Origin.DIRECTED, Direction.YOURS),
        ((1.0, 0.0, 0.0), True, Origin.EXPERIMENT, Direction.SETTLED),
        ((1.0, 0.0, 0.0), True, Origin.BELIEVED, Direction.YOURS),
    ],
)
def test_a_direction_is_settled_likely_unknown_or_yours(
    edge: EdgeRecord, split: tuple[float, float, float], settled: bool, origin: Origin, way: Direction
) -> None:
    found = replace(edge, tail=edge.first, head=edge.second, fate=Fate.KEPT, split=split, settled=settled)
    assert replace(found, present=1.0, origin=origin, probability=None).direction is way


def compared(edge: EdgeRecord, present: float, *others: float) -> EdgeRecord:
    values = (("credible set, qNML", present), *((f"method {k}", value) for k, value in enumerate(others)))
    return replace(edge, present=present, by_method=values)


@pytest.mark.parametrize(
    ("present", "others", "agreement", "words"),
    [
        (1.0, (0.95, 0.81), "agree", "Both other methods agree (confidence 0.81 to 0.95)."),
        (
            1.0,
            (0.71, 0.94),
            "differ",
            "find it likely too, but not all as clearly (confidence 0.71 to 0.94). Report the range.",
        ),
        (0.99999, (0.71,), "differ", "The other method finds it likely too, but less clearly (confidence 0.71)"),
        (
            1.0,
            (0.95, 0.2, 0.1),
            "disagree",
            "Methods disagree: 2 of the 3 others do not find it likely",
        ),
        (1.0, (0.95, 0.2, 0.1), "disagree", "least of all the method 2 (0.10)"),
        (1.0, (0.95, 0.2, 0.1), "disagree", "94% were real all the same. Report the range."),
        (0.3, (0.2, 0.8), "disagree", "1 of the 2 others finds it likely"),
        (0.3, (0.45, 0.2), "agree", "agree (confidence 0.20 to 0.45)"),
    ],
)
def test_methods_that_disagree_are_named(
    scale: arcwise.Analysis,
    edge: EdgeRecord,
    present: float,
    others: tuple[float, ...],
    agreement: str,
    words: str,
) -> None:
    found = compared(edge, present, *others)
    assert found.agreement == agreement
    assert words in explain_edge(scale, found)


def test_a_disputed_edge_that_is_not_very_probable_is_not_settled(scale: arcwise.Analysis, edge: EdgeRecord) -> None:
    found = replace(compared(edge, 0.75, 0.95, 0.2), probability=None)
    assert found.verdict is Verdict.OPEN
    assert "So the data do not settle whether there is an edge." in explain_edge(scale, found)


def test_without_a_comparison_nothing_is_said(scale: arcwise.Analysis, edge: EdgeRecord) -> None:
    assert edge.agreement == "not compared"
    assert "methods" not in explain_edge(scale, edge)


def test_directions_are_shares_of_the_networks_with_the_edge(scale: arcwise.Analysis, edge: EdgeRecord) -> None:
    found = replace(edge, present=0.5, split=(0.5, 0.2, 0.3), fate=Fate.KEPT)
    assert found.split == pytest.approx((0.5, 0.2, 0.3))
    text = explain_edge(scale, found)
    assert f"unknown: {found.first} → {found.second} in 50% of the networks with this edge, weighted" in text
    assert f"and {found.second} → {found.first} in 20%; 30% fit either way." in text
    turned = replace(found, split=(0.04, 0.96, 0.0), tail=found.second, head=found.first)
    assert f"Its direction is settled: {found.second} → {found.first} in 96%" in explain_edge(
        scale, replace(turned, probability=None)
    )
    assert "unknown: 90% of the networks" in explain_edge(scale, replace(found, split=(0.1, 0.0, 0.9)))


def test_a_direction_is_settled_by_its_probability(scale: arcwise.Analysis, edge: EdgeRecord) -> None:
    """Where a study tells it; nine tenths of the networks decide where none does, and what was said stays said."""
    told = PairProbability(edge.first, edge.second, 0.98, forward=0.71, backward=0.0, either=0.29, is_studied=True)
    ahead = replace(edge, tail=edge.first, head=edge.second, present=1.0, split=(0.98, 0.0, 0.02))
    found = replace(ahead, fate=Fate.KEPT, probability=told)
    assert not found.is_settled  # 0.98 x 0.71: that there is the edge, and points this way
    text = explain_edge(scale, found)
    assert f"Its direction is likely: {edge.first} → {edge.second} in 98% of the networks" in text
    assert "Of such directions, 71% are right." in text
    surer = replace(found, probability=replace(told, forward=0.96, either=0.04))
    assert surer.is_settled
    assert f"Its direction is settled: {edge.first} → {edge.second} in 98%" in explain_edge(scale, surer)
    assert "Of such directions, 96% are right." in explain_edge(scale, surer)
    said = replace(told, edge=1.0, is_strict=True)
    by_bar = [replace(found, probability=replace(said, forward=way, either=1 - way)).is_settled for way in (0.84, 0.86)]
    assert by_bar == [False, True]  # under constraints, and of other sources
    doubted = replace(surer, probability=replace(surer.probability, reasons=(0.69, 1.0)))
    assert not doubted.is_settled and doubted.direction == "likely"
    text = explain_edge(scale, doubted)
    assert "likely, not settled, because no third variable compels it as probably:" in text
    assert "are right" not in text.split("Its direction")[1].split(" It ")[0]  # of these fewer are
    assert not replace(surer, tail=edge.second, head=edge.first).is_settled  # the other way is not
    assert replace(found, probability=replace(told, is_studied=False)).is_settled  # confidences as probabilities
    for kind in (Origin.DIRECTED, Origin.FOLLOWS, Origin.BELIEVED, Origin.EXPERIMENT, Origin.REQUIRED):
        assert replace(found, origin=kind).is_settled


def test_text_and_file_have_the_same_shares() -> None:
    analysis = learn(datasets.load("iris"), seed=1, method="bootstrap", replicates=50, **QUICK)
    lines = analysis.to_text(width=140)
    frame = analysis.to_frame(full=True)
    for row in frame[frame["in_network"]].to_dict("records"):
        shares = [row["forward_if_edge"], row["backward_if_edge"], row["either_if_edge"]]
        assert sum(shares) == pytest.approx(1)
        line = next(x for x in lines.splitlines() if re.match(rf"{row['from']} [→—] {row['to']} ", x))
        assert row["direction"] in line and row["do"][:20] in line
        if row["direction"] == "likely":
            ahead = row["from"] == row["first"]
            way = row["probability_forward_if_edge" if ahead else "probability_backward_if_edge"]
            assert f"likely ({way:.2f})" in line


def prior(edge: EdgeRecord, changes: tuple[float, ...], *, starts: bool, cause: str = "dependence") -> EdgeRecord:
    """An edge whose support changes its sign at the given strengths."""
    sign = np.where(np.searchsorted(changes, ESS) % 2 == 0, 1.0, -1.0) * (1 if starts else -1)
    made = EdgePrior(
        child=edge.head,
        parent=edge.tail,
        given=("left-distance",),
        n_cases=625,
        ess=ESS,
        exact=sign,
        approximate=sign,
        uniformity=0.1,
        degrees_of_freedom=1,
        dependence_p_value=0.5,
        sign_changes=changes,
        alpha_plus=None,
        cause=cause,  # type: ignore[arg-type]
    )
    return replace(edge, prior=made)


@pytest.mark.parametrize(
    ("changes", "starts", "support", "words"),
    [
        ((), True, "always", "It does not depend on the prior: BDeu supports"),
        ((0.07,), False, "usual", "at every usual strength (1 to 50 imaginary rows)."),
        ((80.0,), True, "usual", "at every usual strength"),
        (
            (5.12,),
            False,
            "depends",
            "only if the prior counts for at least 5.1 imaginary rows (1 to 50 are usual). Say so",
        ),
        ((20.0,), True, "depends", "only if the prior counts for less than 20 imaginary rows"),
        ((2.0, 30.0), False, "depends", "if the prior counts for 2 to 30 imaginary rows"),
        (
            (0.02, 300.0),
            True,
            "never",
            "for less than 0.02 imaginary rows or for at least 300 imaginary rows (1 to 50 are usual).",
        ),
        ((), False, "never", "at no strength of the prior"),
    ],
)
def test_what_the_strength_of_the_prior_does(
    edge: EdgeRecord, changes: tuple[float, ...], starts: bool, support: str, words: str
) -> None:
    found = prior(edge, changes, starts=starts)
    assert found.prior_support == support
    sentence = prior_sentence(found)
    assert words in sentence
    assert ", given left-distance," in sentence
    assert ("It depends on the prior" in sentence) == (support == "depends")


def test_an_edge_that_the_prior_makes_is_called_so(edge: EdgeRecord) -> None:
    found = prior(edge, (300.0,), starts=False, cause="skewness")
    assert "it is no dependence of the two" in prior_sentence(found)
    assert "no dependence" not in prior_sentence(prior(edge, (300.0,), starts=False))


def test_the_report_says_which_edges_depend_on_the_prior(scale: arcwise.Analysis) -> None:
    kept = [e for e in scale.edges if e.fate in ("kept", "undirected")]
    text = " ".join(scale.to_text().split())
    assert f"supports all {len(kept)} edges of the network at every usual strength of the prior" in text
    changed = prior(kept[0], (5.0,), starts=False)
    edges = tuple(changed if e is kept[0] else e for e in scale.edges)
    text = " ".join(scale.plus(replace(scale.part(MainAnswer), edges=edges)).to_text().split())
    assert f"These depend on it: {changed.tail} → {changed.head} (for at least 5 imaginary rows)" in text


def test_edges_are_counted_in_whole_numbers(scale: arcwise.Analysis) -> None:
    saturation = scale.prior.saturation
    assert saturation is not None

    def said(change: float) -> str:
        made: Saturation = replace(saturation, change=np.array([*saturation.change[:-1], change]))
        return " ".join(scale.plus(GrowingParts(made)).to_text().split())

    final = int(saturation.edges[-1])
    assert f"reversed about 3 edges. The best network of all has {final} (BDeu" in said(2.67)
    assert "reversed about 1 edge. " in said(1.33)
    assert "More data would probably change little" in said(0.33)
    assert "reversed hardly any edge" in said(0.33)


@pytest.mark.parametrize("cases", [30, 100_000])
def test_a_number_of_cases_that_was_not_studied_is_warned_of(cases: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, cases)
    frame = pd.DataFrame({"a": first, "b": first ^ (rng.random(cases) < 0.2), "c": rng.integers(0, 2, cases)})
    analysis = learn(frame, seed=1, **QUICK)
    model = calibration_table().entries["bootstrap", "qnml"].model
    fewest, most = (f"{1000 * 10 ** bounds[CASES]:.2g}" for bounds in (model.lowest, model.highest))
    studied = f"{float(fewest):,.0f} to {float(most):,.0f}"
    warning = f"data sets of {studied} rows, and there are {cases:,} here. Those of the nearest size are used"
    assert warning in " ".join(analysis.to_text().split())
    assert warning in analysis.to_html()
    record = json.loads((analysis.save(tmp_path / "result") / "run.json").read_text())
    assert any(warning in remark for remark in record["result"]["remarks"])
    advice = arcwise.recommend(analysis.confidence, metric="cost", alpha=1)
    assert warning in advice.text
    assert advice.threshold.value == analysis.threshold
    by_cost = learn(frame, seed=1, rule="cost", **QUICK)
    assert not any("Warning" in remark.text for remark in by_cost.remarks)
    inside = learn(frame.sample(200, replace=True, random_state=1), seed=1, **QUICK)
    assert not any(studied in remark.text for remark in inside.remarks)
    used = "50 to 100" if cases < 50 else "5,000 to 10,000"
    learned = f"data sets of 50 to 10,000 rows, and there are {cases:,} here. That of the nearest sizes, {used} rows"
    assert learned in arcwise.recommend(analysis.confidence, metric="cost", alpha=1, rule="learned").text


def test_why_a_method_was_chosen_is_said_as_it_is(scale: arcwise.Analysis) -> None:
    """Of a bootstrap that nobody asked for, not that something failed; of a credible set, that it obeys ancestors."""
    data = datasets.load("balance-scale")

    def why(analysis: arcwise.Analysis) -> str:
        (row,) = [row for row in choice_blocks(analysis)[1].rows if row[0] == "method"]
        return str(row[2])

    usual = learn(data, replicates=10, **QUICK)
    assert usual.main.recipe.source == "bootstrap"
    assert "could not be completed" not in why(usual)
    known = arcwise.Constraints(data.names, ancestors=[("left-weight", "class")])
    obeys = learn(data, constraints=known, **QUICK)
    assert obeys.main.recipe.source == "credible"
    assert "ancestors" in why(obeys)
    assert why(scale) == "chosen by the user"


def test_every_sentence_ends(scale: arcwise.Analysis) -> None:
    for found in scale.edges:
        assert all(sentence.endswith(".") for sentence in edge_sentences(scale, found))


@pytest.mark.parametrize(
    ("split", "word", "arrow"),
    [
        ((0.42, 0.42, 0.16), "unknown", "—"),
        ((0.69, 0.1, 0.21), "unknown", "—"),
        ((0.71, 0.2, 0.09), "likely (0.71)", "→"),
    ],
)
def test_an_edge_leans_from_seventy_percent_on(
    edge: EdgeRecord, split: tuple[float, float, float], word: str, arrow: str
) -> None:
    found = replace(edge, tail=edge.first, head=edge.second, fate=Fate.KEPT, present=1.0, split=split, settled=False)
    found = replace(found, probability=None)  # no study tells
    column = next(column for column in EDGE_COLUMNS if column.name == "direction")
    assert column.show(found, 0, Shown.TEXT).startswith(word)
    assert found.name == f"{edge.first} {arrow} {edge.second}"


@pytest.mark.parametrize(("gaps", "is_doubted"), [(6, False), (60, True)])
def test_a_few_gaps_are_no_reason_to_doubt_the_probabilities(gaps: int, is_doubted: bool) -> None:
    frame = datasets.load("balance-scale").to_dataframe().head(300).astype(object)
    frame.iloc[:gaps, 1] = None
    made = learn(frame, agree=True, replicates=20, completions=2, compare=False, permutations=0, seed=1, progress=False)
    assert made.gaps is not None
    assert ("no study shows" in made.probability.calibration.doubt) == is_doubted


def test_a_plot_has_no_heads_that_the_report_has_not(scale: arcwise.Analysis, tmp_path: Path) -> None:
    """A network has an arc for every edge; an analysis that knows no direction draws none."""
    pytest.importorskip("matplotlib")
    part = scale.part(MainAnswer)
    opened = tuple(replace(e, settled=False, split=(0.5, 0.4, 0.1)) for e in part.edges)
    for analysis, count in ((scale, None), (scale.plus(replace(part, edges=opened)), 0)):
        kept = [edge for edge in analysis.edges if edge.fate.in_network]
        heads = [patch for patch in analysis.plot().patches if getattr(patch, "_arrow_transmuter", None)]
        pointed = sum(type(patch.get_arrowstyle()).__name__ == "CurveFilledB" for patch in heads)
        assert len(heads) == len(kept)
        assert pointed == sum(edge.is_pointed for edge in kept)
        assert count is None or pointed == count
