"""The tables and figures of a calibration study: how good confidences and probabilities are, on families left out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration import SETTLED_PROBABILITY, SETTLED_SHARE, SETTLED_STRICTLY, is_settled
from arcwise.confidence.probability import FLOOR, reason_of, reliability
from arcwise_studies.experiment import SummaryFigure, SummaryTable
from arcwise_studies.experiments.calibration_decisions import decisions_table
from arcwise_studies.experiments.calibration_fit import Samples
from arcwise_studies.experiments.calibration_judged import GROUPS, Judged, judge, parts
from arcwise_studies.experiments.calibration_pool import judge_together
from arcwise_studies.experiments.pair_states import BACKWARD, FORWARD

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["settled_arrows", "summarize", "wilson"]

# Recipes that are compared on the same samples, and together.
TEAMS: tuple[tuple[str, ...], ...] = (
    ("bootstrap:qnml", "credible:qnml"),
    ("bootstrap:qnml", "posterior:qnml"),
    ("bootstrap:qnml", "bootstrap:bic", "bootstrap:bdeu"),
    ("bootstrap:qnml", "bootstrap:bic", "credible:qnml", "posterior:qnml"),
)
# The bins of the issue of calibration that matter to readers: where an edge is believed.
HIGH_BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
WILSON = 1.959964  # the 97.5 % quantile of the normal distribution


def summarize(rows: pd.DataFrame) -> Sequence[SummaryTable | SummaryFigure]:
    """Return the tables."""
    samples = Samples(rows)
    judged = judge(samples)
    if not judged:
        return [_seconds(rows)]
    return [
        _quality(judged),
        _together(samples),
        _high_bins(judged),
        _expected(judged),
        decisions_table(judged, rows),
        _directions(judged),
        _seconds(rows),
        *(_figure(judged, label) for label in samples.labels),
    ]


def _quality(judged: Sequence[Judged]) -> SummaryTable:
    import pandas as pd

    lines = []
    for label, family, group, own in parts(judged):
        real = np.concatenate([one.real for one in own])
        raw = reliability(np.concatenate([one.confidence for one in own]), real)
        made = reliability(np.concatenate([one.probability for one in own]), real)
        lines.append(
            {
                "recipe": label,
                "family": family,
                "cases": group,
                "error_confidence": round(raw.error, 4),
                "error_probability": round(made.error, 4),
                "log_loss_confidence": round(raw.log_loss, 4),
                "log_loss_probability": round(made.log_loss, 4),
                "brier_confidence": round(raw.brier, 4),
                "brier_probability": round(made.brier, 4),
                "pairs": len(real),
                "cells": len(own),
            }
        )
    caption = (
        "Confidences taken for probabilities, and the probabilities of a calibration that has not seen the family: "
        f"expected calibration error (15 bins, pairs above {FLOOR:g}), log loss and Brier score of all pairs."
    )
    return SummaryTable("quality", caption, pd.DataFrame(lines))


def _together(samples: Samples) -> SummaryTable:
    """Compare recipes, and what they say together, on the samples that all of them learned from."""
    import pandas as pd

    teams = [team for team in TEAMS if set(team) <= set(samples.labels)]
    lines = []
    for team in teams or [samples.labels]:
        judged = judge_together(samples, team)
        for group, (low, high) in GROUPS.items():
            own = [one for one in judged if low <= one.cases <= high]
            if not own:
                continue
            real = np.concatenate([one.real for one in own])
            for label in own[0].claims:
                made = reliability(np.concatenate([one.claims[label] for one in own]), real)
                lines.append(
                    {
                        "members": " + ".join(team),
                        "cases": group,
                        "by": label,
                        "log_loss": round(made.log_loss, 4),
                        "brier": round(made.brier, 4),
                        "error": round(made.error, 4),
                        "cells": len(own),
                    }
                )
    caption = (
        "Recipes on the samples that all of them learned from, and together: pooled is the mean of the log odds of "
        "their probabilities, stacked has weights that were fitted for log loss. Each family left out."
    )
    return SummaryTable("together", caption, pd.DataFrame(lines))


def _high_bins(judged: Sequence[Judged]) -> SummaryTable:
    import pandas as pd

    lines = []
    for label, _, group, own in parts(judged, families=False):
        claims = np.concatenate([one.probability for one in own])
        real = np.concatenate([one.real for one in own])
        for low, high in itertools.pairwise(HIGH_BINS):
            inside = (claims > low) & (claims <= high)
            if inside.any():
                lines.append(
                    {
                        "recipe": label,
                        "cases": group,
                        "from": low,
                        "to": high,
                        "claimed": round(float(claims[inside].mean()), 3),
                        "true": round(float(real[inside].mean()), 3),
                        "pairs": int(inside.sum()),
                        "cells": len(own),
                    }
                )
    return SummaryTable("bins", "Claimed and true shares of edges, all families, each left out.", pd.DataFrame(lines))


def _expected(judged: Sequence[Judged]) -> SummaryTable:
    import pandas as pd

    lines = []
    for label, family, group, own in parts(judged):
        claims = np.concatenate([one.probability for one in own])
        real = np.concatenate([one.real for one in own])
        chosen = claims > 0.5
        lines.append(
            {
                "recipe": label,
                "family": family,
                "cases": group,
                "edges": int(chosen.sum()),
                "false_expected": round(float((1 - claims[chosen]).sum()), 1),
                "false": int((~real[chosen]).sum()),
                "missed_expected": round(float(claims[~chosen].sum()), 1),
                "missed": int(real[~chosen].sum()),
                "cells": len(own),
            }
        )
    caption = "False and missed edges at a probability of one half: expected, and counted. Each family left out."
    return SummaryTable("expected", caption, pd.DataFrame(lines))


def _directions(judged: Sequence[Judged]) -> SummaryTable:
    """How often directions are right that the networks, or the probabilities, call settled: of all pairs."""
    import pandas as pd

    lines = []
    for label, family, group, own in parts(judged):
        counts, compelled = {"shares": [0, 0], "probability": [0, 0]}, 0
        for one in own:
            truth, present = one.states.truth, one.confidence
            compelled += int(((truth == FORWARD) | (truth == BACKWARD)).sum())
            shares = one.states.shares / np.maximum(present, 1e-12)
            n, pairs = one.states.n_variables, np.triu_indices(one.states.n_variables, 1)
            edges, arrows = np.zeros((n, n)), np.zeros((n, n))
            edges[pairs], arrows[pairs], arrows[pairs[::-1]] = one.probability, *(one.probability * one.ways[:2])
            settled = settled_arrows(edges + edges.T, arrows, strictly=not label.startswith("bootstrap:"))
            for name, ways, called in (
                ("shares", shares, (one.probability > 0.5) & (shares[:2].max(axis=0) >= SETTLED_SHARE)),
                ("probability", one.ways, (settled | settled.T)[pairs]),
            ):
                best = np.where(ways[0] >= ways[1], FORWARD, BACKWARD)
                counts[name][0] += int(called.sum())
                counts[name][1] += int((called & (truth == best)).sum())
        lines.append(
            {
                "recipe": label,
                "family": family,
                "cases": group,
                "compelled": compelled,
                **{f"called_by_{name}": value[0] for name, value in counts.items()},
                **{
                    f"right_by_{name}": round(value[1] / value[0], 3) if value[0] else None
                    for name, value in counts.items()
                },
                **wilson(*reversed(counts["probability"])),
                "cells": len(own),
            }
        )
    caption = (
        f"Directions that are called settled: by a share of the networks of at least {SETTLED_SHARE:g}, and by a "
        f"probability, of the edge with its direction and of what compels it, of {SETTLED_PROBABILITY:g}; how many, "
        "and how often right, the latter with its interval of 95 % (Wilson), beside the number that the true classes "
        "compel. A direction of a pair without an edge is wrong. Each family left out."
    )
    return SummaryTable("directions", caption, pd.DataFrame(lines))


def settled_arrows(
    present: NDArray[np.float64], directed: NDArray[np.float64], *, strictly: bool = False
) -> NDArray[np.bool_]:
    """Return which arrows are settled, by the probabilities of edges and of arrows, as in `PairProbability.arrow`."""
    found = directed >= (SETTLED_STRICTLY if strictly else SETTLED_PROBABILITY)
    for tail, head in np.argwhere(found).tolist():
        found[tail, head] = is_settled(0.0, reason_of(present, directed, tail, head), strictly=strictly)
    return found


def wilson(hits: int, count: int) -> dict[str, float | None]:
    """Return Wilson's interval of 95 % for a share, which keeps to what is possible where all were right."""
    if not count:
        return {"low": None, "high": None}
    share, spread = hits / count, WILSON**2 / count
    middle = share + spread / 2
    reach = WILSON * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return {"low": round((middle - reach) / (1 + spread), 3), "high": round((middle + reach) / (1 + spread), 3)}


