"""The output folder: the same bytes for the same seed, whole or not there, and nothing foreign is ever replaced."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis import analysis as saving
from arcwise.analysis import folder, learn
from arcwise.analysis.saved import open as open_analysis
from arcwise.errors import FormatError


@pytest.fixture(scope="module")
def flowers() -> arcwise.Analysis:
    return learn(datasets.load("iris"), seed=3, name="iris", threads=1)


DIFFERENT = ("run.json", "report.html", "report.json")


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    first = content(flowers.save(tmp_path / "one"))
    again = learn(datasets.load("iris"), seed=3, name="iris", threads=2)
    assert content(again.save(tmp_path / "two")) == first
    assert sorted(first) == sorted(folder.FILES)
    other = learn(datasets.load("iris"), seed=4, name="iris")
    assert content(other.save(tmp_path / "three")) != first


def test_the_command_in_the_record_repeats_the_run(tmp_path: Path) -> None:
    datasets.load("iris").to_file(tmp_path / "iris.csv")
    words = ["learn", "iris.csv", "-o", "one", "--seed", "3", "--bayes-factor", "10", "--score", "bdeu:ess=2"]
    subprocess.run([sys.executable, "-m", "arcwise.cli", *words], cwd=tmp_path, check=True, capture_output=True)
    record = json.loads((tmp_path / "one" / "run.json").read_text())
    command = record["command"].split()
    assert command[0] == "arcwise"
    repeated = [word if word != "DIR" else "two" for word in command[1:]]
    subprocess.run([sys.executable, "-m", "arcwise.cli", *repeated], cwd=tmp_path, check=True, capture_output=True)
    one, two = content(tmp_path / "one"), content(tmp_path / "two")
    # The record and the words that show it differ in one: the method that was chosen is now asked for.
    assert {name: one[name] for name in one if name not in DIFFERENT} == {
        name: two[name] for name in two if name not in DIFFERENT
    }


def test_the_files_say_what_the_analysis_says(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    target = flowers.save(tmp_path / "result")
    assert arcwise.read_bif(target / "network.bif") == flowers.network
    loaded = arcwise.EdgeConfidence.load(target / "confidence.parquet")
    assert (loaded.present == flowers.confidence.present).all()
    nodes = ElementTree.parse(target / "cpdag.graphml").iter("{http://graphml.graphdrawing.org/xmlns}node")
    assert [node.get("id") for node in nodes] == list(flowers.data.names)
    frame = pd.read_csv(target / "edges.csv")
    assert frame["confidence"].tolist() == pytest.approx(flowers.to_frame(full=True)["confidence"].tolist())
    assert frame["in_network"].sum() == flowers.dag.n_arcs
    shares = frame[["forward_if_edge", "backward_if_edge", "either_if_edge"]]
    assert shares.sum(axis=1).tolist() == pytest.approx([1.0] * len(frame))
    assert set(frame["agreement"]) <= {"agree", "differ", "disagree", "not compared"}
    record = json.loads((target / "run.json").read_text())
    assert record["options"]["seed"] == 3
    assert record["data"]["digest"] == datasets.load("iris").digest
    assert record["versions"]["arcwise"] == arcwise.__version__
    assert record["result"]["arcs"] == [list(arc) for arc in flowers.dag.arcs]


def test_a_folder_of_an_older_version_is_said_to_be_one(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    target = flowers.save(tmp_path / "result")
    edges = target / "edges.csv"
    pd.read_csv(edges, dtype=str, keep_default_na=False).drop(columns="settled").to_csv(edges, index=False)
    command = json.loads((target / "run.json").read_text())["command"]
    with pytest.raises(FormatError) as refused:
        _ = open_analysis(target).settled
    assert str(refused.value).endswith(
        f"there is no column 'settled': the folder was written by an older version. Write it again: {command}"
    )


def test_an_earlier_result_is_replaced_only_by_force(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    target = flowers.save(tmp_path / "result")
    before = content(target)
    with pytest.raises(FormatError, match="replace it with force=True"):
        flowers.save(target)
    (target / "edges.csv").write_text("edited")
    flowers.save(target, force=True)
    assert content(target) == before
    (target / "thesis.tex").write_text("years of work")
    with pytest.raises(FormatError, match=r"such as thesis\.tex"):
        flowers.save(target, force=True)
    assert (target / "thesis.tex").read_text() == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_names_that_cannot_be_folders(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FormatError, match="not a folder"):
        flowers.save(tmp_path / "file", force=True)
    with pytest.raises(FormatError, match="does not exist"):
        flowers.save(tmp_path / "no" / "where")
    (tmp_path / "empty").mkdir()
    assert flowers.save(tmp_path / "empty") == tmp_path / "empty"


def test_a_link_to_a_folder_stays_one_and_the_folder_is_written(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "result").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "result")
    assert flowers.save(tmp_path / "link") == tmp_path / "link"
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "disk" / "result") == content(flowers.save(tmp_path / "plain"))
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["result"]
    with pytest.raises(FormatError, match="replace it with force=True"):
        flowers.save(tmp_path / "link")
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").symlink_to(tmp_path / "file")
    with pytest.raises(FormatError, match="not a folder"):
        flowers.save(tmp_path / "other", force=True)


def test_of_two_that_write_a_folder_at_once_the_second_is_refused(
    tmp_path: Path, flowers: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seen that there is no folder before one of them writes it."""
    write = saving.write_files

    def write_second(*given: object) -> None:
        monkeypatch.setattr(saving, "write_files", write)
        flowers.save(tmp_path / "result")
        (tmp_path / "result" / "edges.csv").write_text("of the first")
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(saving, "write_files", write_second)
    with pytest.raises(FormatError, match="it holds the result of an earlier run"):
        flowers.save(tmp_path / "result")
    assert (tmp_path / "result" / "edges.csv").read_text() == "of the first"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_a_failure_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, flowers: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = flowers.save(tmp_path / "result")
    before = content(target)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_graphml", fail)
    for name in ("result", "other"):
        with pytest.raises(FormatError, match="No space left"):
            flowers.save(tmp_path / name, force=True)
    assert content(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_leaves_no_folder(tmp_path: Path, number: signal.Signals) -> None:
    datasets.load("breast-cancer").to_file(tmp_path / "data.csv")
    words = ["learn", "data.csv", "-o", "result", "--method", "bootstrap", "--replicates", "100000"]
    # The signal comes while networks are learned, not while modules are imported, however busy the machine is.
    program = "import sys, arcwise.cli.main as cli, arcwise.analysis.learning; print('ready', flush=True); cli.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(2.5)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in ((130, -number) if number is signal.SIGINT else (-number,)), errors  # a shell says 130
    assert b"Traceback" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv"]


def test_a_folder_called_as_a_file_of_ours_is_not_ours(tmp_path: Path, flowers: arcwise.Analysis) -> None:
    foreign = tmp_path / "out" / "report.html"
    foreign.mkdir(parents=True)
    (foreign / "thesis.tex").write_text("years of work")
    with pytest.raises(FormatError, match=r"files that are not from an earlier run, such as report\.html"):
        flowers.save(tmp_path / "out", force=True)
    assert (foreign / "thesis.tex").read_text() == "years of work"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "run.json").symlink_to(foreign / "thesis.tex")
    with pytest.raises(FormatError, match="not from an earlier run"):
        flowers.save(tmp_path / "two", force=True)
