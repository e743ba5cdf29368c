"""`arcwise confidence`: how far each edge can be trusted, from a file of networks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import FormatError
from arcwise.base.options import option
from arcwise.cli.output import ResultOptions, check_file_name, print_json

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence


@dataclass(frozen=True)
class AveragingOptions:
    """How networks are averaged."""

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
        None, "the number of cases, if the file of networks does not say", low=1, flags=("--cases",)
    )
    compare: Path | None = option(None, "other networks, or confidences, to print side by side")
    above: float = option(0.0, "print only pairs with a confidence above this")

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as `edge_confidence` wants them."""
        return {name: getattr(self, name) for name in ("orient", "weights", "feature", "n_cases")}


def confidence(
    networks: Annotated[Path, typer.Argument(help="Networks from `arcwise credible` or `arcwise bootstrap`.")],
    averaging: AveragingOptions,
    *,
    printing: ResultOptions,
) -> None:
    """Average networks into the confidence that an edge joins each pair of variables.

    Example: arcwise confidence nets.parquet -o confidence.parquet
    """
    from arcwise.confidence.averaging import edge_confidence
    from arcwise.networks.network_list import NetworkSet

    output, compare, above = printing.output, averaging.compare, averaging.above
    check_file_name(output, "confidences", (".parquet", ".csv", ".csv.gz"))
    options = averaging.keywords
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
    from arcwise.confidence.averaging import edge_confidence
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.networks.network_list import NetworkSet

    try:
        return EdgeConfidence.load(path)
    except FormatError:
        return edge_confidence(NetworkSet.load(path), **options)
