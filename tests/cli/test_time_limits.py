"""A time limit is for the whole verb: every verb that has one ends soon after it, on data that would take much longer.

What is measured is CPU time, which a busy machine cannot lengthen. A limit is wall-clock time and each verb runs on one
core, so the work before the limit is at most as much CPU; what the test can find is what a verb does *after* its limit,
or in spite of it. The start of the interpreter and the imports of a verb are no work for the question: their CPU is
measured by the same verb on a table of 30 rows and 3 columns, and subtracted.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise.base.options import options_of
from arcwise.cli.options import ScoreOptions
from arcwise.cli.search import OPTIONS, Search, StartName
from arcwise.data import Dataset, write_data
from arcwise.data.impute import METHODS as IMPUTATIONS
from arcwise.scores import SCORES

LIMIT = 1.0
ALLOWED = 1.2 * LIMIT + 1.0

# Every verb with --limit-seconds, in the variants that take different ways; with files and a large number.
VERBS = {
    "scores": "scores {data} --score bdeu --ess 10 --bayes-factor 1000 -o table.arct",
    "optimal": "optimal {data} --score bdeu --ess 10",
    "optimal from a table": "optimal {table}",
    "credible": "credible {data} --score bdeu --ess 10 --bayes-factor 150 -o networks.nets",
    "posterior": "posterior {data} --score bdeu --ess 10",
    "bootstrap": "bootstrap {data} --replicates {many} -o networks.nets",
    "bootstrap, exact": "bootstrap {data} --replicates {many} --learner exact -o networks.nets",
    "search, tabu": "search {data} --restarts {many}",
    "search, hill-climbing": "search {data} --method hill-climbing --restarts {many}",
    "search, genetic": "search {data} --method genetic --patience {many}",
    "search, order": "search {data} --method order --score bdeu",
    "prior ess": "prior ess {data}",
    "prior ess, tabu": "prior ess {data} --search tabu",
    "prior ess, counted": "prior ess {eighteen}",
    "prior path": "prior path {data}",
    "prior path, counted": "prior path {eighteen} --values {many}",
    "prior sensitivity": "prior sensitivity {data}",
    "prior compare": "prior compare {data} --splits {many}",
    "prior saturation": "prior saturation {data} --repetitions {many}",
    "learn": "learn {data} -o folder --force",
    "learn, bootstrap": "learn {data} --method bootstrap --replicates {many} -o folder --force",
    "threshold": "threshold {confidence} --rule broom --data {data} --permutations {many}",
    "effect": "effect {folder}",
    "predict": "predict {folder} --target v0 --folds {folds}",
    "check-fit": "check-fit {folder} --replicates {many}",
    # One worker: the CPU of several counts several times.
    "study": "study run study.toml --workers 1",
}


def noisy_copies(variables: int, rows: int, seed: int) -> Dataset:
    """Data in which each column depends on several before it: parent sets are many, and searches are long."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, variables), dtype=np.int64)
    for v in range(variables):
        before = rng.choice(v, size=min(v, 3), replace=False) if v else np.array([], dtype=np.int64)
        copied = (codes[:, before].sum(axis=1) + rng.integers(0, 3, rows) * (rng.random(rows) < 0.35)) % 3
        codes[:, v] = copied if v else rng.integers(0, 3, rows)
    return Dataset.from_codes(codes, names=[f"v{k}" for k in range(variables)], states=[["a", "b", "c"]] * variables)


