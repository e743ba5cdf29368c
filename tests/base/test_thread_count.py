"""How many threads are used unless told otherwise: the cores that this process may use, in a container too."""

from __future__ import annotations

import inspect
import math
import os
from pathlib import Path

import pytest

from arcwise import bootstrap_networks, build_parent_sets, find_optimal, learn
from arcwise.base.machine import _quota, available_cores
from arcwise.base.run import Run, thread_count
from arcwise.bootstrap.bootstrap import BootstrapSettings
from arcwise.confidence.by_recipe import permuted_confidences
from arcwise.ensemble import Recipe, find_posterior
from arcwise.errors import OptionError
from arcwise.findings.options import LearnOptions


def test_the_cores_that_the_process_is_bound_to_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    monkeypatch.setattr("arcwise.base.machine._quota", lambda: 64.0)
    assert available_cores() == thread_count(None) == 3
    assert thread_count(7) == 7
    monkeypatch.setattr("arcwise.base.machine._quota", lambda: 1.5)
    assert available_cores() == 2
    monkeypatch.setattr("arcwise.base.machine._quota", lambda: 0.1)
    assert available_cores() == 1


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "200000 100000\n"}, 2.0),
        ({"cpu.max": "50000 100000\n"}, 0.5),
        ({"cpu.max": "max 100000\n"}, math.inf),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3.0),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, math.inf),
        ({"cpu.max": ""}, math.inf),
        ({}, math.inf),
    ],
)
def test_a_container_has_the_cores_of_its_control_group(tmp_path: Path, files: dict[str, str], cores: float) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _quota(tmp_path) == cores


def test_all_cores_are_the_default_everywhere() -> None:
    for function in (find_optimal, find_posterior, permuted_confidences, Recipe.run):
        assert inspect.signature(function).parameters["threads"].default is None
    assert LearnOptions().threads is None
    assert Run().threads is None
    assert BootstrapSettings().workers == -1
    for call in (learn, build_parent_sets, bootstrap_networks):
        with pytest.raises(OptionError, match=r"threads|workers"):
            call(None, **{"workers" if call is bootstrap_networks else "threads": 0})  # type: ignore[arg-type]
