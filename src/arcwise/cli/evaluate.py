"""`arcwise evaluate`: how far a learned structure is from the true one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import option, row
from arcwise.cli.output import GRAPH_FILES, GraphFile, open_graph_file, read_two_graphs
from arcwise.cli.verb import Result, Verb
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.read import ReadingSettings, read_data
from arcwise.evaluate.comparison import (
    Comparison,
    Graph,
    adjustment_distance,
    compare,
    confidence_curve,
    confidence_reliability,
    sid,
)
from arcwise.evaluate.prediction import accuracy_score
from arcwise.graph.dag import Dag

ADJUSTMENTS = {
    "sid": "structural intervention distance",
    "ancestor_aid": "ancestor adjustment distance of classes",
}


class EvaluateVerb(Verb):
    """Compare a learned structure with the true one, by equivalence class: SHD and its parts, F_beta, cost.

    Of confidences in a Parquet file: the areas under curves of precision and recall, and how well they are calibrated.

    Example: arcwise evaluate alarm.bif.gz learned.txt --beta 0.5
    """

    true: Annotated[Path, typer.Argument(help=f"The true graph: {GRAPH_FILES}; .gz too; - for stdin.")]
    learned: Annotated[
        Path,
        typer.Argument(help="The learned graph, in any of the same formats, or confidences (`arcwise confidence -o`)."),
    ]
    beta: float = option(1.0, "F_beta: above 1 recall counts more, below 1 precision")
    alpha: float = option(
        1.0,
        "misclassification cost: how many extra edges a missed edge costs",
        flags=("--alpha", "--missed-edge-cost"),
    )
    data: Path | None = option(None, "held-out data, to compare the predictions of two networks with tables")
    separator: str | None = row(ReadingSettings, "separator")
    adjustment: bool = option(False, "also how often effects would be adjusted wrongly: SID, ancestor AID")

    def _run(self) -> Result:
        if self.learned.suffix == ".parquet":
            if self.data is not None or self.adjustment:
                raise OptionError(f"--data and --adjustment compare two graphs; {self.learned} holds confidences.")
            return self._evaluate_confidences()
        first, second = read_two_graphs(self.true, self.learned)
        comparison = compare(first.graph(), second.graph(), beta=self.beta, alpha=self.alpha)
        prediction = {} if self.data is None else self._prediction(first, second, self.data)
        distances = _adjustment(first.graph(), second.graph()) if self.adjustment else {}
        lines = _lines(_rows(comparison, distances, prediction))
        return Result(comparison.to_dict() | distances | prediction, lines)

    def _evaluate_confidences(self) -> Result:
        """Return how confidences rank and weigh the edges of the true graph."""
        confidence = EdgeConfidence.load(self.learned)
        graph = open_graph_file(self.true).graph(confidence.names)
        edges, measured = confidence_curve(confidence, graph), confidence_reliability(confidence, graph)
        values: dict[str, tuple[str, float]] = {
            "average_precision": ("area under precision over recall, edges", edges.average_precision),
            "roc_area": ("area under the ROC curve, edges", edges.roc_area),
        }
        if isinstance(graph, Dag):
            arcs = confidence_curve(confidence, graph, "arcs")
            values["arc_average_precision"] = ("area under precision over recall, arcs", arcs.average_precision)
            values["arc_roc_area"] = ("area under the ROC curve, arcs", arcs.roc_area)
        values["calibration_error"] = ("expected calibration error", measured.error)
        values["log_loss"] = ("log loss per pair", measured.log_loss)
        values["brier"] = ("Brier score", measured.brier)
        payload = {"nodes": len(confidence.names), **{key: value for key, (_, value) in values.items()}}
        return Result(payload, _lines({label: f"{value:.4f}" for label, value in values.values()}))

    def _prediction(self, true: GraphFile, learned: GraphFile, path: Path) -> dict[str, Any]:
        for file in (true, learned):
            if file.network is None:
                raise OptionError(
                    f"--data needs two networks with parameters, such as .bif files; {file.path} is a graph only."
                )
        assert true.network is not None
        assert learned.network is not None
        names, progress = true.network.names, self.progress
        states = dict(zip(names, true.network.states, strict=True))
        data = read_data(path, states=states, columns=names, separator=self.separator, progress=progress)
        reference = true.network.log_likelihood(data, progress=progress)
        value = learned.network.log_likelihood(data, progress=progress)
        return {
            "cases": data.n_cases,
            "true_log_likelihood": reference,
            "learned_log_likelihood": value,
            "accuracy_score": accuracy_score(reference, value),
        }


def _adjustment(true: Graph, learned: Graph) -> dict[str, int]:
    """Return in how many ordered pairs the effect would be adjusted for wrongly, by two rules."""
    found = {}
    if isinstance(true, Dag) and isinstance(learned, Dag):
        found["sid"] = sid(true, learned).mistakes
    first, second = (graph.cpdag if isinstance(graph, Dag) else graph for graph in (true, learned))
    found["ancestor_aid"] = adjustment_distance(first, second).mistakes
    return found


def _rows(comparison: Comparison, distances: dict[str, int], prediction: dict[str, Any]) -> dict[str, object]:
    hamming, edges = comparison.hamming, comparison.skeleton
    moral = "not defined (no DAG has these edges)" if comparison.moral_distance is None else comparison.moral_distance
    rows: dict[str, object] = {
        "nodes": comparison.n_nodes,
        "true edges": edges.n_true,
        "learned edges": edges.true_positives + edges.false_positives,
        "Markov equivalent": "yes" if comparison.equivalent else "no",
        "structural Hamming distance": comparison.shd,
        "  missing edges": hamming.missing,
        "  extra edges": hamming.extra,
        "  wrong orientations": hamming.wrong_orientation,
        "  missing orientations": hamming.missing_orientation,
        "  extra orientations": hamming.extra_orientation,
        "precision of the skeleton": f"{edges.precision:.4f}",
        "recall of the skeleton": f"{edges.recall:.4f}",
        f"F_{comparison.beta:g} of the skeleton": f"{comparison.f_beta:.4f}",
        f"F_{comparison.beta:g} of the CPDAG": f"{comparison.multiclass_f_beta:.4f}",
        f"misclassification cost, alpha {comparison.alpha:g}": f"{comparison.misclassification_cost:g}",
        "moral-graph distance": moral,
    }
    rows |= {ADJUSTMENTS[name]: value for name, value in distances.items()}
    if prediction:
        rows |= {
            "held-out rows": f"{prediction['cases']:,}",
            "log-likelihood, true network": f"{prediction['true_log_likelihood']:.4f}",
            "log-likelihood, learned network": f"{prediction['learned_log_likelihood']:.4f}",
            "accuracy score (per cent)": f"{prediction['accuracy_score']:.4f}",
        }
    return rows


def _lines(rows: Mapping[str, object]) -> list[str]:
    width = max(map(len, rows))
    return [f"{label:{width}}  {value}" for label, value in rows.items()]
