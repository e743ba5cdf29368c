"""`python -m tests.obedience --seconds 600`: random analyses under constraints, as many as the time has."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from tests.obedience.cases import check


def main() -> None:
    """Check cases one after the other until the time is over; the first that fails is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.obedience", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=None, help="the first case; by default another every time")
    chosen = parser.parse_args()
    first = number = random.SystemRandom().randrange(2**31) if chosen.seed is None else chosen.seed
    end, made = time.monotonic() + chosen.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            try:
                made += check(number, Path(folder) / "analysis")
            except BaseException:
                print(f"case {number} failed")
                raise
            number += 1
    print(f"{made:,} analyses, cases {first} to {number - 1} ({number - first - made:,} refused): no file breaks them")


if __name__ == "__main__":
    main()
