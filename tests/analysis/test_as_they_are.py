"""Learning from numbers and scales that are not cut: what is found, what is told, and what cannot be asked."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.analysis.analysis import Analysis
from arcwise.analysis.saved import SavedAnalysis
from arcwise.data.mixed import MixedData
from arcwise.data.read import read_table
from arcwise.effects.mixed_effect import find_mixed_effect
from arcwise.errors import ArcwiseError, DataWarning, OptionError
from arcwise.evaluate.prediction import NumberScores, PredictionScores
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import Prepared, open_table, prepare
from arcwise.findings.verdict import Verdict
from arcwise.graph.constraints import Constraints
from arcwise.model.mixed_network import MixedNetwork, NumberAnswer


def trial(rows: int = 900) -> pd.DataFrame:
    """A treatment that helps by 3.4 units, which thirds of the outcome hardly show: age and base vary far more."""
    rng = np.random.default_rng(4)
    age = rng.normal(50, 12, rows)
    base = 70 + 0.3 * age + rng.normal(0, 15, rows)
    arm = rng.integers(0, 2, rows)
    final = base + 3.4 * arm - 0.2 * age + rng.normal(0, 6, rows)
    mark = np.clip(np.round(age / 15 + rng.normal(0, 0.5, rows)), 1, 6).astype(int)
    noise = rng.normal(size=rows)
    columns = {"age": age, "base": base, "arm": np.array(["no", "yes"])[arm], "final": final, "mark": mark}
    return pd.DataFrame({**columns, "noise": noise})


def quick(frame: object, **options: object) -> Analysis:
    return learn(
        frame,  # type: ignore[arg-type]
        replicates=60,
        seed=1,
        threads=1,
        progress=False,
        **{"compare": False, **options},
    )


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return quick(trial())


def test_what_numbers_say_is_found(analysis: Analysis) -> None:
    present = {frozenset((e.first, e.second)): e.present for e in analysis.edges}
    for pair in (("arm", "final"), ("base", "final"), ("age", "final"), ("age", "mark"), ("age", "base")):
        assert present[frozenset(pair)] >= 0.9, pair
    assert all(value < 0.5 for pair, value in present.items() if "noise" in pair)
    assert analysis.main.recipe.score["name"] == "bic-dg"
    assert analysis.main.recipe.title == "bootstrap, degenerate Gaussian BIC"
    # Cut in three, a difference of 3.4 units among 25 is half lost.
    cut = learn(trial(), numbers="cut", agree=True, replicates=60, seed=1, threads=1, compare=False, progress=False)
    assert cut.confidence.pair("arm", "final").present < 0.8


def test_the_effect_is_in_units(analysis: Analysis) -> None:
    kept, mixed = analysis.main.kept, analysis.prepared.mixed
    assert kept is not None and mixed is not None
    effect = find_mixed_effect(kept.networks, mixed, "arm", "final")
    assert effect.change is not None and effect.probability > 0.5
    low, high = float(effect.change.low[0, 0]), float(effect.change.high[0, 0])
    assert low < 3.4 < high and low > 0


def test_it_is_told_first_where_no_study_stands_behind_it(analysis: Analysis) -> None:
    told = "Not calibrated for columns like these"
    assert not analysis.report.summary[0].startswith(told) and not analysis.probability.calibration.doubt
    assert "sampled from 318 networks" in analysis.probability.calibration.basis
    assert quick(trial(300), score="bge").report.summary[0].startswith(told)
    told = " ".join(analysis.prepared.steps)
    assert "Taken as numbers 'age', 'base', 'final', 'noise'; as scales 'mark'; as categories 'arm'." in told
    assert analysis.fit is not None and analysis.fit.all_edges and analysis.cuts is None


def test_a_target_that_is_a_number_is_predicted_in_its_units() -> None:
    found = quick(trial(400), target="final")
    assert found.focus is not None and isinstance(found.focus.scores, NumberScores)
    assert 5 < found.focus.scores.rmse < 8 and found.focus.scores.explained > 0.8
    assert "of its variance is explained" in found.report.to_text()
    state = quick(trial(400), target="arm")
    assert state.focus is not None and isinstance(state.focus.scores, PredictionScores)
    assert state.focus.scores.states == ("no", "yes")


def test_other_scores_of_numbers_are_compared_with() -> None:
    found = quick(trial(400), compare=True)
    names = {str(made.recipe.score["name"]) for made in found.comparisons}
    assert "bootstrap, degenerate Gaussian BIC (numbers ranks, functions 1)" in {m.title for m in found.comparisons}
    assert names == {"bic-dg"} and all(made.recipe.source == "bootstrap" for made in found.comparisons)


def test_no_method_votes_against_an_edge_that_it_cannot_have() -> None:
    rng = np.random.default_rng(3)
    dose = rng.normal(50, 10, 500)
    event = np.where(rng.random(500) < 1 / (1 + np.exp(-(dose - 50) / 6)), "yes", "no")
    frame = pd.DataFrame({"dose": dose.round(1), "event": event, "noise": rng.normal(size=500).round(2)})
    found = quick(frame, compare=True, tiers="dose, noise | event")  # under bic-cg, only event -> dose
    assert {str(made.recipe.score["name"]) for made in found.comparisons} == {"bic-dg"}
    edge = found.edge("dose--event")
    assert min(edge.spread) > 0.95 and edge.verdict is Verdict.RELY


def test_lines_that_differ_between_categories_choose_the_score() -> None:
    rng = np.random.default_rng(5)
    kind, dose = rng.integers(0, 2, 600), rng.normal(50, 10, 600)
    final = 20 + np.where(kind == 1, 0.6, -0.5) * (dose - 50) + 8 * kind + 4 * rng.normal(size=600)
    frame = pd.DataFrame({"kind": np.array(["a", "b"])[kind], "dose": dose, "final": final})
    frame["later"] = frame["final"] + 4 * rng.normal(size=600)
    found = quick(frame, compare=True)
    assert found.main.recipe.score["name"] == "bic-jcg"
    assert {str(made.recipe.score["name"]) for made in found.comparisons} == {"bic-jcg"}
    for edge in ("dose--final", "kind--final"):
        assert found.edge(edge).verdict is Verdict.RELY
    assert "The score joint conditional Gaussian BIC was not studied" in " ".join(found.report.to_text().split())
    same = quick(frame.assign(final=20 + 0.5 * dose + 5 * kind + rng.normal(size=600)).drop(columns="later"))
    assert same.main.recipe.score["name"] == "bic-dg"
    # Neither curves nor heavy tails are taken for lines that differ.
    curved = frame.assign(final=(dose - 50) ** 2 / 20 + 5 * kind + 3 * rng.normal(size=600)).drop(columns="later")
    tailed = frame.assign(final=dose + 20 * kind + 5 * rng.standard_t(2, 600)).drop(columns="later")
    assert {quick(one).main.recipe.score["name"] for one in (curved, tailed)} == {"bic-dg"}


def test_a_copy_whose_numbers_are_cut_has_tables_that_fit() -> None:
    rng = np.random.default_rng(7)
    causes = rng.normal(size=(14, 1500))
    frame = pd.DataFrame({f"x{k}": own for k, own in enumerate(causes)} | {"y": causes.sum(axis=0)})
    frame["y"] += rng.normal(size=1500)
    found = quick(frame)  # it ended in an error: the table of y has 3^15 numbers
    assert len(found.mixed_network.dag.parents_of("y")) == 14 > len(found.network.dag.parents_of("y"))
    assert "arcs are not in network.bif" in " ".join(found.report.to_text().split())


def test_what_cutting_would_find_stands_beside_it() -> None:
    found = quick(trial(), compare=True)
    assert found.when_cut is not None and found.when_cut.confidence is not None and found.cuts is None
    assert found.when_cut.recipe.score["name"] == "qnml"
    told = found.report.to_text()
    there = found.when_cut.confidence.probability
    apart = [
        (edge.first, edge.second)
        for edge in found.edges
        if (found.probability[edge.first, edge.second] > 0.5) != (there[edge.first, edge.second] > 0.5)
    ]
    assert ("age", "final") in apart  # given base, thirds of age hardly show it
    listed = told[told.index("What cutting would find") : told.index("Before learning")]
    assert all(f"{first} — {second}" in listed for first, second in apart)
    assert listed.count(" — ") == len(apart)
    assert not any(edge.cuts_decide for edge in found.edges)


def test_the_folder_holds_numbers_and_their_network(analysis: Analysis, tmp_path: Path) -> None:
    analysis.save(tmp_path / "out")
    mixed = MixedData.from_table(read_table(tmp_path / "out" / "columns.parquet"))
    assert analysis.prepared.mixed is not None and mixed.digest == analysis.prepared.mixed.digest
    network = MixedNetwork.read(tmp_path / "out" / "network.json")
    assert network.dag == analysis.dag
    answer = network.query("final", {"base": 90.0, "age": 40.0, "arm": "yes"})
    assert isinstance(answer, NumberAnswer) and abs(answer.mean - (90 + 3.4 - 8)) < 1.5
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["options"]["numbers"] == "auto" and "numbers" not in record["command"]
    assert record["recipe"]["score"]["name"] == "bic-dg"


def test_weights_experiments_and_gaps() -> None:
    frame = trial(300)
    frame["set"] = np.where(np.arange(300) < 100, "arm", "")
    frame.loc[5:9, "age"] = np.nan
    found = quick(frame, interventions="set", impute="knn")
    mixed = found.prepared.mixed
    assert mixed is not None and mixed.targets is not None and mixed.targets.names == ("arm",)
    assert np.isfinite(mixed.values).all() and mixed.n_rows == 300
    again = quick(mixed)
    assert again.prepared.mixed is not None and again.prepared.mixed.digest == mixed.digest


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "qnml"}, "needs a score of numbers"),
        ({"impute": "state"}, "a gap would be a state"),
        ({"recut": True}, "leaves numbers whole"),
    ],
)
def test_what_cannot_be_asked_together(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        quick(trial(200), **{"numbers": "as-they-are", **options})


def test_a_score_of_numbers_asks_for_numbers() -> None:
    with pytest.raises(OptionError, match="Take them as they are: numbers='as-they-are'"):
        LearnOptions(score="bic-dg", numbers="cut")
    with pytest.raises(ArcwiseError, match="raw data"):
        quick(MixedData.from_dataframe(trial(200)).as_dataset(), numbers="as-they-are")
    with pytest.raises(ArcwiseError, match=r"complete the data 20 times.* \(impute='completions'\)"):
        quick(trial(200).mask(np.eye(200, 6, dtype=bool)))


def states(rows: int = 200) -> pd.DataFrame:
    """Words and yes or no, coded or not: nothing that has an order."""
    rng = np.random.default_rng(2)
    smoker = rng.integers(0, 2, rows)
    ill = np.where(rng.random(rows) < 0.8, smoker, 1 - smoker)
    return pd.DataFrame({"smoker": smoker, "ill": np.array(["no", "yes"])[ill], "town": rng.choice(list("abc"), rows)})


def prepared_from(frame: pd.DataFrame, **options: object) -> Prepared:
    return prepare(open_table(frame), LearnOptions(agree=True, **options))  # type: ignore[arg-type]


def test_numbers_and_scales_are_as_they_are_unless_somebody_asks_for_states() -> None:
    frame = trial(200)
    assert prepared_from(frame).mixed is not None
    assert prepared_from(frame[["arm", "mark"]]).mixed is not None  # a scale
    assert prepared_from(states()).mixed is None
    assert prepared_from(states(), score="bge").mixed is not None
    assert prepared_from(frame[["arm", "mark"]], kinds={"mark": "nominal"}).mixed is None
    assert prepared_from(states(), kinds={"smoker": "ordinal"}).mixed is not None


def test_words_in_an_order_are_a_scale_beside_numbers_and_categories_alone() -> None:
    words = np.array(["never", "sometimes", "often"])[np.random.default_rng(5).integers(0, 3, 200)]
    frame = states().assign(drinks=words, age=pd.Categorical(["<18", "18-39", "40+", "40+"] * 50, ordered=True))
    assert prepared_from(frame).mixed is None
    mixed = prepared_from(frame.assign(size=np.arange(200) / 7)).mixed
    assert mixed is not None and [str(kind) for kind in mixed.kinds][3:5] == ["ordinal", "ordinal"]


def test_whole_numbers_that_name_kinds_are_categories() -> None:
    codes = np.random.default_rng(5).integers(1, 5, (3, 200))
    frame = trial(200).assign(region=codes[0], marital=codes[1], steps=codes[2], status_wife=codes[0, ::-1])
    mixed = prepared_from(frame).mixed
    assert mixed is not None
    kinds = {name: str(kind) for name, kind in zip(mixed.names, mixed.kinds, strict=True)}
    assert (kinds["region"], kinds["marital"], kinds["steps"]) == ("nominal", "nominal", "ordinal")
    assert kinds["status_wife"] == "nominal"
    kept = prepared_from(frame, keep=("region",)).mixed
    assert kept is not None and str(kept.kinds[kept.index("region")]) == "ordinal"
    assert prepared_from(frame[["arm", "region"]]).mixed is None


@pytest.mark.parametrize(
    "options",
    [
        {"numbers": "cut"},
        {"discretize": "width"},
        {"bins": 4},
        {"recut": True},
        {"categorical": True},
        {"impute": "state"},
        {"score": "qnml"},
    ],
)
def test_what_asks_for_states_cuts(options: dict[str, object]) -> None:
    assert prepared_from(trial(60), **options).mixed is None


def test_tables_of_categories_are_learned_from_as_if_nothing_could_be_a_number(tmp_path: Path) -> None:
    for numbers in ("auto", "cut"):
        quick(states(), numbers=numbers, compare=True).save(tmp_path / numbers)
    files = sorted(file.name for file in (tmp_path / "cut").iterdir())
    assert files == sorted(file.name for file in (tmp_path / "auto").iterdir()) and "columns.parquet" not in files
    for name in set(files) - {"run.json", "report.html", "report.json"}:  # which say what was asked for, and when
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "auto" / name).read_bytes(), name


@pytest.mark.parametrize("method", ["credible", "posterior", "optimum", "search"])
def test_every_method_takes_numbers(method: str) -> None:
    found = quick(trial(400), method=method)
    assert found.main.recipe.score["name"] == "bic-dg" and found.main.recipe.source == method
    assert found.confidence.pair("age", "base").present > 0.9 and found.confidence.pair("age", "noise").present < 0.5
    averages = method in ("credible", "posterior")
    assert found.report.summary[0].startswith("Not calibrated for columns like these") is averages


@pytest.mark.parametrize(("score", "columns"), [("bge", 6), ("bic-cg", 6), ("bic-g", 4)])
def test_scores_of_numbers_are_taken_by_name(score: str, columns: int) -> None:
    frame = trial(300)
    own = frame if columns == 6 else frame[["age", "base", "final", "noise"]]
    found = quick(own, score=score)
    assert found.main.recipe.score["name"] == score and found.prepared.mixed is not None
    assert found.confidence.pair("base", "final").present > 0.9
    with pytest.raises(ArcwiseError, match="'arm' is nominal"):
        quick(frame, score="bic-g")


def test_constraints_groups_weights_and_a_target() -> None:
    rng = np.random.default_rng(3)
    frame = trial(400).assign(site=np.arange(400) % 40, weight=rng.uniform(0.5, 2, 400))
    found = quick(frame, tiers="age, arm, base | *", forbidden=["base--noise"], groups="site", target="final")
    assert found.prepared.mixed is not None and found.prepared.mixed.design is not None
    assert not {("final", "age"), ("final", "base"), ("mark", "age"), ("base", "noise")} & set(found.dag.arcs)
    assert found.focus is not None and isinstance(found.focus.scores, NumberScores)
    weighted = quick(frame.drop(columns="site"), weights="weight")
    assert weighted.prepared.mixed is not None and weighted.prepared.mixed.design is not None
    assert weighted.data.n_effective < 400


def in_sites(rows: int = 600) -> pd.DataFrame:
    """The trial in forty sites with a level each, with weights and twenty columns of replicates of them."""
    rng = np.random.default_rng(6)
    frame = trial(rows)
    site = np.arange(rows) % 40
    frame["final"] += rng.normal(0, 8, 40)[site]
    weight = rng.uniform(0.5, 2, rows)
    halves = {f"rep_{k}": weight * 2 * rng.integers(0, 2, 40)[site] for k in range(20)}
    return frame.assign(site=[f"s{k}" for k in site], w=weight, **halves)


def test_sites_and_replicate_weights_from_the_table_to_the_answer(tmp_path: Path) -> None:
    frame = in_sites()
    design = frame[[name for name in frame if name.startswith(("w", "rep"))]].columns
    by_site = quick(frame.drop(columns=design), groups="site")
    by_weights = quick(frame.drop(columns="site"), weights="w", replicate_weights=["rep_*"])
    by_row = quick(frame.drop(columns=[*design, "site"]))
    effects = {}
    for name, found in (("site", by_site), ("weights", by_weights), ("row", by_row)):
        assert found.mixed is not None and set(found.mixed.names) == set(trial(10).columns)
        assert found.edge("age", "base").present > 0.9 and found.edge("base", "final").present > 0.9
        found.save(tmp_path / name)
        saved = SavedAnalysis(tmp_path / name)
        effects[name] = saved.effect("base", "final").to_frame()
        assert effects[name].equals(found.effect("base", "final").to_frame())
        assert abs(float(effects[name]["change"].iloc[0]) - 1) < 0.25
    assert by_site.report.summary[0].startswith("The 600 rows belong to 40 groups (site)")
    assert "weighted by w" in by_weights.report.summary[0]
    assert by_site.confidence.n_cases is not None and by_site.confidence.n_cases < 600
    assert by_weights.confidence.n_cases is not None and by_weights.confidence.n_cases < 600
    # Rows that tell less make the answer no surer.
    spread = {name: float((own["high"] - own["low"]).iloc[0]) for name, own in effects.items()}
    assert spread["weights"] > 0.9 * spread["row"] and spread["site"] > 0.9 * spread["row"]


def test_constraints_on_ancestors_find_a_source_that_obeys() -> None:
    known = Constraints(tuple(trial().columns), non_ancestors=[("final", "age")])
    found = quick(trial(400), constraints=known)
    assert found.main.recipe.source == "credible" and found.main.recipe.score["name"] == "bic-dg"
    assert "age" not in found.dag.descendants("final")


def with_gaps(rows: int = 500) -> pd.DataFrame:
    """The trial with a fifth of its bases missing where age is high, and some arms."""
    frame, rng = trial(rows), np.random.default_rng(5)
    frame.loc[(frame["age"] > 50) & (rng.random(rows) < 0.4), "base"] = np.nan
    frame.loc[rng.random(rows) < 0.1, "arm"] = None
    return frame


def test_gaps_of_numbers_are_completed_under_their_model(tmp_path: Path) -> None:
    found = quick(with_gaps(), impute="completions", completions=6)
    assert found.gaps is not None and found.main.recipe.gaps == "completions:6" and found.mixed_copies == 6
    assert found.confidence.filled is not None and found.confidence.filled.max() > 0.15
    present = {frozenset((e.first, e.second)): e.present for e in found.edges}
    assert present[frozenset(("age", "base"))] > 0.9 and present.get(frozenset(("age", "noise")), 0.0) < 0.5
    mixed = found.mixed
    assert mixed is not None and mixed.n_rows == 3000
    whole, seen = trial(500)["base"], with_gaps()["base"].notna()
    for copy in np.split(mixed.values[1], 6):
        assert np.allclose(copy[seen], whole[seen], atol=1e-12) and np.isin(copy, whole[seen]).all()
    spread = np.std(np.split(mixed.values[1][: 6 * 500], 6), axis=0)
    assert (spread[~seen] > 0).mean() > 0.95
    assert "the means and covariances of all columns" in found.report.to_text()
    found.save(tmp_path / "out")
    saved = SavedAnalysis(tmp_path / "out")
    assert saved.mixed_copies == 6
    here, there = (one.effect("age", "base") for one in (found, saved))
    assert here.to_frame().equals(there.to_frame())


@pytest.mark.parametrize("method", ["credible", "posterior"])
def test_other_methods_average_over_completions_of_numbers(method: str) -> None:
    found = quick(with_gaps(200), impute="completions", completions=4, method=method)
    assert found.confidence.completions >= 4 and found.main.recipe.score["name"] == "bic-dg"
    assert found.confidence.pair("base", "final").present > 0.9
    assert found.confidence.pair("age", "noise").present < 0.5


def test_numbers_beyond_the_training_data_are_told_of(analysis: Analysis) -> None:
    rows = trial().head(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        analysis.predict(rows, "final")
        analysis.predict(rows.assign(age=[trial()["age"].max() * 1.001, *rows["age"][1:]]), "final")  # by chance
    rows.loc[1, "age"] = 400.0
    with pytest.warns(
        DataWarning, match="Column 'age' is far beyond its range in the training data, .* in 1 row: "
    ) as told:
        analysis.predict(rows.assign(final=1e9), "final")
    assert len(told) == 1
