"""What the report says about edges that depend on how numbers were cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.cut_checks import CutEdge
from arcwise.audit.words import columns_words
from arcwise.report.content.blocks import Column, Paragraph, Section, Table

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["cut_sections", "cut_sentence"]


def cut_sections(analysis: Analysis) -> tuple[Section, ...]:
    """Return the section on cuts, or none if nothing was cut."""
    checks = analysis.cuts
    if checks is None or not (checks.checks or checks.notes):
        return ()
    blocks: list[Paragraph | Table] = [Paragraph(cut_sentence(analysis))]
    blocks += [Paragraph(note.text) for note in checks.notes]
    if checks.edges:
        blocks.append(
            Table(
                "Edges at numbers: the confidence as they were cut here, and the range over other ways to cut them.",
                (
                    *(Column("edge"), Column("here", 2), Column("lowest", 2), Column("by"), Column("highest", 2)),
                    *(Column("by"), Column("depends on the cuts")),
                ),
                tuple(_row(edge) for edge in checks.edges),
            )
        )
    return (Section("cuts", "Do the edges depend on how numbers were cut?", tuple(blocks)),)


def _row(edge: CutEdge) -> tuple[str | float, ...]:
    return (
        f"{edge.first} — {edge.second}",
        edge.here,
        edge.lowest,
        edge.lowest_by,
        edge.highest,
        edge.highest_by,
        "yes" if edge.depends else "no",
    )


def _edges(count: int) -> str:
    return f"{count} edge{'' if count == 1 else 's'}"


def cut_sentence(analysis: Analysis) -> str:
    """Say how many of the network's edges at numbers some other way to cut would not have found."""
    checks = analysis.cuts
    assert checks is not None
    inside = {frozenset((edge.first, edge.second)) for edge in analysis.edges if edge.fate.in_network}
    here = [edge for edge in checks.edges if frozenset((edge.first, edge.second)) in inside]
    depends = [edge for edge in here if edge.depends]
    ways = (
        f"{len(checks.checks)} other way{'' if len(checks.checks) == 1 else 's'} to cut {columns_words(checks.columns)}"
    )
    if not checks.checks:
        return f"No other way to cut {columns_words(checks.columns)} was tried."
    if not here:
        return f"{ways[0].upper()}{ways[1:]}: the network has no edge there."
    if not depends:
        stay = (
            "the one edge of the network there stays"
            if len(here) == 1
            else f"all {len(here)} edges of the network there stay"
        )
        return f"By {ways}, {stay} likely: {'it is not' if len(here) == 1 else 'none is'} made by the cuts."
    named = ", ".join(f"{edge.first} — {edge.second}" for edge in depends[:4])
    more = f" and {len(depends) - 4} more" if len(depends) > 4 else ""
    return (
        f"By {ways}, {len(depends)} of the network's {_edges(len(here))} there would be unlikely at least once: "
        f"{named}{more}. Report such an edge with its cuts, or not at all."
    )
