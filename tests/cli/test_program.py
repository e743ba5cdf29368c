"""What holds for the program as a whole: exit codes, pipes, and options that mean the same in every verb."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from arcwise import datasets
from arcwise.cli.main import VERBS, _register_verbs, app
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, write_bif

Cli = Callable[..., str]
PROGRAM = [sys.executable, "-m", "arcwise.cli"]


@pytest.fixture
def network(tmp_path: Path) -> Path:
    dag = Dag.from_arcs(["a", "b"], [("a", "b")])
    made = BayesianNetwork(dag, [["0", "1"], ["0", "1"]], [[[0.5, 0.5]], [[0.1, 0.9], [0.8, 0.2]]])
    write_bif(made, tmp_path / "network.bif")
    return tmp_path / "network.bif"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    data = datasets.load("balance-scale")
    data.to_file(tmp_path / "table.csv")
    return tmp_path / "table.csv"


@pytest.mark.parametrize("rows", [3, 200_000])
@pytest.mark.parametrize("output", [[], ["-o", "-"]])
def test_a_reader_that_goes_away_is_no_error(network: Path, rows: int, output: list[str]) -> None:
    command = [*PROGRAM, "sample", str(network), "--rows", str(rows), *output]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        if rows > 3:
            assert program.stdout.readline() == b"a,b\n"
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == 0


def test_help_and_json_into_a_closed_pipe(network: Path) -> None:
    for arguments in (["--help"], ["--version"], ["evaluate", str(network), str(network), "--json"]):
        with subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            program.stdout.close()
            assert program.stderr.read() == b""
            assert program.wait() == 0


def test_ctrl_c_ends_without_a_traceback(network: Path, tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    command = [*PROGRAM, "sample", str(network), "--rows", "50000000", "-o", str(target)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as program:
        for _ in range(600):
            time.sleep(0.1)
            if program.poll() is not None or list(tmp_path.glob(".rows.csv.*")):
                break
        program.send_signal(signal.SIGINT)
        assert program.stderr is not None
        assert program.stderr.read().decode().split() == ["interrupted"]
        assert program.wait() == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["network.bif"]


def test_usage_is_2_and_a_mistake_is_1(cli: Cli, network: Path) -> None:
    assert "Usage" in cli("sample", network, code=2)
    assert "No such command" in cli("smaple", network, code=2)
    assert "--rows" in cli("sample", network, "--row", 3, code=2)
    assert "did you mean 'bdeu'" in cli("search", network, "--score", "bdue", code=1)
    message = cli("sample", "missing.bif", "--rows", 3, code=1)
    assert message == "FormatError: cannot read missing.bif: No such file or directory.\n"


def test_ess_is_a_parameter_of_the_score(cli: Cli, table: Path) -> None:
    found = json.loads(cli("search", table, "--score", "bdeu", "--ess", 3, "--json"))
    assert found["scored_by"] == {"name": "bdeu", "ess": 3.0}
    assert "score 'bic' has no parameter 'ess'" in cli("search", table, "--ess", 3, code=1)
    assert "given twice" in cli("search", table, "--score", "bdeu:ess=2", "--ess", 3, code=1)


def test_whitelist_and_blacklist(cli: Cli, table: Path, tmp_path: Path) -> None:
    white, black, rules = tmp_path / "white.csv", tmp_path / "black.csv", tmp_path / "rules.toml"
    white.write_text("from,to\nleft-weight,right-weight\n")
    black.write_text("from,to\nleft-weight,class\nclass,left-weight\nright-weight,class\n")
    rules.write_text("max_parents = 2\n")
    given = ("--whitelist", white, "--blacklist", black, "--constraints", rules)
    found = json.loads(cli("search", table, "--score", "aic", *given, "--json"))
    arcs = {tuple(arc) for arc in found["arcs"]}
    assert ("left-weight", "right-weight") in arcs
    assert not {("left-weight", "class"), ("class", "left-weight"), ("right-weight", "class")} & arcs
    assert max(sum(head == name for _, head in arcs) for name in datasets.load("balance-scale").names) <= 2
    black.write_text("from,to\nleft-weight,right-weight\n")
    message = cli("search", table, *given, code=1)
    assert "left-weight -> right-weight is required; left-weight -> right-weight is forbidden" in message
    assert "white.csv" in message
    white.write_text("from,to\nclass,left-weight\nleft-weight,class\n")
    assert "required in both directions" in cli("search", table, "--required", white, code=1)
    white.write_text("from,to\nclas,left-weight\n")
    assert "clas" in cli("search", table, "--required", white, code=1)


def test_an_output_name_is_refused_before_the_work(cli: Cli, table: Path, tmp_path: Path) -> None:
    for verb in ("search", "optimal"):
        message = cli(verb, tmp_path / "missing.csv", "-o", tmp_path / "network.xyz", code=1)
        assert "must end in .csv" in message


def test_options_of_a_table_are_refused_where_it_is_given(cli: Cli, table: Path, tmp_path: Path) -> None:
    cli("scores", table, "-o", tmp_path / "table.jkl", "-q")
    for verb in ("optimal", "credible"):
        for option in (("--ess", 1), ("--max-parents", 2)):
            message = cli(verb, tmp_path / "table.jkl", *option, code=1)
            assert f"{option[0]} applies when a table is built" in message


@pytest.mark.parametrize("group", ["", "prior", "study"])
def test_help_shows_the_first_sentence_of_every_verb_whole(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = cli(*group.split(), "--help")
    assert "..." not in text.split("Options:")[1]
    assert max(map(len, text.splitlines())) <= 60
    words = " ".join(text.split())
    for name, command in _children(group):
        first = " ".join(command.help.split("\n\n")[0].split())
        assert f"{name} {first}" in words


def _children(group: str) -> Iterator[tuple[str, Any]]:
    _register_verbs()
    program: Any = typer.main.get_command(app)
    chosen = program.commands[group] if group else program
    assert len(chosen.commands) >= 5
    yield from chosen.commands.items()


def test_help_lists_the_verbs_by_stage_of_the_pipeline(cli: Cli) -> None:
    text = cli("--help")
    places = [text.index(f"\n  {verb} ") for verb in VERBS]
    assert places == sorted(places)
    assert "\nPrepare data:\n  check " in text
    assert "Commands:" not in text  # every verb has its stage


def test_the_package_can_be_run_as_a_module() -> None:
    found = subprocess.run([sys.executable, "-m", "arcwise", "--version"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.strip()) == (0, f"arcwise {version('arcwise')}")
    wrong = subprocess.run([sys.executable, "-m", "arcwise", "lern"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "learn" in wrong.stderr


@pytest.mark.parametrize("verb", ["study", "prior compare"])
def test_a_verb_whose_package_is_not_installed_says_what_to_install(verb: str) -> None:
    code = f"""
import importlib.metadata
importlib.metadata.entry_points = lambda **asked: ()
from arcwise.cli.main import main
main([*{verb.split()!r}, "run", "--help"])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, "")
    said = f"`arcwise {verb}` is in a package of its own: pip install arcwise-studies, or ./studies in a clone."
    assert found.stderr == f"OptionError: {said}\n"


def test_another_package_adds_a_verb_and_a_broken_one_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "toy-1.dist-info").mkdir()
    (tmp_path / "toy-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1\n")
    (tmp_path / "toy-1.dist-info" / "entry_points.txt").write_text(
        "[arcwise.verbs]\ntoy = toy:register\nbroken = a_module_that_is_not_there:register\n"
    )
    (tmp_path / "toy.py").write_text(
        "def register(app):\n    @app.command('toy')\n    def toy():\n        'Play.'\n        print('played')\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    found = subprocess.run([*PROGRAM, "toy"], env=environment, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "played\n")
    assert "the verb 'broken' of a_module_that_is_not_there:register cannot be loaded: ModuleNotFound" in found.stderr
