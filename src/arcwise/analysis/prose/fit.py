"""Whether the network fits, and how well it predicts, in words, tables and a picture."""

from __future__ import annotations

import math

import numpy as np

from arcwise.analysis.prose.edges import state_label
from arcwise.evaluate import FitCheck, PredictionScores
from arcwise.report import Answer, Chart, Column, Paragraph, Series, Table
from arcwise.report.content.blocks import Block
from arcwise.report.content.numbers import percent

__all__ = ["fit_answer", "fit_blocks", "prediction_answer", "prediction_blocks"]

MOST_ROWS = 15
POINTS = 100


def fit_blocks(found: FitCheck) -> tuple[Block, ...]:
    """Return two sentences and a picture."""
    return (Paragraph(f"{_independences(found)} {_likelihood(found)}"), *_picture(found))


def fit_answer(found: FitCheck) -> Answer:
    """Return whether a network fits data, and which pairs do not."""
    blocks: list[Block] = [Paragraph(f"{_independences(found)} {_likelihood(found)}")]
    if found.replicates:
        blocks.append(Paragraph(_replicated(found)))
    blocks += _picture(found)
    worst = found.misfits[:MOST_ROWS]
    if worst:
        rows = tuple(
            (
                f"{pair.first} — {pair.second}",
                "an edge" if pair.given is None else ", ".join(pair.given) or "nothing",
                None if math.isnan(pair.p) else f"{pair.p:.2g}",
                pair.information / math.log(2),
                None if math.isnan(pair.expected) else pair.expected / math.log(2),
                None if math.isnan(pair.z) else pair.z,
            )
            for pair in worst
        )
        blocks.append(
            Table(
                f"The pairs that fit worst{_how_many(len(found.misfits))}. The p-value tests the pair given the "
                "variables named; information is that of the pair alone, in bits, in these data and as expected in "
                "data drawn from the network, and how many standard deviations apart they are.",
                (
                    *(Column("pair"), Column("independent given"), Column("p")),
                    *(Column("information", 4), Column("expected", 4), Column("deviations", 1)),
                ),
                rows,
            )
        )
    return Answer("Does the network fit?", tuple(blocks))


def _how_many(misfits: int) -> str:
    return f", {MOST_ROWS} of {misfits:,}" if misfits > MOST_ROWS else ""


def _independences(found: FitCheck) -> str:
    if not found.n_tests:
        return "The network implies no independence that these cases are enough to test."
    skipped = f" ({found.n_untested:,} more have too few cases for a test)" if found.n_untested else ""
    rejected = round(found.small * found.n_tests)
    share = f" ({percent(found.small)})" if found.n_tests >= 20 else ""
    small = (
        f"of {found.n_tests:,} independences that the network implies and these cases can test, {rejected:,}{share} "
        f"{'is' if rejected == 1 else 'are'} rejected at 0.05"
    )
    first = next((pair for pair in found.misfits if pair.p <= 0.05), None)
    if first is not None:
        lead = "Not everywhere"
        verdict = (
            f"{'more clearly' if rejected == 1 else 'some more clearly'} than chance explains: the network leaves "
            f"dependences out, first of all that of {first.first} and {first.second}"
            f"{' given ' + ', '.join(first.given) if first.given else ''}"
        )
    elif found.small <= 0.1:
        lead = "As far as these cases can tell, yes"
        verdict = "about as many as by chance: there is no sign that an edge is missing"
    else:
        lead = "Perhaps not everywhere"
        verdict = "more than the 5% that chance would reject, but none clearly on its own: dependences may be missing"
    return f"{lead}: {small}{skipped}, {verdict}."


def _likelihood(found: FitCheck) -> str:
    place = ""
    if not math.isnan(found.share_explained):
        place = (
            f", {percent(max(0.0, min(found.share_explained, 1.0)))} of the way from a network without edges "
            f"({found.independent:.3f}) to the frequencies of whole rows ({found.saturated:.3f}), which no model "
            "exceeds on the same data"
        )
    return f"Its log likelihood is {found.log_likelihood:.3f} per case{place}."


def _replicated(found: FitCheck) -> str:
    far = [pair for pair in found.misfits if not math.isnan(pair.z) and abs(pair.z) > 4]
    total = len(found.pairs)
    if not far:
        return (
            f"In {found.replicates:,} data sets drawn from the network, the dependence of every one of the {total:,} "
            "pairs is about as strong as in these data."
        )
    strong = sum(pair.z > 0 for pair in far)
    return (
        f"In {found.replicates:,} data sets drawn from the network, the dependence of {len(far):,} of {total:,} pairs "
        f"differs from that in these data by more than chance explains ({strong:,} more dependent here, "
        f"{len(far) - strong:,} less)."
    )


def _picture(found: FitCheck) -> tuple[Block, ...]:
    values = found.p_values
    if len(values) < 5:
        return ()
    at = np.unique(np.linspace(0, len(values) - 1, min(POINTS, len(values))).astype(int))
    uniform = (at + 0.5) / len(values)
    return (
        Chart(
            caption="The p-values of the implied independences, rising, against those that a right network would have.",
            summary=f"Below 0.05: {round(found.small * len(values)):,} of {len(values):,}.",
            x_label="expected p-value",
            y_label="p-value",
            series=(
                Series("implied independences", tuple(uniform.round(4).tolist()), tuple(values[at].round(4).tolist())),
                Series("a network that fits", (0.0, 1.0), (0.0, 1.0)),
            ),
        ),
    )


def prediction_blocks(found: PredictionScores) -> tuple[Block, ...]:
    """Return what is to be said about predictions, and the table of calibration."""
    how = f"by {found.folds}-fold cross-validation" if found.folds else "in data that were not learned from"
    gain = found.usual_log_loss - found.log_loss
    better = (
        "better than"
        if gain > 2 * found.log_loss_error
        else "no better than"
        if gain < -2 * found.log_loss_error
        else "hardly better than"
    )
    text = (
        f"{found.target} is predicted right in {percent(found.accuracy)} of {found.n_cases:,} cases {how} (give or "
        f"take {percent(2 * found.accuracy_error)}); its most frequent state alone would be right in "
        f"{percent(found.usual_accuracy)}. The log loss is {found.log_loss:.3f} (give or take "
        f"{2 * found.log_loss_error:.3f}), {better} the {found.usual_log_loss:.3f} of its frequencies. On average, a "
        f"predicted probability and the share that comes true differ by {found.calibration.error:.3f}."
    )
    own = found.calibration
    rows = tuple(
        (float(p), float(o), int(c))
        for p, o, c in zip(own.predicted.tolist(), own.observed.tolist(), own.count.tolist(), strict=True)
    )
    return (
        Paragraph(text),
        Table(
            "Predicted probabilities in ten classes, and the share of each that came true.",
            (Column("predicted", 3), Column("came true", 3), Column("predictions", 0)),
            rows,
        ),
        Table(
            "Cases by their true state (rows) and the predicted one.",
            (Column("true"), *(Column(state_label(state), 0) for state in found.states)),
            tuple(
                (state_label(state), *(int(count) for count in found.confusion[k].tolist()))
                for k, state in enumerate(found.states)
            ),
        ),
    )


def prediction_answer(found: PredictionScores) -> Answer:
    """Return how well a variable is predicted."""
    return Answer(f"How well {found.target} is predicted", prediction_blocks(found))
