"""`learn`: the pieces are those of the stages, nothing depends on time, threads or place, and every choice is told."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis import LearnOptions, PreparationError, learn
from arcwise.analysis.folder import run_record
from arcwise.base.options import record_of
from arcwise.errors import DataError, OptionError
from arcwise.limits import Status

QUICK = {"permutations": 0, "compare": False}
CREDIBLE = {"method": "credible", **QUICK}


@pytest.fixture(scope="module")
def scale() -> arcwise.Analysis:
    return learn(datasets.load("balance-scale"), method="credible", seed=1)


@pytest.fixture(scope="module")
def boards() -> arcwise.Analysis:
    return learn(datasets.load("tic-tac-toe"), seed=1, permutations=0)


@pytest.fixture(scope="module")
def wines() -> arcwise.Analysis:
    return learn(datasets.load("wine"), **CREDIBLE)


def test_the_confidences_are_those_of_the_stages(boards: arcwise.Analysis) -> None:
    data = datasets.load("tic-tac-toe")
    networks = arcwise.bootstrap_networks(data, replicates=200, score="qnml", max_parents=4, seed=1)
    expected = arcwise.edge_confidence(networks)
    assert boards.main.title == "bootstrap, qNML"
    assert boards.main.credible is None
    assert boards.confidence.n_networks == networks.count == 200
    np.testing.assert_array_equal(boards.confidence.present, expected.present)
    np.testing.assert_array_equal(boards.confidence.directed, expected.directed)
    advice = arcwise.confidence.recommend(boards.confidence, metric="cost", alpha=1)
    assert boards.threshold == advice.threshold.value
    assert boards.consensus.dag == arcwise.consensus_network(expected, boards.threshold).dag
    assert boards.network == arcwise.fit_parameters(boards.dag, data, ess=1)


def test_the_confidences_of_a_credible_set_are_those_of_its_stages() -> None:
    data = datasets.load("tic-tac-toe")
    found = learn(data, max_parents=3, **CREDIBLE)
    table = arcwise.build_parent_sets(data, "qnml", slack=math.log(20), max_parents=3)
    networks = arcwise.find_credible(table, bayes_factor=20)
    expected = arcwise.edge_confidence(networks)
    assert found.main.title == "credible set, qNML"
    np.testing.assert_array_equal(found.confidence.present, expected.present)
    np.testing.assert_array_equal(found.confidence.directed, expected.directed)
    assert found.main.credible is not None
    assert found.main.credible.count == networks.count == 144
    assert found.main.credible.classes == 48


def test_each_edge_has_its_confidence_by_method_and_score(boards: arcwise.Analysis) -> None:
    data = datasets.load("tic-tac-toe")
    titles = [title for title, _ in boards.edges[0].by_method]
    assert titles == [
        "bootstrap, qNML",
        "credible set, qNML",
        "credible set, BDeu (ess 1)",
        "credible set, BIC",
        "bootstrap, BDeu (ess 1)",
        "bootstrap, BIC",
    ]
    again = arcwise.edge_confidence(arcwise.bootstrap_networks(data, replicates=200, score="bdeu:ess=1", seed=1))
    for edge in boards.edges[:10]:
        assert dict(edge.by_method)["bootstrap, BDeu (ess 1)"] == pytest.approx(
            again.pair(edge.first, edge.second).present
        )


def test_the_effect_and_the_prior_curve_are_those_of_the_data(scale: arcwise.Analysis) -> None:
    edge = scale.edge("left-weight", "class")
    frame = datasets.load("balance-scale").to_dataframe()
    expected = pd.crosstab(frame[edge.tail], frame[edge.head]).to_numpy()
    np.testing.assert_array_equal(edge.counts, expected)
    prior = edge.prior
    assert prior is not None
    given = [name for name in scale.dag.parents_of(edge.head) if name != edge.tail]
    assert list(prior.given) == given
    score = arcwise.scores.make_score("bdeu", ess=1)
    data = datasets.load("balance-scale")
    child, parents = data.index(edge.head), [data.index(name) for name in given]
    with_edge, without = score.score_families(
        data, [(child, (*parents, data.index(edge.tail))), (child, tuple(parents))]
    )
    at_one = int(np.argmin(np.abs(np.log(prior.ess))))
    assert prior.ess[at_one] == pytest.approx(1)
    assert prior.exact[at_one] == pytest.approx(with_edge - without)


def test_the_posterior_covered_is_a_share_of_all_dags() -> None:
    data = datasets.load("iris")
    facts = learn(data, score="bdeu:ess=1", **CREDIBLE).main.credible
    table = arcwise.build_parent_sets(data, "bdeu:ess=1", slack=math.inf)
    everything = arcwise.find_credible(table, log_slack=1e6)
    assert everything.count == 29_281
    assert facts is not None
    inside = everything.weights[everything.scores >= everything.opt - math.log(20) - 1e-9]
    assert facts.covered == pytest.approx(inside.sum(), rel=1e-9)
    assert facts.count == len(inside)
    assert facts.best_share == pytest.approx(inside.max() / inside.sum())


def test_averages_over_classes_are_those_over_their_members(
    wines: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, by_dag = datasets.load("wine"), wines
    monkeypatch.setattr("arcwise.confidence.averaging.MOST_DAGS", 10)
    monkeypatch.setattr("arcwise.findings.network_facts.MOST_DAGS", 10)
    by_class = learn(data, **CREDIBLE)
    np.testing.assert_allclose(by_class.confidence.directed, by_dag.confidence.directed, atol=1e-9)
    np.testing.assert_allclose(by_class.confidence.undirected, by_dag.confidence.undirected, atol=1e-9)
    assert by_class.confidence.n_networks == by_dag.confidence.n_networks
    assert by_class.main.credible is not None
    assert by_class.main.credible.by_class
    assert len(by_class.main.credible.deviations) == by_class.main.credible.classes
    monkeypatch.setattr("arcwise.confidence.averaging.MOST_CLASSES", 10)
    counted = learn(data, **CREDIBLE).confidence
    assert counted.orient == "dag"
    np.testing.assert_allclose(counted.present, by_dag.confidence.present, atol=1e-9)


def test_a_limit_of_memory_says_what_helps_and_chooses_no_other_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.analysis.run.MEMORY", 200_000)
    data = datasets.load("breast-cancer")
    found = learn(data, **CREDIBLE)
    assert found.status is Status.MEMORY_LIMIT and found.main.asked is not None
    assert re.search(r"not complete.*--max-parents \d.*--method bootstrap", found.remarks[0].text)
    known = arcwise.Constraints(data.names, ancestors=[data.names[:2]])
    obeying = learn(data, constraints=known, **QUICK)  # bootstraps do not obey, a best network does
    assert obeying.main.recipe.source == "optimum" and not known.violations(obeying.dag)
    assert "credible set" in next(remark.text for remark in obeying.remarks if "not complete" in remark.text)


def test_a_limit_of_time_is_a_status() -> None:
    data = datasets.load("breast-cancer")
    analysis = learn(data, method="bootstrap", replicates=1_000_000, limit_seconds=1.5, **QUICK)
    assert analysis.status is Status.TIME_LIMIT
    assert not analysis.complete
    assert 0 < analysis.confidence.n_networks < 1_000_000
    assert any("not complete" in remark.text for remark in analysis.remarks)


def test_costs_and_thresholds() -> None:
    data = datasets.load("iris")
    careful = learn(data, missed_edge_cost=1 / 3, rule="cost", **QUICK)
    assert careful.threshold == pytest.approx(0.75)
    assert careful.thresholds.by_cost[20] == pytest.approx(0.5)
    for rule in ("calibrated", "learned"):
        made = learn(data, missed_edge_cost=1 / 3, rule=rule, **QUICK)
        advice = arcwise.confidence.recommend(made.confidence, metric="cost", alpha=1 / 3, rule=rule)
        assert (made.threshold, advice.threshold.rule) == (advice.threshold.value, rule)
        assert made.thresholds.by_cost[20] == arcwise.confidence.recommend(
            made.confidence, metric="cost", rule=rule
        ).threshold.value  # fmt: skip
    assert learn(data, threshold=0.9, **QUICK).threshold == 0.9
    broom = learn(data, compare=False, seed=2)
    labels = [mark.label for mark in broom.thresholds.marks]
    assert labels == ["calibrated", "learned", "cost", "Scutari", "Gross", "Broom"]
    with pytest.raises(OptionError, match="threshold=2 must be a number from 0 to 1"):
        learn(data, threshold=2, **QUICK)
    with pytest.raises(OptionError, match="missed_edge_cost"):
        learn(data, missed_edge_cost=0)
    with pytest.raises(OptionError, match="unknown method 'bootstap'; did you mean 'bootstrap'"):
        learn(data, method="bootstap")
    with pytest.raises(OptionError, match="unknown option 'treshold'; did you mean 'threshold'"):
        learn(data, treshold=0.5)


def test_data_without_dependence_have_no_edge() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, size=(400, 4)), columns=list("abcd"))
    analysis = learn(frame, seed=1)
    assert analysis.dag.n_arcs == 0
    assert "These data show no dependence between the variables" in analysis.report.summary[0]
    assert "<svg" in analysis.to_html()
    assert "show no dependence" in analysis.to_text()


def test_two_variables_are_enough() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 30, "b": ["u", "v"] * 28 + ["u", "u", "v", "v"]})
    analysis = learn(frame)
    assert analysis.dag.n_arcs == 1
    assert analysis.edges[0].fate == "undirected"
    assert "Its direction is unknown" in analysis.explain("b", "a")
    with pytest.raises(OptionError, match="unknown variable 'c'"):
        analysis.edge("a", "c")


def test_an_explanation_says_what_was_found(scale: arcwise.Analysis) -> None:
    text = scale.explain("class", "right-distance")
    assert text.startswith("An edge joins class and right-distance in every one of the")
    assert "All 5 other methods agree" in text
    assert "Its direction is unknown: " in text and "fit either way" in text
    # The consensus is a member of the credible class: class -> the others, for the opposite would make v-structures.
    assert "of those with class = L, 34%." in text
    assert "It does not depend on the prior: BDeu supports class → right-distance" in text


def test_that_there_is_no_edge_is_explained_too(scale: arcwise.Analysis) -> None:
    finding = scale.edge("right-weight", "left-weight")
    assert (finding.first, finding.second, finding.fate) == ("left-weight", "right-weight", "below")
    assert finding.present == scale.confidence.pair("left-weight", "right-weight").present == 0
    text = scale.explain("right-weight", "left-weight")
    assert text.startswith("No edge joins left-weight and right-weight in any of the")
    assert "can still be related" in text
    with pytest.raises(OptionError, match="did you mean 'left-weight'"):
        scale.explain("left-wieght", "class")


def test_constraints_and_parent_limits_hold(scale: arcwise.Analysis) -> None:
    data = datasets.load("balance-scale")
    forbidden = arcwise.Constraints(data.names, forbidden=[("left-weight", "class"), ("class", "left-weight")])
    analysis = learn(data, constraints=forbidden, **QUICK)
    assert analysis.confidence.pair("left-weight", "class").present == 0
    limited = learn(data, max_parents=1, **QUICK)
    assert max(len(parents) for parents in limited.dag.parents) <= 1


class TestPreparation:
    @pytest.fixture
    def raw(self) -> pd.DataFrame:
        rng = np.random.default_rng(1)
        size = rng.normal(size=120)
        frame = pd.DataFrame(
            {
                "id": [f"patient {k}" for k in range(120)],
                "size": size,
                "kind": np.where(size + rng.normal(size=120) > 0, "large", "small"),
                "site": "north",
                "grade": rng.choice(["1", "2", "3"], size=120),
            }
        )
        frame.loc[3:6, "grade"] = None
        return frame

    def test_the_proposal_names_every_obstacle_and_its_remedy(self, raw: pd.DataFrame) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(raw)
        assert "discretize" not in str(caught.value)  # numbers are taken as they are
        with pytest.raises(PreparationError) as caught:
            learn(raw, numbers="cut")
        message = str(caught.value)
        for part in ("column 'site' has fewer", "drop=['site']", "column 'id' is different", "drop=['id']"):
            assert part in message
        for part in (
            "4 values are missing in column 'grade' (4 of",
            "(impute='completions').",
            "discretize='quantile'",
            "agree=True",
        ):
            assert part in message
        assert message.endswith("choose: learn(..., drop=['site', 'id'], impute='completions', discretize='quantile')")
        assert "--" not in message  # the command line spells it its own way

    def test_a_running_number_is_an_identifier(self) -> None:
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {
                "row": rng.permutation(60) + 1001,  # every whole number once
                "dose": np.arange(60) * 2,  # whole numbers, but with gaps: a measurement for all we know
                "ill": ["yes", "no"] * 30,
            }
        )
        with pytest.raises(PreparationError) as caught:
            learn(frame, numbers="cut")
        assert "column 'row' is different in almost every row: an identifier" in str(caught.value)
        assert "column 'dose' holds numbers" in str(caught.value)
        assert learn(frame, agree=True, **QUICK).data.names == ("dose", "ill")

    def test_numbers_with_gaps_are_identifiers_unless_kept(self) -> None:
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {
                "customer": np.cumsum(rng.integers(1, 5, 90)),  # 1, 2, 5, 9, ...
                "year": np.repeat(np.arange(1990, 2020), 3),  # no gap, but every year thrice
                "ill": rng.choice(["yes", "no"], 90),
            }
        )
        with pytest.raises(PreparationError) as caught:
            learn(frame, numbers="cut")
        message = str(caught.value)
        assert "column 'customer' is different in almost every row: an identifier, not a variable" in message
        assert "'customer' has 90 whole numbers from 2 to" in message
        assert "(drop=['customer'])" in message
        assert "keep=['customer']." in message
        assert message.endswith("agree=True, or choose: learn(..., drop=['customer'], discretize='quantile')")
        assert "'year'" in message.split("holds numbers", 1)[0].splitlines()[-1]
        dropped = learn(frame, agree=True, **QUICK)
        assert dropped.data.names == ("year", "ill")
        assert "whole numbers" in dropped.steps[0]
        kept = learn(frame, agree=True, keep="customer", **QUICK)
        assert kept.data.names == ("customer", "year", "ill")
        assert kept.data.arities.tolist() == [3, 3, 2]
        assert kept.mixed is not None and [str(kind) for kind in kept.mixed.kinds] == ["number", "number", "nominal"]
        assert "keep=('customer',)" in run_record(kept)["command"]
        with pytest.raises(DataError, match="keep= names the unknown column 'custmer'"):
            learn(frame, keep=["custmer"])

    def test_a_column_that_is_kept_but_constant_is_left_out(self) -> None:
        frame = pd.DataFrame({"town": ["x"] * 60, "a": ["x", "y"] * 30, "ill": ["no", "no", "yes"] * 20})
        for named in ({"keep": ["town"]}, {"categories": ["town"]}, {"keep": ["town"], "drop": ["town"]}):
            assert learn(frame, agree=True, **named, **QUICK).data.names == ("a", "ill")

    def test_a_name_with_brackets_is_told_whole(self) -> None:
        frame = pd.DataFrame({"id (old)": np.arange(60) + 7, "a": ["x", "y"] * 30, "ill": ["no", "no", "yes"] * 20})
        step = learn(frame, agree=True, **QUICK).steps[0]
        assert step == (
            "Left out column 'id (old)', different in almost every row "
            "('id (old)' has 60 whole numbers from 7 to 66, none of them twice)."
        )

    def test_text_that_is_kept_is_a_category(self) -> None:
        frame = pd.DataFrame({"town": [f"t{k % 25}" for k in range(120)], "ill": ["yes", "no"] * 60})
        assert learn(frame, keep=["town"], **QUICK).data.arities.tolist() == [25, 2]
        with pytest.raises(PreparationError, match="no column is learned from"):
            learn(frame.assign(town=[f"t{k % 50}" for k in range(120)]), keep=["town"], **QUICK)

    def test_one_name_is_not_its_letters(self, raw: pd.DataFrame) -> None:
        assert learn(raw[["kind", "site", "grade"]].dropna(), drop="site", **QUICK).data.names == ("kind", "grade")

    def test_no_rows_and_an_unknown_target_are_refused(self, raw: pd.DataFrame) -> None:
        with pytest.raises(DataError, match="there are no rows"):
            learn(raw.head(0), agree=True)
        with pytest.raises(DataError, match="target= names the unknown column 'knd'; did you mean 'kind'"):
            learn(raw, discretize="mdl", target="knd", agree=True)

    def test_agreed_it_is_done_and_told(self, raw: pd.DataFrame) -> None:
        analysis = learn(raw, agree=True, numbers="cut", **QUICK)
        assert analysis.data.names == ("size", "kind", "grade")
        assert len(analysis.data.states[0]) == 3
        assert len(analysis.steps) == 4
        assert all(step in analysis.to_html().replace("&#39;", "'") for step in analysis.steps)
        # What was proposed can be asked for by name.
        again = learn(raw, drop=("id", "site"), impute="completions", discretize="quantile", **QUICK)
        assert again.data.digest == analysis.data.digest

    def test_options_answer_only_what_they_say(self, raw: pd.DataFrame) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(raw, impute="mode", drop=["id", "site"], numbers="cut")
        assert "numbers with more than 20" in str(caught.value)
        assert "missing" not in str(caught.value)
        analysis = learn(raw, impute="drop", drop=["id", "site"], discretize="mdl", target="kind", **QUICK)
        assert analysis.data.n_cases == 116
        with pytest.raises(OptionError, match="unknown discretize 'halves'"):
            learn(raw, agree=True, discretize="halves")
        with pytest.raises(DataError, match="did you mean 'site'"):
            learn(raw, drop=["sit"], agree=True)

    def test_a_data_set_needs_no_preparation(self) -> None:
        data = datasets.load("iris")
        with pytest.raises(OptionError, match="a Dataset is complete and discrete"):
            learn(data, impute="knn")
        assert learn(data, drop=["species"], **QUICK).data.n_variables == 4

    def test_files_of_any_format(self, tmp_path: Path) -> None:
        datasets.load("iris").to_file(tmp_path / "flowers.csv")
        analysis = learn(tmp_path / "flowers.csv", **QUICK)
        assert analysis.name == "flowers.csv"
        assert analysis.data.digest == datasets.load("iris").digest


def test_options_are_an_object_or_keywords() -> None:
    data = datasets.load("iris")
    options = LearnOptions(method="bootstrap", replicates=10, **QUICK)
    assert learn(data, options).confidence.n_networks == 10
    assert learn(data, options, replicates=5).confidence.n_networks == 5
    assert "bayes_factor" in str(learn.__signature__)  # type: ignore[attr-defined]
    assert "how many extra edges a missed edge costs you" in (learn.__doc__ or "").lower()


def test_a_confidence_carries_its_recipe(boards: arcwise.Analysis, tmp_path: Path) -> None:
    recipe = boards.confidence.recipe
    assert recipe is not None
    assert (recipe.source, recipe.score, recipe.max_parents) == ("bootstrap", {"name": "qnml"}, 4)
    boards.confidence.save(tmp_path / "c.parquet")
    assert arcwise.confidence.EdgeConfidence.load(tmp_path / "c.parquet").recipe == recipe


def test_cut_offs_of_another_recipe_are_warned_of(boards: arcwise.Analysis) -> None:
    """The thesis' cut-offs were learned at Bayes factor 150; probabilities, and cut-offs learned anew, at 20."""
    assert not [remark for remark in boards.remarks if "made differently" in remark.text]
    usual = learn(datasets.load("iris"), rule="learned", **CREDIBLE)
    assert not [remark for remark in usual.remarks if "made differently" in remark.text]
    other = learn(datasets.load("iris"), rule="learned", bayes_factor=50, **CREDIBLE)
    (warning,) = [remark.text for remark in other.remarks if "made differently" in remark.text]
    assert "(the Bayes factor: 50 here, 150 there)" in warning  # 100,000 networks at most would have been all, too
    assert warning in other.to_text(width=10_000)
    thesis = {"method": "bootstrap", "score": "bdeu:ess=1", "settings": ["refine=0", "draws=replacement"]}
    same = learn(datasets.load("iris"), rule="learned", **thesis, **QUICK)
    assert not [remark for remark in same.remarks if "made differently" in remark.text]
    wide = learn(datasets.load("iris"), bayes_factor=150, **CREDIBLE)
    (doubt,) = [remark.text for remark in wide.remarks if "made differently" in remark.text]
    assert "(the Bayes factor: 150 here, 20 there)" in doubt


