"""`arcwise evaluate`: how far a learned structure is from the true one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.data_options import SeparatorOption
from arcwise.cli.graph_files import GRAPH_FILES, GraphFile, read_two_graphs
from arcwise.cli.option_group import expanded
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.evaluate import Comparison

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("evaluate")(expanded(evaluate))


def evaluate(
    true: Annotated[Path, typer.Argument(help=f"The true graph: {GRAPH_FILES}; .gz too; - for stdin.")],
    learned: Annotated[Path, typer.Argument(help="The learned graph, in any of the same formats.")],
    beta: Annotated[float, typer.Option("--beta", help="F_beta: above 1 recall counts more, below 1 precision.")] = 1.0,
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha", "--missed-edge-cost", help="Misclassification cost: how many extra edges a missed edge costs."
        ),
    ] = 1.0,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Held-out data, to compare the predictions of two networks with tables."),
    ] = None,
    separator: SeparatorOption = None,
    *,
    printing: PrintOptions,
) -> None:
    """Compare a learned structure with the true one, by equivalence class: SHD and its parts, F_beta, cost.

    Example: arcwise evaluate alarm.bif.gz learned.txt --beta 0.5
    """
    from arcwise.evaluate import compare

    first, second = read_two_graphs(true, learned)
    comparison = compare(first.graph(), second.graph(), beta=beta, alpha=alpha)
    prediction = {} if data is None else _prediction(first, second, data, separator, printing.progress)
    if printing.as_json:
        print_json(comparison.to_dict() | prediction)
        return
    for line in _lines(comparison, prediction):
        typer.echo(line)


def _prediction(
    true: GraphFile, learned: GraphFile, path: Path, separator: str | None, progress: bool | None
) -> dict[str, Any]:
    from arcwise.data import read_data
    from arcwise.evaluate import accuracy_score

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


def _lines(comparison: Comparison, prediction: dict[str, Any]) -> list[str]:
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
    if prediction:
        rows += [
            ("held-out cases", f"{prediction['cases']:,}"),
            ("log-likelihood, true network", f"{prediction['true_log_likelihood']:.4f}"),
            ("log-likelihood, learned network", f"{prediction['learned_log_likelihood']:.4f}"),
            ("accuracy score (per cent)", f"{prediction['accuracy_score']:.4f}"),
        ]
    width = max(len(label) for label, _ in rows)
    return [f"{label:{width}}  {value}" for label, value in rows]
