"""`arcwise evaluate`: how far a learned structure is from the true one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import option, row
from arcwise.cli.output import GRAPH_FILES, GraphFile, PrintOptions, open_graph_file, print_json, read_two_graphs
from arcwise.data.read import ReadingSettings

if TYPE_CHECKING:
    from arcwise.evaluate.comparison import Comparison, Graph

ADJUSTMENTS = {
    "sid": "structural intervention distance",
    "ancestor_aid": "ancestor adjustment distance of classes",
}


def evaluate(
    true: Annotated[Path, typer.Argument(help=f"The true graph: {GRAPH_FILES}; .gz too; - for stdin.")],
    learned: Annotated[
        Path,
        typer.Argument(help="The learned graph, in any of the same formats, or confidences (`arcwise confidence -o`)."),
    ],
    beta: float = option(1.0, "F_beta: above 1 recall counts more, below 1 precision"),
    alpha: float = option(
        1.0,
        "misclassification cost: how many extra edges a missed edge costs",
        flags=("--alpha", "--missed-edge-cost"),
    ),
    data: Path | None = option(None, "held-out data, to compare the predictions of two networks with tables"),
    *,
    separator: str | None = row(ReadingSettings, "separator"),
    adjustment: bool = option(False, "also how often effects would be adjusted wrongly: SID, ancestor AID"),
    printing: PrintOptions,
) -> None:
    """Compare a learned structure with the true one, by equivalence class: SHD and its parts, F_beta, cost.

    Of confidences in a Parquet file: the areas under curves of precision and recall, and how well they are calibrated.

    Example: arcwise evaluate alarm.bif.gz learned.txt --beta 0.5
    """
    from arcwise.evaluate.comparison import compare

    if learned.suffix == ".parquet":
        if data is not None or adjustment:
            raise OptionError(f"--data and --adjustment compare two graphs; {learned} holds confidences.")
        _evaluate_confidences(true, learned, printing)
        return
    first, second = read_two_graphs(true, learned)
    comparison = compare(first.graph(), second.graph(), beta=beta, alpha=alpha)
    prediction = {} if data is None else _prediction(first, second, data, separator, printing.progress)
    distances = _adjustment(first.graph(), second.graph()) if adjustment else {}
    if printing.as_json:
        print_json(comparison.to_dict() | distances | prediction)
        return
    for line in _lines(comparison, distances, prediction):
        typer.echo(line)


def _evaluate_confidences(true: Path, learned: Path, printing: PrintOptions) -> None:
    """Print how confidences rank and weigh the edges of the true graph."""
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.evaluate.curves import confidence_curve, confidence_reliability
    from arcwise.graph.dag import Dag

    confidence = EdgeConfidence.load(learned)
    graph = open_graph_file(true).graph(confidence.names)
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
    if printing.as_json:
        print_json({"nodes": len(confidence.names), **{key: value for key, (_, value) in values.items()}})
        return
    width = max(len(label) for label, _ in values.values())
    for label, value in values.values():
        typer.echo(f"{label:{width}}  {value:.4f}")


def _adjustment(true: Graph, learned: Graph) -> dict[str, int]:
    """Return in how many ordered pairs the effect would be adjusted for wrongly, by two rules."""
    from arcwise.evaluate.comparison import adjustment_distance, sid
    from arcwise.graph.dag import Dag

    found = {}
    if isinstance(true, Dag) and isinstance(learned, Dag):
        found["sid"] = sid(true, learned).mistakes
    first, second = (graph.cpdag if isinstance(graph, Dag) else graph for graph in (true, learned))
    found["ancestor_aid"] = adjustment_distance(first, second).mistakes
    return found


def _prediction(
    true: GraphFile, learned: GraphFile, path: Path, separator: str | None, progress: bool | None
) -> dict[str, Any]:
    from arcwise.data.read import read_data
    from arcwise.evaluate.predictions import accuracy_score

    for file in (true, learned):
        if file.network is None:
            raise OptionError(
                f"--data needs two networks with parameters, such as .bif files; {file.path} is a graph only."
            )
    assert true.network is not None
    assert learned.network is not None
    states = dict(zip(true.network.names, true.network.states, strict=True))
    data = read_data(path, states=states, columns=true.network.names, separator=separator, progress=progress)
    reference = true.network.log_likelihood(data, progress=progress)
    value = learned.network.log_likelihood(data, progress=progress)
    return {
        "cases": data.n_cases,
        "true_log_likelihood": reference,
        "learned_log_likelihood": value,
        "accuracy_score": accuracy_score(reference, value),
    }


def _lines(comparison: Comparison, distances: dict[str, int], prediction: dict[str, Any]) -> list[str]:
    hamming, edges = comparison.hamming, comparison.skeleton
    moral = "not defined (no DAG has these edges)" if comparison.moral_distance is None else comparison.moral_distance
    rows: list[tuple[str, object]] = [
        ("nodes", comparison.n_nodes),
        ("true edges", edges.n_true),
        ("learned edges", edges.true_positives + edges.false_positives),
        ("Markov equivalent", "yes" if comparison.equivalent else "no"),
        ("structural Hamming distance", comparison.shd),
        ("  missing edges", hamming.missing),
        ("  extra edges", hamming.extra),
        ("  wrong orientations", hamming.wrong_orientation),
        ("  missing orientations", hamming.missing_orientation),
        ("  extra orientations", hamming.extra_orientation),
        ("precision of the skeleton", f"{edges.precision:.4f}"),
        ("recall of the skeleton", f"{edges.recall:.4f}"),
        (f"F_{comparison.beta:g} of the skeleton", f"{comparison.f_beta:.4f}"),
        (f"F_{comparison.beta:g} of the CPDAG", f"{comparison.multiclass_f_beta:.4f}"),
        (f"misclassification cost, alpha {comparison.alpha:g}", f"{comparison.misclassification_cost:g}"),
        ("moral-graph distance", moral),
    ]
    rows += [(ADJUSTMENTS[name], value) for name, value in distances.items()]
    if prediction:
        rows += [
            ("held-out cases", f"{prediction['cases']:,}"),
            ("log-likelihood, true network", f"{prediction['true_log_likelihood']:.4f}"),
            ("log-likelihood, learned network", f"{prediction['learned_log_likelihood']:.4f}"),
            ("accuracy score (per cent)", f"{prediction['accuracy_score']:.4f}"),
        ]
    width = max(len(label) for label, _ in rows)
    return [f"{label:{width}}  {value}" for label, value in rows]
