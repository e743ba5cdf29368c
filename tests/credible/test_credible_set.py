"""`CredibleSet`: built once, asked many things, each answer that of brute force or of the list."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import datasets
from arcwise.confidence import edge_confidence
from arcwise.confidence.reach import family_reach
from arcwise.credible import credible_set
from arcwise.credible import diagram as credible_diagram
from arcwise.credible import listing as class_counting
from arcwise.credible.diagram import CredibleDiagram
from arcwise.ensemble import (
    CredibleSet,
    NetworkSet,
    NetworkSummary,
    count_credible,
    exact_posterior,
    find_credible,
    k_best,
    sample_posterior,
)
from arcwise.errors import GuaranteeError, OptionError, UnfinishedError, UnknownNameError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets


def full_table(scores: list[dict[int, float]]) -> ParentSetTable:
    entries = [[(s, [p for p in range(len(scores)) if m >> p & 1]) for m, s in row.items()] for row in scores]
    return ParentSetTable.from_lists([f"v{v}" for v in range(len(scores))], entries, slack=math.inf)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each diagram that is built is one of classes."""
    made: list[bool] = []
    build = credible_set.build_diagram

    def counted(*arguments: Any, **options: Any) -> CredibleDiagram:
        made.append(options["by_class"])
        return build(*arguments, **options)

    monkeypatch.setattr(credible_set, "build_diagram", counted)
    return made


@pytest.fixture(scope="module")
def table() -> ParentSetTable:
    return build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20))


def test_one_diagram_answers_everything(table: ParentSetTable, builds: list[bool], tmp_path: Path) -> None:
    found = CredibleSet.build(table, bayes_factor=20)
    networks = found.networks()
    assert isinstance(networks, NetworkSet)
    assert found.count == networks.count == 192
    assert found.log_mass == pytest.approx(math.log(np.exp(networks.scores - found.opt).sum()))
    assert found.opt == networks.scores.max()
    summary = found.summary()
    assert isinstance(summary, NetworkSummary)
    np.testing.assert_allclose(summary.arc_probabilities(), networks.arc_probabilities(), atol=1e-12)
    np.testing.assert_allclose(found.arc_probabilities("equal"), networks.arc_probabilities("equal"), atol=1e-12)
    assert found.families.n_rows == len(found.family_probabilities())
    np.testing.assert_allclose(found.losses(), found.opt - networks.scores, atol=1e-9)
    best = found.best(7)
    assert (best.origin, best.count, best.complete) == ("k-best", 7, True)
    np.testing.assert_array_equal(best.scores, networks.scores[:7])
    assert sum(part.count for part in found.chunks(size=10)) == found.count
    assert found.stream(tmp_path / "all").count == found.count
    assert builds == [False]
    classes = found.networks("mec")
    assert classes.count == found.class_count == len({dag.cpdag for dag in networks})
    assert found.best(2, "mec").count == 2
    assert builds == [False, True], "the classes are a second diagram, built once and when it is asked for"
    assert (found.status, found.complete, found.slack) == (Status.COMPLETE, True, math.log(20))


def test_the_verb_builds_its_diagram_once(builds: list[bool], tmp_path: Path) -> None:
    from arcwise.cli.main import main
    from arcwise.data import write_data

    write_data(datasets.load("tic-tac-toe"), tmp_path / "data.csv")
    out = tmp_path / "networks.parquet"
    command = ["credible", str(tmp_path / "data.csv"), "--score", "bic", "--quiet", "-o", str(out)]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
    assert NetworkSet.load(out).count == 192
    assert builds == [False]  # one of DAGs; few networks are grouped into classes by listing them


def test_complete_says_among_which_networks(table: ParentSetTable, tmp_path: Path) -> None:
    assert "complete)" in repr(CredibleSet.build(table, bayes_factor=3))
    limited = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(3), max_parents=1)
    found = CredibleSet.build(limited, bayes_factor=3)
    assert found.max_parents == 1
    for ensemble in (found, found.networks(), found.summary()):
        assert "complete among networks with at most 1 parent" in repr(ensemble)
    rules = Constraints(limited.names, max_parents=2)
    by_rules = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(3), constraints=rules)
    assert by_rules.max_parents == 2
    many = Limits(count=3)
    assert "not complete: count limit" in repr(found.networks(limits=many))