def _seconds(rows: pd.DataFrame) -> SummaryTable:
    import pandas as pd

    lines = [
        {
            "recipe": f"{method}:{score}",
            "seconds": round(float(own["learn_seconds"].sum()), 1),
            "longest": round(float(own["learn_seconds"].max()), 1),
            "cells": len(own),
        }
        for (method, score), own in rows.groupby(["method", "score"])
    ]
    return SummaryTable("seconds", "Processor seconds of learning, by recipe.", pd.DataFrame(lines))


def _figure(judged: Sequence[Judged], label: str) -> SummaryFigure:
    own = [one for one in judged if one.label == label]
    real = np.concatenate([one.real for one in own])
    raw = reliability(np.concatenate([one.confidence for one in own]), real)
    made = reliability(np.concatenate([one.probability for one in own]), real)

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        for found, name in ((raw, "confidence"), (made, "probability")):
            some = found.pairs >= 20
            axes.plot(found.claimed[some], found.true[some], marker="o", label=name)
        axes.set_xlabel("claimed")
        axes.set_ylabel("share of real edges")
        axes.set_title(f"{label} ({len(own)} samples)")
        axes.legend()

    caption = f"Reliability of {label}: what is claimed, and how often it is true; each family left out."
    return SummaryFigure(f"reliability-{label.replace(':', '-')}", caption, draw)
