"""Options of what may vary between runs without changing what is asked: the seed, and the threads."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.defaults import MOST_THREADS

__all__ = ["SeedOption", "ThreadsOption"]

SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed of the random numbers; same seed, same result.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        max=MOST_THREADS,
        help="Threads to use (default: one per core); results do not depend on them.",
        show_default=False,
    ),
]
