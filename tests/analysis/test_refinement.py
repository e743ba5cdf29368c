"""The answer first: a first result is given out, more is added to it, and stopping keeps what is finished."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis import additions, answer, learning
from arcwise.analysis import run as learn_run
from arcwise.analysis.folder import run_record
from arcwise.analysis.learning import learn_prepared
from arcwise.analysis.run import LearnRun, begin_run
from arcwise.base.progress import RunLine, run_line
from arcwise.base.run import Limits, Run
from arcwise.bootstrap.journal import Replicate
from arcwise.bootstrap.task import ReplicateTask
from arcwise.confidence.rules import l1_distance, scutari_threshold
from arcwise.data import Dataset
from arcwise.findings.method_result import Shortfall
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import open_table, prepare
from arcwise.limits import Status
from arcwise.local import hill_climb
from arcwise.progress import ProgressEvent
from arcwise.report.explanation import explain_folder
from arcwise.report.remarks import sample_remark, single_remark
from arcwise.sampled.completions import Completions

OPTIONS = LearnOptions(seed=1, permutations=0, replicates=30)


def learned(seen: list[arcwise.Analysis] | None = None, **changes: Any) -> arcwise.Analysis:
    options = replace(OPTIONS, **changes)
    prepared = prepare(datasets.load("balance-scale"), options)
    given = None if seen is None else seen.append
    return learn_prepared(prepared, options, progress=False, on_result=given)


@pytest.fixture(scope="module")
def whole() -> arcwise.Analysis:
    return learned()


def test_millions_of_values_have_a_draft_from_the_first_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_run, "LONG_VALUES", 3000)  # 625 cases of 5 variables
    seen: list[arcwise.Analysis] = []
    asked: list[int] = []
    learn = ReplicateTask.learn

    def counted(task: ReplicateTask, index: int, seconds: float | None = None) -> Replicate | None:
        asked.append(index)
        return learn(task, index, seconds)

    monkeypatch.setattr(ReplicateTask, "learn", counted)
    last = learned(seen, replicates=60, compare=False, permutations=0)
    assert sorted(asked) == list(range(60))  # those of the draft are not learned again
    plain = learned(replicates=60, compare=False, permutations=0)
    draft = seen[0]
    assert draft.main.count == 20 and last.main.count == 60
    assert draft.main.kept is not None and last.main.kept is not None
    assert [dag.parents for dag in draft.main.kept.networks] == [dag.parents for dag in last.main.kept.networks][:20]
    assert draft.status is Status.INTERRUPTED
    assert any("60 networks in place of 20" in remark.text for remark in draft.remarks)
    assert draft.to_html()
    assert last.to_html() == plain.to_html()
    seen.clear()
    learned(seen, replicates=60, compare=False, method="credible")
    assert all("in place of" not in remark.text for one in seen for remark in one.remarks)


def stopped_behind_a_draft(
    monkeypatch: pytest.MonkeyPatch, at: int, *, twice: bool = False, data: Any = None, **changes: Any
) -> tuple[arcwise.Analysis, arcwise.Analysis]:
    """Learn 60 networks with a draft of 20, and press Ctrl-C while number `at` is learned; return both results."""
    seen: list[arcwise.Analysis] = []
    learn = ReplicateTask.learn
    data = datasets.load("balance-scale") if data is None else data

    def interrupted(task: ReplicateTask, index: int, seconds: float | None = None) -> Replicate | None:
        if index >= at and seen:
            raise KeyboardInterrupt
        return learn(task, index, seconds)

    def again(event: ProgressEvent) -> None:
        if twice and "learned until now" in event.stage:
            raise KeyboardInterrupt

    options = replace(OPTIONS, replicates=60, threads=1, **changes)
    with monkeypatch.context() as patch:
        patch.setattr(learn_run, "LONG_VALUES", 1)
        patch.setattr(ReplicateTask, "learn", interrupted)
        found = learn_prepared(prepare(data, options), options, progress=again, on_result=seen.append)
    assert len(seen) == 1 and seen[0].main.count == 20
    assert found.status is Status.INTERRUPTED and not any("Still to come" in remark.text for remark in found.remarks)
    return seen[0], found


def stopped_before(found: arcwise.Analysis) -> str:
    """Return what was not computed, as a result says it."""
    begin = "You stopped the run before these were computed: "
    (text,) = [remark.text for remark in found.remarks if remark.text.startswith(begin)]
    return text.removeprefix(begin)


def test_ctrl_c_behind_a_draft_keeps_all_networks_until_then(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, found = stopped_behind_a_draft(monkeypatch, 45)
    kept = found.main.kept
    assert kept is not None and found.confidence.n_networks == found.main.count == kept.networks.count == 45
    assert found.main.status is kept.networks.status is Status.INTERRUPTED
    assert found.main.shortfall is Shortfall.SAMPLE
    alone = learned(replicates=45, compare=False)  # a network does not depend on how many there are
    assert alone.main.kept is not None
    assert [dag.parents for dag in alone.main.kept.networks] == [dag.parents for dag in kept.networks]
    assert np.array_equal(alone.confidence.vector, found.confidence.vector) and alone.dag == found.dag
    assert stopped_before(found).startswith("60 networks in place of 45; comparison: ")
    assert not any("--limit-seconds" in remark.text for remark in found.remarks)
    record = run_record(found)
    assert record["result"]["networks"] == 45 and record["result"]["status"] == "interrupted"
    assert record["options"]["replicates"] == 60 and "replicates=60" in record["command"]
    assert found.save(tmp_path / "out") and "45 networks" in found.to_text()


def test_ctrl_c_behind_a_draft_with_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    names = datasets.load("balance-scale").names
    known = arcwise.Constraints(names, required=[(names[0], names[1])])
    draft, found = stopped_behind_a_draft(monkeypatch, 45, constraints=known, compare=False)
    assert found.main.count == 45 and not known.violations(found.dag)
    assert found.without_constraints is draft.without_constraints is not None
    assert "what the data say without your constraints, from more than 20 networks" in stopped_before(found)


def test_ctrl_c_behind_a_draft_of_data_with_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 300).astype(float) for name in "abc"})
    frame.iloc[::7, 0] = np.nan
    options = {"impute": "completions", "completions": 4, "compare": False}
    _, found = stopped_behind_a_draft(monkeypatch, 45, data=open_table(frame), **options)
    assert found.main.count == 45 and found.main.status is Status.INTERRUPTED
    assert stopped_before(found).startswith("60 networks in place of 45; ")


def test_ctrl_c_behind_a_draft_leaves_the_draft_where_there_is_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    for ending in ({"at": 45, "twice": True}, {"at": 20}):
        draft, found = stopped_behind_a_draft(monkeypatch, compare=False, **ending)
        assert (
            found.main is draft.main
            and found.main.count == 20
            and found.to_frame(full=True).equals(draft.to_frame(full=True))
        )
        assert stopped_before(found) == "60 networks in place of 20; checks."
        record = run_record(found)  # what repeats the run asks for what was asked for
        assert record["options"]["replicates"] == 60 and record["recipe"]["settings"]["replicates"] == 20
        assert "replicates=60" in record["command"]


def test_ctrl_c_while_a_draft_is_written_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_run, "LONG_VALUES", 3000)

    def interrupted(found: arcwise.Analysis) -> None:
        raise KeyboardInterrupt

    options = replace(OPTIONS, replicates=60, compare=False)
    prepared = prepare(datasets.load("balance-scale"), options)
    found = learn_prepared(prepared, options, progress=False, on_result=interrupted)
    assert found.main.count == 20 and found.status is Status.INTERRUPTED


def test_a_draft_with_fewer_completions_than_the_result_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_run, "LONG_VALUES", 1)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 300).astype(float) for name in "abc"})
    frame.iloc[::7, 0] = np.nan
    options = replace(OPTIONS, compare=False, replicates=60, impute="completions", completions=4)
    real, seen = Completions.state, list[arcwise.Analysis]()

    def state(self: Completions, index: int, deadline: Run | None = None) -> Any:
        late = index >= 2 and not seen  # as if the time of the draft were over
        return None if late else real(self, index, deadline)

    monkeypatch.setattr(Completions, "state", state)
    prepared = prepare(open_table(frame), options)
    found = learn_prepared(prepared, options, progress=False, on_result=seen.append)
    assert seen[0].main.count == 20 and found.main.count == 60


def test_the_networks_of_a_draft_from_data_with_gaps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 300).astype(float) for name in "abc"})
    frame.iloc[::7, 0] = np.nan
    options = replace(OPTIONS, compare=False, replicates=60, impute="completions", completions=4)
    asked: list[int] = []
    learn = ReplicateTask.learn

    def counted(task: ReplicateTask, index: int, seconds: float | None = None) -> Replicate | None:
        asked.append(index)
        return learn(task, index, seconds)

    plain = learn_prepared(prepare(open_table(frame), options), options, progress=False)
    monkeypatch.setattr(learn_run, "LONG_VALUES", 1)
    monkeypatch.setattr(ReplicateTask, "learn", counted)
    seen: list[arcwise.Analysis] = []
    found = learn_prepared(prepare(open_table(frame), options), options, progress=False, on_result=seen.append)
    assert seen[0].main.count == 20
    assert sorted(asked) == list(range(60))
    assert found.to_html() == plain.to_html()


def test_a_first_result_comes_before_the_comparisons(whole: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(learning, "WRITING_TIMES", 0.0)
    seen: list[arcwise.Analysis] = []
    last = learned(seen)
    first = seen[0]
    assert first.comparisons == ()
    assert first.status is Status.INTERRUPTED
    assert any("Still to come" in remark.text and "bootstrap" in remark.text for remark in first.remarks)
    assert first.dag == last.dag == whole.dag
    assert first.to_html()
    assert len(last.comparisons) == 5
    assert last.status is Status.COMPLETE
    counts = [len(one.comparisons) for one in seen]
    assert counts == sorted(counts)
    assert counts[-1] == 5
    assert last.to_html() == whole.to_html()  # however often it was given out


def test_time_is_kept_for_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first result is written only where there is time to write the last one, too."""
    prepared = prepare(datasets.load("balance-scale"), OPTIONS)
    left: list[float] = []

    def first(run: LearnRun, line: RunLine) -> arcwise.Analysis:
        left.append(run.clock.seconds_left)
        return first_result(run, line)

    first_result = learning.first_result
    monkeypatch.setattr(learning, "first_result", first)
    monkeypatch.setattr(learning, "WORTH_SECONDS", 0.0)
    for writing, most, given_out in ((0.1, 600, True), (500.0, 161, False), (1e6, 0, False)):
        monkeypatch.setattr(learning, "writing_seconds", lambda prepared, seconds=writing: seconds)
        seen: list[arcwise.Analysis] = []
        clock = Run(limits=Limits(seconds=600))
        found = learn_prepared(prepared, OPTIONS, progress=False, on_result=seen.append, clock=clock)
        assert most - 5 < left.pop() <= most
        assert bool(seen) is given_out
        assert (found.main.shortfall is Shortfall.SAMPLE) is (most == 0)


