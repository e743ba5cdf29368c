"""The command that a run records repeats it: the same bytes, whatever was asked for."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arcwise
from arcwise.cli.main import main
from arcwise.graph import Constraints
from arcwise.scores import make_score
from arcwise.scores.dirichlet import UniformPrior

NAMES = ("age", "smoke", "cough", "fever", "x ray")


def rows(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    age = rng.integers(0, 3, n)
    smoke = (rng.random(n) < 0.2 + 0.25 * age).astype(int)
    cough = (rng.random(n) < 0.1 + 0.6 * smoke).astype(int)
    fever = rng.integers(0, 2, n)
    xray = (rng.random(n) < 0.15 + 0.5 * cough).astype(int)
    frame = pd.DataFrame(dict(zip(NAMES, (age, smoke, cough, fever, xray), strict=True)))
    frame = frame.replace({0: "no", 1: "yes", 2: "often"})
    frame["dose"] = rng.random(n).round(4)
    frame.loc[3:8, "fever"] = None
    return frame


@st.composite
def constraints(draw: st.DrawFn) -> dict[str, Any]:
    """Constraints that some network keeps: arcs along one order, forbidden ones against it."""
    order = draw(st.permutations(NAMES))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True))
    forbidden = [(b, a) for a, b in draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))]
    cut = draw(st.integers(1, len(order) - 1))
    tiers = [list(order[:cut]), list(order[cut:])] if draw(st.booleans()) else []
    roots = [order[0]] if draw(st.booleans()) else []
    leaves = [order[-1]] if draw(st.booleans()) else []
    made = Constraints(NAMES, required=required, forbidden=forbidden, tiers=tiers, roots=roots, leaves=leaves)
    return made.describe()


@st.composite
def options(draw: st.DrawFn) -> list[str]:
    words = ["--yes", "--limit-seconds", "600", "--permutations", draw(st.sampled_from(["0", "2"]))]
    words += ["--replicates", draw(st.sampled_from(["5", "10"]))]
    words += draw(st.sampled_from([[], ["--method", "bootstrap"], ["--method", "credible"]]))
    words += draw(
        st.sampled_from([[], ["--score", "bic"], ["--score", "bdeu:ess=2"], ["--score", "bdeu", "--ess", "5"]])
    )
    words += draw(st.sampled_from([[], ["--bayes-factor", "strong"], ["--bayes-factor", "1.5"]]))
    words += draw(st.sampled_from([[], ["--max-parents", "2"]]))
    cuts = [["--drop", "dose"], ["--discretize", "width", "--bins", "4"], ["--discretize", "mdl", "--target", "smoke"]]
    words += draw(st.sampled_from([[], *cuts, ["--keep", "dose"], ["--category", "dose"], ["--categorical"]]))
    words += draw(st.sampled_from([[], ["--name", "a study's name"], ["--setting", "learner=hill-climbing"]]))
    words += draw(st.sampled_from([[], ["--impute", "mode"], ["--impute", "drop"]]))
    words += draw(st.sampled_from([[], ["--no-compare"]]))
    words += draw(st.sampled_from([[], ["--rule", "cost", "--missed-edge-cost", "0.3"], ["--threshold", "0.35"]]))
    words += ["--seed", str(draw(st.integers(0, 3)))]
    known = draw(st.one_of(st.none(), constraints()))
    return words if known is None else [*words, "--constraints", json.dumps(known)]


def learn(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["learn", *words, "--quiet"])
    assert ended.value.code in (0, None)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=options())
def test_the_recorded_command_gives_the_same_bytes(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        monkeypatch.chdir(folder)
        rows().to_csv("cases.csv", index=False)
        learn(["cases.csv", "-o", "first", *words])
        record = json.loads((folder / "first" / "run.json").read_text())
        again = shlex.split(record["command"])
        assert again[:2] == ["arcwise", "learn"]
        learn(["second" if word == "DIR" else word for word in again[2:]])
        for file in (folder / "first").iterdir():
            assert file.read_bytes() == (folder / "second" / file.name).read_bytes(), file.name


def test_constraints_and_limits_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows().drop(columns="dose").to_csv("cases.csv", index=False)
    known = json.dumps({"required": [["smoke", "x ray"]], "tiers": [["age"], ["smoke", "cough"]]})
    asked = ["--impute", "mode", "--constraints", known, "--limit-seconds", "300", "--permutations", "0"]
    learn(["cases.csv", "-o", "out", "--method", "credible", *asked])
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["options"]["constraints"]["required"] == [["smoke", "x ray"]]
    assert record["options"]["limit_seconds"] == 300
    assert record["recipe"]["constraints"] == record["options"]["constraints"]
    assert record["recipe"]["max_parents"] == 2  # what qNML needs is said, though nobody asked for it
    assert record["recipe"]["gaps"] == "mode"
    words = shlex.split(record["command"])
    assert json.loads(words[words.index("--constraints") + 1])["tiers"] == [["age"], ["cough", "smoke"]]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "smoke → x ray is required" in page
    assert "complete among networks with at most 2 parents" in page


def test_runs_in_python_say_how_to_repeat_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = rows().drop(columns="dose").dropna()
    frame.to_csv("cases.csv", index=False)
    quick: dict[str, Any] = {"permutations": 0, "compare": False}
    named = arcwise.learn("cases.csv", name="My study", **quick).save("first")
    learn(["second" if word == "DIR" else word for word in shlex.split(record_of(named)["command"])[2:]])
    assert (named / "report.html").read_bytes() == Path("second/report.html").read_bytes()
    known = Constraints(list(frame.columns), forbidden=[("age", "smoke")])
    call = record_of(arcwise.learn(frame, constraints=known, score="bic", **quick).save("third"))["command"]
    again = eval(call, {"arcwise": arcwise, "data": frame})
    assert record_of(again.save("fourth")) == record_of(Path("third"))
    prior = make_score("bde", prior=UniformPrior({name: frame[name].nunique() for name in frame}))
    text = record_of(arcwise.learn("cases.csv", score=prior, **quick).save("fifth"))["command"]
    assert text.startswith("arcwise.learn('cases.csv', score=<your score BDe")


def test_standard_input_is_named_as_the_command_line_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    program = [
        sys.executable,
        "-m",
        "arcwise.cli",
        "learn",
        "-",
        "--no-compare",
        "--permutations",
        "0",
        "--impute",
        "mode",
    ]
    content = rows().drop(columns="dose").to_csv(index=False).encode()
    subprocess.run([*program, "-o", "out"], cwd=tmp_path, input=content, check=True)
    assert record_of(tmp_path / "out")["command"].startswith("arcwise learn - -o DIR")


def record_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "run.json").read_text()))
