"""`arcwise threshold`: above which confidence to believe an edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, row
from arcwise.base.run import Limits, Status
from arcwise.cli.options import DataVerb, TimeLimit
from arcwise.cli.output import ConfidenceArgument
from arcwise.cli.verb import Result, Verb, facts
from arcwise.confidence.by_recipe import recipe_of
from arcwise.confidence.calibration import calibrated_by
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.permutations import permuted_confidences
from arcwise.confidence.recommendation import RULES, Recommendation, choose_threshold, recommend
from arcwise.confidence.threshold import Threshold as Cut


class Threshold(DataVerb, TimeLimit, Verb):
    """Choose the cut-off above which an edge counts as significant.

    With --metric, the threshold that is best on average by the probabilities of the edges, and the reasons for it.

    Example: arcwise threshold confidence.parquet --metric f --beta 0.5
    """

    confidence: ConfidenceArgument
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
    data: Path | None = option(None, "the data that the confidences come from", of="broom rule")
    permutations: int = option(60, "how many permuted data sets", low=2, of="broom rule")
    permuted: tuple[str, ...] = option(
        (), "confidences of permuted data, at least 2 files", of="broom rule, instead of --data", metavar="<list[path]>"
    )
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        given = EdgeConfidence.load(self.confidence)
        if self.cases is not None:
            given = replace(given, n_cases=self.cases)
        if self.calibration is not None:
            given = replace(given, calibration=calibrated_by(self.calibration))
        rule = self._rule()
        named = {name: getattr(self, name) for name in ("metric", "beta", "alpha", "value", "false_rate")}
        options: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        if self.published:
            options["source"] = "published"
        status, remark, limits = Status.COMPLETE, "", self.limits
        if rule == "broom":
            options["permuted"], status = self._permuted(given, limits)
            if status is not Status.COMPLETE:
                remark = f"{status}: from {len(options['permuted'])} of {self.permutations} permuted data sets"
        elif self.data is not None or self.permuted:
            raise OptionError(f"--data and --permuted are for the rule 'broom', not '{rule}'.")
        advice = None
        advised = rule in ("calibrated", "learned") and not {"value", "false_rate", "source"} & set(options)
        if advised and (self.metric is not None or rule == "learned"):
            advice = recommend(given, **options, rule=self.rule)
            chosen = advice.threshold
        else:
            chosen = choose_threshold(given, rule, **options)
        above = int((given.vector > chosen.value).sum())
        payload = {
            "threshold": chosen.value,
            **facts(chosen, "rule", "assumes", "details"),
            "significant": above,
            "pairs": len(given.vector),
            "status": status,
            **({} if advice is None else _reasons(advice)),
        }
        if advice is not None:
            return Result(payload, advice.text, remark, status=status)
        lines = [f"{chosen.value!r}"] if self.quiet else _lines(given, chosen, above)
        return Result(payload, lines, remark, status=status)

    def _rule(self) -> str:
        """Return the rule that was asked for, or the one that follows from what was said."""
        if self.rule is not None:
            return self.rule
        if self.published:
            return "learned"
        return "scutari" if self.metric is None and self.false_rate is None else "calibrated"

    def _permuted(self, given: EdgeConfidence, limits: Limits) -> tuple[NDArray[np.float64], Status]:
        """Return the confidences of permuted data, from files or learned as those of the data were.

        At a limit, or on Ctrl-C, from as many as were finished.
        """
        if (self.data is None) == (not self.permuted):
            raise OptionError(
                "the rule 'broom' needs --data, the data of the confidences, or --permuted files; give one."
            )
        if self.data is None:
            return np.array([self._vector(path, given) for path in self.permuted]), Status.COMPLETE
        cases = self.read(self.data)
        if cases.names != given.names:
            raise OptionError("--data has different variables from the confidences, or in another order.")
        made = permuted_confidences(
            cases,
            recipe_of(given),
            permutations=self.permutations,
            seed=self.seed,
            limits=limits,
            progress=self.progress,
        )
        if len(made.vectors) < 2:
            raise OptionError(f"fewer than 2 permutations were finished ({made.status}); allow more time.")
        return made.vectors, made.status

    def _vector(self, path: str, given: EdgeConfidence) -> NDArray[np.float64]:
        other = EdgeConfidence.load(path)
        if other.names != given.names:
            raise OptionError(f"{path} is over different variables from {self.confidence}.")
        return other.vector


def _lines(given: EdgeConfidence, chosen: Cut, above: int) -> Iterator[str]:
    """Yield the cut-off, and how many edges are expected to be false, and to be missing, where that was studied."""
    yield f"threshold {chosen.value:.4g} by the rule '{chosen.rule}', which assumes that {chosen.assumes}."
    expected = ""
    if given.feature == "edge" and given.probability.calibration.kind != "none":
        expected = f" {given.probability.expected(given.vector > chosen.value).sentence()}"
    yield f"{above} of {len(given.vector)} pairs are above it.{expected}"


def _reasons(advice: Recommendation) -> dict[str, Any]:
    return {
        "metric": advice.metric,
        "weight": advice.weight,
        "meaning": advice.cost_in_words,
        "text": advice.text,
        "neighbours": [facts(a, "threshold", "edges", "extra_error") for a in advice.neighbours],
        "other_rules": [{"rule": a.reason, **facts(a, "threshold", "edges")} for a in advice.other_rules],
    }
