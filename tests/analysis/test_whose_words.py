"""Which findings are the data's and which the analyst's own words: by comparison with the data's part alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.analysis import Analysis, Origin, explain_folder
from arcwise.analysis.folder import run_record
from arcwise.base.showing import show_confidence
from arcwise.data import Dataset, Targets
from arcwise.findings.edge_record import BeliefTest
from arcwise.graph import Beliefs, Constraints
from arcwise.report.edges import direction_said

QUICK: dict[str, Any] = {"permutations": 0, "compare": False, "seed": 1}
NAMES = ("a", "b", "c", "d")


def cases(rows: int = 500) -> pd.DataFrame:
    """Return a chain a - b - c, whose directions no data tell, and d apart."""
    random = np.random.default_rng(11)

    def like(other: Any, share: float) -> Any:
        return np.where(random.random(rows) < share, other, random.integers(0, 2, rows))

    a = random.integers(0, 2, rows)
    b = like(a, 0.7)
    c = like(b, 0.7)
    d = random.integers(0, 2, rows)
    return pd.DataFrame(dict(zip(NAMES, (a, b, c, d), strict=True))).astype(str)


def learn(**options: Any) -> Analysis:
    return arcwise.learn(cases(), **{**QUICK, **options})


def test_the_price_and_what_the_data_would_have_leave_the_odds_out() -> None:
    known = Constraints(NAMES, separate=[("a", "d")])
    # Without the constraint the odds, not the data, would have an edge between a and d.
    believed = learn(constraints=known, beliefs=Beliefs(edges=[("a", "d", 1e9)]))
    plain = learn(constraints=known)
    assert believed.price is not None
    assert plain.price is not None
    assert believed.price.cost == pytest.approx(plain.price.cost, abs=1e-9)
    assert believed.price.is_factor
    without = believed.edge("a", "d").without
    assert without is not None
    assert without.present < 0.5
    costly = learn(constraints=Constraints(NAMES, separate=[("a", "b")]), beliefs=Beliefs(edges=[("a", "d", 3)]))
    assert costly.price is not None
    text = costly.to_text()
    assert "The data object to there being no arc between a and b by a factor of" in " ".join(text.split())
    assert ", a factor of" in " ".join(text.split()).split("They lowered the log score of the best network by")[1][:60]


def triangle() -> pd.DataFrame:
    """Return three variables that all depend on each other, a and c weakly: every direction is open."""
    random = np.random.default_rng(3)
    a = random.integers(0, 2, 600)
    c = np.where(random.random(600) < 0.15, a, random.integers(0, 2, 600))
    b = np.where(random.random(600) < 0.9, a | c, 1 - (a | c))
    return pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)


def apart() -> Analysis:
    """Return an analysis of the triangle in which a and c are kept apart: what is left is a collider at b."""
    known = Constraints(("a", "b", "c"), separate=[("a", "c")])
    return arcwise.learn(triangle(), constraints=known, method="credible", **QUICK)


def test_directions_that_only_constraints_give_are_not_the_data_s() -> None:
    analysis = apart()
    found = analysis.edge("a", "b")
    assert found.is_settled
    assert found.origin is Origin.FOLLOWS
    assert found.origin_label == "directed because of what you said"
    assert not found.is_settled_by_data
    text = " ".join(analysis.to_text().split())
    assert "The data settle no direction. 2 directions follow from what you said." in text
    said = analysis.explain("a", "b")
    assert "Its direction, a → b, follows from what you said: 100% of these networks point this way." in said
    assert "By the data alone 0% would; 100% fit either way." in said


def test_what_the_data_alone_would_direct_is_the_data_s_as_well() -> None:
    analysis = arcwise.learn(collider(), constraints=Constraints(("a", "b", "c"), tiers=[["a", "b"], ["c"]]), **QUICK)
    assert analysis.edge("a", "c").origin is Origin.DIRECTED
    text = " ".join(analysis.to_text().split())
    assert "The data settle b → c and a → c. An arrow" in text


def collider() -> pd.DataFrame:
    random = np.random.default_rng(9)
    a, b = random.integers(0, 2, (2, 20_000))
    c = np.where(random.random(20_000) < 0.9, a | b, 1 - (a | b))
    return pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)


def test_edges_that_come_and_go_with_what_was_said_of_others(tmp_path: Path) -> None:
    # Where a - b may not be, a - c, which b explains, comes instead.
    analysis = learn(constraints=Constraints(NAMES, separate=[("a", "b")]))
    edge = analysis.edge("a", "c")
    assert edge.origin is Origin.APPEARS
    alone = learn().edge("a", "c").real
    assert alone < 0.5
    assert edge.origin_label == f"implied by your constraints (the data alone: {show_confidence(alone, 2)})"
    text = " ".join(analysis.to_text().split())
    assert "Only because of what you said, 1 edge is there: a — c (" in text
    assert "about other edges. Without your constraints the network would not have it" in analysis.explain("a", "c")
    analysis.save(tmp_path / "out")
    (explained,) = explain_folder(tmp_path / "out", [("a", "c")])
    assert ": your assumption; direction" in explained.title
    assert "report it as a consequence of what you said, not as a finding" in explained.advice
    assert "rely on it" not in " ".join(explained.sentences)
    # And an edge goes if c may have one parent, and neither a nor b may be its child.
    said = Constraints(("a", "b", "c"), max_parents_of={"c": 1}, forbidden=[("c", "a"), ("c", "b")])
    gone = arcwise.learn(collider(), constraints=said, **QUICK)
    missing = [edge for edge in gone.edges if edge.origin is Origin.GONE]
    assert missing and all("c" in (edge.first, edge.second) for edge in missing)
    assert "gone because of what you said" in gone.to_text().replace("\n", " ")


def test_directions_that_follow_in_some_networks_say_in_how_many() -> None:
    found = apart().edge("a", "b")
    mixed = replace(found, split=(0.67, 0.13, 0.2))
    said = direction_said(mixed)
    assert "follows from what you said: 67% of these networks point this way; 13% point the other way." in said
    assert "close a cycle" not in said
    assert mixed.origin_label == "directed because of what you said in 67% of the weight"


def test_the_words_agree_with_each_other_and_with_the_numbers() -> None:
    names = ("a", "b", "c")
    known = Constraints(names, roots=["*"])
    nothing = " ".join(arcwise.learn(collider(), constraints=known, method="credible", **QUICK).to_text().split())
    assert "the data show no edge" not in nothing
    assert "within your constraints there is no edge. • You forbade 2 edges that the data would have" in nothing
    assert "in 1 Markov equivalence class " in nothing
    single = " ".join(apart().to_text().split())
    assert "strongly contradict your constraint: without it, the best network fits" in single
    assert "Together" not in single.split("The networks that")[0]
    assert "Most of all" not in single


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a",), ("a",)], "In all rows a was set"),
        ([("a",), ()], "In some rows a was set"),
        ([("a",), ("b",)], "In every row one or more of a and b were set"),
        ([("a", "b"), ("a", "b")], "In all rows a and b were set"),
    ],
)
def test_methods_say_in_which_rows_variables_were_set(rows: list[tuple[str, ...]], words: str) -> None:
    targets = Targets.of_rows([rows[number % 2] for number in range(60)])
    data = Dataset.from_dataframe(cases(60)).with_targets(targets)
    assert words in " ".join(arcwise.learn(data, **QUICK).to_text().split())


def test_odds_that_a_constraint_decides_are_not_tested() -> None:
    known = Constraints(NAMES, required=[("c", "d")], separate=[("a", "b")], max_parents_of={"b": 0})
    odds = Beliefs(edges=[("c", "d", 0.1), ("a", "b", 0.001), ("b", "c", 0.001)], arcs=[("d", "b", 5)])
    analysis = learn(constraints=known, beliefs=odds)
    verdicts = {pair: analysis.belief(*pair).belief_test for pair in (("c", "d"), ("a", "b"), ("b", "d"), ("b", "c"))}
    assert list(verdicts.values()) == [BeliefTest.DECIDED] * 3 + [BeliefTest.CONTRADICT]
    text = " ".join(analysis.to_text().split())
    assert "The pair with odds of its own is contradicted by the data. 3 more were not tested" in text
    assert "Data and prior odds contradict each other about b — c." in text
    table = analysis.to_frame(full=True).set_index(["first", "second"])
    assert table.loc[("c", "d"), "belief"] == "not tested: your constraint decides"


def test_directions_that_odds_give_are_not_the_data_s(tmp_path: Path) -> None:
    analysis = learn(beliefs=Beliefs(arcs=[("a", "b", 20)]))
    edge = analysis.edge("a", "b")
    assert edge.origin is Origin.BELIEVED
    assert edge.origin_label == "directed by your odds"
    assert not edge.is_settled_by_data
    assert "Its direction, a → b, is what your odds say, not the data: " in analysis.explain("a", "b")
    analysis.save(tmp_path / "out")
    (explained,) = explain_folder(tmp_path / "out", [("a", "b")])
    assert explained.title.endswith("direction yours")
    assert "Its direction is yours: do not report it as a finding." in explained.advice
    plain = learn(beliefs=Beliefs(edges=[("a", "b", 20)]))
    assert plain.edge("a", "b").origin is Origin.FOUND


def test_directions_that_an_experiment_gives_say_so(tmp_path: Path) -> None:
    # In half of the cases b is set by a coin: it no longer follows a, and c still follows it.
    random = np.random.default_rng(2)
    frame = cases(1200)
    is_set = np.arange(1200) % 2 == 0
    b = np.where(is_set, random.integers(0, 2, 1200), frame["b"].astype(int))
    frame["b"] = b.astype(str)
    frame["c"] = np.where(random.random(1200) < 0.7, b, random.integers(0, 2, 1200)).astype(str)
    data = Dataset.from_dataframe(frame).with_targets(Targets.of_rows([("b",) if one else () for one in is_set]))
    analysis = arcwise.learn(data, **QUICK)
    edge = analysis.edge("b", "c")
    assert edge.origin is Origin.EXPERIMENT
    assert edge.origin_label == "directed by your experiment on b"
    assert edge.is_settled_by_data
    assert "comes from your experiment on b: 100% of these networks" in analysis.explain("b", "c")
    assert analysis.edge("a", "b").origin_label == "directed by your experiment on b"
    analysis.save(tmp_path / "out")
    (explained,) = explain_folder(tmp_path / "out", [("b", "c")])
    assert explained.title.endswith("direction settled")
    assert "Its direction is settled, from your experiment." in explained.advice


def test_cut_off_warning_speaks_of_experiments() -> None:
    data = Dataset.from_dataframe(cases(300))
    told = "experiments: some here, none there"
    is_set = data.with_targets(Targets.of_rows([("a",) if number % 2 else () for number in range(300)]))
    assert any(told in remark.text for remark in arcwise.learn(is_set, **QUICK).remarks)
    assert not any(told in remark.text for remark in arcwise.learn(data, **QUICK).remarks)


def test_a_set_under_ancestors_is_still_a_credible_set() -> None:
    analysis = learn(constraints=Constraints(NAMES, ancestors=[("a", "c")]))
    facts, record = analysis.main.credible, run_record(analysis)["result"]
    assert facts is not None
    assert facts.count == analysis.confidence.n_networks == record["networks"]
    assert facts.optimum == record["optimum"]
    assert analysis.price is not None
    assert facts.optimum == pytest.approx(analysis.price.constrained, abs=1e-6)
    assert 1 <= record["classes"] <= facts.count
    text = " ".join(analysis.to_text().split())
    assert "within a factor of 20 of the best single one: this is the credible set. It is complete among" in text
    assert "that satisfy the constraints within a Bayes factor of 20 (Kass & Raftery, 1995) of the best one" in text
    assert "weighted by their scores" in text
    # a - b - c is open; that a leads to c directs it.
    assert analysis.edge("a", "b").origin_label.startswith("directed because of what you said in 9")
    assert not analysis.edge("a", "b").is_settled_by_data