def test_a_score_that_finds_as_much_in_shuffled_columns_is_named() -> None:
    """With 625 cases and tables of as many cells, the best networks by qNML have four edges whatever the data.

    Those by BDeu have not, and resampled data are not sure of any edge between shuffled columns.
    """
    data = datasets.load("balance-scale")
    shuffled = data.permute_columns(np.random.default_rng(5))
    for given, method, score, doubtful in (
        (data, "credible", "qnml", True),
        (data, "credible", "bdeu", False),
        (data, "bootstrap", "qnml", False),
        (shuffled, "bootstrap", "qnml", True),
    ):
        found = learn(given, method=method, score=score, max_parents=4, seed=1, compare=False, permutations=20)
        warnings = "Beware: with this method and score", "These data show no dependence"
        assert any(warning in found.to_text() for warning in warnings) is doubtful


def test_data_without_dependence_have_few_edges() -> None:
    """Without a limit of parents, qNML finds about 20 edges in the shuffled columns of tic-tac-toe."""
    data = datasets.load("tic-tac-toe").permute_columns(np.random.default_rng(5))
    assert learn(data, seed=1, **CREDIBLE).confidence.vector.sum() < 2
    assert learn(data, seed=1, max_parents=9, **CREDIBLE).confidence.vector.sum() > 10
    assert learn(data, seed=1, **QUICK).dag.n_arcs == 0  # resampled columns do seem to depend, but not alike


