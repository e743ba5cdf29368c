"""Options that limit what a verb may use. At a limit it stops, keeps what is finished, and exits with code 3."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from arcwise.cli.option_group import OptionGroup
from arcwise.errors import OptionError
from arcwise.limits import Limits

__all__ = ["MemoryLimit", "NetworkLimit", "NodeLimit", "StepLimit", "TimeLimit"]

MOST_GIGABYTES = 1e9  # in bytes still a number of 64 bits
MOST = 2**62


@dataclass(frozen=True)
class TimeLimit(OptionGroup):
    """A limit of time."""

    limit_seconds: Annotated[
        float | None,
        typer.Option(
            "--limit-seconds", help="Stop after this time and keep what is finished (exit code 3).", show_default=False
        ),
    ] = None

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        if self.limit_seconds is not None and not self.limit_seconds > 0:
            raise OptionError(f"--limit-seconds {self.limit_seconds:g}: must be positive.")
        return Limits(seconds=self.limit_seconds)


@dataclass(frozen=True)
class MemoryLimit(TimeLimit):
    """Limits of time and memory."""

    limit_memory: Annotated[
        float | None,
        typer.Option(
            "--limit-memory",
            help="Gigabytes for tables (default: 3/4 of the free memory for tables of parent sets).",
            show_default=False,
        ),
    ] = None

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        given = self.limit_memory
        if given is not None and not 0 < given <= MOST_GIGABYTES:
            raise OptionError(f"--limit-memory {given:g}: must be a positive number of gigabytes.")
        memory = None if given is None else max(1, int(given * 1e9))
        return replace(super().limits, memory_bytes=memory)


@dataclass(frozen=True)
class NodeLimit(MemoryLimit):
    """Limits of time, memory, and nodes of a branch and bound."""

    limit_nodes: Annotated[
        int | None,
        typer.Option("--limit-nodes", min=1, max=MOST, help="The most nodes in branch and bound.", show_default=False),
    ] = None

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        return replace(super().limits, count=self.limit_nodes)


@dataclass(frozen=True)
class NetworkLimit(MemoryLimit):
    """Limits of time, memory, and networks that are listed."""

    limit_networks: Annotated[
        int | None,
        typer.Option(
            "--limit-networks", min=1, max=MOST, help="The most networks to list with -o.", show_default=False
        ),
    ] = None

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        return replace(super().limits, count=self.limit_networks)


@dataclass(frozen=True)
class StepLimit(MemoryLimit):
    """Limits of time, memory, and steps of a local search."""

    limit_steps: Annotated[
        int | None,
        typer.Option(
            "--limit-steps",
            min=1,
            max=MOST,
            help="The most moves of a climb, rounds of the genetic search, or perturbations of orders.",
            show_default=False,
        ),
    ] = None

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        return replace(super().limits, count=self.limit_steps)
