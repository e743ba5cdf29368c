"""`python -m tests.fuzz`: break files for some minutes; whatever arcwise does but refuse or read them is a finding.

A finding is written to the folder given by --findings, with the seed that makes it again; the input that is being read
is always in the file `current` there, so that a crash of the whole process leaves it behind.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.formats import FORMATS, make_examples
from tests.fuzz.fuzzer import Finding, attempt, break_file


def main() -> int:
    """Run until the time is over; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=None, help="of the first file; by default another one every time")
    parser.add_argument("--format", action="append", choices=sorted(FORMATS), help="only these")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    options = parser.parse_args()
    options.findings.mkdir(parents=True, exist_ok=True)
    seed = random.SystemRandom().randrange(2**40) if options.seed is None else options.seed
    names = options.format or sorted(FORMATS)
    tried: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    spent = dict.fromkeys(names, 0.0)
    found: dict[str, Finding] = {}
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        examples = make_examples(Path(folder))
        while time.monotonic() < end:
            seed += 1
            name = min(names, key=lambda name: spent[name])  # as much time for each: some are a hundred times slower
            start = time.process_time()
            content = break_file(name, examples[name], seed)
            (options.findings / "current").write_bytes(content)
            outcome = attempt(name, content, Path(folder))
            tried[name] += 1
            spent[name] += time.process_time() - start
            if outcome is None:
                continue
            refused[name] += 1
            if isinstance(outcome, Finding) and outcome.key not in found:
                found[outcome.key] = outcome
                path = options.findings / f"{seed}-{name}"
                path.write_bytes(content)
                print(f"{path}: {outcome.text}", flush=True)
    for name in names:
        print(f"{name:20} {tried[name]:8,} files, {refused[name]:8,} refused")
    print(f"{sum(tried.values()):,} files, {len(found)} findings, last seed {seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