def run(verb: str, folder: Path, limit: float | None) -> tuple[float, subprocess.CompletedProcess[str]]:
    """Run a verb on one core and return the CPU seconds of the process and its children."""
    # Two threads of a verb would use twice the limit in CPU before it. Tests that run at once take different cores.
    cores = sorted(os.sched_getaffinity(0))
    core = cores[os.getpid() % len(cores)]
    command = [sys.executable, "-m", "arcwise.cli", *verb.split()]
    if limit is not None:
        command += ["--limit-seconds", str(limit)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=280,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("limits")
    made: dict[str, dict[str, Any]] = {"large": {}, "small": {}}
    for size, variables, rows in (("large", 40, 3000), ("small", 3, 30)):
        data = folder / f"{size}.csv"
        write_data(noisy_copies(variables, rows, seed=1), data)
        confidence, table = folder / f"{size}.parquet", folder / f"{size}.arct"
        for verb in (
            f"bootstrap {data} --replicates 4 -o {size}.nets",
            f"confidence {size}.nets -o {confidence}",
            f"scores {data} --score bdeu --ess 10 --max-parents 3 -o {table}",
            f"learn {data} -o {size} --method bootstrap --replicates {300 if size == 'large' else 2} --no-compare "
            "--permutations 0",
        ):
            done = run(verb, folder, None)[1]
            assert done.returncode == 0, done.stderr
        made[size] = {"data": data, "confidence": confidence, "table": table, "eighteen": data, "many": 2}
        made[size] |= {"folder": folder / size, "folds": 20 if size == "large" else 2}
    made["large"]["eighteen"] = folder / "eighteen.csv"
    write_data(noisy_copies(18, 3000, seed=2), made["large"]["eighteen"])
    made["large"]["many"] = 100_000
    (folder / "large.toml").write_text(
        'name = "study"\nseed = 1\n[experiments.overhead]\ncells = 100000\nwork = "sleep"\nseconds = 0.05\n'
    )
    (folder / "small.toml").write_text('name = "study"\nseed = 1\n[experiments.overhead]\ncells = 1\n')
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
def test_a_limit_is_for_the_whole_verb(files: dict[str, dict[str, Any]], tmp_path: Path, name: str) -> None:
    cpu: dict[str, float] = {}
    for size in ("small", "large"):
        folder = tmp_path / size
        folder.mkdir()
        (folder / "study.toml").write_bytes((files[size]["data"].parent / f"{size}.toml").read_bytes())
        cpu[size], done = run(VERBS[name].format(**files[size]), folder, LIMIT if size == "large" else None)
        assert done.returncode == (3 if size == "large" else 0), done.stderr
    assert cpu["large"] - cpu["small"] <= ALLOWED


# Every value of every option of `search` that has choices, on data that would take longer than the limit.
# Restarts cost nothing until they are made: a thousand million end on no machine in time, even with the 44 rows that
# are left where those with gaps are dropped.
LONG = "search {data} --method hill-climbing --restarts {many}"
METHODS = {
    "tabu": "search {data} --restarts {many}",
    "hill-climbing": LONG,
    "first-ascent": "search {wide} --method first-ascent",
    "genetic": "search {data} --method genetic --patience {many}",
    "order": "search {data} --method order --score bdeu",
    "ges": "search {wide} --method ges",
    "chow-liu": "search {wide} --method chow-liu",
    "naive-bayes": "search {wide} --method naive-bayes --target v0",  # there is nothing to search: it ends in time
    "tan": "search {wide} --method tan --target v0",
    "em": "search {gaps} --method em",
}
# Scores that need a parameter with these data.
SCORE_WORDS = {name: f"{name}:structures=local,hypothetical_parents=1" for name in ("nip_bde", "expected_log_bde")}
CHOICES = {
    "method": METHODS,
    "start": {start: f"{LONG} --start {start}" for start in StartName},
    "score": {name: f"{LONG} --score {SCORE_WORDS.get(name, name)}" for name in SCORES if name != "bde"},
    "impute": {way: f"{LONG.replace('data', 'gaps')} --impute {way}" for way in IMPUTATIONS},
}


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Path]]:
    folder = tmp_path_factory.mktemp("searches")
    made: dict[str, dict[str, Path]] = {"large": {}, "small": {}}
    for size, name, variables, rows in (
        ("large", "data", 40, 3000),
        ("large", "wide", 1500, 400),
        ("large", "gaps", 40, 3000),
        *(("small", name, 3, 30) for name in ("data", "wide", "gaps")),
    ):
        made[size][name] = path = folder / f"{size}-{name}.csv"
        write_data(noisy_copies(variables, rows, seed=3), path)
        if name == "gaps":
            table = pd.read_csv(path)
            table.mask(np.random.default_rng(4).random(table.shape) < 0.1).to_csv(path, index=False)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("option", "value"), [(option, value) for option, own in CHOICES.items() for value in own])
def test_a_limit_holds_for_every_choice_of_search(
    searched: dict[str, dict[str, Path]], tmp_path: Path, option: str, value: str
) -> None:
    cpu: dict[str, float] = {}
    for size in ("small", "large"):
        command = CHOICES[option][value].format(**searched[size], many=2 if size == "small" else 1_000_000_000)
        cpu[size], done = run(f"{command} -q", tmp_path, LIMIT if size == "large" else None)
        assert done.returncode == (3 if size == "large" and value != "naive-bayes" else 0), done.stderr
        assert done.stdout.startswith("from,to")
    assert cpu["large"] - cpu["small"] <= ALLOWED


def test_no_choice_of_search_is_left_out() -> None:
    items = (*options_of(Search), *OPTIONS.items, *options_of(ScoreOptions))
    chosen = {item.name: set(item.known or getattr(item.kind, "__members__", {}).values()) for item in items}
    tried = {option: set(values) for option, values in CHOICES.items()}
    tried["score"].add("bde")  # with a prior over 40 variables it has its own limits
    assert {option: values for option, values in chosen.items() if values} == tried


def test_no_verb_with_a_limit_is_left_out() -> None:
    import typer.main

    from arcwise.cli.main import _register_verbs, app

    _register_verbs()

    def limited(command: Any, path: str) -> list[str]:
        if hasattr(command, "commands"):
            return [name for key, sub in command.commands.items() for name in limited(sub, f"{path} {key}")]
        return [path.strip()] if any("--limit-seconds" in option.opts for option in command.params) else []

    verbs = limited(typer.main.get_command(app), "")
    assert len(verbs) > 8
    for verb in verbs:
        assert any(command.startswith(verb) for command in VERBS.values()), verb