def test_without_comparisons_little_is_given_out() -> None:
    seen: list[arcwise.Analysis] = []
    learned(seen, compare=False, limit_seconds=None)
    assert len(seen) <= 1


def test_stopping_keeps_what_is_finished(whole: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the third comparison: two are there, and the report says what is not."""
    real, calls = additions.compare, []

    def stopped(found: arcwise.Analysis, run: LearnRun, recipe: Any) -> Any:
        calls.append(recipe)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(found, run, recipe)

    monkeypatch.setattr(additions, "compare", stopped)
    found = learned()
    assert len(found.comparisons) == 2
    assert found.status is Status.INTERRUPTED
    assert found.dag == whole.dag
    said = next(remark.text for remark in found.remarks if "You stopped the run" in remark.text)
    assert whole.comparisons[2].title in said
    assert whole.comparisons[1].title not in said
    assert "fit" in said


def test_a_comparison_that_does_not_fit_the_time_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    options = replace(OPTIONS, limit_seconds=30.0)
    run = begin_run(prepare(datasets.load("balance-scale"), options), options)
    run.seconds_by_source["bootstrap"] = 1000.0
    monkeypatch.setattr(LearnRun, "average", lambda *_, **__: pytest.fail("begun"))
    begun = arcwise.Analysis(run.prepared, options)
    ((_, why),) = additions.compare(begun, run, run.recipe("bootstrap", "bic")).missing
    assert why.shortfall is Shortfall.BEGINNING
    assert why.status is Status.TIME_LIMIT
    assert "needs about 1000 s" in why.why


def test_a_sample_of_which_enough_fits_the_time_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exact comparison had taken its share of the time, and no bootstrap, of 46 s each, fitted the 44 s left."""
    options = replace(OPTIONS, limit_seconds=44.0, replicates=200)
    run = begin_run(prepare(datasets.load("balance-scale"), options), options)
    run.seconds_by_source["bootstrap"] = 46.0
    done: Any = SimpleNamespace(is_usable=True)
    shares: list[float] = []
    monkeypatch.setattr(LearnRun, "average", lambda _, __, share, **___: shares.append(share) or done)
    recipe = run.recipe("bootstrap", "bic")
    assert additions.compare(arcwise.Analysis(run.prepared, options), run, recipe).made == (done,)
    assert shares == [0.6]


@pytest.mark.parametrize(
    ("variables", "cases", "most", "why"),
    [
        (37, 500, 4, ""),
        (56, 500, 3, ""),
        (76, 500, 3, "too many parent sets with 76 variables"),
        (37, 20_000, 4, ""),
        (37, 20_001, 3, ""),  # a shorter proof
        (27, 50_000, 3, ""),
        (37, 50_000, 3, "50,000 rows of 37 variables make the proof long"),
        (20, 20_001, 4, ""),  # fewer sets to count
        (20, 700, None, ""),
        (8, 50_000, None, ""),
    ],
)
def test_an_exact_comparison_is_limited_to_what_is_known_to_fit(
    variables: int, cases: int, most: int | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = np.random.default_rng(1).integers(0, 2, (cases, variables), dtype=np.uint8)
    data = Dataset.from_codes(codes, states=[["0", "1"]] * variables)
    options = replace(OPTIONS, limit_seconds=30.0)
    run = begin_run(prepare(data, options), options)
    tried: list[Any] = []
    done: Any = SimpleNamespace(is_usable=True)
    monkeypatch.setattr(LearnRun, "average", lambda _, recipe, *__, **___: tried.append(recipe) or done)
    main: Any = SimpleNamespace(asked=None, recipe=run.recipe("bootstrap", "qnml"))
    exact = [recipe for recipe in additions.compared_recipes(main, run) if recipe.source == "credible"]
    assert exact[-1].max_parents == most
    found = additions.compare(arcwise.Analysis(run.prepared, options), run, exact[-1])
    if not why:
        assert tried == [exact[-1]] and found.made == (done,)
        return
    ((_, made),) = found.missing
    assert made.shortfall is Shortfall.BEGINNING
    assert made.status is not Status.TIME_LIMIT
    assert why in made.why
    assert not tried


def test_a_network_that_is_too_large_to_test_is_not_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.findings.checks.MOST_TESTED", 1)
    found = learned(compare=False)
    assert found.fit is None
    assert found.status is Status.COMPLETE
    assert [remark.text for remark in found.remarks if "fits was not tested" in remark.text] == [
        "Whether the network fits was not tested: with so many variables and rows that takes long. arcwise check-fit "
        "does it."
    ]


def test_a_single_network_supports_no_claim() -> None:
    found = arcwise.learn(
        datasets.load("balance-scale"), method="bootstrap", replicates=1, permutations=0, compare=False, seed=1
    )
    assert found.has_few_networks
    text = found.to_text()
    assert "Only one network was learned" in found.report.summary[0]
    assert "at 0.95 or more" not in text
    assert "are real" not in text
    assert found.probability.calibration.kind == "none"
    assert all(edge.probability is None for edge in found.report.network.edges)


def test_one_line_tells_of_the_whole_run() -> None:
    seen: list[ProgressEvent] = []
    line = RunLine(seen.append, None)
    line.begin("comparison", 3, 7, steps=[20.0, 19.5], most=lambda: 100.0)
    assert line.words == "step 3 of 7: comparison, about 40 s left"
    line(ProgressEvent("networks", 5, 10))
    assert [event.stage for event in seen] == ["step 3 of 7: comparison", "networks"]
    assert seen[0].details["seconds_left"] == pytest.approx(39.5, abs=0.5)
    line.begin("comparison", 4, 7, steps=[20.0, 19.5], most=lambda: 7.0)
    assert line.words == "step 4 of 7: comparison, about 7 s left"
    line.begin("fit", 5, 7, steps=[float("nan"), 3.0], most=lambda: float("inf"))
    assert line.words == "step 5 of 7: fit"  # nobody knows
    line(ProgressEvent("tests", 1, 2))
    assert line.words == "step 5 of 7: fit, about 4 s left"  # half is done, in no time
    with run_line(False) as quiet:
        quiet(ProgressEvent("networks", 1))


@pytest.mark.parametrize("seed", range(5))
def test_all_distances_of_scutaris_rule_at_once(seed: int) -> None:
    values = np.round(np.random.default_rng(seed).random(40), 1 if seed % 2 else 6)
    found = scutari_threshold(values)
    distances = [l1_distance(values, k / 40) for k in range(41)]
    assert found.details["l1"] == pytest.approx(min(distances), abs=1e-12)
    assert (values > found.value).tolist() == (values > 0.5).tolist()


def test_no_time_for_a_bootstrap_leaves_a_network_to_look_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a second on hundreds of variables gives: one network by a plain climb, which nothing calls certain."""
    monkeypatch.setattr(ReplicateTask, "learn", lambda self, index, seconds=None: None)
    data = datasets.load("tic-tac-toe")
    found = arcwise.learn(data, method="bootstrap", limit_seconds=5.0, compare=False, permutations=0, seed=1)
    assert found.main.recipe.source == "search"
    assert found.status is Status.TIME_LIMIT
    assert (
        found.cpdag
        == hill_climb(data, score="qnml", max_parents=4, refine=0, by_position=True, progress=False).dag.cpdag
    )
    assert any("none of its 200 networks was finished" in remark.text for remark in found.remarks)
    text = found.to_text()
    assert "1 of 1" in text
    assert "settled" not in text
    assert "1.000" not in text
    page = found.to_html()
    assert "too few networks" in page
    assert '"few": 1' in page or '"few":1' in page
    found.save(tmp_path / "one")
    edge = found.edges[0]
    (explained,) = explain_folder(tmp_path / "one", [(edge.first, edge.second)])
    assert "in 1 of 1 network," in explained.title
    assert "not established: too few networks to tell" in explained.advice
    assert "Every rule" not in " ".join(explained.sentences)


def test_a_limit_that_would_suffice_is_named() -> None:
    made = learned(method="bootstrap", compare=False).main
    short = replace(made, status=Status.TIME_LIMIT, shortfall=Shortfall.SAMPLE, count=12)
    assert "12 of 30 networks" in sample_remark(short, 2.0).text
    for enough, told in ((4.91, "5"), (0.123, "0.13"), (38.6, "39"), (1234.5, "1300"), (2.0, "2")):
        assert sample_remark(short, enough).text.endswith(f"All 30 would need about --limit-seconds {told}.")
    assert sample_remark(short, None).text.endswith("Allow more time with --limit-seconds.")


def test_the_limit_that_is_named_has_room_for_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the time, the networks have a part; how long all take is told by the batches that were finished."""
    options = replace(OPTIONS, replicates=200, limit_seconds=60.0)
    prepared = prepare(datasets.load("balance-scale"), options)
    run = begin_run(prepared, options)
    begun = arcwise.Analysis(prepared, options)
    found = answer.main_set(begun, run).result
    cut = replace(found, status=Status.TIME_LIMIT, shortfall=Shortfall.SAMPLE, count=80, expected=70.0)
    monkeypatch.setattr(answer, "average", lambda *arguments, **options: cut)
    part = answer.main_set(begun, run)
    told = sample_remark(part.result, part.enough)
    assert told.text.endswith("80 of 200 networks (time limit). All 200 would need about --limit-seconds 100.")
    none = replace(cut, confidence=None, count=0, shortfall=Shortfall.EVERYTHING, expected=None)
    told = single_remark(found, none)
    assert "It does not say how far its edges can be trusted" in told.text
    assert "by a plain hill climb on the data. It does" in told.text
    stopped = single_remark(replace(found, shortfall=Shortfall.EVERYTHING), none, gaps=True)
    assert "by a plain hill climb on one completion of the data as far as it came. It does" in stopped.text


def test_a_single_search_can_be_asked_for() -> None:
    data = datasets.load("balance-scale")
    found = arcwise.learn(data, method="search", compare=False, permutations=0, seed=1)
    assert found.cpdag == hill_climb(data, score="bic", progress=False).dag.cpdag
    assert found.complete
    assert "no confidence was computed" in " ".join(found.to_html().split())


def test_many_cases_are_not_shuffled_unasked() -> None:
    data = datasets.load("balance-scale").collapse()
    assert data.weights is not None
    many = Dataset(data.codes, data.names, data.states, data.weights * 2_000)
    found = arcwise.learn(many, replicates=20, compare=False, seed=1)
    assert not [remark.text for remark in found.remarks if "Broom" in remark.text]  # nobody asked for it
    told = "Broom's rule was skipped: with 1,250,000 rows, learning from shuffled columns is slow. --permutations 20"
    assert told in " ".join(found.to_text().split())
