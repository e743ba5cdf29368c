"""A time limit is for the whole verb, whatever its options say: it ends soon after, on data that would take longer.

What is measured is CPU time, and the clock of a command is its own CPU time, too (`clock.cpp`): what a verb does in a
limit, and after it, is the same however busy the machine is. On a clock that runs eight times as fast the limit is over
when an eighth of the work is done, as on a machine that many share: there must be a result all the same. The start of
the interpreter and the imports of a verb are no work for the question: a command runs in a copy of a process that has
imported everything (`verb_server.py`).
"""

from __future__ import annotations

import inspect
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer.main

from arcwise.analysis import open as open_analysis
from arcwise.base.options import Option
from arcwise.cli.main import _register_verbs, app
from arcwise.cli.verb import _slots
from arcwise.data import Dataset, write_data
from arcwise.graph import sparse_dag
from arcwise.model import fit_parameters, write_network

LIMIT = 1.0
# CPU seconds that a verb takes on 30 rows, measured: 0.11, and 0.55 for `learn`, which writes a report.
SMALL, SMALL_LEARN = 0.1, 0.6
LONGER = 2.0  # of `learn`, which has data to prepare before it can find anything, on a core that others may share
# Commands that wait for processes: that takes no CPU, so that they have the clock of the wall. The processes of a
# bootstrap import arcwise anew: 2.7 (loky) and 5.3 CPU seconds (dask) on 30 rows, and on a busy machine it takes long.
WAITING = ("study run", "--backend=loky", "--backend=dask")
STARTING, LONG_ENOUGH = 5.0, 10.0
MANY = 1_000_000_000  # restarts and replicates cost nothing until they are made: so many end on no machine in time

# Every verb with --limit-seconds, on data that take longer, in the variants that take different ways.
VERBS = {
    "learn": "learn {data} -o folder --force",
    "learn, bootstrap": "learn {data} --method bootstrap --replicates 100000 -o folder --force",
    "learn, groups": "learn {families} --groups family -o folder --force",
    "learn, weights": "learn {weighted} --weights worth -o folder --force",
    "learn, replicate weights": "learn {survey} --weights worth --replicate-weights rep_* -o folder --force",
    "learn, numbers": "learn {numbers} --numbers as-they-are -o folder --force",
    "learn, numbers of groups": "learn {people} --groups family --numbers as-they-are -o folder --force",
    "scores": "scores {data} --score bdeu:ess=10 --bayes-factor 1000 -o table.arct",
    "optimal": "optimal {data} --score bdeu:ess=10",
    "optimal from a table": "optimal {table}",
    "credible": "credible {data} --score bdeu:ess=10 --bayes-factor 150 -o networks.nets",
    "posterior": "posterior {data} --score bdeu:ess=10",
    "bootstrap": "bootstrap {data} --replicates 100000 -o networks.nets",
    "bootstrap, exact": "bootstrap {data} --replicates 100000 --learner exact -o networks.nets",
    "search": f"search {{data}} --method hill-climbing --restarts {MANY}",
    "prior ess": "prior ess {data}",
    "prior ess, counted": "prior ess {eighteen}",
    "prior path": "prior path {data}",
    "prior path, counted": "prior path {eighteen} --values 100000",
    "prior sensitivity": "prior sensitivity {data}",
    "prior compare": "prior compare {data} --splits 100000",
    "prior saturation": "prior saturation {data} --repetitions 100000",
    "threshold": "threshold {confidence} --rule broom --data {data} --permutations 100000",
    "effect": "effect {folder}",
    "predict": "predict {folder} --target v0 --folds 20",
    "check-fit": "check-fit {folder} --replicates 100000",
    # One worker: the CPU of several counts several times.
    "study run": "study run {study} --workers 1",
}
# What an option's value needs to take long: other data, or other options.
GAPS = ("{data}", "{gaps}")
SCORE_WORDS = {name: f"{name}:structures=local,hypothetical_parents=1" for name in ("nip_bde", "expected_log_bde")}
SCORE_WORDS["bde"] = "bde:prior={prior}"
SCORE_WORDS["bhd"] = "bhd:site=v0"
METHODS = {
    "tabu": "search {data} --restarts 1000000000",
    "first-ascent": "search {wide} --method first-ascent",
    "genetic": "search {data} --method genetic --patience 1000000000",
    "order": "search {data} --method order --score bdeu",
    "ges": "search {wide} --method ges",
    "chow-liu": "search {wide} --method chow-liu",
    "naive-bayes": "search {wide} --method naive-bayes --target v0",
    "tan": "search {wide} --method tan --target v0",
    "em": "search {gaps} --method em",
}


