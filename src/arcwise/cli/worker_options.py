"""Options of work that is shared out: how many workers, and a cluster."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ClusterOption", "WorkersOption"]

WorkersOption = Annotated[
    int,
    typer.Option("--workers", "--jobs", "-j", "--threads", help="The number of workers; -1 for one per core."),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        "--dask",
        help="The address of a Dask scheduler to run on (default: this machine).",
        show_default=False,
    ),
]
