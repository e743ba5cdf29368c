"""One name, one meaning: the options of all verbs, what they say, and that they do it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from arcwise.analysis import LearnOptions
from arcwise.base.options import options_of as rows_of
from arcwise.cli.main import _register_verbs, app, main
from arcwise.data import Dataset, ReadingSettings, write_data
from arcwise.data.large import Grouping
from arcwise.ensemble import BootstrapSettings, Parallel, PosteriorSettings
from arcwise.local import ClimbSettings, GeneticSettings, TabuSettings
from arcwise.parent_sets import BuildSettings

Cli = Callable[..., str]

# What each verb must have beside --json and --quiet, by the names that all verbs share.
DATA = ("--column", "--drop", "--separator", "--categorical")
RULES = ("--max-parents", "--constraints", "--whitelist", "--blacklist", "--tiers")
SCORE = ("--score", "--ess")
LEARNS = (*SCORE, *RULES, *DATA, "--limit-seconds")
PRIOR = (*DATA, "--plot")
PRIOR_LEARNS = (*PRIOR, *RULES, "--threads", "--limit-seconds", "--limit-memory")
OPTIONS: dict[str, tuple[str, ...]] = {
    "learn": (*LEARNS, "--seed", "--threads", "--output", "--bayes-factor", "--missed-edge-cost"),
    "explain": (*DATA, "--data", "--output"),
    "show": ("--details",),
    "open": (),
    "demo": ("--output", "--force"),
    "effect": (*DATA, "--data", "--limit-seconds", "--output"),
    "predict": (*DATA[:3], "--target", "--seed", "--limit-seconds", "--output"),
    "check-fit": (*DATA, "--seed", "--limit-seconds", "--output"),
    "check": ("--drop", "--separator", "--categorical", "--output", "--dates", "--decimal", "--merge-rare"),
    "impute": (*DATA[:3], "--output"),
    "discretize": (*DATA[:3], "--output"),
    "scores": (*LEARNS, "--threads", "--output", "--limit-memory", "--bayes-factor"),
    "optimal": (*LEARNS, "--seed", "--threads", "--output", "--limit-memory", "--limit-nodes"),
    "check-certificate": (),
    "search": (*LEARNS, "--seed", "--threads", "--output", "--limit-memory", "--limit-steps"),
    "credible": (*LEARNS, "--threads", "--output", "--limit-memory", "--limit-networks", "--bayes-factor"),
    "posterior": (*LEARNS, "--seed", "--threads", "--output", "--limit-memory"),
    "bootstrap": (*LEARNS, "--seed", "--threads", "--output", "--workers", "--cluster"),
    "confidence": ("--output",),
    "threshold": (*DATA, "--seed", "--limit-seconds", "--missed-edge-cost"),
    "consensus": ("--output", "--threshold"),
    "prior ess": PRIOR_LEARNS,
    "prior path": PRIOR_LEARNS,
    "prior sensitivity": PRIOR_LEARNS,
    "prior compare": (*PRIOR_LEARNS, "--seed"),
    "prior saturation": (*PRIOR_LEARNS, "--seed"),
    "prior edge": PRIOR,
    "fit": (*DATA, "--output"),
    "query": ("--threads", "--output", "--seed"),
    "sample": ("--seed", "--threads", "--output"),
    "evaluate": ("--data", "--separator", "--missed-edge-cost", "--adjustment"),
    "convert": ("--output",),
    "study plan": (),
    "study run": ("--limit-seconds", "--workers", "--threads", "--cluster"),
    "study status": (),
    "study summarize": ("--output",),
    "study export": ("--output",),
}
# The same letters for the same options.
SHORT = {"-q": "--quiet", "-o": "--output", "-s": "--score", "-b": "--bayes-factor", "-j": "--workers"}
# Options whose help differs since what they default to, or what they are for, does.
OWN_WORDS = {
    *("--method", "--output", "--bins", "--target", "--threads", "--ess", "--score", "--rule", "--bayes-factor"),
    *("--replicates", "--permutations", "--alpha", "--missed-edge-cost", "--beta", "--threshold", "--compare"),
    *("--limit-seconds", "--cases", "--data", "--networks", "--patience", "--max-parents", "--resume"),
    *(
        "--average",
        "--impute",
        "--calibration",
        "--false-rate",
        "--header",
        "--recut",
        "--weights",
        "--by",
        "--level",
        "--site",
    ),
}


def commands() -> Iterator[tuple[str, Any]]:
    _register_verbs()

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        if hasattr(command, "commands"):
            for own, inner in command.commands.items():
                yield from walk(f"{name} {own}".strip(), inner)
        else:
            yield name, command

    yield from walk("", typer.main.get_command(app))


ALL = dict(commands())


def options_of(command: Any) -> dict[str, Any]:
    return {option: p for p in command.params for option in p.opts if p.param_type_name == "option"}


def test_every_verb_is_listed_here() -> None:
    assert set(ALL) == set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_belong_together(name: str) -> None:
    given = options_of(ALL[name])
    missing = {"--json", "--quiet", *OPTIONS[name]} - given.keys()
    assert not missing
    for short, long in SHORT.items():
        if long in given:
            assert given.get(short) is given[long]
        assert (short in given) == (long in given)


def test_the_same_name_means_the_same() -> None:
    said: dict[str, set[str]] = defaultdict(set)
    for command in ALL.values():
        for option, parameter in options_of(command).items():
            said[option].add(parameter.help)
    differ = {option for option, texts in said.items() if len(texts) > 1 and option.startswith("--")}
    assert differ <= OWN_WORDS


# The tables of the library that a verb takes whole: a row that is added to one is an option of the verb.
TABLES: dict[str, tuple[type, ...]] = {
    "bootstrap": (BootstrapSettings, ReadingSettings, Grouping),
    "posterior": (PosteriorSettings, ReadingSettings, Grouping),
    "credible": (Parallel, ReadingSettings, Grouping),
    "scores": (BuildSettings, ReadingSettings, Grouping),
    "search": (ClimbSettings, TabuSettings, GeneticSettings, ReadingSettings, Grouping),
    "impute": (ReadingSettings,),
    "learn": (LearnOptions,),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_table_is_an_option(name: str) -> None:
    given = options_of(ALL[name])
    for table in TABLES[name]:
        for item in rows_of(table):
            if (table, item.name) in ((LearnOptions, "constraints"), (LearnOptions, "beliefs")):
                continue  # files
            assert item.flag in given
            if name != "search":  # which tells what was given from what was not
                assert given[item.flag].help == item.sentence


@pytest.mark.parametrize("name", OPTIONS)
def test_help_explains_every_option_and_ends_with_an_example_to_copy(name: str, cli: Cli) -> None:
    for parameter in ALL[name].params:
        assert parameter.help, parameter.name
    lines = [line.strip() for line in cli(*name.split(), "--help").splitlines()]
    examples = [line for line in lines if line.startswith(f"Example: arcwise {name} ")]
    assert len(examples) == 1
    assert " ".join(ALL[name].help.split()).endswith(examples[0])  # on one line, whatever its length


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that an analysis step by step makes, by the verbs themselves."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(2)
    first = rng.integers(0, 2, 60)
    codes = [first, np.where(rng.random(60) < 0.8, first, 1 - first), rng.integers(0, 3, 60), rng.integers(0, 2, 60)]
    data = Dataset.from_codes(np.column_stack(codes), names=["a", "b", "c", "d"])
    write_data(data, folder / "data.csv")
    (folder / "study.toml").write_text("[experiments.overhead]\ncells = 2\n")
    for command in (
        "scores data.csv -b 20 -o table.jkl",
        "optimal table.jkl --certificate proof.json.gz",
        "search data.csv -o graph.graphml",
        "fit graph.graphml data.csv -o network.bif",
        "bootstrap data.csv --replicates 5 -o networks.parquet",
        "confidence networks.parquet -o confidence.parquet",
        "learn data.csv -o report --no-compare --permutations 0",
        "study run study.toml --store store.duckdb --summary summary",
    ):
        words = [str(folder / word) if (folder / word).exists() or _is_new(word) else word for word in command.split()]
        with pytest.raises(SystemExit) as ending:
            main([*words, "-q"])
        assert not ending.value.code, command
    return folder


def _is_new(word: str) -> bool:
    return word.endswith((".jkl", ".json.gz", ".graphml", ".bif", ".parquet", ".duckdb")) or word in (
        "report",
        "summary",
    )


# How to call each verb on these files, quickly.
CALLS: dict[str, str] = {
    "learn": "data.csv --no-compare --permutations 0",
    "explain": "report",
    "show": "report",
    "open": "report",
    "demo": "-o NEW",
    "effect": "report",
    "predict": "report --target a --folds 2",
    "check-fit": "report --replicates 3",
    "check": "data.csv",
    "impute": "data.csv -o NEW.csv",
    "discretize": "data.csv -o NEW.csv",
    "scores": "data.csv -o NEW.jkl",
    "optimal": "data.csv",
    "check-certificate": "table.jkl proof.json.gz",
    "search": "data.csv",
    "credible": "data.csv",
    "posterior": "data.csv",
    "bootstrap": "data.csv --replicates 5",
    "confidence": "networks.parquet",
    "threshold": "confidence.parquet --rule broom --data data.csv --permutations 2",
    "consensus": "confidence.parquet --threshold 0.5",
    "prior ess": "data.csv",
    "prior path": "data.csv --values 5",
    "prior sensitivity": "data.csv",
    "prior compare": "data.csv --splits 2",
    "prior saturation": "data.csv --repetitions 1",
    "prior edge": "data.csv --parent a --child b",
    "fit": "graph.graphml data.csv",
    "query": "network.bif P(a|b=0)",
    "sample": "network.bif --rows 5 -o NEW.csv",
    "evaluate": "network.bif graph.graphml",
    "convert": "network.bif -o NEW.net",
    "study plan": "study.toml",
    "study run": "study.toml --store NEW.duckdb",
    "study status": "--store store.duckdb",
    "study summarize": "--store store.duckdb -o NEW --no-figures",
    "study export": "--store store.duckdb -o NEW.csv",
}


def call(name: str, files: Path, folder: Path) -> list[str]:
    words = [name_or_file(word, files, folder) for word in CALLS[name].split()]
    return [*name.split(), *words]


def name_or_file(word: str, files: Path, folder: Path) -> str:
    if word.startswith("NEW"):
        return str(folder / word)
    return str(files / word) if (files / word).exists() else word


@pytest.mark.parametrize("name", OPTIONS)
def test_json_is_all_of_stdout_and_quiet_is_all_of_stderr(
    name: str, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ending:
        main([*call(name, files, tmp_path), "--json", "--quiet"])
    printed = capsys.readouterr()
    assert not ending.value.code, printed.err
    assert isinstance(json.loads(printed.out), dict)
    assert printed.err == ""


SEEDED = [name for name, options in OPTIONS.items() if "--seed" in options and name != "threshold"]


@pytest.mark.parametrize("name", SEEDED)
def test_the_same_seed_gives_the_same_answer(name: str, files: Path, tmp_path: Path, cli: Cli) -> None:
    def answer(seed: int) -> dict[str, Any]:
        for path in tmp_path.iterdir():
            path.unlink()
        found = json.loads(cli(*call(name, files, tmp_path), "--json", "-q", "--seed", seed))
        timed = {"seconds", "statistics", "versions", "command"}
        return {key: value for key, value in found.items() if key not in timed}

    assert answer(7) == answer(7)


LIMITED = [name for name, options in OPTIONS.items() if "--limit-seconds" in options]


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_of_time_is_positive_and_ends_with_code_3(name: str, files: Path, tmp_path: Path, cli: Cli) -> None:
    words = call(name, files, tmp_path)
    for value in ("0", "-1", "nan"):
        assert f"--limit-seconds {value}: must be positive" in cli(*words, f"--limit-seconds={value}", code=1)
    if name == "threshold":  # two data sets at least
        assert "allow more time" in cli(*words, "--limit-seconds", 1e-9, code=1)
    elif name != "learn":  # has the least it needs done by then
        cli(*words, "--limit-seconds", 1e-9, code=3)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("optimal data.csv --method branch-and-bound --limit-nodes 1 --limit-memory 1", None),
        ("optimal data.csv --limit-memory 2e-7", "memory limit"),
        ("scores data.csv -o NEW.jkl --limit-memory 2e-7", "memory limit"),
        ("search data.csv --limit-steps 1", "count limit"),
        ("search data.csv --method order --limit-steps 1 --threads 2", "count limit"),
        ("credible data.csv -o NEW.parquet --limit-networks 1", "count limit"),
    ],
)
def test_other_limits(
    words: str, status: str | None, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ending:
        main([*(name_or_file(word, files, tmp_path) for word in words.split()), "--json"])
    printed = capsys.readouterr()
    assert (ending.value.code or 0) == (0 if status is None else 3), printed.err
    found = json.loads(printed.out)
    assert status in (None, found["status"], found.get("table_status"))


@pytest.mark.parametrize("name", [name for name, options in OPTIONS.items() if "--limit-memory" in options])
def test_a_limit_of_memory_is_positive(name: str, files: Path, tmp_path: Path, cli: Cli) -> None:
    assert "positive number of gigabytes" in cli(*call(name, files, tmp_path), "--limit-memory=-1", code=1)
