"""Run every benchmark, or those named: `python -m benchmarks [topic ...]`. Each prints Markdown tables.

Each topic runs in a process of its own, so that what it changes, or how it ends, does not touch the next. In the end it
is said which failed. `python -m benchmarks.TOPIC --help` shows the options of one.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import time
from collections.abc import Sequence

import benchmarks
from benchmarks._topic import ROOT, parser_for


def topics() -> list[str]:
    """Return the names of all topics; a module whose name begins with an underscore is none."""
    return sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name[0] != "_")


def main(arguments: Sequence[str] = ()) -> int:
    """Run the topics one after the other; return 1 if one failed."""
    known = topics()
    parser = parser_for(__doc__)
    parser.add_argument("topics", nargs="*", metavar="topic", help=", ".join(known))
    wanted = parser.parse_args(arguments).topics or known
    for topic in wanted:
        if topic not in known:
            parser.error(f"unknown benchmark '{topic}'. Known: {', '.join(known)}.")
    failed = []
    for topic in wanted:
        print(f"\n# {topic}\n", flush=True)
        begin = time.monotonic()
        code = subprocess.run([sys.executable, "-m", f"benchmarks.{topic}"], cwd=ROOT, check=False).returncode
        print(f"\n({topic}: {time.monotonic() - begin:.0f} s of the clock)", flush=True)
        if code:
            failed.append(f"{topic} (exit code {code})")
            print(f"\n{topic} FAILED with exit code {code}; the others go on.", flush=True)
    print(f"\n{len(wanted) - len(failed)} of {len(wanted)} topics went to their end.")
    if failed:
        print(f"FAILED: {', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
