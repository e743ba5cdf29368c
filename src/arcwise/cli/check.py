"""`arcwise check`: what to know about data before anything is learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.base.options import option
from arcwise.cli.options import DataArgument, Rows
from arcwise.cli.output import PrintOptions, print_json
from arcwise.findings.options import LearnOptions

if TYPE_CHECKING:
    from arcwise.audit.audit import Audit
    from arcwise.findings.preparation import Obstacle

# What can be said about data, beside what is done to gaps and numbers.
SAID = (
    *("drop", "keep", "categorical", "categories", "missing", "decimal", "thousands", "dates", "merge_rare"),
    *("header", "separator", "format", "table", "sample", "whole", "memory", "temporary"),
)
GIVEN = Rows((LearnOptions,), only=SAID)


def check(
    data: DataArgument,
    *,
    given: Annotated[dict[str, Any], GIVEN],
    output: Path | None = option(
        None,
        "write the data with all safe proposals carried out; gaps are not filled, and numbers not cut",
        flags=("--output", "-o"),
    ),
    printing: PrintOptions,
) -> None:
    """Say what to know about data before learning: identifiers, dates, copies, spellings, gaps, and what to do.

    The options are those of `arcwise learn`, which does the same first: what they say is taken into account. What it
    would ask about is listed here, too.

    Example: arcwise check customers.csv
    """
    from arcwise.base.errors import Argument
    from arcwise.data.table import Table
    from arcwise.data.write import format_to_write, write_table
    from arcwise.findings.preparation import audit, find_obstacles, open_table

    if output is not None:
        format_to_write(output)
    options = LearnOptions(agree=True, **given)
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

    from arcwise.report.sections import audit_blocks
    from arcwise.report.text import print_blocks

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_blocks(audit_blocks(found, obstacles), console)
