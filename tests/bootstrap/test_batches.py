"""What one bootstrap drew and counted serves the next: the same networks, and nothing is drawn again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arcwise.analysis.learning import learn
from arcwise.bootstrap import batches, task
from arcwise.bootstrap.batches import KeptBatches
from arcwise.data import Dataset
from arcwise.ensemble import NetworkSet, bootstrap_networks
from arcwise.limits import Limits


def make_data(rows: int = 500, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 6), dtype=np.uint8)
    for v in range(1, 6):
        codes[:, v] = np.where(rng.random(rows) < 0.5, codes[:, v - 1], codes[:, v])
    return Dataset.from_codes(codes, states=[["0", "1", "2"]] * 6).collapse()


def learned(data: Dataset, score: str, **options: Any) -> NetworkSet:
    return bootstrap_networks(data, score, **{"replicates": 45, "seed": 3, "progress": False, "workers": 2, **options})


def is_same(one: NetworkSet, other: NetworkSet) -> bool:
    scores = [made.facts["replicate_scores"] for made in (one, other)]
    return [dag.parents for dag in one] == [dag.parents for dag in other] and scores[0] == scores[1]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count data of any size together; the replicates that are drawn."""
    indices: list[int] = []
    draw = task.ReplicateTask.draw

    def noted(self: task.ReplicateTask, index: int) -> tuple[Dataset, int]:
        indices.append(index)
        return draw(self, index)

    monkeypatch.setattr(batches, "FEWEST_ROWS", 1)
    monkeypatch.setattr(task.ReplicateTask, "draw", noted)
    return indices


@pytest.mark.parametrize("memory", [2**30, 2**17, 2**14, 0])  # for all; without what was counted; for some; for none
@pytest.mark.parametrize("workers", [1, 2])
def test_networks_are_the_same_with_and_without(drawn: list[int], memory: int, workers: int) -> None:
    data, kept = make_data(), KeptBatches(memory)
    alone = [learned(data, score) for score in ("qnml", "bdeu:ess=1", "bic")]
    drawn.clear()
    learned(data, "qnml", batches=kept, replicates=10)  # fewer, as of a draft
    shared = [learned(data, score, batches=kept, workers=workers) for score in ("qnml", "bdeu:ess=1", "bic")]
    assert all(is_same(one, other) for one, other in zip(alone, shared, strict=True))
    assert (len(drawn) == 45) == (memory >= 2**17)
    assert (len(drawn) == 145) == (memory == 0)
    assert sum(batch.counts.bytes for batch in kept._kept.values()) <= memory


def test_other_data_and_other_seeds_have_batches_of_their_own(drawn: list[int]) -> None:
    data, other, kept = make_data(), make_data(seed=1), KeptBatches()
    learned(data, "qnml", batches=kept)
    for changed in ({"data": data, "seed": 4}, {"data": other, "seed": 3}):
        assert is_same(
            learned(changed["data"], "bic", seed=changed["seed"], batches=kept),
            learned(changed["data"], "bic", seed=changed["seed"]),
        )
    assert len(drawn) == 5 * 45


def test_copies_are_added_to_what_is_kept(drawn: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    base, kept = make_data(), KeptBatches()
    codes = np.vstack([base.codes, base.codes[:1]])
    data = Dataset(codes, (*base.names, "copy"), (*base.states, base.states[0]), base.weights)
    laid_out: list[int] = []
    lay_out = task.lay_out_together

    def noted(problem: Any, seed: int, indices: list[int], weights: Any) -> batches.CountedBatch:
        laid_out.extend(indices)
        return lay_out(problem, seed, indices, weights)

    monkeypatch.setattr(task, "lay_out_together", noted)
    shared = [learned(data, score, batches=kept) for score in ("qnml", "bic")]
    assert sorted(laid_out) == list(range(45))  # once
    assert len(drawn) == 2 * 45  # and again for the copies alone
    assert all(is_same(one, learned(data, score)) for one, score in zip(shared, ("qnml", "bic"), strict=True))


def test_a_bootstrap_that_is_cut_short_leaves_whole_batches(drawn: list[int]) -> None:
    data, kept = make_data(), KeptBatches()
    learned(data, "qnml", batches=kept, limits=Limits(count=7))
    learned(data, "qnml", batches=kept, limits=Limits(seconds=1e-9))
    assert is_same(learned(data, "bic", batches=kept), learned(data, "bic"))


def test_a_batch_of_a_search_that_failed_is_not_kept(drawn: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    data, kept = make_data(), KeptBatches()
    learned(data, "qnml", batches=kept, replicates=10, workers=1)
    assert sorted(kept._kept) == [tuple(range(0, 10, 2)), tuple(range(1, 10, 2))]  # each way of drawing on its own

    def failing(*arguments: object, **options: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(task, "climb_together", failing)
        with pytest.raises(MemoryError):
            learned(data, "bic", batches=kept, replicates=10, workers=1)
    assert list(kept._kept) == [tuple(range(1, 10, 2))]  # the other one was not touched
    assert is_same(learned(data, "bic", batches=kept), learned(data, "bic"))


def test_batches_are_let_go_when_nobody_expects_them(drawn: list[int]) -> None:
    data, kept = make_data(), KeptBatches()
    learned(data, "qnml", batches=kept)
    assert kept._kept
    kept.reserve(["one", "other"])
    kept.release("one")
    assert kept._kept
    kept.release("other")
    assert not kept._kept
    learned(data, "qnml", batches=kept)
    assert not kept._kept


def test_learn_draws_each_replicate_once_and_lets_go(drawn: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[KeptBatches] = []
    begin = KeptBatches.__init__

    def noted(self: KeptBatches, memory: int = batches.KEPT_BYTES) -> None:
        begin(self, memory)
        made.append(self)

    monkeypatch.setattr(KeptBatches, "__init__", noted)
    options: dict[str, Any] = {"replicates": 40, "seed": 1, "permutations": 0, "limit_seconds": None, "progress": False}
    found = learn(make_data(), **options)
    assert [one.recipe.source for one in found.comparisons].count("bootstrap") == 2
    assert sorted(drawn) == list(range(40))
    assert made and not any(one._kept for one in made)


def test_learn_lets_go_of_what_comparisons_that_are_not_begun_would_have_had(
    drawn: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[KeptBatches] = []
    put = KeptBatches.put

    def noted(self: KeptBatches, batch: batches.CountedBatch) -> None:
        put(self, batch)
        assert self._kept
        made.append(self)

    monkeypatch.setattr(KeptBatches, "put", noted)
    monkeypatch.setattr("arcwise.analysis.run.LearnRun.shortage", lambda self, seconds: "the time was up")
    options: dict[str, Any] = {"replicates": 40, "seed": 1, "permutations": 0, "limit_seconds": None, "progress": False}
    found = learn(make_data(), **options)
    assert not found.comparisons
    assert made and not any(one._kept for one in made)
