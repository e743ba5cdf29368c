"""What the report says about experiments: those that were made, and which would settle most of what is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.remark import Remark
from arcwise.report.content.blocks import Block, Column, Paragraph, Section, Table

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.data import Dataset
    from arcwise.graph import Constraints

__all__ = ["EXPERIMENT_WORKS", "experiment_sections", "methods_of_experiments", "untold_remarks"]

# Variables that settle less than this are not worth a line.
LEAST_SHOWN = 0.05
MOST_LINES = 12
EXPERIMENT_WORKS = frozenset({"cooper-1999", "hauser-2012"})


def experiment_sections(analysis: Analysis) -> tuple[Section, ...]:
    """Return the section on the next experiment, where directions are open; else none."""
    found = analysis.main.experiments
    if found is None or found.best is None:
        return ()
    frame = found.to_frame()
    rows = tuple(
        (str(row["set"]), float(row["settles"]), float(row["share"]))
        for row in frame.head(MOST_LINES).to_dict(orient="records")
        if row["settles"] >= LEAST_SHOWN
    )
    if not rows:
        return ()
    first, best, _ = rows[0]
    open_now = f"{found.open_now:.1f} edges" if round(found.open_now, 1) != 1.0 else "1.0 edge"
    blocks: list[Block] = [
        Paragraph(
            f"On average over the networks, the direction of {open_now} is open: they fit either way, which data of "
            "this kind cannot decide. An experiment that sets a variable can: it shows the direction of every "
            f"edge at that variable, and others follow. Setting {first} would settle most, {best:.1f} of them. That is "
            "an expectation over the networks, before the experiment is made; it assumes enough cases, and that "
            "nothing outside the data causes two variables at once."
        ),
        Table(
            "How many open directions an experiment on each variable would settle, expected over the networks"
            + (" (networks, or members of large classes, were drawn at random)." if found.drawn else "."),
            (Column("set"), Column("settles", 2), Column("share of what is open", 2)),
            rows,
        ),
    ]
    return (Section("experiments", "Which experiment next", tuple(blocks)),)


def untold_remarks(data: Dataset, constraints: Constraints | None) -> tuple[Remark, ...]:
    """Say which required arcs lead to variables that were set in every case: the data cannot tell of them."""
    if constraints is None or data.targets is None:
        return ()
    always = [name for name in constraints.names if name in data.names and data.cases_without(name).n_cases == 0]
    return tuple(
        Remark(
            f"{tail} → {name} is required, but {name} was set in all {data.n_cases:,} cases, so that the data say "
            "nothing about its parents: the arc is there because you said so."
        )
        for name in always
        for tail in constraints.required_parents(name)
    )


def methods_of_experiments(analysis: Analysis) -> str:
    """Return what the methods section says about cases in which variables were set; empty if there are none."""
    targets = analysis.data.targets
    if targets is None:
        return ""
    names = targets.names
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    always = all(set(one) == set(names) for one in targets.sets)
    which = "all cases" if always else "some cases" if () in targets.sets else "every case one or more of"
    return (
        f"In {which} {listed} {'was' if len(names) == 1 else 'were'} set by an experiment: every variable was "
        "scored and estimated without the cases in which it was set (Cooper & Yoo, 1999), and networks count as "
        "equivalent if no such experiment tells them apart (Hauser & Bühlmann, 2012)."
    )
