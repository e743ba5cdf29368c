"""What the report says about probabilities: what they rest on, and what to expect at other cut-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arcwise.confidence.calibration.curve import KNOTS
from arcwise.confidence.calibration.decisions import false_rate_cut
from arcwise.report import Chart, Column, Paragraph, Series, Table

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.confidence.calibration.self_calibration import SelfCalibration
    from arcwise.report.content.blocks import Block

__all__ = ["calibration_blocks"]

RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
LEAST_PAIRS = 20  # of a bin that is drawn
HIGH = 0.9


def calibration_blocks(analysis: Analysis) -> list[Block]:
    """Say what a confidence is worth here, and what to expect of other cut-offs."""
    known = analysis.probability.calibration
    if known.kind == "none":
        return [Paragraph("The confidences were not calibrated: how often they are right is not known.")]
    doubt = f" {known.doubt}" if known.doubt else ""
    return [
        Paragraph(
            "A confidence is a share of networks; how often an edge of that confidence is real is its probability. The "
            f"probabilities {known.basis}.{doubt}"
        ),
        _rates(analysis),
        _curve(analysis),
    ]


def _rates(analysis: Analysis) -> Table:
    """Return cut-offs by the share of false edges that they let in."""
    rows = []
    for rate in RATES:
        value, bar = false_rate_cut(analysis.confidence, rate)
        expected = analysis.probability.expected(analysis.confidence.vector > value)
        rows.append((f"{rate:.0%}", value, bar, expected.edges, expected.false, expected.missed))
    return Table(
        "Cut-offs by the share of false edges among those above, on average (the false discovery rate).",
        (
            Column("at most false"),
            Column("cut-off", 3),
            Column("probability there", 3),
            Column("edges", 0),
            Column("expected false", 1),
            Column("expected missing", 1),
        ),
        tuple(rows),
    )


def _curve(analysis: Analysis) -> Chart:
    """Draw what a confidence is worth; after simulations, with what was seen there."""
    known = analysis.probability.calibration
    series = [
        Series("probability", tuple(KNOTS.tolist()), tuple(np.round(known.curve.values, 4).tolist())),
        Series("confidence itself", (0.0, 1.0), (0.0, 1.0)),
    ]
    if analysis.simulated is not None:
        seen = analysis.simulated.reliability
        full = seen.pairs >= LEAST_PAIRS
        if full.any():
            known_pairs = tuple(seen.claimed[full].tolist()), tuple(seen.true[full].round(4).tolist())
            series.append(Series("in simulated data", *known_pairs))
    worth = ", ".join(f"{value:g} is worth {float(known.curve(value)):.2f}" for value in (0.5, 0.9, 1.0))
    summary = f"A confidence of {worth}."
    if analysis.simulated is not None:
        summary += f" {_seen(analysis.simulated)}"
    elif why := analysis.unsimulated or ("" if analysis.options.compare else "comparisons were not asked for"):
        summary += f" How often that is so in data simulated from these networks was not tried: {why}."
    return Chart(
        caption="What a confidence is worth: how often an edge of that confidence is real.",
        summary=summary,
        x_label="confidence",
        y_label="probability that the edge is real",
        series=tuple(series),
    )


def _seen(simulated: SelfCalibration) -> str:
    """Say what came out in data simulated from the networks that were found."""
    seen = simulated.reliability
    some = np.nan_to_num(seen.claimed) >= HIGH
    pairs = int(seen.pairs[some].sum())
    alike = "alike" if simulated.members is None else f"alike, {simulated.members} networks each"
    sets = f"{simulated.repeats} data sets that were simulated from these networks and learned from {alike}"
    if not pairs:
        return f"In {sets}, no edge had a confidence of {HIGH:g} or more."
    real = float((seen.true[some] * seen.pairs[some]).sum()) / pairs
    return f"In {sets}, {real:.0%} of the {pairs:,} edges of confidence {HIGH:g} or more were real."
