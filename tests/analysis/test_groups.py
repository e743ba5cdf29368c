"""What an analysis says where rows belong together, and where they have survey weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise import Analysis, Dataset, learn
from arcwise.analysis import open as open_analysis
from arcwise.base.errors import ConstraintError, DataError, OptionError
from arcwise.base.run import Run
from arcwise.confidence.chance import find_chance
from arcwise.effects.effect import marginal_moments
from arcwise.evaluate import cross_validate
from arcwise.report.explanation import explain_folder
from arcwise.scores import make_score

QUICK: dict[str, Any] = {"compare": False, "progress": False, "seed": 1, "replicates": 40}


def tripled(rows: int = 120, seed: int = 0) -> pd.DataFrame:
    """a - b, and four columns of noise; every row three times, with the patient that it is of."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 6))
    codes[:, 1] = np.where(rng.random(rows) < 0.8, codes[:, 0], codes[:, 1])
    frame = pd.DataFrame(np.repeat(codes, 3, axis=0), columns=list("abcdef")).astype(str)
    return frame.assign(who=np.repeat([f"p{k}" for k in range(rows)], 3))


def run(frame: pd.DataFrame, **options: Any) -> Analysis:
    return learn(frame, **QUICK, **{"numbers": "cut", **options})


@pytest.fixture(scope="module")
def found() -> Analysis:
    return run(tripled(), groups="who")


@pytest.fixture(scope="module")
def once() -> Analysis:
    return run(tripled().iloc[::3].drop(columns="who"))


def test_copies_tell_no_more_than_the_rows_they_are_copies_of(found: Analysis, once: Analysis) -> None:
    told = {e: found.edge(*e).present for e in (("a", "b"), ("c", "d"), ("e", "f"))}
    for pair, present in told.items():
        assert present == pytest.approx(once.edge(*pair).present, abs=0.3)
    assert found.edge("a", "b").present == 1.0
    assert found.confidence.n_cases == 120
    assert found.main.recipe.max_parents == once.main.recipe.max_parents


def test_the_report_says_first_what_rows_are_worth(found: Analysis) -> None:
    first = found.report.summary[0]
    assert first.startswith(
        "The 360 rows belong to 120 groups (who) and tell as much as 120 independent ones (design effect 3)"
    )
    assert "who" not in found.data.names


def test_few_groups_are_told() -> None:
    frame = tripled(60).assign(who=[f"p{k // 20}" for k in range(180)])
    assert "9 groups say little about groups that were not seen" in run(frame, groups="who").report.summary[0]


def test_a_folder_keeps_groups(found: Analysis, tmp_path: Path) -> None:
    found.save(tmp_path / "out")
    saved = open_analysis(tmp_path / "out")
    assert saved.data.digest == found.data.digest
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["groups"] == 120
    assert record["data"]["effective_cases"] == 120
    assert record["options"]["groups"] == "who"
    assert "groups='who'" in record["command"]
    mine, theirs = found.effect("a", "b"), saved.effect("a", "b")
    assert mine.set_to.high.tolist() == theirs.set_to.high.tolist()


def test_effects_are_as_sure_as_the_rows_are_worth(found: Analysis, once: Analysis) -> None:
    width, of_rows = (
        float(np.nanmean(one.set_if_effect.high - one.set_if_effect.low))
        for one in (made.effect("a", "b") for made in (found, once))
        if one.set_if_effect is not None
    )
    assert width == pytest.approx(of_rows, rel=0.1)
    data = read_frame(tripled())
    spread, alone = (marginal_moments(one, 0, 1.0, 1).variance for one in (data, data.with_groups(None)))
    assert spread == pytest.approx(3 * alone, rel=0.02)


def test_groups_are_held_out_as_wholes() -> None:
    data = read_frame(tripled())
    seen: list[int] = []

    class Guess:
        def predict_proba(self, rows: Any, target: str) -> Any:
            assert rows.design is not None
            assert rows.n_rows == 3 * rows.design.n_groups
            return np.full((rows.n_rows, 3), 1 / 3)

    def learner(training: Any, fold: int) -> Any:
        seen.append(training.n_rows)
        assert training.n_rows == 3 * training.design.n_groups
        return Guess()

    scores = cross_validate(learner, data, "a", folds=5)
    assert scores.n_cases == 360
    assert seen == [288] * 5
    with pytest.raises(OptionError, match="from 2 to 120, the number of groups"):
        cross_validate(learner, data, "a", folds=200)


def read_frame(frame: pd.DataFrame) -> Dataset:
    return Dataset.from_dataframe(frame, groups="who")


def test_chance_is_what_groups_show() -> None:
    # Columns that are alike within groups and otherwise independent: shuffled row by row, they would show more.
    score, beyond = make_score("qnml"), 0
    for seed in range(6):
        codes = np.repeat(np.random.default_rng(seed).integers(0, 3, (60, 5)), 10, axis=0)
        frame = pd.DataFrame(codes, columns=list("abcde")).astype(str).assign(who=np.repeat(np.arange(60), 10))
        data = read_frame(frame)
        grouped, alone = (find_chance(one, score, Run(seed=seed)) for one in (data, data.with_groups(None)))
        assert grouped is not None
        assert alone is not None
        beyond += grouped.is_exceeded  # with probability 1 / 20
        assert alone.is_exceeded
    assert beyond <= 1


