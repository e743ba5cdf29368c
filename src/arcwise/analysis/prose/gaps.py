"""What a report says about missing values: what was done, what it assumes, and what it means for each edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.edges import EdgeFinding
from arcwise.analysis.prose.gap_dependence import dependence_blocks
from arcwise.data.gap_dependence import gap_dependences
from arcwise.ensemble.gaps.completions import BETWEEN, BURN_IN, CHAINS
from arcwise.report import Column, Paragraph, Table
from arcwise.report.content.numbers import percent

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.report.content.blocks import Block

__all__ = ["completion_account", "completion_methods", "filling_sentence", "gap_blocks"]

# A confidence that varies by less between completions does not depend on the filling.
SMALL = 0.05


def filling_sentence(edge: EdgeFinding) -> str:
    """Say how much of an edge's data was filled in, and what that does to its confidence."""
    if edge.share_filled <= 0:
        return ""
    share = f"In {percent(edge.share_filled)} of the cases one of the two values was missing"
    if edge.between_completions is None:
        return f"{share}; each network was learned from a completion of its own."
    if edge.between_completions < SMALL:
        return f"{share}; what they are completed with hardly matters (±{edge.between_completions:.2f})."
    return (
        f"{share}; from one completion to the next the confidence varies by ±{edge.between_completions:.2f} (standard "
        "deviation), so that the missing values could settle it."
    )


def completion_account(analysis: Analysis) -> str:
    """Say how the completions came about; nothing without gaps."""
    gaps, confidence = analysis.gaps, analysis.confidence
    if gaps is None:
        return ""
    how = (
        "Completions are drawn, not guessed: in turns a network, its parameters, and the missing values of each case "
        f"given its observed ones, in {CHAINS} chains from different starts, after {BURN_IN} steps to forget these."
    )
    if confidence.spread is None:
        return f"Each network was learned from a sample of the cases with their gaps, which was completed anew. {how}"
    worst = float(confidence.spread.max())
    steady = (
        ""
        if confidence.standard_error.max() < SMALL
        else (" Some confidences still move from completion to completion: ask for more with --completions.")
    )
    return (
        f"There were gaps, so all of this was done for {confidence.completions:,} completions of the data; confidences "
        f"are averages over them, and the numbers of networks are sums. {how} Between completions a confidence varies "
        f"by ±{worst:.2f} at most.{steady}"
    )


def completion_methods(analysis: Analysis) -> str:
    """Return the sentences of a methods section; nothing without gaps."""
    gaps, confidence = analysis.gaps, analysis.confidence
    if gaps is None:
        return ""
    if confidence.spread is None:
        what = "Each bootstrap sample was drawn with its gaps and completed anew."
    else:
        what = (
            f"The data were completed {confidence.completions:,} times, networks were learned from each completion, "
            "and confidences were averaged over the completions."
        )
    return (
        f"{percent(gaps.share_of_cells)} of the values were missing and were assumed to be missing at random. {what} "
        "Completions were drawn by data augmentation (Tanner & Wong, 1987): a network by Metropolis steps under BDeu "
        "(equivalent sample size 1, at most 3 parents; arcs compared over cases with both ends observed), parameters "
        "from their Dirichlet posterior, and the missing values of each case jointly given its observed values by "
        f"exact inference; {CHAINS} chains, {BURN_IN} steps of burn-in, {BETWEEN} steps between completions."
    )


def gap_blocks(analysis: Analysis) -> list[Block]:
    """Return what the section on the data says about gaps: how many, the assumption, and what the check found."""
    gaps = analysis.gaps
    if gaps is None:
        return []
    rows = [(name, float(share)) for name, share in zip(gaps.names, gaps.shares_missing.tolist(), strict=True) if share]
    rows.sort(key=lambda row: -row[1])
    tests = gap_dependences(gaps)
    clear = [test for test in tests if test.is_clear]
    blocks: list[Block] = [
        Paragraph(
            f"{percent(gaps.share_of_cells)} of the values are missing; {percent(gaps.share_of_complete_cases)} of the "
            "cases are complete. Averages over completions are right if values are missing at random: whether a value "
            "is missing may depend on observed values, but not on the missing value itself. Data cannot show whether "
            "that holds; who collected them may know."
        ),
        Table(
            "Missing values by variable.",
            (Column("variable"), Column("share missing", 3)),
            tuple(rows),
        ),
    ]
    return [*blocks, *dependence_blocks(clear, len(tests))]