def limited_verbs() -> dict[str, list[Option]]:
    """Return the verbs that take a limit of time, with their options."""

    def find(command: Any, path: str) -> Iterator[tuple[str, list[Option]]]:
        for name, inner in getattr(command, "commands", {}).items():
            yield from find(inner, f"{path} {name}")
        if any("--limit-seconds" in parameter.opts for parameter in command.params):
            verb = inspect.getclosurevars(inspect.unwrap(command.callback)).nonlocals["verb"]
            yield path.strip(), [part for _, parts, _ in _slots(verb) for part in parts if isinstance(part, Option)]

    _register_verbs()
    return dict(find(typer.main.get_command(app), ""))


def choices_of(item: Option) -> list[str]:
    """Return the values of an option that has choices; none if it takes any."""
    return [
        str(getattr(value, "value", value)) for value in item.known or getattr(item.kind, "__members__", {}).values()
    ]


def command_for(verb: str, item: Option, value: str) -> str:
    """Return the verb with one value of one option, on data that take longer than the limit by it."""
    usual = VERBS[verb]
    given = item.flag if item.switch is not None else shlex.quote(f"{item.flag}={value}")
    match (verb, item.name):
        case ("search", "method"):
            return METHODS.get(value, usual)
        case (_, "score"):
            usual = usual.replace("{data}", "{plain}") if value == "bic-g" else usual  # which takes numbers alone
            return f"{usual.replace(' --score bdeu:ess=10', '')} --score {SCORE_WORDS.get(value, value)}"
        case ("effect", "impute"):
            return f"effect {{truth}} v0 v1 --data {{gaps}} {given}"
        case ("check-fit", "impute"):
            return f"check-fit {{truth}} {{gaps}} --replicates 100000 {given}"
        case (_, "impute"):
            return f"{usual.replace('{data}', '{gaps}')} {given}"
        case (_, "backend"):
            return f"{usual} {given} --workers 1"
        case (_, "discretize" | "recut"):
            target = " --target sort" if value == "mdl" else ""
            return f"{usual.replace('{data}', '{numbers}')} {given}{target}"
        case (_, "decimal" | "thousands"):
            other = " --decimal=," if (item.name, value) == ("thousands", ".") else ""
            return f"{usual.replace('{data}', '{semicolons}')} {given}{other}"
        case ("threshold", "rule") if value != "broom":
            others = {"fixed": " --value 0.5", "cost": " --alpha 2"}
            return f"threshold {{confidence}} {given}{others.get(value, '')}"
        case ("threshold", "metric"):
            return f"threshold {{confidence}} --rule learned {given}"
        case ("optimal", "method") if value == "dp":
            return f"optimal {{wider}} --score bdeu:ess=10 {given}"
        case ("prior sensitivity", "search"):
            return f"prior sensitivity {{wide}} {given}"
        case ("posterior", "way"):
            return f"{usual.replace('{data}', '{eighteen}')} {given}"
    return f"{usual} {given}"


# All verbs by `make limits`; those of `search`, where most choices are, are the part that runs with the other tests.
VERBS_ASKED = limited_verbs() if os.environ.get("ARCWISE_LIMITS") == "all" else {"search": limited_verbs()["search"]}
CASES = [
    (verb, item.name, value) for verb, items in VERBS_ASKED.items() for item in items for value in choices_of(item)
]


