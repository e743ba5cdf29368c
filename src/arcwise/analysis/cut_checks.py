"""Which edges depend on how numbers were cut: the same recipe on the same numbers, cut in other ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.averaged import Averaged
from arcwise.analysis.edges import HALF
from arcwise.analysis.remark import Remark
from arcwise.confidence import EdgeConfidence
from arcwise.data import Dataset, Table, discretize
from arcwise.limits import Status
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.analysis.options import LearnOptions
    from arcwise.analysis.preparation import Prepared

__all__ = ["CutCheck", "CutChecks", "CutEdge", "check_cuts", "ways_to_cut"]

BINS = (2, 3, 4, 5)


@one_screen
@dataclass(frozen=True, eq=False)
class CutCheck:
    """The confidences of another way to cut."""

    label: str  # "width, 4 intervals"
    confidence: EdgeConfidence


@one_screen
@dataclass(frozen=True, slots=True)
class CutEdge:
    """An edge at a column that was cut: its confidence as cut here, and the range over the other ways."""

    first: str
    second: str
    here: float
    lowest: float
    lowest_by: str
    highest: float
    highest_by: str

    @property
    def depends(self) -> bool:
        """Whether some way to cut makes the edge likely, and another one unlikely."""
        return min(self.here, self.lowest) <= HALF < max(self.here, self.highest)


@one_screen
@dataclass(frozen=True, eq=False)
class CutChecks:
    """What other ways to cut say about the edges at columns of numbers."""

    columns: tuple[str, ...]
    checks: tuple[CutCheck, ...]
    edges: tuple[CutEdge, ...]  # those that some way to cut finds likely, the most certain first
    notes: tuple[Remark, ...] = ()


def ways_to_cut(options: LearnOptions) -> tuple[tuple[str, int], ...]:
    """Return the ways to try: methods with their numbers of intervals, 0 where the method chooses them."""
    ways = [(method, bins) for method in ("quantile", "width") for bins in BINS]
    ways += [("mdl", 0)] if options.target is not None else []
    used = (options.discretize or "quantile", options.bins)
    return tuple(way for way in (*ways, ("joint", 0)) if way != used and way[0] != (used[0] if not way[1] else None))


def check_cuts(
    prepared: Prepared, confidence: EdgeConfidence, options: LearnOptions, average: Callable[[Dataset], Averaged | None]
) -> CutChecks | None:
    """Cut the numbers in other ways and average the same recipe on each; None if nothing was cut.

    `average` carries the recipe out in the time that is left for one way; it returns None if there is none.
    Cost: that of the main set of networks, once for every way to cut.
    """
    table, columns = prepared.uncut, prepared.cut
    if table is None or not columns:
        return None
    checks: list[CutCheck] = []
    missed: list[str] = []
    for method, bins in ways_to_cut(options):
        label = f"{method}, {bins} intervals" if bins else method
        data = cut_again(table, columns, method, bins, options)
        made = None if data is None else average(data)
        if made is None or made.confidence is None or made.status is not Status.COMPLETE:
            missed.append(label)
            continue
        checks.append(CutCheck(label, made.confidence))
    notes = (
        (Remark(f"Not tried for want of time, or because a column would not vary: {'; '.join(missed)}.", True),)
        if missed
        else ()
    )
    return CutChecks(columns, tuple(checks), tuple(_edges(confidence, columns, checks)), notes)


def cut_again(table: Table, columns: tuple[str, ...], method: str, bins: int, options: LearnOptions) -> Dataset | None:
    """Return the data cut in another way; None if a column would be left with one state."""
    from arcwise.data import apply_cuts
    from arcwise.local.joint_cuts import joint_cuts

    named = [name for name in (*options.categories, *options.keep) if name in table.names]
    kept = options.categorical or named
    # MDL cuts where a class changes; a target of numbers is cut as any other column is, and is no class.
    target = options.target if method == "mdl" else None
    if target in columns:
        return None
    chosen = list(columns)
    if method == "joint":
        found = joint_cuts(table, chosen, categorical=kept, max_parents=options.max_parents, seed=options.seed)
        cut = apply_cuts(table, found.cuts, keep_empty=False)
    else:
        cut = discretize(table, method=method, columns=chosen, bins=max(bins, 2), target=target, without_cuts="median")
    if any(len(cut.column(name).labels) < 2 for name in chosen):
        return None
    return cut.to_dataset(categorical=kept)


def _edges(confidence: EdgeConfidence, columns: tuple[str, ...], checks: list[CutCheck]) -> Iterable[CutEdge]:
    names = confidence.names
    if not checks:
        return
    others = np.array([check.confidence.present for check in checks])
    found = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            here = float(confidence.present[i, j])
            if not {names[i], names[j]} & set(columns) or max(here, float(others[:, i, j].max())) <= HALF:
                continue
            low, high = int(others[:, i, j].argmin()), int(others[:, i, j].argmax())
            lowest, highest = float(others[low, i, j]), float(others[high, i, j])
            found.append(CutEdge(names[i], names[j], here, lowest, checks[low].label, highest, checks[high].label))
    yield from sorted(found, key=lambda edge: (-edge.here, -edge.lowest))