def test_options_are_checked(table: ParentSetTable) -> None:
    with pytest.raises(OptionError, match="either bayes_factor"):
        CredibleSet.build(table)
    with pytest.raises(UnknownNameError, match="unit"):
        CredibleSet.build(table, bayes_factor=3, by="class")  # type: ignore[arg-type]
    with pytest.raises(GuaranteeError, match="slack"):
        CredibleSet.build(table, bayes_factor=150)
    with pytest.raises(OptionError, match="at least 1"):
        CredibleSet.build(table, bayes_factor=3).best(0)
    with pytest.raises(OptionError, match="0 or more"):
        table.vouched(-1.0)


def test_no_variables_have_one_network() -> None:
    nothing = ParentSetTable.from_lists([], []).vouched(equivalent=True)
    found = CredibleSet.build(nothing, bayes_factor=3)
    assert (found.count, found.opt, found.log_mass, found.class_count) == (1, 0.0, 0.0, 1)
    assert (found.summary().count, found.best(5).count, found.sample(3, seed=1).count) == (1, 1, 3)
    for by in ("dag", "mec"):
        listed = found.networks(by)
        assert (listed.count, listed.complete, listed.to_frame()["network"].tolist()) == (1, True, [""])
    assert edge_confidence(found, n_cases=10).to_frame().empty
    assert family_reach(found).reached.shape == (0, 0)
    for refused in (exact_posterior, sample_posterior):
        with pytest.raises(OptionError, match="at least one variable"):
            refused(nothing)


def test_more_variables_than_can_be_served_are_refused_at_once() -> None:
    many = ParentSetTable.from_lists([f"v{k}" for k in range(2049)], [[(-1.0, ())]] * 2049).vouched()
    with pytest.raises(OptionError, match="up to 2,048 variables; here are 2,049"):
        CredibleSet.build(many, bayes_factor=3)


def test_a_set_that_was_stopped_says_so(table: ParentSetTable) -> None:
    found = CredibleSet.build(table, bayes_factor=20, limits=Limits(memory_bytes=100))
    assert found.status is Status.MEMORY_LIMIT
    assert "not complete: memory limit" in repr(found)
    assert (found.count, found.class_count) == (0, None)
    assert found.networks().status is Status.MEMORY_LIMIT
    assert found.networks().count == found.best(3).count == 0
    assert math.isnan(found.opt)
    assert math.isnan(found.log_mass)
    assert [(part.count, part.status) for part in found.chunks()] == [(0, Status.MEMORY_LIMIT)]
    for read in (found.arc_probabilities, found.losses):
        with pytest.raises(OptionError, match="memory limit"):
            read()


def test_classes_that_do_not_fit_into_memory_are_not_taken_for_none(table: ParentSetTable) -> None:
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.complete
    little = Limits(memory_bytes=100)
    with pytest.raises(OptionError, match="memory limit"):
        found.losses("mec", limits=little)
    assert [(part.count, part.status) for part in found.chunks("mec", limits=little)] == [(0, Status.MEMORY_LIMIT)]
    assert len(found.losses("mec")) == found.class_count


def test_time_that_is_over_is_a_status_at_once(table: ParentSetTable) -> None:
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.networks(limits=Limits(seconds=1e-9)).status is Status.TIME_LIMIT
    assert [part.status for part in found.chunks(limits=Limits(seconds=1e-9))][-1:] == [Status.TIME_LIMIT]
    with pytest.raises(OptionError, match="time limit"):
        found.losses(limits=Limits(seconds=1e-9))


