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


def test_scores() -> None:
    assert complete("search --score", "bdeu") == [name for name in SCORES if name.startswith("bdeu")]
