"""Questions to an analysis: in memory and from its folder alike, on data that were cut, filled and relabelled."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.analysis import Analysis, SavedAnalysis, learn
from arcwise.analysis import open as open_analysis
from arcwise.counts import contingency
from arcwise.data import Dataset, Table
from arcwise.errors import DataError, DataWarning, FormatError, UnknownNameError
from arcwise.findings.coding import Coding, table_of
from arcwise.findings.edge_record import EdgeRecord
from arcwise.findings.parts import MainAnswer
from arcwise.findings.verdict import Direction, Verdict
from arcwise.graph import Constraints, Dag
from arcwise.model import BayesianNetwork
from arcwise.report.page import prediction_answer
from arcwise.report.sections import linked_sentence, variable_answer

Cli = Callable[..., str]

TRUTH = BayesianNetwork(
    Dag.from_arcs(["age", "smoke", "cough"], [("age", "smoke"), ("smoke", "cough")]),
    [["young", "old"], ["no", "yes"], ["no", "yes"]],
    [[[0.6, 0.4]], [[0.9, 0.1], [0.3, 0.7]], [[0.9, 0.1], [0.3, 0.7]]],
)


def raw_frame(rows: int, seed: int) -> pd.DataFrame:
    """Rows as they come: an age in years with two spellings of one label, a written number, and a column of noise."""
    rng = np.random.default_rng(seed)
    drawn = TRUTH.sample(rows, seed=seed, progress=False).to_dataframe()
    years = np.where(drawn["age"] == "old", rng.integers(51, 90, rows), rng.integers(18, 51, rows))
    smoke = drawn["smoke"].astype(str).to_numpy(dtype=object)
    smoke[rng.random(rows) < 0.1] = "No "
    smoke = np.where(drawn["smoke"].astype(str) == "yes", "yes", np.where(rng.random(rows) < 0.2, "NO", "no"))
    income = [f"{value:,.2f}" for value in rng.uniform(900, 9_000, rows)]
    return pd.DataFrame({"age": years, "smoke": smoke, "income": income, "cough": drawn["cough"].astype(str)})


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, SavedAnalysis]:
    made = learn(
        raw_frame(800, 1),
        agree=True,
        numbers="cut",
        compare=False,
        permutations=0,
        target="cough",
        seed=1,
        progress=False,
    )
    folder = tmp_path_factory.mktemp("questions") / "report"
    made.save(folder)
    return made, open_analysis(folder)


def test_the_folder_answers_as_the_analysis_does(pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, saved = pair
    assert saved.data.digest == made.data.digest
    assert saved.threshold == made.threshold
    assert saved.coding == made.coding
    assert saved.cpdag == made.cpdag.reorder(saved.network.names)
    one, other = made.effect("smoke", "cough"), saved.effect("smoke", "cough")
    assert one.probability == pytest.approx(other.probability)
    assert one.set_to.low == pytest.approx(other.set_to.low)
    assert made.variable("cough").to_frame().equals(saved.variable("cough").to_frame())
    assert made.check_fit(replicates=3).p_values == pytest.approx(saved.check_fit(replicates=3).p_values)
    asked = {"smoke": "yes"}
    assert made.query("cough", asked, draws=20).mean == pytest.approx(saved.query("cough", asked, draws=20).mean)


def test_a_saved_analysis_shows_what_the_analysis_shows(pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, saved = pair
    assert saved.explain("cough") == made.explain("cough")
    assert saved.explain("smoke", "cough") == made.explain("smoke", "cough")
    frame = saved.to_frame(full=True)
    # What is not known is no number there.
    pd.testing.assert_frame_equal(frame, made.to_frame(full=True).astype(frame.dtypes))
    assert [edge.name for edge in saved.edges] == [edge.name for edge in made.edges]
    assert saved.edge("cough", "smoke").present == made.edge("cough", "smoke").present
    assert (saved.consensus.dag, saved.consensus.edges) == (made.consensus.dag, made.consensus.edges)
    assert (saved.steps, saved.settled) == (made.steps, made.settled)
    assert saved.report.to_html() == saved.to_html() == made.to_html()
    assert "iframe" in saved._repr_html_()
    for kind in ("network", "matrix", "forest"):
        assert saved.plot(kind).get_figure() is not None


def test_what_a_variable_depends_on(pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, _ = pair
    found = made.variable("cough")
    first = found.neighbours[0]
    assert (first.name, found.blanket[0]) == ("smoke", "smoke")
    assert first.in_blanket == pytest.approx(1.0, abs=0.05)
    # What it tells beyond the others is a part of what all tell together.
    assert 0 < first.information <= found.known + 1e-9
    assert 0 < found.known < found.entropy
    given = [made.network.query("cough", {"smoke": state})[first.at[2]] for state in first.at[:2]]
    assert first.change == pytest.approx(given[1] - given[0])
    told = made.explain("cough")
    assert "cough is probably linked with smoke" in told  # no data settle where it points
    assert "P(cough" in told


def test_of_very_many_rows_cases_are_asked_not_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise.findings import variable

    codes = np.array(np.unravel_index(np.arange(300), (10, 10, 3)), dtype=np.uint8)
    weights = np.where(codes[0] == codes[2], 3, 1)
    weights[101] = 4_000  # most cases, in a row that is not among evenly spaced ones
    data = Dataset(codes, ("a", "b", "c"), tuple(tuple("0123456789"[:r]) for r in (10, 10, 3)), weights)
    made = learn(data, replicates=10, compare=False, permutations=0)
    whole = made.variable("c")
    monkeypatch.setattr(variable, "MOST_ROWS", 250)
    some = made.variable("c")
    assert some.known == pytest.approx(whole.known, abs=0.03)
    told = whole.to_frame()["information"].tolist()
    assert some.to_frame()["information"].tolist() == pytest.approx(told, abs=0.03, nan_ok=True)


def test_new_rows_are_coded_as_the_training_data_were(pair: tuple[Analysis, SavedAnalysis]) -> None:
    _, saved = pair
    new = raw_frame(50, 2)
    coded = saved.code(new)
    assert not coded.unseen
    cuts = next(column.cuts for column in saved.coding.columns if column.name == "age")
    assert cuts is not None
    interval = np.searchsorted(np.array(cuts), new["age"].to_numpy(), side="left")
    assert coded.table.column("age").codes.tolist() == interval.tolist()
    assert set(np.array(saved.network.states[1])[coded.table.column("smoke").codes]) == {"no", "yes"}
    # A number that no training row had, written in the same way.
    income = coded.table.column("income")
    assert not income.is_missing.any()
    labelled = saved.predict_proba(new, "cough")
    assert list(labelled) == ["no", "yes"]
    found = labelled.to_numpy()
    direct = saved.network.predict_proba(coded.table, "cough", progress=False)
    assert found == pytest.approx(direct)
    assert saved.predict(new, "cough").tolist() == [("no", "yes")[k] for k in found.argmax(axis=1)]
    averaged = saved.predict_proba(new, "cough", average=True).to_numpy()
    assert averaged == pytest.approx(found, abs=0.1)
    assert averaged.sum(axis=1) == pytest.approx(np.ones(50))


def test_predictions_tell_of_values_that_cannot_be_read(pair: tuple[Analysis, SavedAnalysis]) -> None:
    _, saved = pair
    rows = raw_frame(3, 2).astype({"age": str})
    rows["age"] = [text.replace(".", ",") + ",5" for text in rows["age"]]
    rows["cough"] = "who knows"  # it is asked for
    with pytest.warns(DataWarning, match="Column 'age' has .* taken as not observed") as told:
        saved.predict(rows, "cough")
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        saved.predict(raw_frame(3, 2).drop(columns="age"), "cough")


def test_unseen_states_and_missing_columns(pair: tuple[Analysis, SavedAnalysis]) -> None:
    _, saved = pair
    new = raw_frame(4, 3).drop(columns="income")
    new["smoke"] = ["yes", "pipe", None, "NO"]
    coded = saved.code(new)
    assert coded.unseen == {"smoke": {"pipe": 1}}
    assert coded.missing == ("income",)
    assert coded.table.column("smoke").is_missing.tolist() == [False, True, True, False]
    assert any("'pipe' in 1 row" in remark for remark in coded.remarks())
    assert coded.without("smoke").remarks() == ("There is no column 'income': taken as not observed.",)
    assert not coded.without("smoke").without("income").remarks()
    with pytest.raises(DataError, match=r"'pipe' in 1 rows.*unseen='missing'"):
        saved.code(new, unseen="error")
    with pytest.raises(DataError, match="no column is a variable"):
        saved.code(pd.DataFrame({"z": ["a"]}))


def test_a_missing_value_that_is_a_state() -> None:
    frame = pd.DataFrame({"x": ["a", "b", None, "a"] * 30, "y": ["0", "1", "1", "1"] * 30})
    made = learn(frame, impute="state", compare=False, permutations=0, progress=False)
    coded = made.code(pd.DataFrame({"x": [None, "b"], "y": ["0", None]}))
    gap = next(column.gap for column in made.coding.columns if column.name == "x")
    assert gap is not None
    assert made.network.states[0][int(coded.table.column("x").codes[0])] == gap
    assert coded.table.column("y").is_missing.tolist() == [False, True]


def test_cross_validation_and_the_target_of_an_analysis(pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, saved = pair
    assert made.focus is not None
    assert made.focus.scores.folds == 5
    found = saved.cross_validate("cough", folds=4, seed=3)
    best = TRUTH.predict_proba(TRUTH.sample(5000, seed=9, progress=False), "cough").max(axis=1).mean()
    assert found.accuracy == pytest.approx(best, abs=0.06)
    assert found.accuracy > found.usual_accuracy + 0.05
    assert found.log_loss < found.usual_log_loss
    assert found.confusion.sum() == 800
    assert found.calibration.error < 0.1
    text = made.to_text()
    assert "What is linked with cough" in text
    assert "cross-validation" in text
    assert "Does the network fit?" in text


def test_a_target_of_numbers_is_cut_as_other_columns_are() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=200) / 2})
    made = learn(frame, agree=True, numbers="cut", target="y", permutations=0, progress=False)
    assert made.focus is not None
    assert made.focus.variable.blanket == ("x",)
    assert made.cuts is not None
    assert all(check.label != "mdl" for check in made.cuts.checks)  # which needs a class


def test_folds_of_an_analysis_that_cut_numbers_anew_are_learned_as_it_was() -> None:
    made = learn(
        raw_frame(300, 2), agree=True, compare=False, permutations=0, recut=True, replicates=20, seed=1, progress=False
    )
    found = made.cross_validate("cough", folds=2)
    assert not found.by_time
    assert found.accuracy > 0.5


def test_a_limit_of_time_for_the_folds_is_told(pair: tuple[Analysis, SavedAnalysis]) -> None:
    from arcwise.limits import Limits

    _, saved = pair
    found = saved.cross_validate("cough", folds=2, limits=Limits(1e-9))
    assert found.by_time
    assert found.accuracy > 0.5


def test_the_coding_is_read_and_checked(pair: tuple[Analysis, SavedAnalysis], tmp_path: Path) -> None:
    _, saved = pair
    facts = saved.coding.describe()
    assert Coding.from_description(facts, "x") == saved.coding
    for broken in (None, [{}], [{**facts[0], "cuts": [2.0, 1.0]}], [{**facts[0], "gap": "nothing"}]):
        with pytest.raises(FormatError, match="cannot be read"):
            Coding.from_description(broken, "x")
    spoiled = tmp_path / "spoiled"
    shutil.copytree(saved.folder, spoiled)
    (spoiled / "data.parquet").write_bytes(b"other")
    with pytest.raises(FormatError, match="another fingerprint"):
        _ = open_analysis(spoiled).data
    with pytest.raises(FormatError, match="no such folder"):
        open_analysis(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"data\.parquet is missing"):
        _ = open_analysis(tmp_path / "empty").stacked


def test_the_verbs(cli: Cli, pair: tuple[Analysis, SavedAnalysis], tmp_path: Path) -> None:
    _, saved = pair
    folder = saved.folder
    assert "What is linked with cough" in cli("explain", folder, "cough")
    assert "| smoke |" in cli("explain", folder, "cough", "--markdown")
    effect = cli("effect", folder, "smoke", "cough", "--hidden-causes", "possible")
    assert cli("effect", folder, "smoke->cough", "--hidden-causes", "possible") == effect
    assert "no common cause" in effect
    assert "Manski" in effect
    assert cli("effect", folder, "--from", "smoke", "--to", "cough", "--hidden-causes", "possible") == effect
    ahead, back = (
        " ".join(cli("effect", folder, "smoke", "cough", "--from", one, "--to", other).split())
        for one, other in (("no", "yes"), ("yes", "no"))
    )
    found = saved.effect("smoke", "cough").changes()
    change = found[found["cough"] == "no"]["change"].iloc[0]
    assert "setting smoke to yes instead of no changes P(cough = no)" in ahead and f"That is {change:+.3f}" in ahead
    assert "setting smoke to no instead of yes changes P(cough = no)" in back and f"That is {-change:+.3f}" in back
    assert "give --from and --to" in cli("effect", folder, "smoke", "cough", "--from", "no", code=1)
    assert "nothing changes" in cli("effect", folder, "smoke", "cough", "--from", "no", "--to", "no", code=1)
    cli("effect", folder, "-o", tmp_path / "effects.csv")
    assert len(pd.read_csv(tmp_path / "effects.csv")) == len(saved.effects().to_frame())
    within = " ".join(cli("effect", folder, "smoke", "cough", "--within-class").split())
    assert "possible set" in within
    assert "log likelihood" in cli("check-fit", folder, "--replicates", 5)
    new = tmp_path / "new.csv"
    raw_frame(5, 8).to_csv(new, index=False)
    assert "log likelihood" in cli("check-fit", folder, new, "--replicates", 0)
    cli("predict", folder, new, "--target", "cough", "-o", tmp_path / "found.csv")
    frame = pd.read_csv(tmp_path / "found.csv")
    assert list(frame) == ["cough", "P(cough=no)", "P(cough=yes)"]
    assert frame["P(cough=yes)"].to_numpy() == pytest.approx(saved.predict_proba(raw_frame(5, 8), "cough")["yes"])
    assert "cross-validation" in cli("predict", folder, "--target", "cough", "--folds", 2)
    asked = ("query", folder, "P(cough | smoke=yes)", "--average", "--draws", 20)
    sure = " ".join(cli(*asked).split())
    assert "The most probable is cough = " in sure
    assert "networks learned from resampled data" in sure
    assert "rule out" not in sure  # which is said of credible sets alone
    assert "| cough | probability | low | high | between networks |" in cli(*asked, "--markdown")
    assert "| cough | probability |" in cli("query", folder, "P(cough | smoke=yes)", "--markdown")
    assert "--average is for a folder" in cli("query", folder / "network.bif", "P(cough)", "--average", code=1)


def test_a_number_is_asked_about_as_its_interval(cli: Cli, pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, saved = pair
    network, folder = saved.network, saved.folder
    ages = network.states[network.index("age")]
    assert made.state_of("age", 20) == saved.state_of("age", "20.0") == ages[0]
    assert saved.state_of("age", 88) == ages[-1]
    assert saved.state_of("smoke", "NO") == "no" and saved.state_of("income", "8,999.50").endswith(",inf)")
    assert network.query("cough", {"age": 20})["yes"] == network.query("cough", {"age": ages[0]})["yes"]
    by_number, by_state = (made.query("cough", {"age": age}, draws=5, seed=1).mean for age in (88, ages[-1]))
    assert by_number.tolist() == by_state.tolist()
    for place in (folder, folder / "network.bif"):
        asked = (("P(cough | age=20)", f'P(cough | age="{ages[0]}")'), ("P(age=88)", f'P(age="{ages[-1]}")'))
        for number, state in asked:
            answers = json.loads(cli("query", place, number, state, "--json"))["answers"]
            assert {**answers[0], "question": ""} == {**answers[1], "question": ""}
    averaged = ("--average", "--draws", 5, "--json")
    asked = (f"P(age={age})" for age in ("88", f'"{ages[-1]}"'))
    found, same = (json.loads(cli("query", folder, question, *averaged))["answers"] for question in asked)
    assert found[0]["probabilities"] == same[0]["probabilities"] and len(found[0]["probabilities"]) == 1
    assert "A number stands for the bin" in cli("query", folder, "P(cough | age=old)", code=1)


def test_a_folder_knows_its_cuts_to_the_last_digit(tmp_path: Path) -> None:
    """A label has six digits: 1234567.8 is written as 1.23457e+06, and 1234568 is above it."""
    rng = np.random.default_rng(2)
    low = rng.choice([1234567.1, 1234567.8], 60)
    frame = pd.DataFrame({"a": [*low, *(1234568 + np.arange(60) % 40)], "b": ["x", "y"] * 60})
    made = learn(frame, agree=True, bins=2, compare=False, permutations=0, replicates=20, progress=False)
    assert made.coding.columns[0].cuts == (1234567.8,)
    assert [made.state_of("a", number) for number in (1234567.8, 1234568)] == list(made.data.states[0])
    with pytest.raises(UnknownNameError, match="may be in any"):
        made.network.state_index("a", 1234568)


def test_answers_begin_with_what_was_asked(cli: Cli, pair: tuple[Analysis, SavedAnalysis]) -> None:
    """How probable an effect is, and how large if there is one. Tables say what they show."""
    _, saved = pair
    effect = saved.effect("smoke", "cough")
    assert effect.strongest is not None
    state = effect.strongest[1]
    text = " ".join(cli("effect", saved.folder, "smoke", "cough").split())
    assert text.startswith(
        f"What setting smoke would do to cough The probability that smoke leads to cough is {effect.probability:.2f}."
    )
    assert effect.change_if_effect is not None and effect.e_values is not None
    assert f"That is {effect.change_if_effect.mean[effect.strongest]:+.3f}, with a" in text
    assert f"In these data it is {effect.marginal[state]:.3f}." in text
    assert f"E-value is {effect.e_values[0]:.1f}" in text
    assert "averaged" not in text
    assert "averaged: with probability" in " ".join(cli("effect", saved.folder, "smoke", "cough", "--average").split())
    assert "P(cough) as observed where smoke happens to be so" in text
    fit = " ".join(cli("check-fit", saved.folder, "--replicates", 0).split())
    assert re.search(
        r"fit\? (Not everywhere|Perhaps not everywhere|As far as these rows can tell, yes): the data contradict \d+",
        fit,
    )
    predicted = " ".join(cli("predict", saved.folder, "--target", "cough", "--folds", 2).split())
    assert "Rows by their true state (down) and the predicted one (across)." in predicted


def test_rows_of_any_kind() -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 1], [1, 0]]), names=["a", "b"])
    assert isinstance(table_of(data), Table)
    assert table_of(data).column("a").codes.tolist() == [0, 1, 1]


def test_data_with_gaps_keep_all_completions(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = TRUTH.sample(150, seed=5, progress=False).to_dataframe().astype(object)
    frame.loc[rng.random(150) < 0.2, "smoke"] = None
    made = learn(frame, agree=True, completions=4, compare=False, permutations=0, progress=False)
    made.save(tmp_path / "gaps")
    saved = open_analysis(tmp_path / "gaps")
    assert saved.copies == made.copies >= 4
    assert saved.data.n_cases == 150
    assert saved.stacked.n_cases == 150 * saved.copies
    one, other = made.effect("smoke", "cough"), saved.effect("smoke", "cough")
    assert one.set_to.mean == pytest.approx(other.set_to.mean)
    # Intervals are those of 150 cases, not of all completions together.
    assert (one.set_to.high - one.set_to.low).max() > 0.05
    assert saved.query("cough", {"smoke": "yes"}, draws=10).mean.sum() == pytest.approx(1.0)


def test_weights_and_experiments_come_back(tmp_path: Path) -> None:
    drawn = TRUTH.sample(200, seed=6, progress=False)
    learn(drawn.collapse(), compare=False, permutations=0, progress=False).save(tmp_path / "weighted")
    assert open_analysis(tmp_path / "weighted").data.n_cases == 200
    told = drawn.with_targets([["smoke"] if k % 3 == 0 else [] for k in range(200)])
    made = learn(told, compare=False, permutations=0, progress=False)
    made.save(tmp_path / "experiments")
    saved = open_analysis(tmp_path / "experiments")
    assert saved.data.targets is not None
    assert saved.effect("smoke", "cough").probability == pytest.approx(made.effect("smoke", "cough").probability)


def test_what_a_variable_tells_alone_is_counted_in_the_data() -> None:
    """A network without an edge knows of no dependence: that is no zero in the data."""
    made = learn(raw_frame(800, 1), agree=True, compare=False, permutations=0, threshold=1.0, seed=1, progress=False)
    assert not made.dag.arcs
    found = next(one for one in made.variable("cough").neighbours if one.name == "smoke")
    counts = contingency(made.data, [made.data.index("smoke"), made.data.index("cough")])
    shares = counts / counts.sum()
    by_chance = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
    assert found.alone == pytest.approx((shares * np.log2(shares / by_chance)).sum())
    assert (found.information, found.change) == (None, None)
    row = next(line for line in made.explain("cough").splitlines() if line.lstrip(" │").startswith("smoke"))
    assert "0.000" not in row
    assert "0.00 " not in row


def test_tables_with_more_cells_than_cases_decide_nothing() -> None:
    """A column of 600 states makes any other parent look telling: each cell has one case or none."""
    rng = np.random.default_rng(1)
    late = rng.integers(0, 3, 3_000)
    frame = pd.DataFrame(
        {
            "late": late.astype(str),
            "tail": [f"N{k}" for k in rng.integers(0, 600, 3_000)],
            "day": rng.integers(0, 7, 3_000).astype(str),
            "delay": np.where(rng.random(3_000) < 0.8, late, rng.integers(0, 3, 3_000)).astype(str),
        }
    )
    data = Dataset.from_dataframe(frame)
    said = Constraints(data.names, required=[("tail", "delay"), ("day", "delay")])
    made = learn(data, constraints=said, replicates=20, compare=False, permutations=0, seed=1, progress=False)
    found = {one.name: one for one in made.variable("delay").neighbours}
    assert {"day", "tail"} <= set(made.variable("delay").blanket)
    assert found["day"].information is None
    assert found["tail"].alone is None
    assert "day matters most" not in made.explain("delay")


def test_few_networks_are_a_caution_wherever_they_are_asked(tmp_path: Path) -> None:
    few = learn(raw_frame(300, 1), agree=True, replicates=5, compare=False, permutations=0, seed=1, progress=False)
    few.save(tmp_path / "report")
    for source in (few, open_analysis(tmp_path / "report")):
        assert "Only 5 networks" in variable_answer(source.variable("cough"), source.edges).to_text()


def disputed(edge: EdgeRecord) -> EdgeRecord:
    """The same edge, not quite as probable, and another method does not find it likely."""
    known = None if edge.probability is None else replace(edge.probability, edge=0.75)
    return replace(edge, by_method=(("one", edge.present), ("other", 0.02)), present=0.75, probability=known)


def test_a_variable_depends_on_what_points_to_it_and_is_linked_with_the_rest(
    pair: tuple[Analysis, SavedAnalysis],
) -> None:
    made, _ = pair
    (edge,) = [edge for edge in made.edges if {edge.first, edge.second} == {"smoke", "cough"}]
    into, away = (
        replace(edge, tail=tail, head=head, judged=(Verdict.RELY, way, "report it"))
        for tail, head, way in (("smoke", "cough", Direction.SETTLED), ("cough", "smoke", Direction.LIKELY))
    )
    assert linked_sentence("cough", [into]) == "cough depends on smoke."
    assert linked_sentence("cough", [away]) == "cough is linked with smoke."
    assert linked_sentence("cough", []) == "The data show no edge of cough."


def test_a_variable_and_its_edges_have_one_verdict(pair: tuple[Analysis, SavedAnalysis]) -> None:
    """What is disputed is no fact, neither in a sentence nor in the table, and no second scale says otherwise."""
    made, saved = pair
    assert "cough is probably linked with smoke." in made.explain("cough")  # no other method was asked
    assert made.explain("cough") == saved.explain("cough")
    edges = tuple(map(disputed, made.edges))
    told = variable_answer(made.variable("cough"), edges).to_text()
    assert "No edge of cough is established. Open: smoke." in told
    row = next(line for line in told.splitlines() if line.startswith("smoke "))
    edge = next(edge for edge in edges if {edge.first, edge.second} == {"smoke", "cough"})
    assert row.split()[1:3] == ["open", f"{edge.real:.2f}"]
    assert "confidence" not in told


def test_the_headline_of_a_target_knows_which_edges_are_disputed(pair: tuple[Analysis, SavedAnalysis]) -> None:
    made, _ = pair
    assert any("cough is probably linked with smoke." in sentence for sentence in made.report.summary)
    answer = made.part(MainAnswer)
    edges = tuple(map(disputed, answer.edges))
    told = " ".join(made.plus(replace(answer, edges=edges)).report.summary)
    assert "linked with smoke" not in told
    assert "No edge of cough is established. Open: smoke." in told


@pytest.mark.parametrize(
    ("loss", "usual", "words"), [(1.412, 1.28, "worse than"), (1.27, 1.28, "hardly better than"), (0.4, 1.28, "better")]
)
def test_a_log_loss_is_called_what_it_is(
    pair: tuple[Analysis, SavedAnalysis], loss: float, usual: float, words: str
) -> None:
    assert pair[0].focus is not None
    scores = replace(pair[0].focus.scores, log_loss=loss, usual_log_loss=usual, log_loss_error=0.1)
    text = " ".join(prediction_answer(scores).to_text().split())
    assert f"), {words}" in text


def test_predictions_compare_with_the_column(tmp_path: Path) -> None:
    """Whole numbers and truth values are what pandas reads, and text that the rows have stays text."""
    raw = raw_frame(300, 4)
    frame = raw[["age", "income"]].assign(y=(raw["cough"] == "yes").astype(int), z=raw["smoke"] == "yes")
    made = learn(frame, target="y", seed=1, replicates=10, compare=False, permutations=0, agree=True)
    for asked in (made, open_analysis(made.save(tmp_path / "out"))):
        assert (asked.predict(frame.drop(columns="y")) == frame["y"]).mean() > 0.5
        assert (asked.predict(frame, "z") == frame["z"]).mean() > 0.5
        assert list(asked.predict_proba(frame)) == [0, 1]
        text = frame.assign(y=frame["y"].astype(str))
        assert (asked.predict(text) == text["y"]).mean() > 0.5
