"""How times grow, from the tables of the benchmark pages: slopes on logarithmic axes, and their pictures.

Nothing is measured here: if a page is measured again, `python docs/update.py` brings the slopes along, a test fails
until it does, and `python docs/growth.py` draws the pictures again.
"""

from __future__ import annotations

import importlib.util
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parent / "benchmarks"
Points = dict[str, list[tuple[float, float]]]


def _peers() -> Any:
    spec = importlib.util.spec_from_file_location("docs_peers", BENCHMARKS.parent / "peers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def slope(points: Iterable[tuple[float, float]]) -> float:
    """Return the slope of a line through points on logarithmic axes: the power that the second grows with."""
    logs = [(math.log(size), math.log(value)) for size, value in points]
    mean = [sum(column) / len(logs) for column in zip(*logs, strict=True)]
    across = sum((size - mean[0]) * (value - mean[1]) for size, value in logs)
    return across / sum((size - mean[0]) ** 2 for size, _ in logs)


def exact_points(what: str) -> Points:
    """Give a column of the table of many cases, BIC, by network, from 5,000 cases on and where it has milliseconds."""
    peers, found = _peers(), defaultdict(list)
    for row in peers.rows("exact", "Many cases"):
        cases, value = peers.number(row["cases"]), peers.number(row[what])
        if row["score"] == "bic" and cases >= 5_000 and value >= 0.02:
            found[row["network"]].append((cases, value))
    return {name: points for name, points in found.items() if len(points) > 2}


def learn_points(what: str) -> Points:
    """Give a column of the table of all sizes, by network, from 5,000 cases on, where no limit ended the work."""
    peers, found = _peers(), defaultdict(list)
    for row in peers.rows("learn", "By stage", "### All sizes"):
        cases = peers.number(row["cases"])
        if cases >= 5_000 and "*" not in row["all, s"] and peers.number(row[what]) >= 0.2:
            found[row["data"]].append((cases, peers.number(row[what])))
    return {name: points for name, points in found.items() if len(points) > 1}


def learn_by_variables(what: str) -> list[tuple[float, float]]:
    """Give a column of the same table by the number of variables, with 5,000 cases."""
    peers = _peers()
    rows = peers.rows("learn", "By stage", "### All sizes")
    return [
        (peers.number(row["variables"]), peers.number(row[what]))
        for row in rows
        if row["cases"] == "5,000" and peers.number(row[what]) > 0
    ]


def _table(columns: dict[str, Points]) -> Iterator[str]:
    names = list(dict.fromkeys(name for points in columns.values() for name in points))
    yield f"| data | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
    for name in names:
        slopes = (f"{slope(points[name]):.2f}" if name in points else "" for points in columns.values())
        yield f"| {name} | {' | '.join(slopes)} |"


def exact_growth() -> str:
    """Return the slopes over the cases, from the table of many cases."""
    columns = {"parent sets": "parent sets", "seconds to the proof": "optimum"}
    return "\n".join(_table({title: exact_points(column) for title, column in columns.items()})) + "\n"


def learn_growth() -> str:
    """Return the slopes of an analysis over the cases, and in the last row over the variables."""
    columns = {"replicates": "replicates, s", "CPU of all": "CPU s"}
    lines = list(_table({title: learn_points(column) for title, column in columns.items()}))
    over = (f"{slope(learn_by_variables(column)):.2f}" for column in columns.values())
    return "\n".join([*lines, f"| over the variables, 5,000 cases | {' | '.join(over)} |"]) + "\n"


def draw(points: Points, ylabel: str, file: Path) -> None:
    """Draw on logarithmic axes, with the slope of each line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    for name, known in points.items():
        axes.loglog(*zip(*known, strict=True), "o-", label=f"{name}, slope {slope(known):.2f}")
    axes.set(xlabel="cases", ylabel=ylabel)
    axes.legend()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Draw the pictures of the pages."""
    pictures: tuple[tuple[Callable[[str], Points], str, str, str], ...] = (
        (exact_points, "optimum", "CPU seconds to the proof", "exact-cases.svg"),
        (learn_points, "replicates, s", "seconds for 200 replicates", "learn-cases.svg"),
    )
    for points, column, ylabel, file in pictures:
        draw(points(column), ylabel, BENCHMARKS / file)


if __name__ == "__main__":
    main()
