from __future__ import annotations

import importlib
import itertools
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise.cli.main import main
from arcwise_studies import prior_comparison

Cli = Callable[..., str]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    smoke = rng.integers(0, 2, 80)
    cough = np.where(rng.random(80) < 0.8, smoke, 1 - smoke)
    age = rng.integers(0, 3, 80)
    frame = pd.DataFrame({"smoke": smoke, "cough": cough, "age": age})
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


def test_ess(cli: Cli, survey: Path) -> None:
    found = json.loads(cli("prior", "ess", survey, "--json"))
    assert {"alpha_star", "alpha_max", "alpha_interval", "rounds"} <= found.keys()
    assert found["alpha_interval"][0] <= found["alpha_max"] <= found["alpha_interval"][1]
    assert "alpha*" in cli("prior", "ess", survey)


def test_path_and_figure(cli: Cli, survey: Path, tmp_path: Path) -> None:
    found = json.loads(cli("prior", "path", survey, "--values", 10, "--plot", tmp_path / "path.png", "--json"))
    assert len(found["ess"]) == len(found["n_arcs"]) == 10
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")


def test_sensitivity_saturation_and_edge(cli: Cli, survey: Path) -> None:
    assert json.loads(cli("prior", "sensitivity", survey, "--json"))["sensitivity"] > 0
    assert "More data" in cli("prior", "saturation", survey, "--repetitions", 1)
    assert "favours smoke -> cough" in cli("prior", "edge", survey, "--parent", "smoke", "--child", "cough")


def test_compare(cli: Cli, survey: Path, tmp_path: Path) -> None:
    arguments = ("prior", "compare", survey, "--splits", 2, "--seed", 1)
    found = json.loads(cli(*arguments, "--plot", tmp_path / "compare.svg", "--json"))
    assert [row["score"] for row in found["table"]] == ["min_bdeu", "bdeu", "max_bdeu"]
    assert found["status"] == "complete"
    assert (tmp_path / "compare.svg").read_text().startswith("<?xml")
    assert "held-out log-likelihood" in cli(*arguments)


def test_every_analysis_has_its_own_and_the_common_options(cli: Cli) -> None:
    for name, own in (("ess", "--tolerance"), ("path", "--values"), ("sensitivity", "--epsilon")):
        text = cli("prior", name, "--help")
        assert all(
            option in text for option in (own, "--plot", "--max-parents", "--limit-seconds", "--json", "Example")
        )
    assert "--max-parents" not in cli("prior", "edge", "--help")


def test_a_limit_ends_with_code_3(cli: Cli, survey: Path) -> None:
    cli("prior", "path", survey, "--limit-seconds", 1e-9, "--json", code=3)


def test_mistakes_get_one_message(cli: Cli, survey: Path, tmp_path: Path) -> None:
    message = cli("prior", "edge", survey, "--parent", "smoke", "--child", "coughs", code=1)
    assert "did you mean 'cough'" in message
    assert "must end in" in cli("prior", "path", survey, "--values", 2, "--plot", tmp_path / "a.gif", code=1)
    assert "at most 1" in cli("prior", "sensitivity", survey, "--epsilon", 2, code=1)


def _interrupt(monkeypatch: pytest.MonkeyPatch, target: Any, name: str, after: int) -> None:
    """Let a function of the library answer so often, and then be interrupted."""
    real = getattr(target, name)
    calls = itertools.count()

    def wrapped(*arguments: Any, **options: Any) -> Any:
        if next(calls) >= after:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(target, name, wrapped)


@pytest.mark.parametrize(
    ("words", "module", "function", "after", "expected"),
    [
        (
            "ess",
            "arcwise.priors.optimal_ess.EssSolver",
            "solve",
            0,
            {"alpha_max": None, "rounds": 0, "converged": False},
        ),
        ("ess", "arcwise.priors.ess_path", "curve", 0, {"alpha_max": None, "converged": True}),
        ("compare --splits 5", "arcwise_studies.prior_comparison", "find_optima", 3, {"splits": 2}),
        ("saturation --repetitions 5", "arcwise.priors.optima", "find_optima", 4, {"repetitions": 1}),
    ],
)
def test_ctrl_c_prints_what_is_finished(
    survey: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    module: str,
    function: str,
    after: int,
    expected: dict[str, object],
) -> None:
    _interrupt(monkeypatch, pkgutil.resolve_name(module), function, after)
    name, *options = words.split()
    with pytest.raises(SystemExit) as ending:
        main(["prior", name, str(survey), *options, "--json"])
    printed = capsys.readouterr()
    assert ending.value.code == 3, printed.err
    found = json.loads(printed.out)
    assert found["status"] == "interrupted"
    assert expected.items() <= found.items()
    assert "not complete: interrupted" in printed.err


@pytest.mark.parametrize("name", ["ess", "path", "sensitivity", "compare", "saturation"])
def test_ctrl_c_before_anything_is_finished_is_130(
    survey: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    for user in ("arcwise.priors.optima", "arcwise.priors"):
        _interrupt(monkeypatch, importlib.import_module(user), "find_optima", 0)
    _interrupt(monkeypatch, prior_comparison, "find_optima", 0)
    solver = importlib.import_module("arcwise.priors.ess_path").EssSolver  # a function has the name of the module
    _interrupt(monkeypatch, solver, "__init__", 0)
    with pytest.raises(SystemExit) as ending:
        main(["prior", name, str(survey), "--plot", str(tmp_path / "figure.png")])
    assert ending.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert not (tmp_path / "figure.png").exists()
