"""`arcwise confidence`: how far each edge can be trusted, from a file of networks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.completion import one_of
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import OutputOption, check_file_name
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.errors import FormatError

if TYPE_CHECKING:
    from arcwise.confidence import EdgeConfidence

__all__ = ["register"]


@dataclass(frozen=True)
class AveragingOptions(OptionGroup):
    """How networks are averaged."""

    orient: Annotated[
        str,
        typer.Option(
            "--orient",
            help="cpdag (directions that the data or constraints show), dag, or skeleton.",
            autocompletion=one_of("cpdag", "dag", "skeleton"),
        ),
    ] = "cpdag"
    weights: Annotated[
        str | None, typer.Option("--weights", help="posterior or equal; default: as the networks were saved.")
    ] = None
    feature: Annotated[
        str, typer.Option("--feature", help="edge, markov-blanket, or path (a directed path from one to the other).")
    ] = "edge"
    cases: Annotated[
        int | None, typer.Option("--cases", min=1, help="The number of cases, if the file of networks does not say.")
    ] = None


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("confidence")(expanded(confidence))


def confidence(
    networks: Annotated[Path, typer.Argument(help="Networks from `arcwise credible` or `arcwise bootstrap`.")],
    averaging: AveragingOptions,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", help="Other networks, or confidences, to print side by side.", show_default=False),
    ] = None,
    above: Annotated[float, typer.Option("--above", help="Print only pairs with a confidence above this.")] = 0.0,
    *,
    output: OutputOption = None,
    printing: PrintOptions,
) -> None:
    """Average networks into the confidence that an edge joins each pair of variables.

    Example: arcwise confidence nets.parquet -o confidence.parquet
    """
    from arcwise.confidence import edge_confidence
    from arcwise.ensemble import NetworkSet

    check_file_name(output, "confidences", (".parquet", ".csv", ".csv.gz"))
    options: dict[str, Any] = {
        "orient": averaging.orient,
        "weights": averaging.weights,
        "feature": averaging.feature,
        "n_cases": averaging.cases,
    }
    try:
        given = NetworkSet.load(networks)
    except FormatError as error:
        raise FormatError(f"{error} Networks come from `arcwise credible -o` or `arcwise bootstrap -o`.") from None
    result = edge_confidence(given, **options)
    if output is not None:
        result.save(output)
        printing.remark(f"wrote {output}")
    if compare is not None:
        both = result.compare(_other(compare, options))
        both = both[(both["here"] > above) | (both["there"] > above)]
        if printing.as_json:
            print_json({"pairs": both.to_dict(orient="records")})
        else:
            typer.echo(both.to_string(index=False, float_format=lambda value: f"{value:.4f}"))
        return
    frame = result.to_frame(above=above)
    if printing.as_json:
        print_json(
            {
                "origin": result.origin,
                "networks": result.n_networks,
                "orient": result.orient,
                "weights": result.weights,
                "exact": result.exact,
                "complete": result.complete,
                "pairs": frame.to_dict(orient="records"),
            }
        )
    elif output is None:
        typer.echo(frame.to_string(index=False, float_format=lambda value: f"{value:.4f}"))


def _other(path: Path, options: dict[str, Any]) -> EdgeConfidence:
    """Return the confidences of a file, or those of its networks."""
    from arcwise.confidence import EdgeConfidence, edge_confidence
    from arcwise.ensemble import NetworkSet

    try:
        return EdgeConfidence.load(path)
    except FormatError:
        return edge_confidence(NetworkSet.load(path), **options)
