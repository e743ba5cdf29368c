"""The tables of `benchmarks/gaps.py`: log loss cell by cell with its error over seeds, averages, and a verdict.

`python -m benchmarks.gaps --tables FILE ... [--page PAGE]` prints them, or puts them into a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from arcwise.base.files import write_text
from benchmarks.gaps import CELL, WAYS

BEGIN, END = "<!-- measured by benchmarks/gaps.py -->", "<!-- end of what was measured -->"
# Ways that give confidences; the others give one network, and have all or nothing to say about an edge.
CONFIDENT = ("completions", "pnal", "knn", "mode", "complete cases")
MEASURES = ("log loss", "F1", "SHD", "seconds")


def row(*values: object) -> str:
    return f"| {' | '.join(map(str, values))} |"


def rule(count: int) -> str:
    return row(*["---"] * count)


def with_error(values: pd.Series, digits: int = 1) -> str:
    """Return a mean with its standard error over seeds, if there are several."""
    mean = f"{values.mean():.{digits}f}"
    return f"{mean} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}" if len(values) > 1 else mean


def log_losses(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the table of log losses, a line for each network, number of cases, kind and share of gaps."""
    gappy = frame[frame["gaps"] != "none"]
    whole = frame[frame["gaps"] == "none"].groupby(["network", "cases"])["log loss"]
    ways = [way for way in CONFIDENT if way in set(gappy["way"])]
    yield row("network", "cases", "gaps", "share", "no gaps", *ways)
    yield rule(5 + len(ways))
    for cell, part in gappy[gappy["way"].isin(ways)].groupby(CELL, sort=False):
        losses = dict(iter(part.groupby("way")["log loss"]))
        best = min(losses, key=lambda way: losses[way].mean())
        shown = [with_error(losses[way]) if way in losses else "" for way in ways]
        shown = [f"**{text}**" if way == best else text for way, text in zip(ways, shown, strict=True)]
        known = with_error(whole.get_group(cell[:2])) if cell[:2] in whole.groups else ""
        yield row(*cell, known, *shown)


def averages(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a table of averages: over the cells and seeds that all ways have, so that they can be compared."""
    ways = [way for way in WAYS if way in set(frame["way"])]
    common = frame.groupby([*CELL, "seed"])["way"].transform("nunique") == len(ways)
    part = frame[common]
    if part.empty:
        yield "There are no cells that all ways have."
        return
    cells, runs = len(part.drop_duplicates(CELL)), len(part.drop_duplicates([*CELL, "seed"]))
    yield f"On average over the {runs:,} samples ({cells} cells) that all of these ways were run on:\n"
    yield row("way", *MEASURES)
    yield rule(1 + len(MEASURES))
    for way in ways:
        own = part[part["way"] == way]
        yield row(way, *(f"{own[what].mean():.2f}" for what in MEASURES))


def seeds(frame: pd.DataFrame) -> str:
    """Say how many samples each way was run on, by the number of cases."""
    told = []
    for cases, part in frame.groupby("cases"):
        by_way: dict[str, list[str]] = {}
        for way in (way for way in WAYS if way in set(part["way"])):
            runs = part[part["way"] == way]
            each = runs.groupby(CELL)["seed"].nunique().value_counts().sort_index(ascending=False)
            many = ", ".join(f"{n} seed{'' if n == 1 else 's'} in {cells} cells" for n, cells in each.items())
            by_way.setdefault(many, []).append(way)
        told.append(f"{cases:,} cases: " + "; ".join(f"{', '.join(ways)} have {many}" for many, ways in by_way.items()))
    return ". ".join(told) + "."


def verdict(gappy: pd.DataFrame) -> str:
    """Say in how many cells completions have the smallest log loss, or one that is not clearly larger.

    Clearly larger: by more than twice the standard error of the paired difference over seeds, where there are several.
    """
    cells = best = equal = beaten = 0
    for _, part in gappy.groupby(CELL, sort=False):
        wide = part.pivot_table(index="seed", columns="way", values="log loss").dropna(subset=["completions"])
        if len(wide.columns) < 2:
            continue
        cells += 1
        # Each rival is compared on the seeds that it has.
        gaps = {way: (wide["completions"] - wide[way]).dropna() for way in wide.columns if way != "completions"}
        worse = {way: gap.mean() for way, gap in gaps.items() if gap.mean() > 0}
        best += not worse
        errors = {way: gaps[way].std(ddof=1) / np.sqrt(len(gaps[way])) if len(gaps[way]) > 1 else 0.0 for way in worse}
        equal += bool(worse) and all(worse[way] <= 2 * errors[way] for way in worse)
        beaten += "complete cases" in worse
    return (
        f"Completions have the smallest log loss in {best} of {cells} cells, one that is not clearly larger in "
        f"{equal} more, and are worse than complete cases in {beaten}. (Clearly larger: by more than twice the "
        "standard error of the paired difference over seeds.)"
    )


def page(frame: pd.DataFrame) -> str:
    """Return everything in Markdown."""
    gappy = frame[frame["gaps"] != "none"]
    ours = gappy[gappy["way"].isin(CONFIDENT)]
    parts = [
        f"Seeds: {seeds(gappy)} Means ± their standard errors over seeds.",
        "\n".join(log_losses(frame)),
        verdict(gappy),
        "\n".join(averages(ours)),
    ]
    if len(gappy) > len(ours):
        parts.append("\n".join(averages(gappy)))
    return "\n\n".join(parts)


def put_tables(logs: Sequence[Path], target: Path | None) -> None:
    """Print the tables of these logs, or put them between the two marks of a page."""
    frame = pd.concat([pd.read_csv(path) for path in logs]).drop_duplicates([*CELL, "seed", "way"], keep="last")
    text = page(frame)
    if target is None:
        print(text)
        return
    before, _, rest = target.read_text().partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{target} has no marks {BEGIN} and {END}.")
    write_text(target, f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
