"""Options that say what every network must satisfy: arcs, tiers, roots and leaves, the number of parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.option_group import OptionGroup
from arcwise.errors import ConstraintError

if TYPE_CHECKING:
    from arcwise.analysis.left_out import LeftOut
    from arcwise.graph import Constraints
    from arcwise.scores import Score

__all__ = ["ConstraintOptions", "RuleOptions"]


@dataclass(frozen=True)
class ConstraintOptions(OptionGroup):
    """What the analyst knows about the structure."""

    constraints: Annotated[
        str | None,
        typer.Option(
            "--constraints",
            help="A .toml, .json or .csv file of what every network must satisfy: required and forbidden arcs, tiers, "
            "roots, groups, parent limits, ...; or JSON, {...}.",
            show_default=False,
        ),
    ] = None
    whitelist: Annotated[
        Path | None,
        typer.Option("--whitelist", "--required", help="A CSV file from,to of required arcs.", show_default=False),
    ] = None
    blacklist: Annotated[
        Path | None,
        typer.Option("--blacklist", "--forbidden", help="A CSV file from,to of forbidden arcs.", show_default=False),
    ] = None

    def read_with(
        self, names: Sequence[str], gone: Mapping[str, LeftOut], score: Score | None = None
    ) -> Constraints | None:
        """Return the constraints; those, and prior odds in a score, about columns that were left out are refused."""
        from arcwise.analysis.left_out import refuse_left_out
        from arcwise.scores import BelievedScore

        if gone:
            beliefs = score.beliefs if isinstance(score, BelievedScore) else None
            refuse_left_out(gone, self.read((*names, *gone)), beliefs)
        return self.read(names)

    def read(self, names: Sequence[str]) -> Constraints | None:
        """Return the constraints of all the files together, or None if there are none."""
        from arcwise.graph import Constraints, parse_constraints, read_arc_list, read_constraints

        base = None
        if self.constraints is not None:
            inline = self.constraints.lstrip().startswith("{")
            base = parse_constraints(self.constraints, names) if inline else read_constraints(self.constraints, names)
        if self.whitelist is None and self.blacklist is None:
            return base
        base = base or Constraints(names)
        required, forbidden = list(base.required), list(base.forbidden)
        if self.whitelist is not None:
            listed = read_arc_list(self.whitelist)
            if listed.edges:
                a, b = listed.edges[0]
                raise ConstraintError(
                    f"{self.whitelist}: {a} and {b} are required in both directions; keep one of them."
                )
            required += listed.arcs
        if self.blacklist is not None:
            listed = read_arc_list(self.blacklist)
            forbidden += (*listed.arcs, *listed.edges, *((b, a) for a, b in listed.edges))
        given = (self.constraints, self.whitelist, self.blacklist)
        files = ", ".join(str(path) for path in given if path is not None)
        try:
            return base.changed(required=required, forbidden=forbidden)
        except ConstraintError as error:
            raise error.within(f"{files}:") from None


@dataclass(frozen=True)
class RuleOptions(ConstraintOptions):
    """The rules that networks must obey: constraints, and a limit on parents."""

    max_parents: Annotated[
        int | None, typer.Option("--max-parents", min=0, help="The most parents of any variable.", show_default=False)
    ] = None
