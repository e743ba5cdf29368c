"""What a new user does wrong: every verb says what, where, and what to do, in the words of the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Cli = Callable[..., str]
READERS = ["learn", "impute", "discretize", "scores", "optimal", "search", "credible", "bootstrap", "prior ess"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = "".join(f"{rng.choice(['yes', 'no'])},{rng.choice(['u', 'v'])}\n" for _ in range(60))
    (tmp_path / "survey.csv").write_text("smoke,cough\n" + rows)
    (tmp_path / "semicolon.csv").write_text("smoke;cough\n" + rows.replace(",", ";"))
    (tmp_path / "gaps.csv").write_text("smoke,cough\n,u\n" + rows)
    numbers = "".join(f"{rng.normal():.3f},{rng.choice(['u', 'v'])}\n" for _ in range(60))
    (tmp_path / "numbers.csv").write_text("age,cough\n" + numbers)
    (tmp_path / "constant.csv").write_text("ward,smoke,cough\n" + "".join(f"B2,{row}\n" for row in rows.split()))
    (tmp_path / "twice.csv").write_text("a,b\n" + "1,u\n1.0,v\n" * 5)
    (tmp_path / "survey.data").write_text("smoke,cough\n" + rows)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("option", ["--drop", "--keep", "--category", "--column", "--target"])
def test_learn_names_the_option_of_an_unknown_column(cli: Cli, here: Path, option: str) -> None:
    message = cli("learn", "survey.csv", option, "smok", code=1)
    assert f"{option} names the unknown column 'smok'; did you mean 'smoke'?" in message


@pytest.mark.parametrize("verb", READERS)
def test_files(cli: Cli, here: Path, verb: str) -> None:
    words = verb.split()
    assert "cannot read survy.csv: No such file or directory. Did you mean survey.csv?" in cli(
        *words, "survy.csv", code=1
    )
    assert "cannot read folder: Is a directory" in cli(*words, "folder", code=1)
    assert "empty.csv: the file is empty" in cli(*words, "empty.csv", code=1)
    message = cli(*words, "survey.data", code=1)
    assert "--format csv" in message
    if verb != "discretize":
        cli(
            *words,
            "survey.data",
            "--format",
            "csv",
            "--json",
            *(["-o", "x.csv"] if verb == "impute" else []),
            *(["-o", "x.jkl"] if verb == "scores" else []),
        )


@pytest.mark.parametrize("verb", ["scores", "optimal", "search", "credible", "bootstrap", "prior ess"])
def test_data_that_are_not_ready(cli: Cli, here: Path, verb: str) -> None:
    words = verb.split()
    cli(*words, "semicolon.csv")  # what separates its columns can be seen
    assert (
        "Average over completions of them with `arcwise learn`, fill them with `arcwise impute --method mode` or 'knn',"
        " or drop the rows with `arcwise impute --method drop`." in cli(*words, "gaps.csv", code=1)
    )
    message = cli(*words, "numbers.csv", code=1)
    assert "with `arcwise discretize --method mdl --target TARGET` or the method 'width'" in message
    assert "say so: --categorical." in message
    assert "same number. Write it in one way." in cli(*words, "twice.csv", code=1)
    assert "--drop names the unknown column 'smok'; did you mean 'smoke'?" in cli(
        *words, "survey.csv", "--drop", "smok", code=1
    )
    assert "--column names the unknown column 'coug'" in cli(*words, "survey.csv", "--column", "coug", code=1)


def test_no_message_speaks_of_arguments(cli: Cli, here: Path) -> None:
    for file in ("gaps", "numbers", "twice"):
        message = cli("search", f"{file}.csv", code=1)
        assert "=" not in message.replace("=yes", ""), message


def test_the_wrong_kind_of_file(cli: Cli, here: Path) -> None:
    assert "A graph is asked for here, not data" in cli("fit", "survey.csv", "survey.csv", code=1)
    assert "`arcwise credible -o` or `arcwise bootstrap -o`" in cli("confidence", "survey.csv", code=1)
    assert "confidences are read from .parquet" in cli("threshold", "survey.csv", code=1)
    assert "Did you mean" in cli("consensus", "survey.parquet", "--threshold", 0.5, code=1)
    assert "give the folder of `arcwise learn`" in cli("explain", "survey.csv", code=1)


def test_outputs(cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("credible", "bootstrap"):
        assert "this suffix means something else" in cli(verb, "survey.csv", "-o", "networks.csv", code=1)
    monkeypatch.setattr("os.access", lambda path, mode: not mode & os.W_OK)
    for verb, name in (("search", "x.dot"), ("optimal", "x.csv"), ("scores", "x.jkl"), ("bootstrap", "x.parquet")):
        assert "you may not write in the folder" in cli(verb, "survey.csv", "-o", f"folder/{name}", code=1)
    assert "you may not write in the folder" in cli("prior", "path", "survey.csv", "--plot", "folder/x.png", code=1)
    assert "you may not write in the folder" in cli("learn", "survey.csv", "-o", "folder/report", code=1)
    assert list((here / "folder").iterdir()) == []


def test_names(cli: Cli, here: Path) -> None:
    assert "did you mean 'bdeu'" in cli("search", "survey.csv", "--score", "bdue", code=1)
    assert "did you mean 'tabu'" in cli("bootstrap", "survey.csv", "--learner", "taboo", code=1)
    assert "did you mean 'credible'" in cli("learn", "survey.csv", "--method", "credibel", code=1)
    assert "Did you mean 'learn'" in cli("lern", "survey.csv", code=2)


def test_an_order_an_output_and_an_arc_that_other_programs_take(cli: Cli, here: Path) -> None:
    assert "the graph comes first" in cli("fit", "survey.csv", "survey.csv", code=1)
    assert "made by arcwise fit" in cli("search", "survey.csv", "-o", "hc.bif", code=1)
    found = cli("search", "survey.csv", "--blacklist", "smoke->cough", code=1)
    assert """--constraints '{"forbidden": ["smoke->cough"]}'""" in found
