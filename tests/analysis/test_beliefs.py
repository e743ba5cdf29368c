"""Prior odds through `learn`, from a data file and a file of odds to every file that is written."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.analysis import LearnOptions
from arcwise.analysis.folder import FILES
from arcwise.confidence.consensus import Fate
from arcwise.confidence.edge_confidence import PairConfidence
from arcwise.ensemble import NetworkSet, Recipe
from arcwise.errors import FormatError, OptionError
from arcwise.findings.edge_record import BeliefTest, EdgeRecord
from arcwise.graph import Beliefs
from arcwise.scores import make_score

QUICK = {"permutations": 0, "compare": False}
CHEAP = ("--permutations", 0, "--no-compare")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """A chain age - smoke - cough, weakly tied, and fever apart."""
    rng = np.random.default_rng(4)
    n = 150
    age = rng.integers(0, 2, n)
    smoke = np.where(rng.random(n) < 0.25, age, rng.integers(0, 2, n))
    cough = np.where(rng.random(n) < 0.7, smoke, rng.integers(0, 2, n))
    fever = rng.integers(0, 2, n)
    return pd.DataFrame({"age": age, "smoke": smoke, "cough": cough, "fever": fever}).replace({0: "no", 1: "yes"})


@pytest.fixture
def odds(tmp_path: Path) -> Path:
    path = tmp_path / "odds.csv"
    path.write_text("from,to,odds,kind\nage,fever,200:1,--\nsmoke,cough,1:4,--\nage,smoke,3,->\n", encoding="utf-8")
    return path


def test_from_csv_and_odds_to_every_file(
    cli: Callable[..., str], frame: pd.DataFrame, odds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "cases.csv", tmp_path / "out"
    frame.to_csv(data, index=False)
    printed = cli("learn", data, "--beliefs", odds, "-o", out, "--score", "bic", *CHEAP)
    assert "contradict" in printed
    stated = {"arcs": [["age", "smoke", 3.0]], "edges": [["age", "fever", 200.0], ["cough", "smoke", 0.25]]}
    record = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert record["options"]["beliefs"] == stated
    assert record["recipe"]["beliefs"] == stated
    assert record["recipe"]["score"] == {"name": "bic"}
    edges = pd.read_csv(out / "edges.csv").set_index(["first", "second"])
    plain = arcwise.learn(frame, score="bic", **QUICK).confidence
    for (first, second), row in edges.iterrows():
        assert row["confidence_without_beliefs"] == pytest.approx(plain.pair(first, second).present)
    pair = edges.loc[("smoke", "cough")]
    assert (pair["odds_forward"], pair["odds_backward"], pair["belief"]) == (0.25, 0.25, "contradicted")
    assert "the data prevail" in pair["explanation"]
    fever = edges.loc[("age", "fever")]
    assert fever["confidence"] > 0.5 > fever["confidence_without_beliefs"]
    assert "your odds decide, not the data" in fever["explanation"]
    assert (edges.loc[("age", "smoke")]["odds_forward"], edges.loc[("age", "smoke")]["odds_backward"]) == (3.0, 1.0)
    report = (out / "report.html").read_text(encoding="utf-8")
    for part in (
        "Your prior odds, and what the data say",
        "age — fever: 200 to 1",
        "confidence without",
        "Networks were weighed by prior odds as well as by the data",
        "Data and prior odds contradict each other about age — fever, smoke — cough",
    ):
        assert part in report
    explained = cli("explain", out, "age--fever")
    assert "200 to 1" in explained
    assert "--beliefs" in record["command"]
    words = shlex.split(record["command"])
    words[words.index("DIR")] = str(tmp_path / "again")
    monkeypatch.chdir(tmp_path)  # the command names the file alone
    cli(*words[1:], "--quiet")
    for name in ("edges.csv", "network.bif", "run.json", "confidence.parquet", "cpdag.dot"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


def test_odds_of_a_direction_show_in_the_directions(frame: pd.DataFrame) -> None:
    credible = {"method": "credible", "score": "bic", **QUICK}
    plain = arcwise.learn(frame, **credible)
    assert plain.edge("smoke", "cough").split[2] > 0.9
    analysis = arcwise.learn(frame, beliefs=Beliefs(arcs={("smoke", "cough"): 30}), **credible)
    edge = analysis.edge("smoke", "cough")
    assert edge.split[2] == 0.0
    assert edge.split[0] > 0.9
    assert edge.fate is Fate.KEPT
    assert ("smoke", "cough") in analysis.cpdag.arcs
    assert "Its direction, smoke → cough, is what your odds say, not the data: " in analysis.explain("smoke", "cough")
    assert "The data settle no direction." in analysis.to_text(width=1000)


def test_odds_of_one_give_the_same_bytes_as_none(cli: Callable[..., str], frame: pd.DataFrame, tmp_path: Path) -> None:
    data, one = tmp_path / "cases.csv", tmp_path / "one.toml"
    frame.to_csv(data, index=False)
    one.write_text(
        'every_edge = 1\narcs = [["age", "smoke", 1]]\nedges = [["age", "fever", "1:1"]]\n', encoding="utf-8"
    )
    cli("learn", data, "-o", tmp_path / "without", "--permutations", 2)
    cli("learn", data, "-o", tmp_path / "with", "--beliefs", one, "--permutations", 2)
    names = {path.name for path in (tmp_path / "without").iterdir()}
    assert len(names) == len(FILES)
    for name in names:
        assert (tmp_path / "with" / name).read_bytes() == (tmp_path / "without" / name).read_bytes(), name


def test_the_stage_verbs_take_odds(cli: Callable[..., str], frame: pd.DataFrame, odds: Path, tmp_path: Path) -> None:
    data = tmp_path / "cases.csv"
    frame.to_csv(data, index=False)
    cases = arcwise.read_data(data)
    score = make_score("bic", beliefs=odds)
    best = json.loads(cli("optimal", data, "--beliefs", odds, "--json"))
    table = arcwise.build_parent_sets(cases, score)
    optimum = arcwise.find_optimal(table)
    assert best["score"] == pytest.approx(optimum.score)
    assert best["data_score"] + best["log_prior"] == pytest.approx(best["score"])
    assert best["score_function"]["beliefs"] == score.describe()["beliefs"]
    printed = cli("optimal", data, "--beliefs", odds)
    assert re.search(r"score +-\S+ \(data -\S+, log prior \S+\)", printed)
    found = json.loads(cli("search", data, "--beliefs", odds, "--json", "-o", tmp_path / "n.txt"))
    assert found["score"] == pytest.approx(optimum.score)
    assert found["log_prior"] == pytest.approx(optimum.log_prior)
    scored = json.loads(cli("scores", data, "--beliefs", odds, "--json", "-o", tmp_path / "t.jkl"))
    assert scored["score"] == score.describe()
    assert "--beliefs applies when a table is built" in cli("optimal", tmp_path / "t.jkl", "--beliefs", odds, code=1)
    again = json.loads(cli("optimal", tmp_path / "t.jkl", "--json"))
    assert again["log_prior"] == pytest.approx(optimum.log_prior)
    credible = json.loads(cli("credible", data, "--beliefs", odds, "--json"))
    plain = json.loads(cli("credible", data, "--json"))
    assert credible["optimum"] != plain["optimum"]
    networks = tmp_path / "networks.parquet"
    cli("bootstrap", data, "--beliefs", odds, "--replicates", 5, "--seed", 1, "-o", networks)
    loaded = NetworkSet.load(networks)
    assert loaded.recipe is not None
    assert loaded.recipe.beliefs == score.describe()["beliefs"]
    assert loaded.recipe.scorer == score


def test_odds_without_effect_are_told(cli: Callable[..., str], frame: pd.DataFrame, tmp_path: Path) -> None:
    data, rules = tmp_path / "cases.csv", tmp_path / "rules.toml"
    frame.to_csv(data, index=False)
    rules.write_text('forbidden = [["age", "smoke"]]\n', encoding="utf-8")
    odds = '{"arcs": [["age", "smoke", 4], ["smoke", "cough", 2]]}'
    words = "he odds of age -> smoke (4 to 1) do nothing: the constraints forbid the arc"
    printed = cli("learn", data, "--beliefs", odds, "--constraints", rules, "--details", *CHEAP)
    assert f"Prior odds without effect: t{words}." in " ".join(printed.split())
    ended = cli("search", data, "--beliefs", odds, "--constraints", rules, "--limit-steps", 1, code=3)
    assert f"T{words}." in ended
    constant = arcwise.Dataset.from_dataframe(frame.assign(site="north"), states={"site": ["north", "south"]})
    analysis = arcwise.learn(constant, beliefs=Beliefs(arcs={("site", "age"): 2}), score="bic", **QUICK)
    told = [remark.text for remark in analysis.remarks]
    assert any("the odds of site do nothing: it has the same value in all rows" in text for text in told)


def test_unknown_variables_are_refused_before_anything_is_learned(frame: pd.DataFrame) -> None:
    with pytest.raises(OptionError, match=r"not there.*'smokes'.*did you mean 'smoke'"):
        arcwise.learn(frame, beliefs={"arcs": [["smokes", "cough", 2]]}, **QUICK)


def test_beliefs_come_as_object_table_description_or_with_the_score(frame: pd.DataFrame) -> None:
    expected = Beliefs(arcs={("age", "smoke"): 4})
    table = pd.DataFrame({"from": ["age"], "to": ["smoke"], "odds": [4]})
    for given in (expected, table, {"arcs": [["age", "smoke", "4:1"]]}, json.dumps(expected.describe())):
        assert LearnOptions(beliefs=given).beliefs == expected  # type: ignore[arg-type]
    both = LearnOptions(score=make_score("bic", beliefs=expected))
    assert (both.score, both.beliefs) == (make_score("bic"), expected)
    with pytest.raises(FormatError, match="there is no column 'odds'"):
        LearnOptions(beliefs=pd.DataFrame({"from": ["age"], "to": ["smoke"]}))  # type: ignore[arg-type]


def test_the_call_that_repeats_a_run_is_python(frame: pd.DataFrame) -> None:
    analysis = arcwise.learn(frame, beliefs=Beliefs(every_edge=0.5), score="bic", **QUICK)
    text = io.StringIO(analysis.to_text(width=4000)).getvalue()
    assert "beliefs=arcwise.graph.Beliefs(**{'every_edge': 0.5})" in text
    assert "every edge: 1 to 2" in text


def test_a_recipe_keeps_its_beliefs_apart_from_its_score() -> None:
    beliefs = Beliefs(arcs={("a", "b"): 4})
    recipe = Recipe.of("credible", "bic", beliefs=beliefs)
    assert recipe.score == {"name": "bic"}
    assert recipe.beliefs == beliefs.describe()
    assert recipe.title == "credible set, BIC"
    assert recipe.scorer == make_score("bic", beliefs=beliefs)
    again = Recipe.from_description(json.loads(json.dumps(recipe.describe())))
    assert again == recipe
    assert hash(again) == hash(recipe)
    assert again.scorer == recipe.scorer
    plain = recipe.without_beliefs
    assert plain.scorer == make_score("bic")
    assert "beliefs" not in plain.describe()
    assert recipe.differences(plain) == ("prior odds: some here, none there",)
    other = Recipe.of("credible", "bic", beliefs=Beliefs(arcs={("a", "b"): 5}))
    assert recipe.differences(other) == ("the prior odds are different",)
    assert recipe != other


@pytest.mark.parametrize(
    ("odds", "known", "verdict"),
    [
        ((4, 4), (0.3, 0.2, 0.1), BeliefTest.AGREE),
        ((4, 4), (0.1, 0.1, 0.1), BeliefTest.CONTRADICT),
        ((0.1, 0.1), (0.1, 0.1, 0.1), BeliefTest.AGREE),
        ((0.1, 0.1), (0.2, 0.2, 0.2), BeliefTest.CONTRADICT),
        ((4, 1), (0.0, 0.9, 0.0), BeliefTest.CONTRADICT),  # the other way
        ((4, 1), (0.0, 0.0, 0.9), BeliefTest.AGREE),  # it can be turned
        ((0.1, 1), (0.0, 0.0, 0.9), BeliefTest.AGREE),
        ((0.1, 1), (0.9, 0.0, 0.0), BeliefTest.CONTRADICT),
    ],
)
def test_where_data_and_belief_contradict_each_other(
    odds: tuple[float, float], known: tuple[float, float, float], verdict: BeliefTest
) -> None:
    without = PairConfidence("a", "b", *known, 1 - sum(known))
    edge = EdgeRecord(first="a", second="b", tail="a", head="b", odds=odds, has_own_odds=True, without_odds=without)
    assert edge.belief_test is verdict
    assert replace(edge, has_own_odds=False).belief_test is BeliefTest.NOT_ASKED
    assert replace(edge, without_odds=None).belief_test is BeliefTest.NOT_KNOWN
