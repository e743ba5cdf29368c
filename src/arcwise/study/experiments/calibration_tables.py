"""The tables and figures of a calibration study: how good confidences and probabilities are, on families left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.curve import CalibrationCurve
from arcwise.confidence.calibration.directions import DirectionMap
from arcwise.confidence.calibration.reliability import FLOOR, reliability
from arcwise.confidence.meta_ensemble import pooled
from arcwise.study.experiment import SummaryFigure, SummaryTable
from arcwise.study.experiments.calibration_fit import Samples
from arcwise.study.experiments.pair_states import ABSENT, BACKWARD, FORWARD, UNDIRECTED, PairStates, losses

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Judged", "judge", "summarize"]

# Sample sizes that are shown together.
GROUPS = {"50": (0, 99), "100-200": (100, 499), "500-1000": (500, 1999), "2000-20000": (2000, 10**9)}
EVERY = "all"
TOGETHER = "pooled"
# The bins of the issue of calibration that matter to readers: where an edge is believed.
HIGH_BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
COSTS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
SETTLED = 0.75  # from this share of the networks on, the report calls a direction settled


@dataclass(frozen=True, eq=False)
class Judged:
    """One sample with the probabilities that were made without its family of worlds."""

    label: str
    family: str
    sample: str  # what it is a sample of: recipes that learned from the same have the same
    cases: int
    states: PairStates
    curve: CalibrationCurve
    ways: NDArray[np.float64]  # 3 x pairs: forward, backward and either, given an edge

    @property
    def confidence(self) -> NDArray[np.float64]:
        """What the recipe says."""
        return self.states.present

    @property
    def probability(self) -> NDArray[np.float64]:
        """What it is worth."""
        return self.curve(self.states.present)

    @property
    def real(self) -> NDArray[np.bool_]:
        """The truth."""
        return np.asarray(self.states.truth != ABSENT)

    @property
    def group(self) -> str:
        """The group of its sample size."""
        return next(name for name, (low, high) in GROUPS.items() if low <= self.cases <= high)


def judge(samples: Samples) -> list[Judged]:
    """Give every sample probabilities by a calibration that has not seen its family of worlds."""
    found = []
    for label in samples.labels:
        of_label = samples.of(label)
        for family in of_label.families:
            others, own = of_label.without(family), of_label.within(family)
            if not len(others):
                continue
            model, directions = others.model(), others.directions()
            for states, facts, row in zip(own.states, own.facts, own.frame.itertuples(), strict=True):
                sample, cases = f"{row.truth}|{row.cases}|{row.repetition}", int(str(row.cases))
                ways = _ways(states, directions, cases)
                found.append(Judged(label, family, sample, cases, states, model.curve(facts), ways))
    return found


def _ways(states: PairStates, directions: DirectionMap, cases: int) -> NDArray[np.float64]:
    forward, backward, free = states.shares / np.maximum(states.present, 1e-12)
    return np.stack(directions(forward, backward, np.where(states.present > 0, free, 1.0), cases))


def summarize(rows: pd.DataFrame) -> Sequence[SummaryTable | SummaryFigure]:
    """Return the tables."""
    samples = Samples(rows)
    judged = judge(samples)
    if not judged:
        return [_seconds(rows)]
    return [
        _quality(judged),
        _together(judged),
        _high_bins(judged),
        _expected(judged),
        _decisions(judged),
        _directions(judged),
        _seconds(rows),
        *(_figure(judged, label) for label in samples.labels),
    ]


def _parts(judged: Sequence[Judged], *, families: bool = True) -> Iterator[tuple[str, str, str, list[Judged]]]:
    """Return the samples by recipe, family and group of sizes; with all families together."""
    labels = sorted({one.label for one in judged})
    kinds = [*(sorted({one.family for one in judged}) if families else ()), EVERY]
    for label in labels:
        for family in kinds:
            for group in GROUPS:
                own = [o for o in judged if o.label == label and o.family in (family, *_any(o, family))]
                own = [o for o in own if o.group == group]
                if own:
                    yield label, family, group, own


def _any(one: Judged, family: str) -> tuple[str, ...]:
    return (one.family,) if family == EVERY else ()


def _quality(judged: Sequence[Judged]) -> SummaryTable:
    import pandas as pd

    lines = []
    for label, family, group, own in _parts(judged):
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


def _together(judged: Sequence[Judged]) -> SummaryTable:
    """Compare the recipes, and what they say together, on the samples that all of them learned from."""
    import pandas as pd

    labels = sorted({one.label for one in judged})
    by_sample: dict[str, dict[str, Judged]] = {}
    for one in judged:
        by_sample.setdefault(one.sample, {})[one.label] = one
    common = [found for found in by_sample.values() if len(found) == len(labels)]
    lines = []
    for group in GROUPS:
        own = [found for found in common if found[labels[0]].group == group]
        if not own:
            continue
        real = np.concatenate([found[labels[0]].real for found in own])
        claims = {label: np.concatenate([found[label].probability for found in own]) for label in labels}
        raw = {label: np.concatenate([found[label].confidence for found in own]) for label in labels}
        claims[TOGETHER] = pooled(list(claims.values()))
        for label, values in claims.items():
            made = reliability(values, real)
            before = reliability(raw[label], real) if label in raw else None
            lines.append(
                {
                    "cases": group,
                    "recipe": label,
                    "log_loss_confidence": None if before is None else round(before.log_loss, 4),
                    "log_loss_probability": round(made.log_loss, 4),
                    "brier_confidence": None if before is None else round(before.brier, 4),
                    "brier_probability": round(made.brier, 4),
                    "error_probability": round(made.error, 4),
                    "cells": len(own),
                }
            )
    caption = (
        "The recipes on the samples that all of them learned from, and pooled: the mean of the log odds of their "
        "probabilities. Each family left out."
    )
    return SummaryTable("together", caption, pd.DataFrame(lines))


def _high_bins(judged: Sequence[Judged]) -> SummaryTable:
    import pandas as pd

    lines = []
    for label, _, group, own in _parts(judged, families=False):
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
    for label, family, group, own in _parts(judged):
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


def _decisions(judged: Sequence[Judged]) -> SummaryTable:
    """Compare the cut-offs that probabilities ask for with one half, instance by instance."""
    import pandas as pd

    lines = []
    for label in sorted({one.label for one in judged}):
        own = [one for one in judged if one.label == label]
        for cost in COSTS:
            cuts = [np.array([one.curve.cut_off(1 / (1 + cost)), 0.5, 1 / (1 + cost)]) for one in own]
            found = np.array([losses(o.states.count(c), "cost", cost) for o, c in zip(own, cuts, strict=True)])
            for column, rival in ((1, "0.5"), (2, "1 / (1 + cost) of the confidence")):
                lines.append(
                    {
                        "recipe": label,
                        "cost": cost,
                        "against": rival,
                        "won": int((found[:, 0] < found[:, column] - 1e-12).sum()),
                        "lost": int((found[:, 0] > found[:, column] + 1e-12).sum()),
                        "loss": round(float(found[:, 0].mean()), 5),
                        "loss_against": round(float(found[:, column].mean()), 5),
                        "cells": len(own),
                    }
                )
    caption = (
        "Cost of missed and extra edges over n (n - 1) at the cut-off that the probabilities ask for, and at others: "
        "on how many samples it is lower (won) or higher (lost), and the means. Each family left out."
    )
    return SummaryTable("decisions", caption, pd.DataFrame(lines))


def _directions(judged: Sequence[Judged]) -> SummaryTable:
    """How often directions are right that the networks, or the probabilities, call settled: of true edges."""
    import pandas as pd

    lines = []
    for label, family, group, own in _parts(judged):
        counts = {"shares": [0, 0], "probability": [0, 0]}
        for one in own:
            truth, present = one.states.truth, one.confidence
            for name, ways in (("shares", one.states.shares / np.maximum(present, 1e-12)), ("probability", one.ways)):
                best = np.where(ways[0] >= ways[1], FORWARD, BACKWARD)
                bar = SETTLED if name == "shares" else 0.95
                called = (one.probability > 0.5) & (truth != ABSENT) & (np.maximum(ways[0], ways[1]) >= bar)
                counts[name][0] += int(called.sum())
                counts[name][1] += int((called & (truth == best)).sum())
        lines.append(
            {
                "recipe": label,
                "family": family,
                "cases": group,
                **{f"called_by_{name}": value[0] for name, value in counts.items()},
                **{
                    f"right_by_{name}": round(value[1] / value[0], 3) if value[0] else None
                    for name, value in counts.items()
                },
                "open": int(sum((one.states.truth == UNDIRECTED).sum() for one in own)),
                "cells": len(own),
            }
        )
    caption = (
        f"Directions of true edges that are called settled: by a share of the networks of at least {SETTLED:g}, and by "
        "a probability of at least 0.95; how many, and how often right. Each family left out."
    )
    return SummaryTable("directions", caption, pd.DataFrame(lines))


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
