"""Run every benchmark, or those named: `python -m benchmarks [topic ...]`. Each prints Markdown tables."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    topics = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name[0] != "_")
    wanted = sys.argv[1:] or topics
    for topic in wanted:
        if topic not in topics:
            sys.exit(f"unknown benchmark '{topic}'. Known: {', '.join(topics)}.")
        print(f"\n# {topic}\n", flush=True)
        importlib.import_module(f"benchmarks.{topic}").main()


main()
