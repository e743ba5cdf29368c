"""What every local search must keep, whatever it is: one suite over all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Dataset
from arcwise.errors import ArcwiseError, ConstraintError, OptionError, UnknownNameError, UnknownScoreError
from arcwise.graph import Constraints, Dag, all_dags
from arcwise.limits import Limits, Status
from arcwise.local import LocalSearchResult, first_ascent, genetic_search, hill_climb, order_search, tabu_search
from arcwise.parent_sets import build_parent_sets
from arcwise.progress import ProgressEvent
from arcwise.scores import make_score

Search = Callable[..., LocalSearchResult]


def search_orders(data: Dataset, *, score: Any = "bic", max_parents: Any = None, **options: Any) -> LocalSearchResult:
    """Order search, which takes a table, as a search that takes data."""
    rules = options.get("constraints")
    table = build_parent_sets(data, score, max_parents=max_parents, constraints=rules, progress=False)
    options["limits"] = options.get("limits") or Limits()
    return order_search(table, **options)


SEARCHES: dict[str, Search] = {
    "hill-climbing": hill_climb,
    "hill-climbing, one ascent": functools.partial(hill_climb, refine=0),
    "hill-climbing with restarts": functools.partial(hill_climb, restarts=3, perturb=2),
    "hill-climbing, random restarts": functools.partial(hill_climb, restarts=3, perturb=None, start="random"),
    "hill-climbing, other ties": functools.partial(hill_climb, restarts=3, perturb=0),
    "tabu": tabu_search,
    "tabu, refined for long": functools.partial(tabu_search, refine=5),
    "tabu, random start": functools.partial(tabu_search, start="random", restarts=1),
    "tabu, random ties": functools.partial(tabu_search, random_ties=True),
    "first-ascent": first_ascent,
    "first-ascent, random start": functools.partial(first_ascent, start="random"),
    "genetic": genetic_search,
    "order": search_orders,
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())


def make_data(seed: int, rows: int = 200, arities: tuple[int, ...] = (2, 3, 2, 4, 2)) -> Dataset:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for v, r in enumerate(arities):
        own = rng.integers(0, r, rows)
        columns.append(np.where(rng.random(rows) < 0.6, columns[rng.integers(v)] % r, own) if v else own)
    return Dataset.from_codes(np.column_stack(columns), states=[[str(k) for k in range(r)] for r in arities])


@every_search
@pytest.mark.parametrize("score", ["bic", "bdeu:ess=5", "k2"])
def test_the_score_is_that_of_the_network(search: Search, score: str) -> None:
    data = make_data(1)
    found = search(data, score=score, seed=7)
    assert isinstance(found.dag, Dag)  # which checks that there is no cycle
    assert found.dag.names == data.names
    assert found.score == pytest.approx(make_score(score).score_network(data, found.dag), rel=1e-10)
    assert found.score == pytest.approx(max(found.history), rel=1e-12)
    assert found.status is Status.COMPLETE
    assert found.scored_by == make_score(score).describe()
    assert found.operations > 0
    assert found.families_scored > 0


@every_search
def test_the_seed_reproduces_and_is_recorded(search: Search) -> None:
    data = make_data(2, arities=(2,) * 12, rows=60)
    first = search(data, score="aic", seed=np.random.default_rng(5))
    again = search(data, score="aic", seed=first.seed)
    assert again.dag == first.dag
    np.testing.assert_array_equal(again.history, first.history)
    assert (again.iterations, again.operations) == (first.iterations, first.operations)
    assert search(data, score="aic").seed != search(data, score="aic").seed


@every_search
def test_constraints_hold(search: Search) -> None:
    data = make_data(3, arities=(2,) * 8)
    names = data.names
    constraints = Constraints(
        names,
        required=[(names[7], names[0]), (names[3], names[6])],
        forbidden=[(names[0], names[1]), (names[1], names[0])],
        tiers=[names[5:], names[:2]],
        max_parents=2,
        max_parents_of={names[4]: 1},
    )
    for seed in range(5):
        found = search(data, score="aic", constraints=constraints, seed=seed)
        assert constraints.violations(found.dag) == []
        fewer = search(data, score="aic", constraints=constraints, max_parents=1, seed=seed)
        assert max(map(len, fewer.dag.parents)) == 1


@every_search
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_never_better_than_the_optimum(search: Search, seed: int) -> None:
    data = make_data(seed, rows=80, arities=(2, 3, 2, 2))
    score = make_score("bdeu")
    best = max(score.score_network(data, dag) for dag in _all_networks(data.names))
    found = search(data, score=score, seed=seed)
    assert found.score <= best + 1e-8
    assert best - found.score < 0.05 * abs(best)


@functools.cache
def _all_networks(names: tuple[str, ...]) -> tuple[Dag, ...]:
    return tuple(all_dags(names))


@every_search
def test_a_limit_is_a_status_and_the_result_valid(search: Search) -> None:
    data = make_data(4, arities=(3,) * 12, rows=300)
    for limits, status in (
        (Limits(count=1), Status.COUNT_LIMIT),
        (Limits(seconds=1e-9), Status.TIME_LIMIT),
    ):
        found = search(data, score="aic", limits=limits, seed=1)
        assert found.status is status
        assert found.score == pytest.approx(make_score("aic").score_network(data, found.dag), rel=1e-10)


@every_search
def test_little_memory_changes_nothing(search: Search) -> None:
    data = make_data(5, arities=(2,) * 10)
    full = search(data, score="bic", seed=3)
    small = search(data, score="bic", seed=3, limits=Limits(memory_bytes=600))
    assert small.dag == full.dag
    np.testing.assert_array_equal(small.history, full.history)


@every_search
def test_progress_is_told_and_its_errors_are_raised(search: Search) -> None:
    data = make_data(6)
    events: list[ProgressEvent] = []
    search(data, progress=events.append, seed=1)
    assert events and events[0].stage in {"hill-climbing", "tabu", "first-ascent", "genetic", "order"}

    def fail(event: ProgressEvent) -> None:
        raise RuntimeError("the caller's own error")

    with pytest.raises(RuntimeError, match="own error"):
        search(data, progress=fail, seed=1)


@every_search
def test_ctrl_c_ends_the_search_with_a_valid_result(search: Search) -> None:
    def interrupt(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    data = make_data(7)
    found = search(data, score="bic", progress=interrupt, seed=1)
    assert found.status is Status.INTERRUPTED
    assert found.score == pytest.approx(make_score("bic").score_network(data, found.dag), rel=1e-10)


@every_search
def test_row_weights_count(search: Search) -> None:
    data = make_data(8, rows=40, arities=(2, 3, 2))
    weights = np.random.default_rng(0).integers(0, 4, 40)
    table = data.codes.T
    states = [list(s) for s in data.states]
    weighted = Dataset.from_codes(table, states=states, weights=weights)
    repeated = Dataset.from_codes(np.repeat(table, weights, axis=0), states=states)
    assert search(weighted, score="bic", seed=2).score == pytest.approx(search(repeated, score="bic", seed=2).score)


@every_search
def test_one_variable_and_one_observed_state_are_no_problem(search: Search) -> None:
    single = Dataset.from_codes(np.array([[0], [1], [1]]))
    assert search(single, score="bic", seed=1).dag.arcs == ()
    unseen = Dataset.from_codes(np.array([[0, 0], [1, 0], [1, 0]]), states=[["a", "b"], ["c", "d"]])
    assert search(unseen, score="bic", seed=1).dag.arcs == ()


@every_search
def test_more_than_64_variables(search: Search) -> None:
    data = make_data(9, arities=(2,) * 70, rows=100)
    found = search(data, score="bic", max_parents=3, seed=1, limits=Limits(count=30))
    assert found.score > make_score("bic").score_network(data, Dag(data.names, [[]] * 70))


@every_search
def test_wrong_arguments_are_told(search: Search) -> None:
    data = make_data(10)
    with pytest.raises(UnknownScoreError, match="did you mean 'bdeu'"):
        search(data, score="bdue")
    with pytest.raises(OptionError, match="seed=-1"):
        search(data, seed=-1)
    with pytest.raises(OptionError, match="seed='one' must be an integer >= 0, a numpy"):
        search(data, seed="one")
    with pytest.raises(ArcwiseError, match="max_parents=-1"):
        search(data, max_parents=-1)


@pytest.mark.parametrize("search", [hill_climb, tabu_search, first_ascent])
def test_the_start_is_where_the_search_begins(search: Search) -> None:
    data = make_data(11)
    start = Dag(data.names[::-1], [[1], [2], [], [], [3]])
    found = search(data, score="bic", start=start, seed=1)
    assert found.history[0] == pytest.approx(make_score("bic").score_network(data, start))
    with pytest.raises(ConstraintError, match="breaks the constraints"):
        search(data, start=start, constraints=Constraints(data.names, max_parents=0))
    with pytest.raises(OptionError, match="different variables"):
        search(data, start=Dag(["a"], [[]]))
    with pytest.raises(UnknownNameError, match="did you mean 'empty'"):
        search(data, start="emty")
