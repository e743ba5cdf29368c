"""The verbs that decide which edges to trust: their confidences, where to cut, and the network that results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Limits, Status
from arcwise.cli.options import ConstraintOptions, DataVerb, TimeLimit
from arcwise.cli.output import ConfidenceArgument, ResultVerb, check_file_name, check_output_name, write_graph_file
from arcwise.cli.verb import Result, Verb, facts
from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.by_recipe import permuted_confidences, recipe_of
from arcwise.confidence.calibration import calibrated_by
from arcwise.confidence.consensus import ConsensusNetwork, Fate, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.edge_confidence import Threshold as Cut
from arcwise.confidence.recommendation import Recommendation, recommend
from arcwise.confidence.rules import RULES, choose_threshold
from arcwise.graph.constraints import assert_obeys
from arcwise.networks.network_list import NetworkSet


class ConfidenceVerb(ResultVerb):
    """Average networks into the confidence that an edge joins each pair of variables.

    Example: arcwise confidence nets.parquet -o confidence.parquet
    """

    networks: Annotated[Path, typer.Argument(help="Networks from `arcwise credible` or `arcwise bootstrap`.")]
    orient: str = option(
        "cpdag",
        "cpdag (directions that the data or constraints show), dag, or skeleton",
        choices=("cpdag", "dag", "skeleton"),
    )
    weights: str | None = option(
        None, "posterior or equal", usual="as the networks were saved", choices=("posterior", "equal")
    )
    feature: str = option(
        "edge",
        "edge, markov-blanket, or path (a directed path from one to the other)",
        choices=("edge", "markov-blanket", "path"),
    )
    n_cases: int | None = option(
        None, "the number of rows, if the file of networks does not say", low=1, flags=("--cases",)
    )
    compare: Path | None = option(None, "other networks, or confidences, to print side by side")
    above: float = option(0.0, "print only pairs with a confidence above this")

    def _check(self) -> None:
        check_file_name(self.output, "confidences", (".parquet", ".csv", ".csv.gz"))

    def _run(self) -> Result:
        try:
            given = NetworkSet.load(self.networks)
        except FormatError as error:
            raise FormatError(f"{error} Networks come from `arcwise credible -o` or `arcwise bootstrap -o`.") from None
        result = self._averaged(given)
        if self.output is not None:
            result.save(self.output)
            self.remark(f"wrote {self.output}")
        if self.compare is not None:
            both = result.compare(self._other(self.compare))
            both = both[(both["here"] > self.above) | (both["there"] > self.above)]
            return Result({"pairs": both}, lambda: _print(both))
        frame = result.to_frame(above=self.above)
        payload = {
            "origin": result.origin,
            "networks": result.n_networks,
            **facts(result, "orient", "weights", "exact", "complete"),
            "pairs": frame,
        }
        return Result(payload, () if self.output is not None else lambda: _print(frame))

    def _averaged(self, networks: NetworkSet) -> EdgeConfidence:
        options: Any = {name: getattr(self, name) for name in ("orient", "weights", "feature", "n_cases")}
        return edge_confidence(networks, **options)

    def _other(self, path: Path) -> EdgeConfidence:
        """Return the confidences of a file, or those of its networks."""
        try:
            return EdgeConfidence.load(path)
        except FormatError:
            return self._averaged(NetworkSet.load(path))


def _print(frame: Any) -> None:
    typer.echo(frame.to_string(index=False, float_format=lambda value: f"{value:.4f}"))


class ThresholdVerb(DataVerb, TimeLimit, Verb):
    """Choose the cut-off above which an edge is in the network.

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
    cases: int | None = option(None, "the number of rows, if the file does not say", low=1, of="learned rule")
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
        recipe = recipe_of(given)
        cases = self.read(self.data, recipe.scorer)
        if cases.names != given.names:
            raise OptionError("--data has different variables from the confidences, or in another order.")
        made = permuted_confidences(
            cases,
            recipe,
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


class ConsensusVerb(ConstraintOptions, ResultVerb):
    """Build the network of the edges above a threshold, and list every edge that was dropped or is a toss-up.

    The network obeys the constraints that the networks were learned under, or those that are given here instead.

    The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, or .txt (structure file).

    Example: arcwise consensus confidence.parquet --threshold 0.5 -o network.graphml
    """

    confidence: ConfidenceArgument
    threshold: float = option(REQUIRED, "edges strictly above it are significant", low=0, high=1)
    as_class: bool = option(False, "write the equivalence class instead of one DAG of it", flags=("--cpdag",))

    def _run(self) -> Result:
        to_stdout = self.stdout_is_taken(self.output)
        if self.output is not None:
            check_output_name(self.output, partly_directed=self.as_class)
        found = EdgeConfidence.load(self.confidence)
        result = consensus_network(found, self.threshold, constraints=self.read_constraints(found.names))
        drawn = result.cpdag if self.as_class else result.dag
        assert_obeys(drawn, result.constraints)
        if self.output is not None:
            labels = {(edge.tail, edge.head): edge.present for edge in result.edges}
            write_graph_file(self.output, drawn, labels=labels)
            self.remark("" if to_stdout else f"wrote {self.output}")
        payload = {
            "threshold": result.threshold,
            "arcs": drawn.arcs,
            "undirected": result.cpdag.edges if self.as_class else [],
            "edges": (
                {
                    "tail": e.tail,
                    "head": e.head,
                    "present": e.present,
                    "probability": found.probability.pair(e.tail, e.head).edge,
                    "direction": e.direction,
                    "fate": e.fate,
                }
                for e in result.edges
            ),
        }
        return Result(payload, () if to_stdout else _edge_lines(result))


def _edge_lines(result: ConsensusNetwork) -> Iterator[str]:
    if not result.edges:
        yield "# no edge is above the threshold"
    for edge in result.edges:
        sign = "--" if edge.fate is Fate.UNDIRECTED else "->"
        note = f"  {edge.fate}: {edge.fate.reason}" if edge.fate.is_left_out else ""
        note = "  required" if edge.fate is Fate.REQUIRED else note
        yield f"{edge.tail} {sign} {edge.head}  {edge.present:.4f}{note}"
