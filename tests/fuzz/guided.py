"""`python -m tests.fuzz.guided`: the fuzzers led by coverage. What reaches a new branch of a reader is broken further.

The search is libFuzzer's (by atheris), the changes are those of `tests.fuzz`: they know the format and make checksums
anew. One process for each format, one after the other; a finding ends its process and stays in the folder of
--findings.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import atheris
from tests.fuzz.formats import FORMATS, make_examples
from tests.fuzz.fuzzer import Finding, attempt, break_file

LARGEST = 1 << 20


def own_functions() -> Iterator[FunctionType]:
    """Functions and methods of the modules of arcwise that are imported."""
    for name, module in list(sys.modules.items()):
        if not name.startswith("arcwise"):
            continue
        for value in list(vars(module).values()):
            members = list(vars(value).values()) if isinstance(value, type) else [value]
            yield from (found for found in members if isinstance(found, FunctionType) and found.__module__ == name)


def search(name: str, seconds: float, findings: Path) -> None:
    """Break files of one format until the time is over; never returns."""
    folder = Path(tempfile.mkdtemp())
    example = make_examples(folder)[name]
    attempt(name, example, folder)  # what is imported while a file is read is there
    for function in own_functions():  # by name: atheris does not see the imports of an editable installation
        atheris.instrument_func(function)
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "example").write_bytes(example)

    def change(content: bytes, most: int, seed: int) -> bytes:
        try:
            return break_file(name, content, seed)[:most]
        except Exception:  # too broken to be taken apart: from the good one again
            return break_file(name, example, seed)[:most]

    def read(content: bytes) -> None:
        outcome = attempt(name, content, folder)
        if isinstance(outcome, Finding):
            raise AssertionError(outcome.text)

    limits = [f"-max_total_time={max(1, round(seconds))}", f"-max_len={LARGEST}", "-timeout=60", "-rss_limit_mb=4096"]
    words = [sys.argv[0], str(corpus), f"-artifact_prefix={findings}/{name}-", "-print_final_stats=1", *limits]
    atheris.Setup(words, read, custom_mutator=change)
    atheris.Fuzz()


def main() -> int:
    """Share the time among the formats; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--format", action="append", choices=sorted(FORMATS), help="only these")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--search", action="store_true", help="in this process")
    options = parser.parse_args()
    options.findings.mkdir(parents=True, exist_ok=True)
    names = options.format or sorted(FORMATS)
    if options.search:
        search(names[0], options.seconds, options.findings)
    tried = found = 0
    for name in names:
        words = ["--search", "--format", name, "--seconds", str(options.seconds / len(names))]
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided", *words, "--findings", str(options.findings)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        reached = re.findall(r"cov: (\d+)", done.stderr)
        files = int(runs[1]) if runs else 0
        print(f"{name:20} {files:8,} files, from {reached[0]} to {reached[-1]} places" if reached else name, flush=True)
        tried += files
        if done.returncode:
            found += 1
            print(done.stderr[-3000:], flush=True)
    print(f"{tried:,} files, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
