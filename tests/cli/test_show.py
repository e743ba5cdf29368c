"""`arcwise show` and `arcwise open`: an answer again, and its page; and help in groups."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arcwise import Analysis, datasets, learn
from arcwise.analysis.saved import open as open_analysis
from arcwise.base.errors import FormatError
from arcwise.base.options import Group, options_of
from arcwise.cli import questions
from arcwise.findings.options import LearnOptions
from arcwise.report.report import Words, print_answer, rendered

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return learn(datasets.load("survey"), seed=1, replicates=40, permutations=0)


@pytest.fixture
def folder(analysis: Analysis, tmp_path: Path) -> Path:
    return analysis.save(tmp_path / "a folder")


def test_show_prints_what_learn_printed(cli: Cli, analysis: Analysis, folder: Path) -> None:
    expected = rendered(partial(print_answer, analysis.report, analysis.report.network), width=100)
    printed = "\n".join(line.rstrip() for line in cli("show", folder).splitlines())
    assert printed.startswith(expected.rstrip())
    assert "'" + str(folder) + "'" in printed  # quoted, to be pasted
    assert json.loads(cli("show", folder, "--json"))["result"]["threshold"] == pytest.approx(analysis.threshold)


def test_the_words_of_a_report_read_back_equal(analysis: Analysis, folder: Path) -> None:
    words = Words.read(folder / "report.json")
    assert words.sections == analysis.report.sections
    assert words.checks == analysis.report.checks
    assert words.to_json() == analysis.report.to_json()


def test_details_print_the_sections(cli: Cli, folder: Path) -> None:
    assert "How far the methods agree" not in cli("show", folder)
    details = cli("show", folder, "--details")
    assert "Does the prior decide" in details
    assert "Next" in details


def test_a_damaged_page_is_told(folder: Path) -> None:
    page = folder / "report.html"
    page.write_bytes(page.read_bytes()[:5000] + b"\xff\xfe")
    with pytest.raises(FormatError, match=r"report\.html: line \d+"):
        open_analysis(folder).report.to_html()


@pytest.mark.parametrize("number", ["NaN", "1e999"])
def test_words_with_numbers_that_are_none_are_refused(folder: Path, number: str) -> None:
    words = folder / "report.json"
    words.write_text(
        re.sub(r": -?\d+\.\d+", f": {number}", words.read_text(encoding="utf-8"), count=1), encoding="utf-8"
    )
    with pytest.raises(FormatError, match="the words of a report"):
        Words.read(words)


def test_a_folder_of_an_older_version_shows_its_edges_and_says_what_to_do(cli: Cli, folder: Path) -> None:
    (folder / "report.json").unlink()
    printed = cli("show", folder)
    assert "smoke" in printed
    assert "older version" in printed
    assert "Write it again:" in " ".join(printed.split())


@pytest.mark.parametrize("damage", ["{", "[]", '{"title": 3}', '{"title": "x", "subtitle": "y", "sections": [{}]}'])
def test_damaged_words_are_told(cli: Cli, folder: Path, damage: str) -> None:
    (folder / "report.json").write_text(damage)
    assert "report.json" in cli("show", folder, code=1)


def test_without_a_screen_open_says_where_the_page_is(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform in ("win32", "darwin"):
        pytest.skip("has a browser")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert str(folder / "report.html") in " ".join(cli("open", folder).split("\n"))
    assert "no such folder" in cli("open", folder / "none", code=1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_open_starts_the_browser_and_does_not_wait_for_it(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/seen"\nexec sleep 60\n')
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    monkeypatch.setattr(questions, "BROWSER_SECONDS", 4.0)
    assert "opened" in cli("open", folder)
    assert (tmp_path / "seen").read_text().strip() == (folder / "report.html").as_uri()


def test_the_help_of_learn_is_in_groups_and_its_rare_options_wait(cli: Cli) -> None:
    text, everything = cli("learn", "--help"), cli("learn", "--help-all")
    places = [text.index(f"\n{group}:\n") for group in Group if group is not Group.OTHER]
    assert places == sorted(places)
    for item in options_of(LearnOptions):
        assert item.group is not Group.OTHER, item.name
        assert (f" {item.flag}" in text) is not item.rare, item.flag
        assert f" {item.flag}" in everything
    for wrong in ("<str>", "<int", "<float", "--setting NAME ", "9223372036854775807"):
        assert wrong not in everything
    assert "rare options are left out" in text
    assert "left out: --help-all" not in everything
