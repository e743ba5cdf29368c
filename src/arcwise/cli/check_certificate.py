"""`arcwise check-certificate`: whether a certificate proves what it states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli.output import PrintOptions, print_json


def check_certificate(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="The table of parent sets (.jkl, .arct; also .gz).")],
    certificate: Annotated[Path, typer.Argument(help="What `arcwise optimal --certificate` wrote.")],
    *,
    printing: PrintOptions,
) -> None:
    """Check the proof that a network is the best of a table, in exact arithmetic and without any part of the search.

    The checker is one file of plain Python, arcwise/certificate/checker.py, which also runs alone. A certificate that
    does not prove what it states, or that is about another table, is refused with exit code 1.

    Example: arcwise check-certificate survey.arct optimum.json.gz
    """
    from arcwise.certificate.certified import check_certificate as check

    found = check(table, certificate)
    if printing.as_json:
        print_json(
            {
                "accepted": True,
                "score": float(found.score),
                "bound": float(found.bound),
                "gap": float(found.gap),
                "exact_score": str(found.score),
                "exact_bound": str(found.bound),
                "steps": found.steps,
                "variables": list(found.dag.names),
                "arcs": [list(arc) for arc in found.dag.arcs],
                "required": [list(arc) for arc in found.required],
                "forbidden": [list(arc) for arc in found.forbidden],
                "max_parents": found.max_parents,
            }
        )
        return
    for parent, child in found.dag.arcs:
        typer.echo(f"{parent} -> {child}")
    typer.echo(f"score        {float(found.score):.6f}")
    typer.echo(f"proved       no network of the table scores higher by more than {float(found.gap):.2g}")
    rules = [
        f"{len(some)} {what}"
        for some, what in (
            (found.required, "required arcs"),
            (found.forbidden, "forbidden arcs"),
            (found.max_parents, "parent limits"),
        )
        if some
    ]
    if rules:
        typer.echo(f"constraints  among the networks with {', '.join(rules)} (--json lists them)")
    typer.echo(f"proof        {found.steps:,} steps, all of them checked in exact arithmetic")