def test_the_fit_counts_what_rows_are_worth(found: Analysis) -> None:
    fit = found.check_fit(replicates=0)
    assert fit.n_cases == 120


def test_gaps_and_cuts_go_with_groups() -> None:
    frame = tripled(80)
    rng = np.random.default_rng(5)
    frame["g"] = np.repeat(rng.normal(size=80), 3)
    frame.loc[rng.choice(240, 12, replace=False), "c"] = None
    made = run(frame, groups="who", impute="completions", discretize="quantile", recut=True, completions=2)
    assert made.confidence.n_cases is not None
    assert 75 <= made.confidence.n_cases <= 85
    assert made.confidence.n_networks == 40
    assert made.effect("a", "b") is not None


def test_a_folder_answers_as_before_where_numbers_have_gaps_and_groups(tmp_path: Path) -> None:
    """How alike the rows of a group are is another number where numbers are cut."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(20), 8)
    weight = rng.normal(size=160) + rng.normal(size=20)[site]
    frame = pd.DataFrame(
        {"weight": weight, "price": 2 * weight + rng.normal(size=160), "site": [f"s{k}" for k in site]}
    )
    frame.loc[rng.random(160) < 0.05, "weight"] = np.nan
    before = learn(frame, groups="site", completions=4, agree=True, **QUICK)
    before.save(tmp_path / "folder")
    after = open_analysis(tmp_path / "folder")
    assert before.mixed is not None
    assert after.mixed is not None
    assert after.mixed.n_effective == before.mixed.n_effective
    assert after.effect("weight", "price").to_frame().equals(before.effect("weight", "price").to_frame())


def test_the_option_is_for_raw_data() -> None:
    with pytest.raises(OptionError, match=r"data.with_groups"):
        learn(read_frame(tripled()), groups="who", **QUICK)
    with pytest.raises(DataError, match="names the unknown column 'whom'"):
        run(tripled(), groups="whom")


# ---- Surveys


def selected(seed: int = 3) -> pd.DataFrame:
    """a -> d, and b and e by themselves; rows in which a and b agree were drawn three times as often."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, 90_000))
    d, e = np.where(rng.random(90_000) < 0.75, a, 1 - a), rng.integers(0, 3, 90_000)
    chance = np.where(a == b, 0.012, 0.004)
    frame = pd.DataFrame({"a": a, "b": b, "d": d, "e": e}).astype(str).assign(w=1 / chance)
    return frame[rng.random(90_000) < chance]


@pytest.fixture(scope="module")
def weighted() -> Analysis:
    return run(selected(), weights="w")


def test_an_edge_that_selection_made_goes_with_the_weights(weighted: Analysis) -> None:
    unweighted = run(selected().drop(columns="w"))
    assert unweighted.edge("a", "b").present > 0.95
    assert weighted.edge("a", "b").present < 0.4
    assert not weighted.edge("a", "b").fate.in_network
    assert weighted.edge("a", "d").present > 0.95
    # Of the population, 1/2 and 3/4 are; of the rows, b is like a in three of four.
    tables = dict(zip(weighted.network.names, weighted.network.tables, strict=True))
    assert tables["b"].ravel() == pytest.approx([0.5, 0.5], abs=0.06)


def test_the_report_says_first_what_weighted_rows_are_worth(weighted: Analysis) -> None:
    rows, effective = weighted.data.n_cases, weighted.data.n_effective
    assert weighted.report.summary[0].startswith(
        f"The {rows:,} rows are weighted by w and tell as much as {effective:,} independent ones (design effect 1.3)"
    )
    assert weighted.confidence.n_cases == effective
    assert "Weighed rows by column 'w'." in weighted.prepared.steps


def test_a_folder_keeps_survey_weights(weighted: Analysis, tmp_path: Path) -> None:
    weighted.save(tmp_path / "out")
    saved = open_analysis(tmp_path / "out")
    assert saved.data.digest == weighted.data.digest
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["survey"] == "w"
    assert record["data"]["effective_cases"] == weighted.data.n_effective
    assert "weights='w'" in record["command"]
    assert saved.effect("a", "d").set_to.mean.tolist() == weighted.effect("a", "d").set_to.mean.tolist()


