"""What comes back from a cluster, and when: nothing of it is trusted, and no clock there is an error here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from tests.credible.test_cover import force_branching, make_table

from arcwise import build_parent_sets, datasets
from arcwise.base.cluster import Cluster
from arcwise.base.run import Run
from arcwise.credible import parts as credible_parts
from arcwise.ensemble import CredibleSet
from arcwise.errors import ArcwiseError, UnfinishedError
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build
from arcwise.parent_sets import build as remote_counts

Change = Callable[[Any], Any]


def unchanged(value: Any) -> Any:
    return value


class TasksHere:
    """Tasks that are done when they are taken; what is asked of them, or what they find, may be changed on its way."""

    def __init__(self, function: Callable[[Any, Any], Any], needed: object, asked: Change, found: Change) -> None:
        self._function, self._needed, self._asked, self._found = function, needed, asked, found
        self._given: dict[int, Any] = {}
        self._next = 0

    def __enter__(self) -> TasksHere:
        return self

    def __exit__(self, *_: object) -> None:
        self._given = {}

    def __len__(self) -> int:
        return len(self._given)

    def give(self, argument: Any) -> int:
        self._given[self._next] = argument
        self._next += 1
        return self._next - 1

    def take(self, deadline: Run | None = None) -> tuple[int, Any] | None:
        if not self._given or (deadline is not None and deadline.is_over):
            return None
        number = min(self._given)
        return number, self._found(self._function(self._needed, self._asked(self._given.pop(number))))


class ClusterHere:
    """A cluster whose only worker is this thread."""

    count = 1

    def __init__(self, asked: Change = unchanged, found: Change = unchanged) -> None:
        self._changes = asked, found

    def tasks(self, function: Callable[[Any, Any], Any], needed: object, digest: str) -> TasksHere:
        return TasksHere(function, needed, *self._changes)


@contextmanager
def opened(cluster: ClusterHere) -> Iterator[ClusterHere]:
    yield cluster


def table_with_parts() -> ParentSetTable:
    rng = np.random.default_rng(0)
    return make_table(5, rng.normal(scale=2.0, size=(5, 32)) + 2.0 * np.array([m.bit_count() == 2 for m in range(32)]))


def built(cluster: ClusterHere, patch: pytest.MonkeyPatch) -> CredibleSet:
    force_branching(patch, 0)
    patch.setattr(credible_parts, "open_cluster", opened)
    return CredibleSet.build(table_with_parts(), log_slack=5.0, progress=False, cluster=cluster)  # type: ignore[arg-type]


def test_parts_that_are_not_changed_are_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    found = built(ClusterHere(), monkeypatch)
    assert found.status is Status.COMPLETE
    assert found.count == CredibleSet.build(table_with_parts(), log_slack=5.0, progress=False).count


def _row_out_of_the_table(found: Any) -> Any:
    (layers, begins, targets, rows, detours), facts = found
    return (layers, begins, targets, np.full_like(rows, 2**31 - 1), detours), facts


def _other_nodes(found: Any) -> Any:
    arrays, (nodes, *facts) = found
    return arrays, (nodes + 1, *facts)


def _target_nowhere(found: Any) -> Any:
    (layers, begins, targets, rows, detours), facts = found
    return (layers, begins, np.full_like(targets, 2**31 - 1), rows, detours), facts


@pytest.mark.parametrize("forge", [_row_out_of_the_table, _other_nodes, _target_nowhere])
def test_a_diagram_of_another_table_is_refused(forge: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was summed as it came: a row that the table does not have was read beyond the end of an array."""
    with pytest.raises(ArcwiseError, match="no diagram of this table"):
        built(ClusterHere(found=forge), monkeypatch)


def test_time_that_ends_between_two_parts_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part is given what is left of the time, and that may be nothing."""

    def without_time(asked: Any) -> Any:
        return *asked[:-1], 0.0

    found = built(ClusterHere(asked=without_time), monkeypatch)
    assert found.status in (Status.COMPLETE, Status.TIME_LIMIT)  # so small a part is built before a look at the clock


def test_time_that_ends_between_two_levels_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    count = remote_counts.RemoteCounts.count
    monkeypatch.setattr(remote_counts, "LEAST_ROWS", 1)
    monkeypatch.setattr(build, "open_cluster", opened)
    ended: list[int | None] = []

    def late(self: remote_counts.RemoteCounts, run: Run, group: int, batch: Any) -> int | None:
        if math.isinf(run.seconds_left):  # the level without which there is no table
            return count(self, run, group, batch)
        ended.append(count(self, run.replace(limits=Limits(1e-9)), group, batch))
        return ended[-1]

    monkeypatch.setattr(remote_counts.RemoteCounts, "count", late)
    data = datasets.load("tic-tac-toe")
    table = build_parent_sets(data, "bic", max_parents=2, progress=False, limits=Limits(600), cluster=ClusterHere())
    assert ended == [list(Status).index(Status.TIME_LIMIT)]
    assert table.max_parents < 2


def test_sets_that_were_not_asked_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_counts, "LEAST_ROWS", 1)
    monkeypatch.setattr(build, "open_cluster", opened)

    def one_less(found: Any) -> Any:
        return tuple(np.ascontiguousarray(part[..., :-1]) for part in found)

    with pytest.raises(ArcwiseError, match="other sets than it was told to"):
        build_parent_sets(
            datasets.load("tic-tac-toe"), "bic", max_parents=2, progress=False, cluster=ClusterHere(found=one_less)
        )


def test_a_cluster_without_workers_is_said_to_have_none() -> None:
    class NoWorkers:
        def get_executor(self, **_: object) -> None:
            return None

        def scatter(self, *_: object, **__: object) -> None:
            raise TimeoutError("no workers found")

    with pytest.raises(UnfinishedError, match="has no workers"):
        Cluster(NoWorkers()).send(math.pi, "digest")