def test_options_take_one_form() -> None:
    options = LearnOptions(threshold=np.float64(0.3), max_parents=np.int64(2), replicates=50.0, limit_seconds=None)
    assert options.command_words() == [
        *("--replicates", "50", "--max-parents", "2", "--threshold", "0.3", "--limit-seconds", "none")
    ]
    assert record_of(options)["max_parents"] == 2
    for wrong in ({"compare": "no"}, {"replicates": 2.5}, {"seed": -1}, {"limit_seconds": 0}, {"settings": ["x"]}):
        with pytest.raises(OptionError):
            learn(datasets.load("iris"), **wrong, **({} if "compare" in wrong else QUICK))
    with pytest.raises(OptionError, match="unknown setting 'lerner'; did you mean 'learner'"):
        learn(datasets.load("iris"), settings={"lerner": "exact"})
    made = learn(
        datasets.load("iris"), method="bootstrap", replicates=5, settings={"learner": "hill-climbing"}, **QUICK
    )
    assert made.main.recipe.settings["learner"] == "hill-climbing"


def test_a_limit_of_parents_in_the_constraints_is_the_limit() -> None:
    data = datasets.load("balance-scale")
    wide = learn(data, constraints=arcwise.Constraints(data.names, max_parents=3), **CREDIBLE)
    assert wide.main.recipe.max_parents == 3  # as qNML has it here if nobody says anything
    assert "complete among networks with at most 3 parents per variable" in wide.to_text(width=10_000)
    known = arcwise.Constraints(data.names, forbidden=[("class", "left-weight")], max_parents=1)
    narrow = learn(data, constraints=known, **CREDIBLE)
    text = narrow.to_text(width=10_000)
    assert "complete among networks with at most 1 parent per variable that satisfy the constraints" in text
    assert "of all networks with at most 3 parents" in learn(data, **CREDIBLE).to_text(width=10_000)
    resampled = learn(data, constraints=known, replicates=20, **QUICK)
    assert resampled.main.recipe.max_parents == 1
    assert resampled.main.kept is not None
    assert all(len(parents) <= 1 for dag in resampled.main.kept.networks for parents in dag.parents)
    assert "with at most 1 parent per variable" in resampled.to_text(width=10_000)


def test_what_could_be_counted_but_not_listed_is_averaged_from_its_counts(
    wines: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, whole = datasets.load("wine"), wines.confidence

    def no_time(*arguments: object, **options: object) -> object:
        raise OptionError("no network was listed (time limit); allow more time.")

    monkeypatch.setattr("arcwise.confidence.averaging.average_over_classes", no_time)
    counted = learn(data, method="credible", **QUICK)
    assert counted.main.confidence is not None
    assert counted.confidence.orient == "dag"
    assert counted.confidence.complete
    np.testing.assert_allclose(counted.confidence.present, whole.present, atol=1e-9)
