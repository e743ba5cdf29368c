"""`python -m tests.obedience 2000`: that many random analyses under constraints."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tests.obedience.cases import check


def main() -> None:
    """Check the cases one after the other; the first that fails is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("--start", type=int, default=0)
    chosen = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(chosen.start, chosen.start + chosen.count):
            try:
                check(number, Path(folder) / "analysis")
            except BaseException:
                print(f"case {number} failed")
                raise
    print(f"{chosen.count:,} analyses, no file breaks its constraints; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
