"""Lau & Bush's analyses, on data of the size of theirs."""

from __future__ import annotations

import io

import numpy as np
import pytest

from arcwise import datasets
from arcwise.data import Dataset
from arcwise.errors import OptionError, UnknownNameError
from arcwise.graph import Dag
from arcwise.limits import Limits, Status
from arcwise.local import RunAnalysis, analyse_runs, first_ascent
from arcwise.local.run_analysis import METRICS, count_parameters
from arcwise.scores import make_score


def make_data(variables: int = 4, rows: int = 100) -> Dataset:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2, rows)]
    for v in range(1, variables):
        noisy = columns[rng.integers(v)] ^ (rng.random(rows) < 0.2)
        columns.append(noisy if v % 3 else noisy & columns[0])
    return Dataset.from_codes(np.column_stack(columns), states=[["no", "yes"]] * variables)


@pytest.fixture(scope="module")
def analysis() -> RunAnalysis:
    return analyse_runs(make_data(), runs=50, seed=1)


def test_the_defaults_are_laus(analysis: RunAnalysis) -> None:
    assert [sample.label for sample in analysis.samples] == [
        "bic_laplace, empty start",
        "bic_laplace, random start",
        "k2, empty start",
        "k2, random start",
    ]
    assert all(len(sample.runs) == 50 for sample in analysis.samples)
    assert analysis.status is Status.COMPLETE


def test_the_numbers_are_those_of_the_runs(analysis: RunAnalysis) -> None:
    data = make_data()
    for sample in analysis.samples:
        for i in (0, 17, 49):
            run = sample.runs[i]
            assert sample.values["score"][i] == pytest.approx(sample.score.score_network(data, run.dag))
            assert sample.values["log-likelihood"][i] == pytest.approx(make_score("ll").score_network(data, run.dag))
            assert sample.values["iterations"][i] == run.iterations == len(run.history)
            # every iteration looks at one operator at least, and the last sweep at all 3 n (n - 1)
            assert sample.values["operations"][i] >= run.iterations - 1 + 36
            repeated = first_ascent(data, score=sample.score, start=sample.start, seed=run.seed)  # type: ignore[arg-type]
            assert repeated.dag == run.dag
        assert sum(count for _, count in sample.common_networks()) == 50
        ends = np.array([run.history[-1] for run in sample.runs])
        assert sample.mean_history[-1] == pytest.approx(ends.mean())
    table = analysis.to_dataframe()
    assert len(table) == 200
    assert analysis.summary()["networks"].tolist() == [len(s.common_networks()) for s in analysis.samples]


def test_findings_of_section_4_4_hold_here_too(analysis: RunAnalysis) -> None:
    """Few local maxima for 4 variables; random starts vary more; averages near Lau's 75 and 89 operations."""
    empty, random, *_ = analysis.samples
    assert len({round(s, 6) for s in (*empty.values["score"], *random.values["score"])}) <= 5
    assert random.values["iterations"].std() > empty.values["iterations"].std()
    for sample in (empty, random):
        assert 60 < sample.values["operations"].mean() < 180


def test_parameters_are_counted() -> None:
    data = Dataset.from_codes(np.array([[0, 0, 0], [1, 2, 1]]), states=[["a", "b"], ["c", "d", "e"], ["f", "g"]])
    assert count_parameters(data, Dag(data.names, [[], [0], [0, 1]])) == 1 + 2 * 2 + 6


@pytest.mark.parametrize("metric", METRICS)
def test_every_figure_can_be_drawn(analysis: RunAnalysis, metric: str) -> None:
    figure = analysis.plot(metric)  # type: ignore[arg-type]
    panels = figure.get_axes()
    assert len(panels) == 4
    if metric == "history":
        assert len(panels[0].get_lines()) == 51
    else:
        assert sum(bar.get_height() for bar in panels[0].patches) == 50  # type: ignore[attr-defined]
    target = io.BytesIO()
    figure.savefig(target)
    assert target.getvalue().startswith(b"\x89PNG")


def test_limits_and_mistakes() -> None:
    data = make_data()
    stopped = analyse_runs(data, runs=10**6, seed=1, limits=Limits(seconds=0.3))
    assert stopped.status is Status.TIME_LIMIT
    assert 0 < len(stopped.samples[0].runs) < 10**6
    with pytest.raises(UnknownNameError, match="did you mean 'score'"):
        stopped.plot("scores")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="nothing to run"):
        analyse_runs(data, scores=[])
    with pytest.raises(OptionError, match="runs=0"):
        analyse_runs(data, runs=0)


def test_at_a_local_maximum_there_is_one_iteration() -> None:
    """As Lau & Bush count (section 4.4.2), and n (n - 1) x 3 operations, all of them in vain."""
    data = datasets.load("iris")
    best = first_ascent(data, "bic_laplace", seed=1)
    again = first_ascent(data, "bic_laplace", start=best.dag, seed=2)
    assert (again.dag, again.iterations, again.operations) == (best.dag, 1, 60)
    cut = first_ascent(data, "bic_laplace", seed=1, limits=Limits(count=1))
    assert (cut.iterations, cut.complete) == (1, False)
