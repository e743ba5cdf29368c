"""`arcwise confidence`: how far each edge can be trusted, from a file of networks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli.options import JsonOption, OutputOption, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("confidence")(confidence)


def confidence(
    networks: Annotated[Path, typer.Argument(help="Networks from `arcwise credible` or `arcwise bootstrap`.")],
    orient: Annotated[
        str, typer.Option("--orient", help="cpdag (directions that the data can show), dag, or skeleton.")
    ] = "cpdag",
    weights: Annotated[
        str | None, typer.Option("--weights", help="posterior or equal; default: as the networks were saved.")
    ] = None,
    above: Annotated[float, typer.Option("--above", help="Print only pairs with a confidence above this.")] = 0.0,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Average networks into the confidence that an edge joins each pair of variables.

    Example: arcwise confidence nets.parquet -o confidence.parquet
    """
    from arcwise.confidence import edge_confidence
    from arcwise.ensemble import NetworkSet

    result = edge_confidence(NetworkSet.load(networks), orient=orient, weights=weights)  # type: ignore[arg-type]
    if output is not None:
        result.save(output)
        typer.echo(f"wrote {output}", err=True)
    frame = result.to_frame(above=above)
    if as_json:
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
