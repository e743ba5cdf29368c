"""A study's configuration: typed, unknown keys refused, cells with stable ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcwise.errors import ArcwiseError, ConfigError, FormatError
from arcwise_studies import EXPERIMENTS, Study, load_experiment, plan_study, read_study

PLAIN = """
seed = 3
[experiments.overhead]
cells = 4
[smoke.overhead]
cells = 2
"""


def study_of(folder: Path, text: str, *, smoke: bool = False) -> Study:
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    return read_study(path, smoke=smoke)


def test_a_study_is_read_with_its_smoke_size(tmp_path: Path) -> None:
    full, small = study_of(tmp_path, PLAIN), study_of(tmp_path, PLAIN, smoke=True)
    assert (full.name, small.name, full.seed) == ("small", "small-smoke", 3)
    assert [len(plan_study(study)) for study in (full, small)] == [4, 2]
    assert full.digest != small.digest
    assert Study.from_content(full.content).digest == full.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sead = 1\n[experiments.overhead]", "unknown key 'sead'; did you mean 'seed'"),
        ("[experiments.overhead]\ncels = 1", r"\[experiments.overhead\]: unknown key 'cels'; did you mean 'cells'"),
        ("[experiments.overhed]", "unknown experiment 'overhed'; did you mean 'overhead'"),
        ("[experiments.overhead]\ncells = '4'", "cells = '4' must be a whole number"),
        ("[experiments.overhead]\ncells = true", "cells = True must be a whole number"),
        ("[experiments.overhead]\ncells = 0", "cells = 0 must be at least 1"),
        ("[experiments.overhead]\nseconds = nan", "must be a number"),
        ("[experiments.overhead]\nfail = [1, 'x']", "must be a list, each item a whole number"),
        ("[experiments.overhead]\nwork = 'slep'", "must be one of 'sleep', 'compute'"),
        ("[experiments.overhead]\n[limits]\nsecond = 1", "did you mean 'seconds'"),
        ("[experiments.overhead]\n[limits]\nseconds = 0", "seconds = 0.0 must be positive"),
        ("[experiments.overhead]\n[smoke.overhed]", r"\[smoke.overhed\]: unknown experiment of this file"),
        ("[experiments.overhead]\n[smoke.overhead]\ncells = 'x'", r"\[smoke.overhead\]: cells"),
        ("seed = -1\n[experiments.overhead]", "seed = -1 must be 0 or more"),
        ("seed = 1", "no experiment"),
        ("experiments = 3", "must hold one table per experiment"),
        ("[experiments]\noverhead = 3", "must hold one table per experiment"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        study_of(tmp_path, text)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"small\.toml"):
        study_of(tmp_path, "seed = = 1")
    with pytest.raises(ConfigError, match="no smoke size"):
        study_of(tmp_path, "[experiments.overhead]", smoke=True)


def test_ids_depend_on_what_a_cell_does_and_on_nothing_else(tmp_path: Path) -> None:
    ids = [cell.id for cell in plan_study(study_of(tmp_path, PLAIN))]
    assert len(set(ids)) == 4
    # written down once: a new version must not change the ids of old stores by accident
    assert ids[0] == "33d4b3f178e107d90c847e54"
    more = plan_study(study_of(tmp_path, PLAIN.replace("cells = 4", "cells = 6")))
    assert [cell.id for cell in more][:4] == ids, "an axis is not part of a cell"
    other_seed = plan_study(study_of(tmp_path, PLAIN.replace("seed = 3", "seed = 4")))
    other_work = plan_study(study_of(tmp_path, PLAIN.replace("cells = 4", "cells = 4\nrows = 2")))
    limited = plan_study(study_of(tmp_path, PLAIN + "[limits]\nseconds = 5"))
    assert not {cell.id for cell in other_seed + other_work} & set(ids)
    assert [cell.id for cell in limited] == ids


def test_random_numbers_come_from_the_seed_and_the_cell(tmp_path: Path) -> None:
    study = study_of(tmp_path, PLAIN)
    first, second = plan_study(study)[:2]
    a, again, b = (cell.context(study) for cell in (first, first, second))
    assert a.rng.random() == again.rng.random() != b.rng.random()
    assert a.shared_rng("asia", 100).random() == b.shared_rng("asia", 100).random()
    assert a.shared_rng("asia", 100).random() != b.shared_rng("asia", 200).random()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_can_be_loaded_and_planned(name: str) -> None:
    experiment = load_experiment(name)
    names = set(experiment.Settings.__dataclass_fields__)
    assert set(experiment.axes) <= names
    assert experiment.Settings.__doc__


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(ArcwiseError, match="unknown experiment 'discvery'"):
        load_experiment("discvery")


def test_a_cell_that_is_planned_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise_studies.experiments.overhead import Overhead

    monkeypatch.setattr(Overhead, "plan", lambda self, settings: [{"number": 1}, {"number": 1}])
    with pytest.raises(ConfigError, match="same cell twice"):
        plan_study(study_of(tmp_path, PLAIN))
    monkeypatch.setattr(Overhead, "plan", lambda self, settings: [])
    with pytest.raises(ConfigError, match="no cell"):
        plan_study(study_of(tmp_path, PLAIN))