def test_every_way_takes_survey_weights() -> None:
    frame = selected().iloc[:250]
    weights = frame["w"].to_numpy()
    replicates = np.random.default_rng(1).multinomial(250, [1 / 250] * 250, size=8) * weights
    many = frame.assign(**{f"rep{k}": own for k, own in enumerate(replicates)}, who=np.arange(250) // 2)
    gappy = frame.copy()
    gappy.loc[gappy.index[:9], "e"] = None
    numbers = frame.assign(x=np.random.default_rng(2).normal(size=250))
    for data, options in (
        (many.drop(columns="who"), {"replicate_weights": ["rep*"]}),
        (many[[*frame.columns, "who"]], {"groups": "who"}),
        (gappy, {"impute": "completions", "completions": 2}),
        (numbers, {"recut": True, "discretize": "quantile"}),
        (numbers, {"numbers": "as-they-are"}),
        (frame, {"method": "credible"}),
        (frame, {"method": "search"}),
    ):
        made = run(data, weights="w", **options)
        assert 150 <= (made.confidence.n_cases or 0) <= 210, options
        assert made.edge("a", "d").present > 0.9
        assert made.data.names == tuple(n for n in data.columns if n not in ("w", "who") and not n.startswith("rep"))


def test_chance_is_what_weighted_rows_show() -> None:
    score, beyond = make_score("qnml"), 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        data = Dataset.from_codes(rng.integers(0, 3, (150, 5))).with_survey(np.exp(rng.normal(0, 1, 150)))
        found = find_chance(data, score, Run(seed=seed))
        assert found is not None
        beyond += found.is_exceeded  # with probability 1 / 20
    assert beyond <= 2


# Rows from several sites.


def from_sites(seed: int = 3) -> pd.DataFrame:
    """x - y with the opposite sign in every other hospital; x and z differ between hospitals alone; u is noise."""
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 5, 600)
    level = 0.2 + 0.15 * site
    x, z = rng.random(600) < level, rng.random(600) < level
    y = rng.random(600) < np.where(x == (site % 2 == 1), 0.8, 0.2)
    columns = {"x": x, "y": y, "z": z, "u": rng.random(600) < 0.5}
    frame = pd.DataFrame({name: np.where(own, "yes", "no") for name, own in columns.items()})
    return frame.assign(hospital=[f"H{k}" for k in site])


@pytest.fixture(scope="module")
def sites() -> Analysis:
    return run(from_sites(), site="hospital", numbers="auto")


def test_sites_share_a_structure_and_not_their_tables(sites: Analysis) -> None:
    assert sites.edge("x", "y").present > 0.95
    assert sites.edge("x", "z").present < 0.5
    assert all(sites.edge("hospital", name).present == 1.0 for name in "xyzu")
    pooled = run(from_sites().drop(columns="hospital"))
    assert pooled.edge("x", "y").present < 0.5  # the signs cancel
    assert pooled.edge("x", "z").present > 0.5  # levels that differ look like an edge
    assert any("5 values of column 'hospital' for sites" in step for step in sites.prepared.steps)


def test_the_report_says_in_how_many_sites_an_edge_holds(sites: Analysis, tmp_path: Path) -> None:
    assert sites.edge("x", "y").sites == "5 of 5"
    assert sites.edge("x", "hospital").sites == ""
    sites.save(tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "edges.csv", index_col=["first", "second"])
    assert table.loc[("x", "y"), "sites"] == "5 of 5"
    assert "alone show it" in " ".join(explain_folder(tmp_path / "out", [("x", "y")])[0].sentences)


def test_what_the_score_of_sites_needs_is_no_word_of_the_analyst(sites: Analysis) -> None:
    """Without other constraints nothing is learned a second time, and no edge is owed to what was said."""
    assert sites.without_constraints is None
    assert sites.edge("x", "y").origin.is_found
    assert "contradict your constraints" not in str(sites.report)
    told = run(from_sites(), site="hospital", numbers="auto", forbidden=["x--y"])
    assert told.edge("x", "y").present == 0
    assert told.without_constraints is not None
    assert told.without_constraints.confidence.pair("x", "y").absent < 0.05  # type: ignore[union-attr]
    assert told.without_constraints.confidence.pair("x", "hospital").absent == 0  # type: ignore[union-attr]


def test_tables_of_sites_are_drawn_towards_each_other(sites: Analysis) -> None:
    from arcwise.model import fit_parameters

    score = sites.main.recipe.scorer
    dag, data = sites.network.dag, sites.data
    expected = fit_parameters(dag, data, estimator="sites", site="hospital", ess=5 * score.alike)  # type: ignore[attr-defined]
    for one, other in zip(sites.network.tables, expected.tables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_by_sites_is_repeated_by_its_command(sites: Analysis) -> None:
    words = sites.options.command_words()
    assert words[words.index("--site") + 1] == "hospital"
    assert "--score" not in words
    again = learn(from_sites(), sites.options, progress=False)
    np.testing.assert_array_equal(again.confidence.present, sites.confidence.present)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"site": "ward"}, DataError, "ward"),
        ({"site": "hospital", "score": "bic"}, OptionError, "score of its own"),
        ({"site": "hospital", "numbers": "as-they-are"}, OptionError, "score of its own"),
        ({"site": "hospital", "required": ["x->hospital"]}, ConstraintError, "hospital -> x is required"),
    ],
)
def test_mistakes_about_sites_are_told(options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        run(from_sites(), **{"numbers": "auto", **options})
