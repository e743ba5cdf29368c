"""`arcwise check`: what to know about data before anything is learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.analysis.options import LearnOptions
from arcwise.cli.data_options import DataArgument
from arcwise.cli.option_group import expanded
from arcwise.cli.option_table import group_of, keywords_of
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.option import options_of

if TYPE_CHECKING:
    from arcwise.analysis.preparation import Obstacle
    from arcwise.audit import Audit

__all__ = ["register"]

# What can be said about data, beside what is done to gaps and numbers.
SAID = (
    *("drop", "keep", "categorical", "categories", "missing", "decimal", "thousands", "dates", "merge_rare"),
    *("header", "separator", "format", "table", "sample", "whole", "memory", "temporary"),
)
CheckGroup = group_of(LearnOptions, leave_out=[item.name for item in options_of(LearnOptions) if item.name not in SAID])


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("check")(expanded(check))


def check(
    data: DataArgument,
    *,
    given: CheckGroup,  # type: ignore[valid-type]
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the data with all safe proposals carried out; gaps are not filled, and numbers not cut.",
            show_default=False,
        ),
    ] = None,
    printing: PrintOptions,
) -> None:
    """Say what to know about data before learning: identifiers, dates, copies, spellings, gaps, and what to do.

    The options are those of `arcwise learn`, which does the same first: what they say is taken into account. What it
    would ask about is listed here, too.

    Example: arcwise check customers.csv
    """
    from arcwise.analysis.preparation import audit, find_obstacles, open_table
    from arcwise.data import Table, write_table
    from arcwise.data.write import format_to_write
    from arcwise.mentions import Argument

    if output is not None:
        format_to_write(output)
    options = LearnOptions(agree=True, **keywords_of(given, LearnOptions))
    table = open_table(data, progress=printing.progress, **options.reading)
    assert isinstance(table, Table)  # a file was read
    found = audit(table.drop(table.checked_names(table.still_there(options.drop), Argument("drop"))), options)
    obstacles = find_obstacles(found.repaired, options)
    if output is not None:
        write_table(found.repaired, output)
    if printing.as_json:
        facts = found.describe()
        asked = [obstacle.describe() for obstacle in obstacles]
        print_json({**facts, "findings": [*facts["findings"], *asked], "output": output})
    else:
        _show(found, obstacles)
    if output is not None:
        printing.remark(f"Written: {output}, {len(found.repaired.columns)} columns.")


def _show(found: Audit, obstacles: tuple[Obstacle, ...]) -> None:
    """Print the columns and what was found, the gravest first."""
    from rich.console import Console

    from arcwise.analysis.prose.audit import audit_blocks
    from arcwise.report.render.text import print_blocks

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_blocks(audit_blocks(found, obstacles), console)