def test_a_limit_on_the_classes_leaves_the_set_as_it_is(
    table: ParentSetTable, builds: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_counting, "FEW", 10)
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.count_classes(Limits(memory_bytes=100)) is None
    assert found.complete
    assert found.class_count == found.networks("mec").count == 8
    assert builds == [False, True, True]


def test_classes_are_counted_no_further_than_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_counting, "FEW", 0)
    monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20))
    expected = CredibleSet.build(table, bayes_factor=20).count_classes()
    assert expected is not None and expected > 1
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.diagram("mec").rank is not None  # which is listed
    assert found.count_classes(most=expected - 1) is None
    assert found.count_classes(most=expected) == expected


# -- the best so many -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_subsets", [True, False])
@settings(max_examples=60, deadline=None)
@given(
    n=st.sampled_from([3, 4]),
    seed=st.integers(0, 2**32 - 1),
    grain=st.sampled_from([0.0, 0.5, 3.0]),
    most=st.sampled_from([1, 2, 5, 17, 60, 500]),
)
def test_a_limit_of_count_keeps_the_best(by_subsets: bool, n: int, seed: int, grain: float, most: int) -> None:
    rng = np.random.default_rng(seed)
    scores = [{m: float(2 * rng.normal()) for m in range(1 << n) if not m >> v & 1} for v in range(n)]
    if grain:  # many ties
        scores = [{m: grain * round(s / grain) for m, s in row.items()} for row in scores]
    table = full_table(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 20 if by_subsets else 0)
        whole = find_credible(table, log_slack=6.0)
        cut = find_credible(table, log_slack=6.0, limits=Limits(count=most))
        first = k_best(table, most)
    assert len(set(cut)) == cut.count == min(most, whole.count)
    assert (cut.status is Status.COUNT_LIMIT) == (whole.count > most)
    np.testing.assert_allclose(cut.scores, whole.scores[:most], atol=1e-9)
    assert len(set(first)) == first.count >= cut.count
    np.testing.assert_allclose(first.scores[: cut.count], whole.scores[:most], atol=1e-9)


@pytest.mark.parametrize(("seed", "weight", "score"), [(4, 1, "bic"), (3, 100, "bic"), (5, 100, "bdeu:ess=1")])
def test_k_best_finds_k_of_many_ties(networks: Path, seed: int, weight: int, score: str) -> None:
    from arcwise.data import Dataset
    from arcwise.model import read_bif

    network = read_bif(networks / "asia.bif.gz")
    drawn = network.sample(10_000, seed=seed).select(list(network.names)[:5])
    codes = np.column_stack(drawn.codes)
    data = Dataset.from_codes(codes, names=drawn.names, states=drawn.states, weights=np.full(len(codes), weight))
    table = build_parent_sets(data, score, slack=math.inf)
    found = k_best(table, 50)
    assert len(set(found)) == found.count == 50
    everything = find_credible(table, log_slack=1e9)
    np.testing.assert_allclose(found.scores, everything.scores[:50], rtol=1e-12)


def test_a_summary_that_was_stopped_has_no_probabilities() -> None:
    table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(20))
    stopped = count_credible(table, bayes_factor=20, limits=Limits(seconds=1e-9))
    assert (stopped.count, stopped.status) == (0, Status.TIME_LIMIT)
    for ask in (stopped.arc_probabilities, stopped.family_probabilities, stopped.to_frame):
        with pytest.raises(UnfinishedError, match="there are no probabilities"):
            ask()


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
@pytest.mark.parametrize("limits", [Limits(), Limits(seconds=1e-9)])
def test_sets_can_be_copied_and_pickled(twin: Any, limits: Limits) -> None:
    table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(20), progress=False)
    found = CredibleSet.build(table, bayes_factor=20, limits=limits, progress=print)
    again = twin(found)
    assert (again.status, again.names, again.slack) == (found.status, found.names, found.slack)
    assert (again.count, again.class_count) == (found.count, found.class_count)
    assert np.array_equal(again.networks().choices, found.networks().choices)
    assert np.array_equal(again.networks().scores, found.networks().scores)
    assert twin(again).bracketed == found.bracketed
