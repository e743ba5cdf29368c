"""A distribution averaged over networks and parameters, in words and as a table."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.prose.edges import state_label
from arcwise.report import Answer, Column, Paragraph, Table
from arcwise.report.content.blocks import Cell
from arcwise.report.content.numbers import percent

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.ensemble.model_average import AveragedDistribution

__all__ = ["averaged_answer", "table_answer"]

HARDLY = 0.1
NUMBERS = ("probability", "low", "high", "between_networks")


def averaged_answer(question: str, found: AveragedDistribution, frame: pd.DataFrame, networks: str) -> Answer:
    """Return a distribution with how sure it is; `frame` has the rows asked for, `networks` says what they are."""
    at = frame["probability"].to_numpy().argmax()
    row = frame.iloc[int(at)]
    states = ", ".join(f"{name} = {state_label(str(row[name]))}" for name in found.names)
    most = "The most probable is " if len(frame) > 1 else ""
    text = (
        f"{most}{states}, with probability {row['probability']:.3f} ({percent(found.level)} interval {row['low']:.3f} "
        f"to {row['high']:.3f}). This is an average over {found.networks:,} different {networks}, and the interval "
        f"holds what is not known about the network as well as about its probabilities; {_structure(found)}."
    )
    columns = (
        *(Column(name) for name in found.names),
        *(Column(title, 3) for title in ("probability", "low", "high", "between networks")),
    )
    rows: list[tuple[Cell, ...]] = []
    for values in frame.to_dict(orient="records"):
        labels = [state_label(str(values[name])) for name in found.names]
        rows.append((*labels, *(float(values[name]) for name in NUMBERS)))
    caption = (
        f"{question}, with {percent(found.level)} intervals from {found.draws:,} draws; the last column is the "
        "standard deviation between networks."
    )
    return Answer(question, (Paragraph(text), Table(caption, columns, tuple(rows))))


def _structure(found: AveragedDistribution) -> str:
    """Say how much of the uncertainty is due to the structure."""
    widest = np.unravel_index(int(np.argmax(found.high - found.low)), found.mean.shape)
    deviations = 2 * NormalDist().inv_cdf(0.5 + found.level / 2)  # from end to end of the interval
    whole = float(found.high[widest] - found.low[widest]) / deviations
    share = 0.0 if whole <= 0 else min(1.0, (float(found.between[widest]) / whole) ** 2)
    if share < HARDLY:
        return "which network it is hardly matters for it"
    return f"which network it is accounts for about {percent(share)} of the variance"


def table_answer(question: str, frame: pd.DataFrame, remark: str = "") -> Answer:
    """Return the table that answers a question of one network, as it is."""
    columns = tuple(Column(str(name), None) for name in frame)
    rows = tuple(
        tuple(f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row)
        for row in frame.itertuples(index=False, name=None)
    )
    return Answer(question, (Table("", columns, rows), *([Paragraph(remark)] if remark else [])))