def noisy_copies(variables: int, rows: int, seed: int) -> Dataset:
    """Data in which each column depends on several before it: parent sets are many, and searches are long."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, variables), dtype=np.int64)
    for v in range(variables):
        before = rng.choice(v, size=min(v, 3), replace=False) if v else np.array([], dtype=np.int64)
        copied = (codes[:, before].sum(axis=1) + rng.integers(0, 3, rows) * (rng.random(rows) < 0.35)) % 3
        codes[:, v] = copied if v else rng.integers(0, 3, rows)
    return Dataset.from_codes(codes, names=[f"v{k}" for k in range(variables)], states=[["a", "b", "c"]] * variables)


Answer = tuple[float, int, str, str]  # CPU seconds, exit code, and what was printed on stdout and stderr


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Answer]]:
    """Run commands: `run(command, folder, limit=None)`."""
    printed = tmp_path_factory.mktemp("printed") / "printed"
    compiler, clock = shutil.which("c++") or shutil.which("g++"), printed.with_name("clock.so")
    if compiler is None or sys.platform != "linux":
        pytest.skip("the clock of a command is made by a library that is compiled here: no C++ compiler, or not Linux")
    source = Path(__file__).with_name("clock.cpp")
    subprocess.run([compiler, "-std=c++17", "-O1", "-shared", "-fPIC", "-o", clock, source, "-ldl"], check=True)
    server = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("verb_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "LD_PRELOAD": str(clock)},
    )
    assert server.stdin is not None and server.stdout is not None
    assert server.stdout.readline() == "ready\n"

    def ask(command: str, folder: Path, limit: float | None = None, load: float = 1.0) -> Answer:
        load = 0.0 if any(one in command for one in WAITING) else load
        words = [*shlex.split(command), *([] if limit is None else ["--limit-seconds", str(limit)])]
        asked = {"words": words, "folder": str(folder), "output": str(printed), "load": load if limit else 0.0}
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        found = json.loads(server.stdout.readline())
        streams = (printed.with_name(f"printed.{end}").read_text() for end in ("out", "err"))
        return (found["cpu"], found["code"], *streams)

    yield ask
    server.communicate(timeout=60)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Answer]) -> dict[str, Path]:
    """Files with which every verb takes long, by their names in the commands."""
    folder = tmp_path_factory.mktemp("limits")
    data, rng = noisy_copies(40, 3000, seed=1), np.random.default_rng(4)
    for name, made in (
        ("data", data),
        ("eighteen", noisy_copies(18, 3000, 2)),
        ("wider", noisy_copies(26, 3000, 2)),
        ("wide", noisy_copies(1500, 400, 3)),
    ):
        write_data(made, folder / f"{name}.csv")
    table = pd.read_csv(folder / "data.csv")
    table.mask(rng.random(table.shape) < 0.1).to_csv(folder / "gaps.csv", index=False)
    table.to_csv(folder / "semicolons.csv", index=False, sep=";")
    numbers = data.codes.T + rng.normal(0, 0.3, data.codes.T.shape)
    frame = pd.DataFrame(numbers, columns=data.names).assign(sort=np.array(["a", "b", "c"])[data.codes[0]])
    frame.to_csv(folder / "numbers.csv", index=False)
    frame.drop(columns="sort").to_csv(folder / "plain.csv", index=False)
    family, worth = np.arange(len(table)) // 3, rng.lognormal(0, 0.5, len(table)).round(3)
    repeated = {f"rep_{k}": (worth * rng.exponential(1, len(table))).round(3) for k in range(20)}
    table.assign(family=family).to_csv(folder / "families.csv", index=False)
    table.assign(worth=worth).to_csv(folder / "weighted.csv", index=False)
    table.assign(worth=worth, **repeated).to_csv(folder / "survey.csv", index=False)
    frame.assign(family=family).to_csv(folder / "people.csv", index=False)
    write_network(fit_parameters(sparse_dag(data.names, rng, mean_parents=1.5), data), folder / "truth.bif")
    (folder / "study.toml").write_text(
        'name = "study"\nseed = 1\n[experiments.overhead]\ncells = 100000\nwork = "sleep"\nseconds = 0.05\n'
    )
    for command in (
        "bootstrap data.csv --replicates 4 -o few.nets",
        "confidence few.nets -o confidence.parquet",
        "scores data.csv --score bdeu:ess=10 --max-parents 3 -o table.arct",
        "learn data.csv -o folder --method bootstrap --replicates 300 --no-compare --permutations 0",
    ):
        _, code, _, told = run(command, folder)
        assert code == 0, told
    named = {path.stem: path for path in folder.iterdir()}
    return {**named, "prior": named["truth"], "folder": folder / "folder"}


def check(answer: Answer, codes: set[int], limit: float, small: float = SMALL) -> None:
    cpu, ended, _, told = answer
    assert ended in codes, told
    assert cpu - (SMALL_LEARN if limit == LONGER else small) <= 1.2 * limit + 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
def test_a_limit_is_for_the_whole_verb(
    run: Callable[..., Answer], files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    limit = LONGER if name.startswith("learn") else LIMIT
    check(run(VERBS[name].format(**files), tmp_path, limit), {3}, limit)


# What is done within any limit.
QUICK = {
    *(("prior sensitivity", "search", way) for way in ("hill-climbing", "tabu")),
    ("search", "method", "naive-bayes"),
    *(("effect", "impute", way) for way in ("knn", "mode", "drop")),
    *(("threshold", "rule", rule) for rule in ("scutari", "gross", "cost", "calibrated", "fixed", "learned")),
    *(("threshold", "metric", metric) for metric in ("shd", "f", "f-cpdag", "cost")),
}
# A network does not know the state that a gap would be.
REFUSED = {("effect", "impute", "state"), ("check-fit", "impute", "state")}


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "option", "value"), CASES)
def test_a_limit_holds_for_every_choice(
    run: Callable[..., Answer], files: dict[str, Path], tmp_path: Path, verb: str, option: str, value: str
) -> None:
    item = next(item for item in limited_verbs()[verb] if item.name == option)
    limit, case = LONGER if verb == "learn" else LIMIT, (verb, option, value)
    command, small = command_for(verb, item, value), SMALL
    if any(one in command for one in WAITING[1:]):
        limit, small = LONG_ENOUGH, STARTING
    answer = run(command.format(**files), tmp_path, limit)
    check(answer, {1} if case in REFUSED else {0, 3} if case in QUICK else {3}, limit, small)


# What learns in another way: from other data, or by another method.
BUSY = {
    **{
        f"learn by {way}": f"learn {{data}} --method {way} -o folder"
        for way in ("auto", "optimum", "posterior", "search")
    },
    **{f"gaps by {way}": f"learn {{gaps}} --impute {way} -o folder" for way in ("completions", "knn", "state", "drop")},
    "gaps, all networks": "learn {gaps} --impute completions --method credible -o folder",
    "gaps, a search": "learn {gaps} --impute completions --method search -o folder",
    "gaps, best network": "learn {gaps} --impute completions --method optimum -o folder",
    "numbers as they are": "learn {numbers} --numbers as-they-are -o folder",
    "numbers, cut anew": "learn {numbers} --discretize quantile --recut -o folder",
}


@pytest.mark.slow
@pytest.mark.parametrize("load", [8.0, 50.0])
@pytest.mark.parametrize("name", BUSY)
def test_there_is_a_result_however_busy_the_machine_is(
    run: Callable[..., Answer], files: dict[str, Path], tmp_path: Path, name: str, load: float
) -> None:
    check(run(BUSY[name].format(**files), tmp_path, LONGER, load), {3}, LONGER)
    assert open_analysis(tmp_path / "folder").consensus is not None
    assert json.loads((tmp_path / "folder" / "run.json").read_text())["result"]["status"] == "time limit"


def test_no_verb_with_a_limit_is_left_out() -> None:
    assert len(limited_verbs()) > 8
    assert limited_verbs().keys() == {name.partition(",")[0].removesuffix(" from a table") for name in VERBS}
