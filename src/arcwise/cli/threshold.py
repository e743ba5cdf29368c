"""`arcwise threshold`: above which confidence to believe an edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.completion import names_of, one_of
from arcwise.cli.data_options import DataOptions
from arcwise.cli.limit_options import TimeLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.printing import PrintOptions, finish, print_json
from arcwise.cli.repeat_options import SeedOption
from arcwise.errors import OptionError
from arcwise.limits import Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arcwise.confidence import EdgeConfidence, Recommendation, Threshold
    from arcwise.confidence.permutations import PermutedConfidences
    from arcwise.data import Dataset
    from arcwise.limits import Limits

__all__ = ["register"]


@dataclass(frozen=True)
class ThresholdOptions(OptionGroup):
    """The rule, and what it needs."""

    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            help="calibrated, learned, cost, scutari, broom, gross or fixed; default: with --metric or --false-rate "
            "calibrated, or learned where no probabilities were studied; else scutari.",
            autocompletion=names_of("arcwise.confidence", "RULES"),
            show_default=False,
        ),
    ] = None
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help="calibrated and learned rule, how you will be judged: shd, f (of the skeleton), f-cpdag, or cost.",
            autocompletion=one_of("shd", "f", "f-cpdag", "cost"),
            show_default=False,
        ),
    ] = None
    beta: Annotated[
        float | None, typer.Option("--beta", help="For f, f-cpdag and the cost rule: recall against precision.")
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", "--missed-edge-cost", help="For cost: how many extra edges a missed edge costs."),
    ] = None
    false_rate: Annotated[
        float | None,
        typer.Option(
            "--false-rate",
            "--fdr",
            help="calibrated rule: the share of the edges that may be false, on average (the false discovery rate).",
            show_default=False,
        ),
    ] = None
    calibration: Annotated[
        str | None,
        typer.Option(
            "--calibration",
            help="How confidences become probabilities: table (by studies of known networks) or none; default: as the "
            "file says, else table.",
            autocompletion=one_of("table", "none"),
            show_default=False,
        ),
    ] = None
    value: Annotated[float | None, typer.Option("--value", help="fixed rule: the cut-off.")] = None
    published: Annotated[
        bool, typer.Option("--published", help="learned rule: Liao's own table (SHD) instead of the package's.")
    ] = False
    cases: Annotated[
        int | None,
        typer.Option("--cases", min=1, help="learned rule: the number of cases, if the file does not say."),
    ] = None

    @property
    def chosen_rule(self) -> str:
        """The rule that was asked for, or the one that follows from what was said."""
        if self.rule is not None:
            return self.rule
        if self.published:
            return "learned"
        return "scutari" if self.metric is None and self.false_rate is None else "calibrated"


@dataclass(frozen=True)
class BroomOptions(OptionGroup):
    """What the broom rule learns from."""

    data: Annotated[
        Path | None, typer.Option("--data", help="broom rule: the data that the confidences come from.")
    ] = None
    permutations: Annotated[
        int, typer.Option("--permutations", min=2, help="broom rule: how many permuted data sets.")
    ] = 60
    permuted: Annotated[
        list[Path] | None,
        typer.Option(
            "--permuted", help="broom rule, instead of --data: confidences of permuted data, at least 2 files."
        ),
    ] = None
    seed: SeedOption = 0


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("threshold")(expanded(threshold))


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

    from arcwise.confidence import EdgeConfidence, choose_threshold, recommend
    from arcwise.confidence.calibration.calibration import calibrated_by

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

        options["permuted"], status = _for_broom(given, confidence, chance.data, chance.permuted or [], learn)
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
    """Say how many of the edges are expected to be false, and how many to be missing, where that was studied."""
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
    permuted: list[Path],
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
    from arcwise.confidence.permutations import permuted_confidences
    from arcwise.confidence.recipe_confidence import recipe_of

    if cases.names != given.names:
        raise OptionError("--data has different variables from the confidences, or in another order.")
    made = permuted_confidences(
        cases, recipe_of(given), permutations=permutations, seed=seed, limits=limits, progress=progress
    )
    if len(made.vectors) < 2:
        raise OptionError(f"fewer than 2 permutations were finished ({made.status}); allow more time.")
    return made


def _permuted(given: EdgeConfidence, confidence: Path, files: list[Path]) -> NDArray[np.float64]:
    """Return the confidences of permuted data from files."""
    import numpy as np

    from arcwise.confidence import EdgeConfidence

    vectors = []
    for path in files:
        other = EdgeConfidence.load(path)
        if other.names != given.names:
            raise OptionError(f"{path} is over different variables from {confidence}.")
        vectors.append(other.vector)
    return np.array(vectors)
