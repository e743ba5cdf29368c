"""`arcwise threshold`: above which confidence to believe an edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, row
from arcwise.base.run import Status
from arcwise.cli.options import DataOptions, TimeLimit
from arcwise.cli.output import PrintOptions, finish, print_json
from arcwise.confidence.recommendation import RULES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arcwise.base.run import Limits
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.confidence.permutations import PermutedConfidences
    from arcwise.confidence.recommendation import Recommendation
    from arcwise.confidence.threshold import Threshold
    from arcwise.data.dataset import Dataset


@dataclass(frozen=True)
class ThresholdOptions:
    """The rule, and what it needs."""

    rule: str | None = option(
        None,
        "calibrated, learned, cost, scutari, broom, gross or fixed",
        usual="with --metric or --false-rate calibrated, or learned where no probabilities were studied; else scutari",
        choices=tuple(RULES),
    )
    metric: str | None = option(
        None,
        "shd, f (of the skeleton), f-cpdag, or cost",
        of="calibrated and learned rule, how you will be judged",
        choices=("shd", "f", "f-cpdag", "cost"),
    )
    beta: float | None = option(None, "for f, f-cpdag and the cost rule: recall against precision")
    alpha: float | None = option(
        None, "for cost: how many extra edges a missed edge costs", flags=("--alpha", "--missed-edge-cost")
    )
    false_rate: float | None = option(
        None,
        "the share of the edges that may be false, on average (the false discovery rate)",
        of="calibrated rule",
        flags=("--false-rate", "--fdr"),
    )
    calibration: str | None = option(
        None,
        "how confidences become probabilities: table (by studies of known networks) or none",
        usual="as the file says, else table",
        choices=("table", "none"),
    )
    value: float | None = option(None, "the cut-off", of="fixed rule")
    published: bool = option(False, "Liao's own table (SHD) instead of the package's", of="learned rule")
    cases: int | None = option(None, "the number of cases, if the file does not say", low=1, of="learned rule")

    @property
    def chosen_rule(self) -> str:
        """The rule that was asked for, or the one that follows from what was said."""
        if self.rule is not None:
            return self.rule
        if self.published:
            return "learned"
        return "scutari" if self.metric is None and self.false_rate is None else "calibrated"


@dataclass(frozen=True)
class BroomOptions:
    """What the broom rule learns from."""

    data: Path | None = option(None, "the data that the confidences come from", of="broom rule")
    permutations: int = option(60, "how many permuted data sets", low=2, of="broom rule")
    permuted: tuple[str, ...] = option(
        (), "confidences of permuted data, at least 2 files", of="broom rule, instead of --data", metavar="<list[path]>"
    )
    seed: int = row(Common, "seed")


def threshold(
    confidence: Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")],
    choosing: ThresholdOptions,
    *,
    chance: BroomOptions,
    reading: DataOptions,
    limit: TimeLimit,
    printing: PrintOptions,
) -> None:
    """Choose the cut-off above which an edge counts as significant.

    With --metric, the threshold that is best on average by the probabilities of the edges, and the reasons for it.

    Example: arcwise threshold confidence.parquet --metric f --beta 0.5
    """
    from dataclasses import replace

    from arcwise.confidence.calibration import calibrated_by
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.confidence.recommendation import choose_threshold, recommend

    limits = limit.limits
    status = Status.COMPLETE
    given = EdgeConfidence.load(confidence)
    if choosing.cases is not None:
        given = replace(given, n_cases=choosing.cases)
    if choosing.calibration is not None:
        given = replace(given, calibration=calibrated_by(choosing.calibration))
    chosen_rule = choosing.chosen_rule
    given_to_rule = {name: getattr(choosing, name) for name in ("metric", "beta", "alpha", "value", "false_rate")}
    options: dict[str, Any] = {name: option for name, option in given_to_rule.items() if option is not None}
    if choosing.published:
        options["source"] = "published"
    if chosen_rule == "broom":

        def learn(path: Path) -> PermutedConfidences:
            rows = reading.read(path, printing.progress)
            return _permute(
                given, rows, chance.permutations, seed=chance.seed, limits=limits, progress=printing.progress
            )

        options["permuted"], status = _for_broom(given, confidence, chance.data, chance.permuted, learn)
    elif chance.data is not None or chance.permuted:
        raise OptionError(f"--data and --permuted are for the rule 'broom', not '{chosen_rule}'.")
    advice = None
    advised = chosen_rule in ("calibrated", "learned") and not {"value", "false_rate", "source"} & set(options)
    if advised and (choosing.metric is not None or chosen_rule == "learned"):
        advice = recommend(given, **options, rule=choosing.rule)
        chosen = advice.threshold
    else:
        chosen = choose_threshold(given, chosen_rule, **options)
    above = int((given.vector > chosen.value).sum())
    if printing.as_json:
        summary = {"significant": above, "pairs": len(given.vector), "status": status}
        print_json({**_facts(chosen), **summary, **(_reasons(advice) if advice is not None else {})})
    elif advice is not None:
        typer.echo(advice.text)
    elif printing.quiet:
        typer.echo(f"{chosen.value!r}")
    else:
        typer.echo(f"threshold {chosen.value:.4g} by the rule '{chosen.rule}', which assumes that {chosen.assumes}.")
        typer.echo(f"{above} of {len(given.vector)} pairs are above it.{_to_expect(given, chosen)}")
    if status is not Status.COMPLETE:
        printing.remark(f"{status}: from {len(options['permuted'])} of {chance.permutations} permuted data sets")
    finish(status)


def _to_expect(given: EdgeConfidence, chosen: Threshold) -> str:
    """Return how many of the edges are expected to be false, and how many to be missing, where that was studied."""
    if given.feature != "edge" or given.probability.calibration.kind == "none":
        return ""
    return f" {given.probability.expected(given.vector > chosen.value).sentence()}"


def _facts(chosen: Threshold) -> dict[str, Any]:
    return {
        "threshold": chosen.value,
        "rule": chosen.rule,
        "assumes": chosen.assumes,
        "details": chosen.details,
    }


def _reasons(advice: Recommendation) -> dict[str, Any]:
    return {
        "metric": advice.metric,
        "weight": advice.weight,
        "meaning": advice.cost_in_words,
        "text": advice.text,
        "neighbours": [
            {"threshold": a.threshold, "edges": a.edges, "extra_error": a.extra_error} for a in advice.neighbours
        ],
        "other_rules": [{"rule": a.reason, "threshold": a.threshold, "edges": a.edges} for a in advice.other_rules],
    }


def _for_broom(
    given: EdgeConfidence,
    confidence: Path,
    data: Path | None,
    permuted: Sequence[str],
    learn: Callable[[Path], PermutedConfidences],
) -> tuple[NDArray[np.float64], Status]:
    """Return the confidences of permuted data, learned or from files, and whether they are all there."""
    if (data is None) == (not permuted):
        raise OptionError("the rule 'broom' needs --data, the data of the confidences, or --permuted files; give one.")
    if data is None:
        return _permuted(given, confidence, permuted), Status.COMPLETE
    made = learn(data)
    return made.vectors, made.status


def _permute(
    given: EdgeConfidence, cases: Dataset, permutations: int, *, seed: int, limits: Limits, progress: bool | None
) -> PermutedConfidences:
    """Learn from permuted data as from the data; at a limit, or on Ctrl-C, from as many as were finished."""
    from arcwise.confidence.by_recipe import recipe_of
    from arcwise.confidence.permutations import permuted_confidences

    if cases.names != given.names:
        raise OptionError("--data has different variables from the confidences, or in another order.")
    made = permuted_confidences(
        cases, recipe_of(given), permutations=permutations, seed=seed, limits=limits, progress=progress
    )
    if len(made.vectors) < 2:
        raise OptionError(f"fewer than 2 permutations were finished ({made.status}); allow more time.")
    return made


def _permuted(given: EdgeConfidence, confidence: Path, files: Sequence[str]) -> NDArray[np.float64]:
    """Return the confidences of permuted data from files."""
    import numpy as np

    from arcwise.confidence.edge_confidence import EdgeConfidence

    vectors = []
    for path in files:
        other = EdgeConfidence.load(path)
        if other.names != given.names:
            raise OptionError(f"{path} is over different variables from {confidence}.")
        vectors.append(other.vector)
    return np.array(vectors)
