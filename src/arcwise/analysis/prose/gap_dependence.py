"""Which gaps depend on which observed values, in words: for the audit and for the report."""

from __future__ import annotations

from collections.abc import Sequence

from arcwise.data.gap_dependence import LEVEL, GapDependence
from arcwise.report.content.blocks import Block, Column, Paragraph, Table

__all__ = ["dependence_blocks"]

# Dependences of gaps that are listed.
MOST_ROWS = 12


def dependence_blocks(clear: Sequence[GapDependence], tests: int | None = None) -> list[Block]:
    """Say what the tests found; `tests` is their number, if it is known."""
    if not clear:
        which = "no test" if tests is None else f"none of {tests:,} tests"
        return [
            Paragraph(
                f"Nothing shows that gaps depend on observed values: {which} is significant at {LEVEL:g} "
                "(likelihood-ratio tests, Holm's correction)."
            )
        ]
    pairs = "pair" if len(clear) == 1 and tests is None else "pairs"
    among = "" if tests is None else f" of {tests:,}"
    return [
        Paragraph(
            f"Gaps are not completely at random: in {len(clear):,}{among} {pairs} they depend on an observed variable. "
            "Complete cases alone would be a biased sample; completions take it into account, if values are missing at "
            "random given what is observed."
        ),
        Table(
            "Gaps that depend on observed values, the clearest first (likelihood-ratio tests, Holm's correction).",
            (
                Column("gaps of"),
                Column("depend on"),
                Column("p", 4),
                Column("fewest where it is"),
                Column("share", 3),
                Column("most where it is"),
                Column("share", 3),
            ),
            tuple(
                (t.variable, t.on, t.p_value, t.least, t.least_share, t.most, t.most_share) for t in clear[:MOST_ROWS]
            ),
        ),
    ]
