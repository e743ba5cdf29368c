"""What the report says and shows about the chains that drew the networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.report import Chart, Guide, Paragraph, Series

if TYPE_CHECKING:
    from arcwise.analysis.chain_facts import ChainFacts
    from arcwise.report.content.blocks import Block

__all__ = ["chain_blocks"]

MOST_SHOWN = 4  # chains, in a chart


def chain_blocks(facts: ChainFacts) -> list[Block]:
    """Return the bound on what the chains could not see, and their traces and ranks."""
    shown = range(min(MOST_SHOWN, len(facts.traces)))
    some = "" if len(facts.traces) <= MOST_SHOWN else f" The first {MOST_SHOWN} of {len(facts.traces)} chains."
    lowest = min(min(own) for own in facts.traces)
    uneven = max(abs(value - 1) for own in facts.ranks for value in own)
    bins = tuple(float(k + 1) for k in range(len(facts.ranks[0])))
    blocks: list[Block] = []
    if facts.left_out > 0:
        blocks.append(
            Paragraph(
                "The chains walked on the parent sets that can matter; those that were left out have at most "
                f"{facts.left_out:.1g} of the posterior probability."
            )
        )
    return [
        *blocks,
        Chart(
            caption=f"Traces: the score of the networks that each chain drew, below the best of all draws.{some}",
            summary=f"The lines of {len(facts.traces)} chains lie between {lowest:.1f} and 0. Chains that agree cover "
            "the same range from beginning to end; one that stays apart, or drifts, has not converged.",
            x_label="draw",
            y_label="score, below the best",
            series=tuple(Series(f"chain {k + 1}", tuple(map(float, facts.places)), facts.traces[k]) for k in shown),
        ),
        Chart(
            caption="Ranks: how the draws of each chain are spread over the ranks of all draws' scores, in twentieths; "
            f"1 is an equal share.{some}",
            summary=f"The shares are within {uneven:.2f} of 1. They are near 1 everywhere if all chains draw from the "
            "same distribution.",
            x_label="twentieth of the ranks",
            y_label="share of the draws, times 20",
            series=tuple(Series(f"chain {k + 1}", bins, facts.ranks[k], steps=True) for k in shown),
            guides=(Guide(1.0, "equal share"),),
        ),
    ]
