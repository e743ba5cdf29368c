"""`study_status`: how far a study has come."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

from arcwise.base.showing import one_screen
from arcwise_studies.outcome import CELL_STATUSES
from arcwise_studies.store import Store

__all__ = ["StudyStatus", "study_status"]

LISTED_MESSAGES = 5


@one_screen
@dataclass(frozen=True, eq=False)
class StudyStatus:
    """How far a study has come: cells by status and experiment, the commonest messages, and the runs so far."""

    name: str
    digest: str
    counts: dict[str, dict[str, int]]
    messages: list[tuple[str, int]]
    seconds: float
    runs: list[dict[str, Any]]

    @property
    def is_complete(self) -> bool:
        """Whether every planned cell has an outcome."""
        return not any(counts["pending"] for counts in self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        runs = [{key: value if value is None else str(value) for key, value in run.items()} for run in self.runs]
        return {
            "name": self.name,
            "digest": self.digest,
            "cells": self.counts,
            "messages": [{"message": message, "cells": count} for message, count in self.messages],
            "cell_seconds": self.seconds,
            "runs": runs,
            "complete": self.is_complete,
        }

    def lines(self) -> list[str]:
        """Return everything as lines of text."""
        lines = [f"{self.name} (configuration {self.digest[:12]})"]
        for experiment, counts in self.counts.items():
            listed = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
            lines.append(f"{experiment}: {sum(counts.values()):,} cells: {listed}")
        lines += [f"  {count:,} x {message}" for message, count in self.messages]
        lines.append(f"{self.seconds:,.1f} seconds of cells")
        for run in self.runs:
            ended = "" if run["ended"] is None else f" to {run['ended']:%H:%M:%S}"
            lines.append(
                f"run {run['run']}: {run['started']:%Y-%m-%d %H:%M:%S}{ended}, {run['workers']}, {run['status']}"
            )
        return lines


def study_status(store: str | os.PathLike[str]) -> StudyStatus:
    """Return how far the study of a store has come; it may be under way."""
    source = Store(store)
    facts = source.facts()
    counts: dict[str, Counter[str]] = {}
    messages: Counter[str] = Counter()
    seconds = 0.0
    for _, experiment, _, status, message, spent, _ in source.cells(rows=False):
        counts.setdefault(experiment, Counter())[status] += 1
        seconds += spent or 0.0
        if message:
            messages[f"{status}: {message}"] += 1
    listed = {name: {status: count[status] for status in CELL_STATUSES} for name, count in counts.items()}
    return StudyStatus(
        facts["name"], facts["digest"], listed, messages.most_common(LISTED_MESSAGES), seconds, source.runs()
    )
