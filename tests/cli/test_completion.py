"""Shell completion of verbs, options and scores."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arcwise.scores import SCORES


def complete(words: str, current: str) -> list[str]:
    """Ask the program as bash does."""
    line = f"arcwise {words}".strip()
    environment = {
        "_ARCWISE_COMPLETE": "complete_bash",
        "COMP_WORDS": f"{line} {current}".strip(),
        "COMP_CWORD": str(len(line.split())),
    }
    program = "from arcwise.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [("", "boot", ["bootstrap"]), ("search", "--max-p", ["--max-parents"]), ("prior", "sens", ["sensitivity"])],
)
def test_verbs_and_options(words: str, current: str, expected: list[str]) -> None:
    assert complete(words, current) == expected


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [
        ("bootstrap d.csv --learner", "h", ["hill-climbing"]),
        ("optimal d.csv --method", "b", ["branch-and-bound"]),
        ("learn d.csv --discretize", "q", ["quantile"]),
        ("threshold c.parquet --rule", "b", ["broom"]),
        ("fit g.txt d.csv --estimator", "la", ["laplace"]),
        ("prior ess d.csv --search", "t", ["tabu"]),
        ("", "expl", ["explain"]),
    ],
)
def test_names_that_an_option_takes(words: str, current: str, expected: list[str]) -> None:
    assert complete(words, current) == expected


@pytest.mark.parametrize(("shell", "mark"), [("bash", "complete "), ("zsh", "#compdef arcwise"), ("fish", "complete ")])
def test_the_script_for_a_shell(shell: str, mark: str) -> None:
    """What is installed or shown calls the program back in the way that the tests above do."""
    program = "from arcwise.cli.main import main; main()"
    environment = {"_ARCWISE_COMPLETE": f"source_{shell}"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert mark in done.stdout
    assert f"_ARCWISE_COMPLETE=complete_{shell}" in done.stdout


def test_scores() -> None:
    assert complete("search --score", "bdeu") == [name for name in SCORES if name.startswith("bdeu")]
