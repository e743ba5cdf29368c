"""`python -m tests.random_calls`: random sequences of calls for some time; what fails is shrunk and printed."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from tests.random_calls.sessions import calls_of, run_calls, shrink


def main() -> int:
    """Run until the time is over; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_calls", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the first session; by default another every time")
    parser.add_argument("--only", action="store_true", help="run the session of this seed and no other")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**40) if options.seed is None else options.seed
    end = time.monotonic() + options.seconds
    sessions = 0
    made: Counter[str] = Counter()
    found: set[str] = set()
    while time.monotonic() < end:
        calls = calls_of(seed)
        failure = run_calls(seed, calls)
        sessions += 1
        made.update(call.name for call in calls)
        if failure is not None and failure.key not in found:
            found.add(failure.key)
            print(f"seed {seed}: {failure.text}")
            for call in shrink(seed, calls, failure):
                print(f"    {call}")
            sys.stdout.flush()
        seed += 1
        if options.only:
            break
    for name, count in sorted(made.items()):
        print(f"{name:16} {count:8,} calls")
    print(f"{sessions:,} sessions, {made.total():,} calls, {len(found)} findings, last seed {seed - 1}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
