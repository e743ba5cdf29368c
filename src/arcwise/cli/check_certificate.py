"""`arcwise check-certificate`: whether a certificate proves what it states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arcwise.certificate.certified import Certified, check_certificate
from arcwise.cli.verb import Result, Verb


class CheckCertificate(Verb):
    """Check the proof that a network is the best of a table, in exact arithmetic and without any part of the search.

    The checker is one file of plain Python, arcwise/certificate/checker.py, which also runs alone. A certificate that
    does not prove what it states, or that is about another table, is refused with exit code 1.

    Example: arcwise check-certificate survey.arct optimum.json.gz
    """

    table: Annotated[Path, typer.Argument(metavar="TABLE", help="The table of parent sets (.jkl, .arct; also .gz).")]
    certificate: Annotated[Path, typer.Argument(help="What `arcwise optimal --certificate` wrote.")]

    def _run(self) -> Result:
        found = check_certificate(self.table, self.certificate)
        payload = {
            "accepted": True,
            "score": float(found.score),
            "bound": float(found.bound),
            "gap": float(found.gap),
            "exact_score": str(found.score),
            "exact_bound": str(found.bound),
            "steps": found.steps,
            "variables": found.dag.names,
            "arcs": found.dag.arcs,
            "required": found.required,
            "forbidden": found.forbidden,
            "max_parents": found.max_parents,
        }
        return Result(payload, _lines(found))


def _lines(found: Certified) -> Iterator[str]:
    yield from (f"{parent} -> {child}" for parent, child in found.dag.arcs)
    yield f"score        {float(found.score):.6f}"
    yield f"proved       no network of the table scores higher by more than {float(found.gap):.2g}"
    counted = {
        "required arcs": found.required,
        "forbidden arcs": found.forbidden,
        "parent limits": found.max_parents,
    }
    rules = [f"{len(some)} {what}" for what, some in counted.items() if some]
    if rules:
        yield f"constraints  among the networks with {', '.join(rules)} (--json lists them)"
    yield f"proof        {found.steps:,} steps, all of them checked in exact arithmetic"
