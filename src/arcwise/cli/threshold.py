"""`arcwise threshold`: from where on to believe an edge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli.options import JsonOption, print_json
from arcwise.errors import OptionError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("threshold")(threshold)


def threshold(
    confidence: Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")],
    rule: Annotated[str, typer.Option("--rule", help="scutari, broom, gross, cost or fixed.")] = "scutari",
    beta: Annotated[float | None, typer.Option("--beta", help="cost rule, F_beta: recall against precision.")] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="cost rule: how many extra edges a missed edge is worth.")
    ] = None,
    value: Annotated[float | None, typer.Option("--value", help="fixed rule: the cut-off.")] = None,
    permuted: Annotated[
        list[Path] | None,
        typer.Option("--permuted", help="broom rule: confidences of permuted data, one file each; give at least 2."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Choose the cut-off above which an edge counts as significant, by one of the published rules.

    Example: arcwise threshold confidence.parquet --rule cost --alpha 2
    """
    import numpy as np

    from arcwise.confidence import EdgeConfidence, choose_threshold

    given = EdgeConfidence.load(confidence)
    options: dict[str, object] = {
        name: option for name, option in (("beta", beta), ("alpha", alpha), ("value", value)) if option is not None
    }
    if permuted:
        others = [EdgeConfidence.load(path) for path in permuted]
        for path, other in zip(permuted, others, strict=True):
            if other.names != given.names:
                raise OptionError(f"{path} is over other variables than {confidence}.")
        options["permuted"] = np.array([other.vector for other in others])
    chosen = choose_threshold(given, rule, **options)
    count = int((given.vector > chosen.value).sum())
    if as_json:
        print_json(
            {
                "threshold": chosen.value,
                "rule": chosen.rule,
                "assumes": chosen.assumes,
                "details": chosen.details,
                "significant": count,
                "pairs": len(given.vector),
            }
        )
        return
    typer.echo(f"threshold {chosen.value:.4g} by the rule '{chosen.rule}', which assumes that {chosen.assumes}.")
    typer.echo(f"{count} of {len(given.vector)} pairs are above it.")
