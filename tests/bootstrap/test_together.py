"""Replicates that are counted together: the same networks as alone, whatever the batches, limits and scores."""

from __future__ import annotations

import gc
import pickle
import signal
import time
import weakref
from concurrent import futures
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.bootstrap import batches as together
from arcwise.bootstrap.task import DRAWS, Draws
from arcwise.data import Dataset
from arcwise.data.cases import bootstrap_weights
from arcwise.ensemble import NetworkSet, bootstrap_networks
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.local.problem import LocalProblem
from arcwise.progress import ProgressEvent


def make_data(variables: int = 7, rows: int = 400, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, variables), dtype=np.uint8)
    arities = rng.integers(2, 5, variables)
    for v in range(variables):
        fresh = rng.integers(0, arities[v], rows)
        copied = codes[:, max(0, v - 1 - int(rng.integers(0, 2)))] % arities[v]
        codes[:, v] = np.where(rng.random(rows) < 0.6, copied, fresh)
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities])


def learned(data: Dataset, **options: Any) -> NetworkSet:
    return bootstrap_networks(
        data, **{"replicates": 9, "seed": 3, "progress": False, "draws": "replacement", **options}
    )


def is_same(one: NetworkSet, other: NetworkSet) -> bool:
    scores = [made.facts["replicate_scores"] for made in (one, other)]
    return [dag.parents for dag in one] == [dag.parents for dag in other] and scores[0] == scores[1]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count data of any size together; the sizes of the batches."""
    sizes: list[int] = []
    climb = together.climb_together

    def noted(*arguments: Any, **options: Any) -> Any:
        sizes.append(len(arguments[1].indices))
        return climb(*arguments, **options)

    monkeypatch.setattr(together, "FEWEST_ROWS", 1)
    monkeypatch.setattr("arcwise.bootstrap.task.climb_together", noted)
    return sizes


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(30, 300),
    score=st.sampled_from(["qnml", "bic", "bdeu:ess=2", "aic", "k2", "fnml"]),
    learner=st.sampled_from(["tabu", "hill-climbing"]),
    most=st.sampled_from([None, 2]),
    draws=st.sampled_from(DRAWS),
)
def test_the_networks_are_those_of_replicates_alone(
    seed: int, rows: int, score: str, learner: Any, most: int | None, draws: Draws
) -> None:
    data = make_data(6, rows, seed)
    how: Any = {"score": score, "learner": learner, "max_parents": most, "seed": seed, "draws": draws}
    alone = learned(data, **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together, "FEWEST_ROWS", 1)
        assert is_same(alone, learned(data, **how))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_neither_workers_nor_batches_matter(workers: int, counting: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data()
    made = learned(data, score="qnml", replicates=70, workers=workers)
    assert sum(counting) == 70
    assert max(counting) <= 32
    assert len(counting) == workers * -(-70 // (32 * workers))  # as few and as equal as it takes
    monkeypatch.setattr(together, "FEWEST_ROWS", 10**9)
    assert is_same(made, learned(data, score="qnml", replicates=70))


def test_constraints_and_copies_are_kept(counting: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    base = make_data(5)
    names = (*base.names, "copy")
    data = Dataset.from_codes(
        np.vstack([base.codes, base.codes[:1]]).T.copy(), names=names, states=[*base.states, base.states[0]]
    )
    rules = Constraints(names, required=[(names[1], names[0])], forbidden=[(names[2], names[3])], max_parents=3)
    for constraints, score in ((None, "qnml"), (rules, "qnml"), (rules, "bic")):
        made = learned(data, score=score, constraints=constraints)
        assert counting
        if constraints is not None:
            assert not any(constraints.violations(dag) for dag in made)
        with monkeypatch.context() as patch:
            patch.setattr(together, "FEWEST_ROWS", 10**9)
            assert is_same(made, learned(data, score=score, constraints=constraints))
        counting.clear()


def test_what_does_not_fit_is_learned_alone(counting: list[int]) -> None:
    rng = np.random.default_rng(1)
    wide = Dataset.from_codes(rng.integers(0, 90, (200, 3), dtype=np.uint8), states=[[str(k) for k in range(90)]] * 3)
    learned(wide, score="bic")
    heavy = make_data(4, 300).collapse()
    weights = np.full(heavy.n_rows, together.MOST_WEIGHT + 1)
    learned(Dataset(heavy.codes, heavy.names, heavy.states, weights), score="bic")
    learned(make_data(4), score="bic", resampling="permutation")
    learned(make_data(4), score="bic", learner="first-ascent")
    assert not counting


def test_limits_and_ctrl_c_leave_what_is_finished(counting: list[int]) -> None:
    data = make_data(12, 3000)
    begin = time.monotonic()
    cut = learned(data, score="qnml", replicates=100_000, limits=Limits(seconds=1.0))
    assert time.monotonic() - begin < 20
    assert cut.status is Status.TIME_LIMIT
    assert cut.count == len(set(cut.facts["indices"])) > 0

    def interrupt(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    stopped = learned(data, score="qnml", replicates=100, progress=interrupt)
    assert stopped.status is Status.INTERRUPTED
    assert 0 < stopped.count < 100
    whole = learned(data, score="qnml", replicates=100)
    # The thread with a later batch may be the first to finish: which ones are there is told.
    assert [dag.parents for dag in stopped] == [whole[index].parents for index in stopped.facts["indices"]]


@pytest.mark.parametrize("alone", [False, True])
def test_ctrl_c_does_not_break_into_a_wait(alone: bool, counting: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in the middle of one leaves locks of Python's in disorder."""
    ended: list[bool] = []
    wait = futures.wait

    def interrupted(*given: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        found = wait(*given, **options)
        ended.append(True)
        return found

    if alone:
        monkeypatch.setattr(together, "FEWEST_ROWS", 10**9)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(futures, "wait", interrupted)
            stopped = learned(make_data(6), score="bic", replicates=100)
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped.status is Status.INTERRUPTED
    assert len(ended) == (1 if alone else 2)  # one batch, and then those that were stopped


@settings(max_examples=25, deadline=None)
@given(weights=st.lists(st.integers(0, 6), min_size=1, max_size=30).filter(any), seed=st.integers(0, 2**32))
def test_cases_are_drawn_as_they_were_before(weights: list[int], seed: int) -> None:
    given_weights = np.array(weights)
    codes = np.zeros((1, len(weights)), dtype=np.uint8)
    data = Dataset(codes, ("a",), (("0", "1"),), given_weights)
    n = int(given_weights.sum())
    cases = np.random.default_rng(seed).integers(0, n, size=n)
    expected = np.bincount(np.repeat(np.arange(len(weights)), given_weights)[cases], minlength=len(weights))
    assert bootstrap_weights(data, np.random.default_rng(seed)).tolist() == expected.tolist()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_batch_that_a_limit_cuts_short_leaves_what_it_has(
    workers: int, counting: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_data(25, 20_000)
    seconds = learned(data, score="qnml", replicates=32, workers=workers).facts["seconds"]
    assert len(counting) == workers
    for share in (0.8, 1.2, 1.8):  # a busy machine may take longer than it did before
        cut = learned(data, score="qnml", replicates=32, workers=workers, limits=Limits(seconds=share * seconds))
        if cut.count > 0:  # the first replicate counts most of what the others need
            break
    assert cut.count > 0

    def stop(self: Any, *progress: object) -> None:
        if sum(counting) == 32 * 3 and time.monotonic() > begin + 0.7 * seconds:
            raise KeyboardInterrupt

    monkeypatch.setattr("arcwise.bootstrap.task.ReplicateTask.check_cancelled", stop)
    begin = time.monotonic()
    if workers == 1:
        stopped = learned(data, score="qnml", replicates=32)
        if stopped.status is Status.INTERRUPTED:
            assert stopped.count > 0


def test_what_is_found_again_does_not_travel() -> None:
    data = make_data().collapse()
    _ = data.digest, data.arities
    size = len(pickle.dumps(data))
    _ = data.collapse()
    assert len(pickle.dumps(data)) == size
    again = pickle.loads(pickle.dumps(data))
    assert again.digest == data.digest


def test_layouts_end_with_their_problems() -> None:
    data = make_data()
    one = LocalProblem.of(data, "bic")
    assert LocalProblem.of(data, "qnml").layout is one.layout
    kept = weakref.ref(one.layout)
    del one
    gc.collect()
    assert kept() is None
